"""Call a driver's library, and give up if it hangs.

The calls run in a daemon thread. A call that never returns keeps its thread, but does not
keep the process from ending. pip cannot give up loading a library, because the dynamic
loader holds its lock meanwhile.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import wait
from typing import TypeVar

from pip._internal.fast.threads import in_thread
from pip._internal.variants.providers.result import DriverFault, NotDetected

T = TypeVar("T")

_TIMEOUT = 2.0  # seconds


def call_driver(name: str, ask: Callable[[], T]) -> T:
    """Return the result of *ask*, or fail after two seconds.

    :param name: the name of the library, for messages.
    :raises NotDetected: if *ask* raises this error.
    :raises DriverFault: if *ask* raises another error, or takes longer.
    """
    try:
        future = in_thread(ask, patience=0)
        if not wait([future], _TIMEOUT).done:
            raise DriverFault(f"{name} did not answer within {_TIMEOUT:.0f} seconds")
        return future.result()
    except NotDetected:
        raise
    except Exception as error:  # a broken driver may raise anything through ctypes
        reason = f"pip cannot query {name}: {type(error).__name__}: {error}"
        raise DriverFault(reason) from error
