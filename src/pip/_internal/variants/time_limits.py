"""Keep a server that answers slowly, or says to come back later, from holding pip up.

The session's own timeout is for the time in which nothing arrives.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pip._vendor.requests import Response
    from pip._vendor.urllib3.util import Retry

__all__ = ["MAX_BODY_TIME", "Overdue", "short_waits", "time_limit"]

#: Seconds from a response's first byte to its last.
MAX_BODY_TIME = 60.0
#: Seconds that a server may have pip wait before it asks again.
_MAX_RETRY_AFTER = 60


class Overdue(Exception):
    """A response did not arrive in time; the message is for people."""


@contextmanager
def time_limit(response: Response, seconds: float) -> Iterator[None]:
    """Break a response off if it is still being read after so many seconds.

    :param seconds: infinity for no limit.
    :raises Overdue: in place of what comes of it.
    """
    if seconds == math.inf:
        yield
        return
    over = threading.Event()

    def stop() -> None:
        over.set()
        # What comes from a cache has no connection, and is soon read.
        with suppress(ValueError, RuntimeError, OSError):
            response.raw.shutdown()

    timer = threading.Timer(seconds, stop)
    timer.daemon = True
    timer.start()
    try:
        yield
    except Exception:
        if not over.is_set():
            raise
    finally:
        timer.cancel()
    if over.is_set():
        raise Overdue(f"it did not arrive within {seconds:.0f} seconds") from None


def short_waits(retries: Retry) -> Retry:
    """Give a way to retry that waits for a minute at most if a server asks for more."""
    return retries.new(retry_after_max=_MAX_RETRY_AFTER)
