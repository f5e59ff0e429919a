"""Read regular files only, and write files that nobody ever sees half done."""

from __future__ import annotations

import errno
import hashlib
import os
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from tempfile import TemporaryDirectory, mkstemp
from typing import BinaryIO

from pip._internal.parallel.space import space_for
from pip._internal.utils.filesystem import replace
from pip._internal.utils.misc import hash_file
from pip._internal.utils.unpacking import current_umask

__all__ = [
    "file_sha256",
    "is_regular_below",
    "link_or_copy",
    "open_regular",
    "replacing",
    "sha256",
    "write_if_changed",
]


@contextmanager
def open_regular(path: str) -> Iterator[BinaryIO]:
    """Open a regular file for reading; others may never end.

    :raises OSError: if it is not regular, or cannot be opened.
    """
    with open(path, "rb", opener=_open_at_once) as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise OSError(errno.EINVAL, "It is not a regular file", path)
        yield file


def _open_at_once(path: str, flags: int) -> int:
    # Otherwise opening a pipe would wait for a writer.
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def is_regular_below(path: str, folder: str) -> bool:
    """Tell whether *path* is a regular file in *folder*, wherever links lead."""
    root, real = os.path.realpath(folder), os.path.realpath(path)
    try:
        is_regular = stat.S_ISREG(os.stat(real).st_mode)
    except OSError:
        return False
    return is_regular and real.startswith(os.path.join(root, ""))


def link_or_copy(source: str, target: str) -> None:
    """Make *target* a hard link to the file *source*, wherever that leads, or a copy."""
    folder, name = os.path.split(target)
    # From another folder, a relative link would lead elsewhere.
    source = os.path.realpath(source)
    folder = folder or os.curdir
    with (
        space_for(os.path.getsize(source), folder),
        TemporaryDirectory(dir=folder, prefix=".", suffix=".tmp") as own,
    ):
        temporary = os.path.join(own, name)
        try:
            os.link(source, temporary)
        except OSError:
            # Another file system, or one without links.
            shutil.copy2(source, temporary)
        replace(temporary, target)


@contextmanager
def replacing(
    path: str, size: int = 0, *, mode: int | None = None
) -> Iterator[BinaryIO]:
    """Open a file that replaces *path* once it is complete.

    :param size: how many bytes will be written, as far as is known.
    :param mode: its permissions; None for those of any new file.
    :raises DiskFull: if there is no space for it.
    """
    folder, name = os.path.split(path)
    folder = folder or os.curdir
    with space_for(size, folder):
        try:
            descriptor, temporary = mkstemp(
                dir=folder, prefix=f".{name[:80]}.", suffix=".tmp"
            )
        except OSError as error:
            # The folder is of interest, the temporary name is not.
            raise OSError(error.errno, error.strerror, folder) from None
        try:
            with open(descriptor, "w+b") as file:
                yield file
            os.chmod(temporary, 0o666 & ~current_umask() if mode is None else mode)
            replace(temporary, path)
        except BaseException:
            with suppress(FileNotFoundError):
                os.unlink(temporary)
            raise


def write_if_changed(path: str, content: bytes) -> bool:
    """Write a file unless it has this content already; tell whether it was written."""
    try:
        with open_regular(path) as file:
            if file.read(len(content) + 1) == content:
                return False
    except FileNotFoundError:
        os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    with replacing(path, len(content)) as output:
        output.write(content)
    return True


def sha256(content: bytes) -> str:
    """Return the digest of *content* in hexadecimal."""
    return hashlib.sha256(content).hexdigest()


def file_sha256(path: str) -> str:
    """Return the digest of a file in hexadecimal; it is read piece by piece."""
    digest, _ = hash_file(path)
    return str(digest.hexdigest())
