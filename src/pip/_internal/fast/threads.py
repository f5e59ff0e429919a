"""Start threads that neither delay Python's exit for long nor crash it.

CPython 3.11 may crash if a thread starts another one while Python ends: what the new
thread needs is freed before it runs. So none is born once the main thread has nothing
left to do.

OpenSSL frees what it holds when the process ends, and crashes in a thread that is using it
then. So what a thread is doing has a moment to end before Python does.
"""

from __future__ import annotations

import atexit
import contextlib
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from typing import Any, Generic, TypeVar

T = TypeVar("T")

#: Held while a thread is born; and by the main thread, for good, when Python ends.
_BIRTHS = threading.RLock()
#: Whether Python ends, so that no other work is begun.
_ENDS = threading.Event()
#: Seconds. Whatever takes longer waits for others, and uses no library meanwhile; so does a
#: thread between two calls of OpenSSL, once Python ends.
_PATIENCE = 0.2


class _Thread(threading.Thread):
    """A thread that delays Python's exit by at most *patience* seconds."""

    def __init__(
        self, do: Callable[..., None], given: list[Any], patience: float
    ) -> None:
        super().__init__(target=do, args=given, daemon=True)
        self.patience = patience

    def start(self) -> None:
        """Start the thread.

        :raises RuntimeError: if there can be no more threads.
        """
        with _BIRTHS:
            super().start()


@atexit.register
def _end() -> None:
    """Block new threads, and wait for the running ones."""
    _BIRTHS.acquire()
    _ENDS.set()
    began = time.monotonic()
    # Who interrupts that cannot wait.
    with contextlib.suppress(KeyboardInterrupt):
        for thread in threading.enumerate():
            if isinstance(thread, _Thread):
                left = began + thread.patience - time.monotonic()
                thread.join(max(0.0, left))


def in_thread(do: Callable[[], T], *, patience: float = _PATIENCE) -> Future[T]:
    """Run a function in a separate thread.

    :param patience: for how many seconds Python waits for it at its end
    :return: what comes of it

    :raises RuntimeError: if there can be no more threads.
    """
    future: Future[T] = Future()
    _Thread(_run, [do, future], patience).start()
    return future


def _run(do: Callable[[], T], future: Future[T]) -> None:
    try:
        result = do()
    except BaseException as error:  # Somebody waits for the future.
        future.set_exception(error)
    else:
        future.set_result(result)
    finally:
        # An error refers to this frame, and the future to the error.
        del future


class Workers(Generic[T]):
    """A few threads that process jobs one after the other.

    :param work: what each thread does with the jobs that it takes
    :param most: how many threads there may be
    :param take: waits for the next job; returns None to end a thread
    """

    def __init__(
        self,
        work: Callable[[Iterator[T]], None],
        most: int,
        take: Callable[[], T | None],
    ) -> None:
        self._work = work
        self._most = most
        self._take = take
        self._threads: list[_Thread] = []

    def __len__(self) -> int:
        """Return the number of started threads."""
        return len(self._threads)

    def grow(self, wanted: int) -> None:
        """Start threads up to the wanted or allowed number.

        :raises RuntimeError: if there can be no more threads.
        """
        while len(self._threads) < min(wanted, self._most):
            thread = _Thread(self._work, [self._jobs()], _PATIENCE)
            thread.start()
            self._threads.append(thread)

    def _jobs(self) -> Iterator[T]:
        while (job := self._take()) is not None and not _ENDS.is_set():
            yield job
            # While it waits for the next one, it holds none.
            del job

    def join(self, seconds: float) -> None:
        """Wait for all threads to end, but no longer than *seconds*."""
        end = time.monotonic() + seconds
        for thread in self._threads:
            thread.join(max(0.0, end - time.monotonic()))
