"""Copy files within the system, where it can."""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
from typing import BinaryIO

__all__ = ["copied"]

#: Bytes that are copied at once.
_MANY = 1 << 30


def copied(old: BinaryIO, new: BinaryIO) -> None:
    """Copy what is left of a file.

    :raises OSError: if that is not possible
    """
    if sys.platform == "linux":
        # The two may share what they have; at least it stays in the system. PyPy and old
        # systems lack the call.
        with contextlib.suppress(OSError, AttributeError):
            while os.copy_file_range(old.fileno(), new.fileno(), _MANY):
                pass
    # The rest, or all of it.
    shutil.copyfileobj(old, new)
