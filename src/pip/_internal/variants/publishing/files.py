"""Write files so that nobody ever sees half of one."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from tempfile import mkstemp
from typing import BinaryIO

from pip._internal.utils.filesystem import replace
from pip._internal.utils.misc import hash_file
from pip._internal.utils.unpacking import current_umask

__all__ = ["file_sha256", "replacing", "sha256", "write_if_changed"]


@contextmanager
def replacing(path: str) -> Iterator[BinaryIO]:
    """Give a file that takes the place of *path* once it is complete."""
    folder, name = os.path.split(path)
    descriptor, temporary = mkstemp(
        dir=folder or os.curdir, prefix=f".{name[:80]}.", suffix=".tmp"
    )
    try:
        with open(descriptor, "w+b") as file:
            yield file
        os.chmod(temporary, 0o666 & ~current_umask())
        replace(temporary, path)
    except BaseException:
        with suppress(FileNotFoundError):
            os.unlink(temporary)
        raise


def write_if_changed(path: str, content: bytes) -> bool:
    """Write a file unless it has this content; tell whether it was written."""
    try:
        with open(path, "rb") as file:
            if file.read(len(content) + 1) == content:
                return False
    except FileNotFoundError:
        os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    with replacing(path) as output:
        output.write(content)
    return True


def sha256(content: bytes) -> str:
    """Give the digest of *content* in hexadecimal."""
    return hashlib.sha256(content).hexdigest()


def file_sha256(path: str) -> str:
    """Give the digest of a file in hexadecimal; it is read piece by piece."""
    digest, _ = hash_file(path)
    return str(digest.hexdigest())
