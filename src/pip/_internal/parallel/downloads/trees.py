"""Move a tree of files into another one, as whole folders where possible."""

from __future__ import annotations

import errno
import os
import shutil
import stat
import sys
import time
from collections.abc import Collection, Iterator
from contextlib import suppress
from typing import NamedTuple

__all__ = [
    "Identity",
    "gives_nothing_on",
    "identity",
    "inside",
    "is_faithful",
    "is_own",
    "met_folders",
    "put",
    "remove",
    "remove_known",
    "remove_old",
]

_DEFAULT_ACL = "system.posix_acl_default"


class Identity(NamedTuple):
    """What tells a file or folder from all others, and stays when it is renamed."""

    device: int
    number: int


def identity(path: str) -> Identity | None:
    """Return what is at *path*, without following links; None if nothing is there."""
    try:
        status = os.lstat(path)
    except OSError:
        return None
    return Identity(status.st_dev, status.st_ino)


def inside(folder: str) -> Iterator[tuple[str, Identity]]:
    """Yield the files below a folder; none if *folder* is a link or a file."""
    if os.path.islink(folder):
        return
    for parent, folders, files in os.walk(folder):
        links = (each for each in folders if os.path.islink(os.path.join(parent, each)))
        for name in (*files, *links):
            path = os.path.join(parent, name)
            which = identity(path)
            if which is not None:
                yield path, which


def is_faithful() -> bool:
    """Tell whether a moved file has the same rights as one made in its place."""
    # Elsewhere rights depend on more than this module can see.
    return sys.platform == "linux" and not os.path.exists("/sys/fs/selinux/enforce")


def is_own(status: os.stat_result) -> bool:
    """Tell whether a file belongs to this user, and not everybody may change it."""
    if sys.platform == "win32":
        return True
    return status.st_uid == os.geteuid() and not status.st_mode & stat.S_IWOTH


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
    try:
        _put(tree, place, moved)
    except BaseException:
        for source, target in reversed(moved):
            if os.path.lexists(source):
                remove(target)
            else:
                os.rename(target, source)
        raise


def _put(tree: str, place: str, moved: list[tuple[str, str]]) -> None:
    with os.scandir(tree) as found:
        entries = sorted(found, key=lambda e: (e.name.endswith(".dist-info"), e.name))
    for entry in entries:
        target = os.path.join(place, entry.name)
        if entry.is_dir(follow_symlinks=False) and os.path.isdir(target):
            _put(entry.path, target, moved)
        else:
            _move(entry.path, target)
            moved.append((entry.path, target))


def _move(source: str, target: str) -> None:
    """Rename a file or folder, or copy it between disks and mounts."""
    try:
        os.rename(source, target)
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
        if os.path.isdir(source):
            shutil.copytree(source, target, symlinks=True)
        elif os.path.isdir(target):
            raise IsADirectoryError(
                errno.EISDIR, os.strerror(errno.EISDIR), target
            ) from None
        else:
            shutil.copy2(source, target, follow_symlinks=False)


def remove_known(path: str, known: Collection[tuple[str, Identity]]) -> None:
    """Remove a file, or those files of a folder that are known.

    :raises OSError: if that is not possible.
    """
    if os.path.islink(path) or not os.path.isdir(path):
        os.unlink(path)
        return
    for each in inside(path):
        if each in known:
            os.unlink(each[0])
    for parent, _, _ in os.walk(path, topdown=False):
        with suppress(OSError):  # It is not empty.
            os.rmdir(parent)


def remove(path: str) -> None:
    """Remove a file, or a folder with everything in it.

    :raises OSError: if that is not possible.
    """
    if os.path.islink(path) or not os.path.isdir(path):
        os.unlink(path)
        return
    try:
        shutil.rmtree(path)
    except PermissionError:
        # Nothing can be removed from a read-only folder.
        _make_writable(path)
        shutil.rmtree(path)


def remove_old(folder: str, seconds: float, prefix: str = "") -> None:
    """Remove what runs that were killed have left in a folder.

    :param seconds: after which nothing there is in use any more.
    :param prefix: of the names of what they leave.
    """
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            with suppress(OSError):
                age = time.time() - entry.stat().st_mtime
                if entry.name.startswith(prefix) and age > seconds:
                    shutil.rmtree(entry.path, ignore_errors=True)


def _make_writable(folder: str) -> None:
    with suppress(OSError):  # It is another user's.
        os.chmod(folder, stat.S_IRWXU)
    for parent, folders, _ in os.walk(folder):
        for name in folders:
            path = os.path.join(parent, name)
            if not os.path.islink(path):
                with suppress(OSError):
                    os.chmod(path, stat.S_IRWXU)
