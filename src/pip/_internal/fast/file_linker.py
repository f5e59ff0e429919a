"""Clone, hard-link or copy a stored file to its installed location."""

from __future__ import annotations

import os
import shutil
import stat
import sys
import tempfile
from contextlib import suppress

from pip._internal.utils.unpacking import current_umask

if sys.platform == "linux":
    import fcntl

#: Make two files share their data until one file changes (ioctl_ficlonerange(2)).
_FICLONE = 0x40049409


def _clone(source: str, target: str) -> bool:
    """Clone a file, and return whether the file system supports that."""
    if sys.platform == "linux":
        with open(source, "rb") as old, open(target, "wb") as new, suppress(OSError):
            fcntl.ioctl(new.fileno(), _FICLONE, old.fileno())
            return True
    return False


def can_clone(folder: str) -> bool:
    """Return whether files in *folder* can be cloned."""
    try:
        # The store removes the folder if pip is killed here.
        with tempfile.TemporaryDirectory(prefix=".partial-", dir=folder) as trial:
            source = os.path.join(trial, "source")
            with open(source, "wb") as file:
                file.write(b"data")
            return _clone(source, os.path.join(trial, "target"))
    except OSError:
        return False


class FileLinker:
    """An installer of stored files.

    If the file system cannot clone or link a file, pip copies it.

    :param mode: the method: ``clone``, ``hardlink`` or ``copy``.
    """

    def __init__(self, mode: str) -> None:
        self._mode = mode
        self._permissions = stat.S_IFREG | (0o666 & ~current_umask())

    def put(self, source: str, target: str, *, may_link: bool) -> None:
        """Create *target* from a stored file, keeping the modification time.

        :param may_link: whether *target* may be a hard link to the stored file.
        :raises OSError: if pip cannot create *target*.
        """
        status = os.stat(source)
        if self._mode == "hardlink" and may_link and self._is_like_new(status):
            # The file may have too many links, or be on another disk.
            with suppress(OSError):
                os.link(source, target)
                return
        if not (self._mode == "clone" and _clone(source, target)):
            shutil.copyfile(source, target)
        os.utime(target, ns=(status.st_atime_ns, status.st_mtime_ns))

    def _is_like_new(self, status: os.stat_result) -> bool:
        """Return whether a file has the permissions and group of a new file."""
        is_own_group = sys.platform == "win32" or status.st_gid == os.getegid()
        return is_own_group and status.st_mode == self._permissions
