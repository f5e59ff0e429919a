"""A folder on the disk of the environment, for packages that are prepared or replaced.

Its contents are never read back. A killed run leaves its folder to a later run, which
deletes it: only a real folder of the user, in a folder of the user, that no live process
has locked.
"""

from __future__ import annotations

import errno
import os
import sys
import tempfile
from contextlib import suppress

from pip._internal.console.output import get_logger
from pip._internal.fast.upgrades.trees import is_own, remove

if sys.platform != "win32":
    import fcntl

__all__ = ["StagingFolder", "remove_abandoned"]

logger = get_logger(__name__)

_PREFIX, _KEPT = ".pip-staging-", ".pip-kept-"


class StagingFolder:
    """A new folder in *parent*, locked while this process lives.

    :raises OSError: if it cannot be made or locked.
    """

    def __init__(self, parent: str) -> None:
        remove_abandoned(parent)
        self.path = tempfile.mkdtemp(prefix=_PREFIX, dir=parent)
        self._lock = -1
        try:
            self._lock = _locked(self.path)
            if not os.path.isdir(self.path):
                raise OSError(errno.ENOENT, "Another pip removed it", self.path)
        except OSError:
            with suppress(OSError):
                self.remove()
            raise

    def keep(self) -> str:
        """Give the folder a name under which no later run deletes it; return its path.

        :raises OSError: if that is not possible.
        """
        kept = self.path.replace(_PREFIX, _KEPT)
        os.rename(self.path, kept)
        return kept

    def remove(self) -> None:
        """Delete the folder.

        :raises OSError: if that is not possible.
        """
        try:
            remove(self.path)
        finally:
            if self._lock != -1:
                os.close(self._lock)


def _locked(path: str) -> int:
    """Open and lock a folder, without following a link.

    :raises OSError: if it is none, is not the user's, or another process has locked it.
    """
    if sys.platform == "win32":
        raise OSError(errno.ENOTSUP, "Folders cannot be locked", path)
    else:  # noqa: RET506 (mypy checks the other system)
        fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        try:
            if not is_own(os.fstat(fd)):
                raise PermissionError(errno.EPERM, "Another user may change it", path)
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(fd)
            raise
        return fd


def remove_abandoned(parent: str) -> None:
    """Delete the folders of killed runs; others may not have put them there."""
    try:
        if not is_own(os.stat(parent)):
            return
        with os.scandir(parent) as entries:
            found = [each.path for each in entries if each.name.startswith(_PREFIX)]
    except OSError:
        # There is no such folder yet, or pip may not read it.
        return
    for path in found:
        try:
            fd = _locked(path)
            try:
                remove(path)
            finally:
                os.close(fd)
        except OSError as error:
            logger.debug("Leaving %s: %s", path, error)
