"""Tell which folder has no space left, and how much is needed there."""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from pip._internal.utils.misc import format_size

__all__ = ["DiskFull", "device_of", "existing", "is_full", "space_for"]

#: Not every system has quotas.
_FULL = {errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC)}


class DiskFull(OSError):
    """There is not enough space in a folder.

    :ivar said: the same in words, to be put into a sentence.
    """

    def __init__(self, folder: str, needed: int) -> None:
        """Look at how much space is left.

        :param needed: bytes of what was to be written; 0 if that is not known.
        """
        folder = os.path.abspath(folder)
        sizes = f"; {format_size(needed)} are needed" if needed else ""
        try:
            free = shutil.disk_usage(folder).free
        except OSError:
            pass
        else:
            # A quota may be used up though the disk is not.
            if free < needed or not needed:
                sizes += f"{' and' if needed else ';'} {format_size(free)} are left"
        self.said = f"there is no space left in {folder}{sizes}"
        super().__init__(errno.ENOSPC, f"No space left on device{sizes}", folder)


def is_full(error: BaseException) -> bool:
    """Tell whether a lack of space caused an error."""
    return isinstance(error, OSError) and error.errno in _FULL


@contextmanager
def space_for(needed: int, folder: str) -> Iterator[None]:
    """Raise errors about a lack of space that name the folder.

    :param needed: bytes of what is to be written; 0 if that is not known.
    :raises DiskFull: in place of an error that says less.
    """
    try:
        yield
    except OSError as error:
        if isinstance(error, DiskFull) or not is_full(error):
            raise
        raise DiskFull(folder, needed) from error


def existing(path: str) -> str:
    """Return what exists of a path: itself, or the nearest folder above it."""
    path = os.path.abspath(path)
    while not os.path.exists(path) and os.path.dirname(path) != path:
        path = os.path.dirname(path)
    return path


def device_of(path: str) -> int | None:
    """Return the number of the disk that a path is on, or will be; None if unknown."""
    with suppress(OSError):
        return os.stat(existing(path)).st_dev
    return None
