"""Keep pip from waiting for servers that answer slowly or ask it to come back later.

The session's own timeout limits only the time in which nothing arrives.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from pip._internal.fast.threads import start

if TYPE_CHECKING:
    from pip._vendor.urllib3 import HTTPResponse

__all__ = ["MAX_TIME", "Overdue", "TimeBudget", "time_limit"]

#: Seconds for a manifest: connections, retries and redirects included.
MAX_TIME = 60.0


class Overdue(Exception):
    """A response did not arrive in time; the message is for people."""


class TimeBudget:
    """The time that a task may take, however many requests it makes.

    It begins when this object is made.

    :param seconds: in all
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._end = time.monotonic() + seconds

    @property
    def left(self) -> float:
        """Return how many seconds are left; 0 if none are."""
        return max(0.0, self._end - time.monotonic())

    def charge(self, seconds: float) -> None:
        """Count time that was spent before."""
        self._end -= seconds

    def overdue(self) -> Overdue:
        """Return what to raise when nothing is left."""
        return Overdue(f"it did not arrive within {self._seconds:.0f} seconds")


@contextmanager
def time_limit(raw: HTTPResponse, budget: TimeBudget | None) -> Iterator[None]:
    """Break off reading a response when the time is over.

    :param raw: the response
    :param budget: None for no limit.
    :raises Overdue: if it was broken off.
    """
    if budget is None:
        yield
        return
    over = threading.Event()

    def stop() -> None:
        over.set()
        # A response from the cache has no connection, and is soon read.
        with suppress(ValueError, RuntimeError, OSError):
            raw.shutdown()

    timer = threading.Timer(budget.left, stop)
    start(timer)
    try:
        yield
    except Exception:
        if not over.is_set():
            raise
    finally:
        timer.cancel()
    if over.is_set():
        raise budget.overdue() from None
