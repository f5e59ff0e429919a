"""Tell which folder has no space left, and how much is needed there."""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager

from pip._internal.utils.misc import format_size

__all__ = ["DiskFull", "is_full", "space_for"]

_FULL = frozenset(
    number
    for name in ("ENOSPC", "EDQUOT")
    if (number := getattr(errno, name, None)) is not None
)


class DiskFull(OSError):
    """There is not enough space in a folder.

    :ivar said: that, within a sentence.
    """

    def __init__(self, folder: str, needed: int) -> None:
        """Look at what is left.

        :param needed: bytes of what was to be written; 0 if that is not known.
        """
        folder = os.path.abspath(folder)
        sizes = f"; {format_size(needed)} are needed" if needed else ""
        try:
            free = shutil.disk_usage(folder).free
        except OSError:
            pass
        else:
            # A quota may be used up where the disk is not.
            if free < needed or not needed:
                sizes += f"{' and' if needed else ';'} {format_size(free)} are left"
        self.said = f"there is no space left in {folder}{sizes}"
        super().__init__(errno.ENOSPC, f"No space left on device{sizes}", folder)


def is_full(error: BaseException) -> bool:
    """Tell whether an error is due to a lack of space."""
    return isinstance(error, OSError) and error.errno in _FULL


@contextmanager
def space_for(needed: int, folder: str) -> Iterator[None]:
    """Say of a lack of space where it is.

    :param needed: bytes of what is to be written; 0 if that is not known.
    :raises DiskFull: for an error that says less.
    """
    try:
        yield
    except OSError as error:
        if isinstance(error, DiskFull) or not is_full(error):
            raise
        raise DiskFull(folder, needed) from error
