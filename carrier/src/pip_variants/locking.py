"""One at a time: nobody changes a Python while another one does."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import ModuleType

from pip_variants.targets import Target

fcntl: ModuleType | None
try:
    import fcntl
except ImportError:
    # Windows has no locks for folders: two at once are not foreseen there.
    fcntl = None

__all__ = ["alone"]


@contextmanager
def alone(target: Target) -> Iterator[None]:
    """Wait until nobody else is at work on a Python, and keep others waiting.

    The folder of its packages is locked, so nothing is left behind, also by who is killed.
    """
    if fcntl is None:
        yield
        return
    folder = os.open(target.purelib, os.O_RDONLY)
    try:
        # Not every network's file system has locks.
        with suppress(OSError):
            fcntl.flock(folder, fcntl.LOCK_EX)
        yield
    finally:
        os.close(folder)
