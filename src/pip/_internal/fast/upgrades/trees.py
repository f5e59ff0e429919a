"""Move a tree of files into another one, as whole folders where possible."""

from __future__ import annotations

import errno
import os
import shutil
import stat
import sys
from collections.abc import Iterator
from contextlib import suppress

__all__ = [
    "gives_nothing_on",
    "is_faithful",
    "is_own",
    "met_folders",
    "own_folder",
    "put",
    "remove",
]

_DEFAULT_ACL = "system.posix_acl_default"


def is_faithful() -> bool:
    """Tell whether a moved file has the same rights as one made in its place."""
    # Elsewhere rights depend on more than this module can see.
    return sys.platform == "linux" and not os.path.exists("/sys/fs/selinux/enforce")


def is_own(status: os.stat_result) -> bool:
    """Tell whether a file belongs to this user, and not everybody may change it."""
    if sys.platform == "win32":
        return True
    return status.st_uid == os.geteuid() and not status.st_mode & stat.S_IWOTH


def own_folder(path: str) -> None:
    """Make a folder that only this user may change, unless there is one.

    :raises OSError: if another user may change it.
    """
    os.makedirs(path, 0o700, exist_ok=True)
    status = os.stat(path)
    # A link of this user's may lead to another disk; everybody may change a link.
    if os.lstat(path).st_uid != status.st_uid or not is_own(status):
        fix = "Make it a folder that only you may change (chmod 700), or delete it"
        raise PermissionError(f"Another user may change '{path}'. {fix}")


def gives_nothing_on(folder: str) -> bool:
    """Tell whether files get no group or rights from the folder they are made in.

    :raises OSError: if it cannot be looked at, or the system does not tell.
    """
    if sys.platform != "linux":
        raise OSError(errno.ENOTSUP, "Only Linux tells", folder)
    is_setgid = os.stat(folder).st_mode & stat.S_ISGID
    return not is_setgid and _DEFAULT_ACL not in os.listxattr(folder)


def met_folders(tree: str, place: str) -> Iterator[str]:
    """Yield *place* and the existing folders below it that get something new."""
    yield place
    with os.scandir(tree) as entries:
        for entry in entries:
            target = os.path.join(place, entry.name)
            if entry.is_dir(follow_symlinks=False) and os.path.isdir(target):
                yield from met_folders(entry.path, target)


def put(tree: str, place: str) -> None:
    """Move the contents of the folder *tree* to the folder *place*.

    Existing files are replaced, existing folders get what they lack. Metadata comes last,
    when the files that it names are there.

    :raises OSError: if that is not possible; then all is moved back.
    """
    moved: list[tuple[str, str]] = []
    moves = sorted(_moves(tree, place), key=lambda each: ".dist-info" in each[1])
    try:
        for source, target in moves:
            if os.path.isdir(target):
                raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), target)
            shutil.move(source, target)
            moved.append((source, target))
    except BaseException:
        for source, target in reversed(moved):
            shutil.move(target, source)
        raise


def _moves(tree: str, place: str) -> Iterator[tuple[str, str]]:
    """Yield what to move, and where to."""
    with os.scandir(tree) as found:
        entries = sorted(found, key=lambda each: each.name)
    for entry in entries:
        target = os.path.join(place, entry.name)
        if entry.is_dir(follow_symlinks=False) and os.path.isdir(target):
            yield from _moves(entry.path, target)
        else:
            yield entry.path, target


def remove(path: str) -> None:
    """Remove a file, or a folder with everything in it.

    :raises OSError: if that is not possible.
    """
    if os.path.islink(path) or not os.path.isdir(path):
        os.unlink(path)
        return
    for folder, _, _ in os.walk(path):
        # Nothing can be removed from a read-only folder, which may be another user's.
        with suppress(OSError):
            os.chmod(folder, stat.S_IRWXU)
    shutil.rmtree(path)
