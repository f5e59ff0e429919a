"""Read regular files only, and write files atomically."""

from __future__ import annotations

import errno
import hashlib
import os
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from tempfile import TemporaryDirectory
from typing import BinaryIO

__all__ = [
    "below",
    "file_sha256",
    "is_plain_file",
    "is_regular_below",
    "link_or_copy",
    "open_regular",
    "replacing",
    "sha256",
    "write_if_changed",
]

#: The disk is full, or the quota is exhausted; not every system has quotas.
_FULL = (errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC))


def below(folder: str, path: str) -> str:
    """Return the real path of *path*, a path relative to *folder*.

    All file access in a published folder goes through this function, which follows links
    within the folder only.

    :raises OSError: if a link points outside the folder.
    """
    root = os.path.realpath(folder)
    real = os.path.realpath(os.path.join(root, path))
    if real != root and not real.startswith(os.path.join(root, "")):
        problem = "Symbolic link points outside the folder"
        raise OSError(errno.ELOOP, problem, os.path.join(folder, path))
    return real


@contextmanager
def open_regular(path: str, folder: str | None = None) -> Iterator[BinaryIO]:
    """Open a regular file for reading; reject other files, which may never end.

    :param folder: the folder that links must not leave; *path* is relative to it.
    :raises OSError: if the file is not regular, is outside *folder* or cannot be opened.
    """
    if folder is not None:
        path = below(folder, path)
    with open(path, "rb", opener=_open_at_once) as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise OSError(errno.EINVAL, "Not a regular file", path)
        yield file


def _open_at_once(path: str, flags: int) -> int:
    # Without O_NONBLOCK, opening a pipe would wait for a writer.
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def is_regular_below(folder: str, path: str) -> bool:
    """Return whether *path*, relative to *folder*, is a regular file in that folder."""
    try:
        return os.path.isfile(below(folder, path))
    except OSError:
        return False


def is_plain_file(path: str) -> bool:
    """Return whether *path* is a regular file and not a link."""
    return os.path.isfile(path) and not os.path.islink(path)


def link_or_copy(folder: str, path: str, target: str) -> None:
    """Create *target* as a hard link to a file in *folder*, or as a copy.

    :param path: relative to *folder*.
    :raises OSError: if *path* is outside *folder*, or *target* cannot be written.
    """
    # A relative link would not work from another folder.
    source = below(folder, path)
    with _replacement(target) as temporary:
        try:
            os.link(source, temporary)
        except OSError:
            # Another file system, or one without hard links.
            shutil.copy2(source, temporary)


@contextmanager
def replacing(path: str) -> Iterator[BinaryIO]:
    """Open a file that replaces *path* once it is complete.

    :raises OSError: if the file cannot be written.
    """
    with _replacement(path) as temporary, open(temporary, "x+b") as file:
        yield file


@contextmanager
def _replacement(path: str) -> Iterator[str]:
    """Yield the path of a temporary file that then replaces *path*."""
    folder, name = os.path.split(path)
    folder = folder or os.curdir
    try:
        with TemporaryDirectory(dir=folder, prefix=".", suffix=".tmp") as own:
            temporary = os.path.join(own, name)
            yield temporary
            os.replace(temporary, path)
    except OSError as error:
        if error.errno in _FULL:
            # The error names no file, or the temporary one.
            error.filename = folder
        raise


def write_if_changed(folder: str, path: str, content: bytes) -> bool:
    """Write a file in *folder* if its content differs, and return whether it did.

    A link is replaced, never followed.

    :param path: relative to *folder*.
    :raises OSError: if the parent is outside *folder*, or the file cannot be written.
    """
    parent, name = os.path.split(path)
    parent = below(folder, parent)
    target = os.path.join(parent, name)
    if is_plain_file(target):
        with open_regular(target) as file:
            if file.read(len(content) + 1) == content:
                return False
    else:
        os.makedirs(parent, exist_ok=True)
    with replacing(target) as output:
        output.write(content)
    return True


def sha256(content: bytes) -> str:
    """Return the hexadecimal SHA-256 digest of *content*."""
    return hashlib.sha256(content).hexdigest()


def file_sha256(path: str, folder: str | None = None) -> str:
    """Return the hexadecimal SHA-256 digest of a regular file, read piece by piece.

    For the parameters, see :func:`open_regular`.
    """
    digest = hashlib.sha256()
    with open_regular(path, folder) as file:
        while piece := file.read(1 << 20):
            digest.update(piece)
    return digest.hexdigest()
