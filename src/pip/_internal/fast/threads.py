"""Start threads that neither delay Python's exit for long nor crash Python.

CPython 3.11 may crash if a thread starts another thread while Python exits: Python frees
objects that the new thread needs, before the new thread runs. So no thread starts after the
main thread has finished.

OpenSSL frees its data when the process exits, and then crashes in a thread that still uses
the data. So running threads get a moment to finish before Python exits.
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

#: Held while a thread starts, and permanently by the main thread when Python exits.
_BIRTHS = threading.RLock()
#: Whether Python is exiting, so that no thread begins other work.
_ENDS = threading.Event()
#: Seconds. A thread that needs longer is waiting for a server or a lock, or is between two
#: calls of OpenSSL; it uses no library while Python exits.
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

        :raises RuntimeError: if the system allows no more threads.
        """
        with _BIRTHS:
            super().start()


@atexit.register
def _end() -> None:
    """Block new threads, and wait for the running ones."""
    _BIRTHS.acquire()
    _ENDS.set()
    began = time.monotonic()
    # An interrupt ends the wait.
    with contextlib.suppress(KeyboardInterrupt):
        for thread in threading.enumerate():
            if isinstance(thread, _Thread):
                left = began + thread.patience - time.monotonic()
                thread.join(max(0.0, left))


def in_thread(do: Callable[[], T], *, patience: float = _PATIENCE) -> Future[T]:
    """Run a function in a separate thread.

    :param patience: the time that Python waits for the thread at exit, in seconds.
    :return: the future result of the function.
    :raises RuntimeError: if the system allows no more threads.
    """
    future: Future[T] = Future()
    _Thread(_run, [do, future], patience).start()
    return future


def _run(do: Callable[[], T], future: Future[T]) -> None:
    try:
        result = do()
    except BaseException as error:  # The caller waits for the future.
        future.set_exception(error)
    else:
        future.set_result(result)
    finally:
        # An error refers to this frame, and the future refers to the error.
        del future


class Workers(Generic[T]):
    """A few threads that process jobs one after the other.

    :param work: the function that each thread runs on its jobs.
    :param most: the maximum number of threads.
    :param take: a function that waits for the next job; returns None to end a thread.
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
        """Start threads until there are *wanted* threads, or the maximum number.

        :raises RuntimeError: if the system allows no more threads.
        """
        while len(self._threads) < min(wanted, self._most):
            thread = _Thread(self._work, [self._jobs()], _PATIENCE)
            thread.start()
            self._threads.append(thread)

    def _jobs(self) -> Iterator[T]:
        while (job := self._take()) is not None and not _ENDS.is_set():
            yield job
            # A thread that waits for the next job must not refer to this one.
            del job

    def join(self, seconds: float) -> None:
        """Wait for all threads to end, but no longer than *seconds*."""
        end = time.monotonic() + seconds
        for thread in self._threads:
            thread.join(max(0.0, end - time.monotonic()))
