"""Start threads that neither keep Python from ending nor crash it there.

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
from contextlib import contextmanager
from typing import Generic, TypeVar

__all__ = ["Workers", "in_thread", "start"]

T = TypeVar("T")

#: Held while a thread is born; and by the main thread, for good, when Python ends.
_BIRTHS = threading.RLock()
#: What threads are doing, and for how many seconds Python waits for each at its end.
_WORK: dict[object, float] = {}
#: Held while that changes; told when something has ended.
_CHANGE = threading.Condition()
#: Whether Python ends, so that no other work is begun.
_ENDS = threading.Event()
#: Seconds. Whatever takes longer waits for others, and uses no library meanwhile; so does a
#: thread between two calls of OpenSSL, once Python ends.
_PATIENCE = 0.2


@atexit.register
def _end() -> None:
    """Let no thread be born, and let those that work come to an end."""
    _BIRTHS.acquire()
    _ENDS.set()
    began = time.monotonic()
    # Who interrupts that cannot wait.
    with contextlib.suppress(KeyboardInterrupt), _CHANGE:
        while _WORK and (left := began + max(_WORK.values()) - time.monotonic()) > 0:
            _CHANGE.wait(left)


@contextmanager
def _working(patience: float = _PATIENCE) -> Iterator[None]:
    work = object()
    with _CHANGE:
        _WORK[work] = patience
    try:
        yield
    finally:
        with _CHANGE:
            del _WORK[work]
            _CHANGE.notify_all()


def start(thread: threading.Thread) -> None:
    """Start a thread that nobody waits for when Python ends.

    :raises RuntimeError: if there can be no more threads.
    """
    thread.daemon = True
    with _BIRTHS:
        thread.start()


def in_thread(do: Callable[[], T], *, patience: float = _PATIENCE) -> Future[T]:
    """Do something in a thread of its own.

    :param patience: for how many seconds Python waits for it at its end
    :return: what comes of it

    :raises RuntimeError: if there can be no more threads.
    """
    future: Future[T] = Future()
    start(threading.Thread(target=_run, args=[do, future, patience]))
    return future


def _run(do: Callable[[], T], future: Future[T], patience: float) -> None:
    try:
        with _working(patience):
            result = do()
    except BaseException as error:  # Somebody waits for the future.
        future.set_exception(error)
    else:
        future.set_result(result)
    finally:
        # An error refers to this frame, and the future to the error.
        del future


class Workers(Generic[T]):
    """A few threads, each of which does one job after the other.

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
        self._threads: list[threading.Thread] = []

    def __len__(self) -> int:
        """Return how many threads were started."""
        return len(self._threads)

    def grow(self, wanted: int) -> None:
        """Start threads until there are as many as wanted, or as allowed.

        :raises RuntimeError: if there can be no more threads.
        """
        while len(self._threads) < min(wanted, self._most):
            thread = threading.Thread(target=self._work, args=[self._jobs()])
            start(thread)
            self._threads.append(thread)

    def _jobs(self) -> Iterator[T]:
        while (job := self._take()) is not None and not _ENDS.is_set():
            with _working():
                yield job
            # While it waits for the next one, it holds none.
            del job

    def join(self, seconds: float) -> None:
        """Wait for all threads to end, but no longer than *seconds*."""
        end = time.monotonic() + seconds
        for thread in self._threads:
            thread.join(max(0.0, end - time.monotonic()))
