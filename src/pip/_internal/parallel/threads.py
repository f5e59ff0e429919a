"""Start threads that neither keep Python from ending nor crash it there.

CPython 3.11 may crash if a thread starts another one while Python ends: what the new
thread needs is freed before it runs. So none is born once the main thread has nothing
left to do.
"""

from __future__ import annotations

import atexit
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from typing import Generic, TypeVar

__all__ = ["Workers", "in_thread", "start"]

T = TypeVar("T")

#: Held while a thread is born; and by the main thread, for good, when Python ends.
_BIRTHS = threading.RLock()
atexit.register(_BIRTHS.acquire)


def start(thread: threading.Thread) -> None:
    """Start a thread that nobody waits for when Python ends.

    :raises RuntimeError: if there can be no more threads.
    """
    thread.daemon = True
    with _BIRTHS:
        thread.start()


def in_thread(do: Callable[[], T]) -> Future[T]:
    """Do something in a thread of its own.

    :return: what comes of it

    :raises RuntimeError: if there can be no more threads.
    """
    future: Future[T] = Future()

    def run() -> None:
        try:
            result = do()
        except BaseException as error:  # Somebody waits for the future.
            future.set_exception(error)
        else:
            future.set_result(result)

    start(threading.Thread(target=run))
    return future


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
            # The iterator holds no job while it waits for the next one.
            jobs = iter(self._take, None)
            thread = threading.Thread(target=self._work, args=[jobs])
            start(thread)
            self._threads.append(thread)

    def join(self, seconds: float) -> None:
        """Wait for all threads to end, but no longer than *seconds*."""
        end = time.monotonic() + seconds
        for thread in self._threads:
            thread.join(max(0.0, end - time.monotonic()))
