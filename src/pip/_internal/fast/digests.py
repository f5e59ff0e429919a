"""Digests of downloaded files, so that pip does not read the files again."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pip._internal.utils.hashes import Hashes

__all__ = [
    "check_path",
    "file_hashed",
    "identity",
    "known_sha256",
    "read_sha256",
    "register",
]

_BLOCK = 1 << 18

#: By path: what identifies the file, and its sha256 in hexadecimal digits.
_KNOWN: dict[str, tuple[tuple[int, ...], str]] = {}


def identity(path: str) -> tuple[int, ...]:
    """Return what a changed file, or another file at the same path, would not have.

    :raises OSError: if there is no such file.
    """
    status = os.stat(path)
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns


def register(path: str, sha256: str) -> None:
    """Note the sha256 of the complete file at *path*, or of the file that it replaces.

    :param sha256: in hexadecimal digits.
    """
    _KNOWN[path] = identity(path), sha256


def known_sha256(path: str) -> str | None:
    """Return the sha256 that was registered for the file that is at *path* now."""
    known = _KNOWN.get(path)
    return known[1] if known is not None and identity(path) == known[0] else None


def read_sha256(path: str) -> str:
    """Compute the sha256 of a file, in hexadecimal digits.

    :raises OSError: if pip cannot read the file.
    """
    digest = hashlib.sha256()
    block = memoryview(bytearray(_BLOCK))
    with open(path, "rb", buffering=0) as file:
        while count := file.readinto(block):
            digest.update(block[:count])
    return digest.hexdigest()


def check_path(fn: Callable[[Hashes, str], None], hashes: Hashes, path: str) -> None:
    """Check the hash of a file; read the file only if its sha256 is unknown or wrong."""
    known = known_sha256(path)
    if known is None or not hashes.is_hash_allowed("sha256", known):
        fn(hashes, path)


def file_hashed(
    fn: Callable[..., tuple[Any, int]], path: str, *args: Any, **kwargs: Any
) -> tuple[Any, int]:
    """Return the sha256 and the size of a file; read the file only if its sha256 is unknown."""
    known = known_sha256(path)
    if known is None:
        return fn(path, *args, **kwargs)
    digest = SimpleNamespace(
        digest=lambda: bytes.fromhex(known), hexdigest=lambda: known
    )
    return digest, os.path.getsize(path)
