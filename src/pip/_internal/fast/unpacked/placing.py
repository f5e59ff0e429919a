"""Put a file in another place as well: by a link, as a clone, or as a copy."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import BinaryIO

from pip._internal.fast.copies import copied
from pip._internal.utils.unpacking import (
    set_extracted_file_to_default_mode_plus_executable,
)

with suppress(ImportError):  # Windows has none.
    import fcntl

__all__ = ["Placer"]

#: Lets a file share the data of another one, until either is changed (ioctl_ficlonerange(2)).
_FICLONE = 0x40049409
#: What a file system says that is another one, or cannot do it. What is said of one file
#: alone, such as that it has too many links, holds for that file.
_NEVER = {errno.EXDEV, errno.EOPNOTSUPP, errno.ENOTTY, errno.ENOSYS, errno.EPERM}
_NOT_THIS_ONE = {errno.EMLINK, errno.EINVAL, errno.ETXTBSY}


class Placer:
    """Puts files in their places in the best way that is left.

    What a file system cannot do for one file it is not asked to do for another.

    :ivar links: whether the two are one file, where they may be
    :param may_link: whether they may
    """

    def __init__(self, *, may_link: bool) -> None:
        self.links = may_link
        self._clones = True

    def place(
        self,
        source: str,
        target: str,
        is_executable: bool = False,
        time: int | None = None,
        *,
        may_link: bool = True,
    ) -> None:
        """Put a file at *target*, where nothing is.

        :param time: at which it shall have been changed, in nanoseconds; None: any
        :param may_link: whether this one may be one with its source
        :raises FileExistsError: if something is there
        :raises OSError: if that is not possible
        """
        if self.links and may_link:
            try:
                os.link(source, target)
            except OSError as error:
                if not _is_about_the_way(error):
                    raise
                self.links = error.errno not in _NEVER
            else:
                return
        with open(source, "rb", buffering=0) as old:
            self._fill(target, is_executable, time, partial(self._copy, old))

    def write(
        self,
        content: bytes,
        target: str,
        is_executable: bool = False,
        time: int | None = None,
    ) -> None:
        """Put a file at *target*, where nothing is; see :meth:`place`."""
        self._fill(target, is_executable, time, partial(_write, content))

    def _fill(
        self,
        target: str,
        is_executable: bool,
        time: int | None,
        fill: Callable[[BinaryIO], None],
    ) -> None:
        with open(target, "xb", buffering=0) as new:
            try:
                fill(new)
                if time is not None:
                    os.utime(new.fileno(), ns=(time, time))
            except BaseException:
                os.unlink(target)
                raise
        if is_executable:
            set_extracted_file_to_default_mode_plus_executable(target)

    def _copy(self, old: BinaryIO, new: BinaryIO) -> None:
        if not self._cloned(old, new):
            copied(old, new)

    def _cloned(self, old: BinaryIO, new: BinaryIO) -> bool:
        if sys.platform != "linux" or not self._clones:
            return False
        try:
            fcntl.ioctl(new.fileno(), _FICLONE, old.fileno())
        except OSError as error:
            if not _is_about_the_way(error):
                raise
            self._clones = error.errno not in _NEVER
            return False
        return True


def _write(content: bytes, new: BinaryIO) -> None:
    rest = memoryview(content)
    while rest:
        rest = rest[new.write(rest) :]


def _is_about_the_way(error: OSError) -> bool:
    return error.errno in _NEVER or error.errno in _NOT_THIS_ONE
