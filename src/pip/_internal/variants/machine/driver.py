"""Call a driver's library in this process, and give up on one that hangs.

The calls run in a daemon thread: one that never returns is left behind and does not
keep the process from ending. Only the loading of a library itself cannot be given up,
since the dynamic loader's lock is held meanwhile.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TypeVar

from pip._internal.parallel.threads import start

__all__ = ["DriverUnavailable", "call_driver"]

T = TypeVar("T")

_TIMEOUT = 2.0  # seconds


class DriverUnavailable(Exception):
    """A driver gives no answer; the text says why, without a final period.

    :ivar fault: whether something is broken that the user can mend, rather than just
        not there.
    """

    def __init__(self, reason: str, *, fault: bool = False) -> None:
        super().__init__(reason)
        self.fault = fault


def call_driver(name: str, ask: Callable[[], T]) -> T:
    """Return what *ask* returns, which has two seconds to do so.

    :param name: what to call the library in messages.
    :raises DriverUnavailable: if it raises that, or anything else, or is not done.
    """
    outcome: list[T | DriverUnavailable] = []

    # A thread has no other way out for a result than a list, nor for an exception.
    def run() -> None:
        try:
            outcome.append(ask())
        except DriverUnavailable as error:
            outcome.append(error)
        except Exception as error:  # whatever a broken driver makes of ctypes
            reason = f"{name} cannot be asked: {type(error).__name__}: {error}"
            outcome.append(DriverUnavailable(reason, fault=True))

    thread = threading.Thread(target=run, name=name)
    try:
        start(thread)
    except RuntimeError as error:
        raise DriverUnavailable(f"{name} cannot be asked: {error}") from error
    thread.join(_TIMEOUT)
    if not outcome:
        raise DriverUnavailable(
            f"{name} did not answer within {_TIMEOUT:.0f} seconds", fault=True
        )
    if isinstance(outcome[0], DriverUnavailable):
        raise outcome[0]
    return outcome[0]
