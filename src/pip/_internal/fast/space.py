"""Report the folder that is out of space, and the required space."""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from pip._internal.utils.misc import format_size

#: Some systems have no quotas.
_FULL = {errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC)}


def is_full(error: BaseException | None) -> bool:
    """Return whether *error* means that the disk is full."""
    return isinstance(error, OSError) and error.errno in _FULL


@contextmanager
def space_for(needed: int, folder: str) -> Iterator[None]:
    """Add the folder and the required space to errors about a full disk.

    :param needed: the number of bytes to write; 0 if unknown.
    :raises OSError: ``ENOSPC``, instead of a less specific error.
    """
    try:
        yield
    except OSError as error:
        if not is_full(error):
            raise
        folder = os.path.abspath(folder)
        sizes = [f"{format_size(needed)} is needed"] if needed else []
        with suppress(OSError):
            free = shutil.disk_usage(folder).free
            # A quota may be used up although the disk is not full.
            if free < needed or not needed:
                sizes.append(f"{format_size(free)} is left")
        text = "; ".join(filter(None, [os.strerror(errno.ENOSPC), " and ".join(sizes)]))
        raise OSError(errno.ENOSPC, text, folder) from error


def device_of(path: str) -> int:
    """Return the device number of the disk for a path that may not exist yet."""
    path = os.path.abspath(path)
    while not os.path.exists(path) and os.path.dirname(path) != path:
        path = os.path.dirname(path)
    return os.stat(path).st_dev
