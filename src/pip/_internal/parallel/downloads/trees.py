"""Put a tree of files into another one by renames, whole folders where that is possible."""

from __future__ import annotations

import errno
import os
import shutil
import stat
import sys
from collections.abc import Collection, Iterator
from contextlib import suppress
from typing import NamedTuple

__all__ = [
    "Identity",
    "gives_nothing_on",
    "identity",
    "inside",
    "is_faithful",
    "met_folders",
    "put",
    "remove",
    "remove_known",
]

_DEFAULT_ACL = "system.posix_acl_default"


class Identity(NamedTuple):
    """What a file or folder keeps when it is renamed, and another one does not have."""

    device: int
    number: int


def identity(path: str) -> Identity | None:
    """Tell what is at *path*, of a link the link itself; None if nothing is there."""
    try:
        status = os.lstat(path)
    except OSError:
        return None
    return Identity(status.st_dev, status.st_ino)


def inside(folder: str) -> Iterator[tuple[str, Identity]]:
    """Yield the files below a folder; none if it is a link or no folder."""
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
    """Tell whether a moved file has the rights of one that was made where it is."""
    # Elsewhere these depend on more than can be seen here.
    return sys.platform == "linux" and not os.path.exists("/sys/fs/selinux/enforce")


def gives_nothing_on(folder: str) -> bool:
    """Tell whether files have no group or rights from the folder they are made in.

    :raises OSError: if it cannot be looked at.
    """
    is_setgid = os.stat(folder).st_mode & stat.S_ISGID
    return not is_setgid and _DEFAULT_ACL not in os.listxattr(folder)


def met_folders(tree: str, place: str) -> Iterator[str]:
    """Yield the folders below *place* that are there already and get something new."""
    yield place
    with os.scandir(tree) as entries:
        for entry in entries:
            target = os.path.join(place, entry.name)
            if entry.is_dir(follow_symlinks=False) and os.path.isdir(target):
                yield from met_folders(entry.path, target)


def put(tree: str, place: str) -> None:
    """Move all that is in the folder *tree* to the folder *place*.

    A file that is there is replaced; a folder that is there gets what it lacks. Metadata
    comes last, so that what it speaks of is there.

    :raises OSError: if that is not possible; then nothing is moved.
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
    """Rename a file or folder; between disks, which may be mounts of one, copy it."""
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
    """Remove a file, or of a folder what is known to be in it.

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
    """Remove a file, or a folder with all that is in it.

    :raises OSError: if that is not possible.
    """
    if os.path.islink(path) or not os.path.isdir(path):
        os.unlink(path)
        return
    try:
        shutil.rmtree(path)
    except PermissionError:
        # Nothing can be removed from a folder that is there to be read alone.
        _make_writable(path)
        shutil.rmtree(path)


def _make_writable(folder: str) -> None:
    with suppress(OSError):  # It is another user's.
        os.chmod(folder, stat.S_IRWXU)
    for parent, folders, _ in os.walk(folder):
        for name in folders:
            path = os.path.join(parent, name)
            if not os.path.islink(path):
                with suppress(OSError):
                    os.chmod(path, stat.S_IRWXU)
