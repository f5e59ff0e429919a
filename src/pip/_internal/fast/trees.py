"""Staging folders for trees of files, and moving the files into place.

The staging folder is on the disk of the environment; pip never reads its files back. If a
run is killed, a later run deletes the staging folder, but only if that folder and its
parent belong to the user and no live process has locked the folder.
"""

from __future__ import annotations

import os
import shutil
import stat
import sys
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from errno import EISDIR

from pip._internal.console.output import get_logger
from pip._internal.fast.environment_lock import locked

logger = get_logger(__name__)

_PREFIX, _KEPT, _LOCK = ".pip-staging-", ".pip-kept-", "lock"
_DEFAULT_ACL = "system.posix_acl_default"


def is_faithful() -> bool:
    """Return whether a moved file has the same permissions as a new file."""
    # On other systems, permissions depend on settings that this module cannot inspect.
    return sys.platform == "linux" and not os.path.exists("/sys/fs/selinux/enforce")


def is_own(status: os.stat_result) -> bool:
    """Return whether this user owns a file and other users cannot change it."""
    if sys.platform == "win32":
        return True
    return status.st_uid == os.geteuid() and not status.st_mode & stat.S_IWOTH


def own_folder(path: str) -> None:
    """Create a folder if missing, and check that only this user may change it.

    :raises OSError: if another user may change the folder.
    """
    os.makedirs(path, 0o700, exist_ok=True)
    status = os.stat(path)
    # A link of this user may point to another disk; all users may change a link.
    if os.lstat(path).st_uid != status.st_uid or not is_own(status):
        fix = "Make it writable only by you (chmod 700), or delete it"
        raise PermissionError(f"Another user can change '{path}'. {fix}")


def new_files_inherit_nothing(folder: str) -> bool:
    """Return whether new files surely inherit no group or permissions from a folder."""
    if sys.platform == "linux":
        # Some file systems have no attributes.
        with suppress(OSError):
            is_setgid = os.stat(folder).st_mode & stat.S_ISGID
            return not is_setgid and _DEFAULT_ACL not in os.listxattr(folder)
    return False


def put(tree: str, place: str) -> None:
    """Move the contents of the folder *tree* to the folder *place*.

    Existing files are replaced; existing folders are merged. Metadata moves last, after the
    files that it lists.

    :raises OSError: if a file cannot be moved; everything is moved back.
    """
    moved: list[tuple[str, str]] = []
    replaced = tempfile.mkdtemp(dir=os.path.dirname(tree))
    try:
        for is_metadata in (False, True):
            for source, target in moves(tree, place):
                if is_metadata != (".dist-info" in target):
                    continue
                if os.path.lexists(target):
                    # As in stock pip, a file replaces a link to a folder, but not a folder.
                    if any(map(_is_folder, (source, target))):
                        raise IsADirectoryError(EISDIR, os.strerror(EISDIR), target)
                    old = os.path.join(replaced, str(len(moved)))
                    shutil.move(target, old)
                    moved.append((target, old))
                shutil.move(source, target)
                moved.append((source, target))
    except BaseException:
        for source, target in reversed(moved):
            shutil.move(target, source)
        raise


def _is_folder(path: str) -> bool:
    return os.path.isdir(path) and not os.path.islink(path)


def moves(tree: str, place: str) -> Iterator[tuple[str, str]]:
    """Yield the sources and targets for moving a tree into existing folders.

    The generator sees the effect of each move by the caller, because two paths may name one
    folder, such as ``lib64`` and ``lib``.
    """
    with os.scandir(tree) as found:
        entries = sorted(found, key=lambda each: each.name)
    for entry in entries:
        target = os.path.join(place, entry.name)
        if entry.is_dir(follow_symlinks=False) and os.path.isdir(target):
            yield from moves(entry.path, target)
        else:
            yield entry.path, target


def remove(path: str) -> None:
    """Remove a file, or a folder with its contents.

    :raises OSError: if that fails.
    """
    if not _is_folder(path):
        os.unlink(path)
        return
    for folder, _, _ in os.walk(path):
        # Files in a read-only folder cannot be removed; another user may own the folder.
        with suppress(OSError):
            os.chmod(folder, stat.S_IRWXU)
    shutil.rmtree(path)


class StagingFolder:
    """A new folder in *parent*, locked while this process lives.

    :raises OSError: if pip cannot create or lock the folder.
    """

    def __init__(self, parent: str) -> None:
        _remove_abandoned(parent)
        self.path = tempfile.mkdtemp(prefix=_PREFIX, dir=parent)
        try:
            self._lock = locked(os.path.join(self.path, _LOCK))
        except OSError:
            shutil.rmtree(self.path, ignore_errors=True)
            raise

    def keep(self) -> str:
        """Rename the folder so that no later run deletes it, and return the new path.

        :raises OSError: if pip cannot rename the folder.
        """
        kept = self.path.replace(_PREFIX, _KEPT)
        os.rename(self.path, kept)
        return kept

    def remove(self) -> None:
        """Delete the folder.

        :raises OSError: if pip cannot delete the folder.
        """
        with self._lock:
            remove(self.path)


def _remove_abandoned(parent: str) -> None:
    """Delete the staging folders of killed runs."""
    try:
        if not is_own(os.stat(parent)):
            return
        with os.scandir(parent) as entries:
            found = [each for each in entries if each.name.startswith(_PREFIX)]
    except OSError:
        # The folder does not exist yet, or pip may not read it.
        return
    for entry in found:
        try:
            status = entry.stat(follow_symlinks=False)
            if stat.S_ISDIR(status.st_mode) and is_own(status):
                with locked(os.path.join(entry.path, _LOCK)):
                    remove(entry.path)
        except OSError as error:
            logger.debug("Keeping %s: %s", entry.path, error)
