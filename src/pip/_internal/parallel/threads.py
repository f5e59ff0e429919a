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
#: What threads are doing; told when nothing is left.
_WORK: set[object] = set()
_REST = threading.Condition()
#: Whether Python ends, so that no other work is begun.
_ENDS = threading.Event()
#: How long Python waits for it at its end; whatever takes longer waits for others.
_PATIENCE = 1.0  # seconds


@atexit.register
def _end() -> None:
    """Let no thread be born, and let those that work come to an end."""
    _BIRTHS.acquire()
    _ENDS.set()
    # Who interrupts that cannot wait.
    with contextlib.suppress(KeyboardInterrupt), _REST:
        _REST.wait_for(lambda: not _WORK, _PATIENCE)


@contextmanager
def _working() -> Iterator[None]:
    work = object()
    _WORK.add(work)
    try:
        yield
    finally:
        with _REST:
            _WORK.discard(work)
            if not _WORK:
                _REST.notify_all()


def start(thread: threading.Thread) -> None:
    """Start a thread that nobody waits for when Python ends.

    :raises RuntimeError: if there can be no more threads.
    """
    thread.daemon = True
    with _BIRTHS:
        thread.start()


def in_thread(do: Callable[[], T], *, may_hang: bool = False) -> Future[T]:
    """Do something in a thread of its own.

    :param may_hang: whether Python need not wait for it when it ends
    :return: what comes of it

    :raises RuntimeError: if there can be no more threads.
    """
    future: Future[T] = Future()

    def run() -> None:
        try:
            with contextlib.nullcontext() if may_hang else _working():
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
