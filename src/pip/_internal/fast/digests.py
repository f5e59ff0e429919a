"""Remember digests of downloaded files, so that pip does not read them again."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pip._internal.utils.hashes import Hashes

_BLOCK = 1 << 18

#: By path: the identity of the file, and its sha256 in hexadecimal digits.
_KNOWN: dict[str, tuple[tuple[int, ...], str]] = {}


def identity(path: str) -> tuple[int, ...]:
    """Return a value that changes when a file changes or is replaced.

    :raises OSError: if the file does not exist.
    """
    status = os.stat(path)
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns


def register(path: str, sha256: str) -> None:
    """Register the sha256 of the complete file at *path*.

    :param sha256: the digest in hexadecimal digits.
    """
    _KNOWN[path] = identity(path), sha256


def known_sha256(path: str) -> str | None:
    """Return the registered sha256 of the current file at *path*, or None."""
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
    """Check the hash of a file; read the file only if necessary."""
    known = known_sha256(path)
    if known is None or not hashes.is_hash_allowed("sha256", known):
        fn(hashes, path)


def file_hashed(
    fn: Callable[..., tuple[Any, int]], path: str, *args: Any, **kwargs: Any
) -> tuple[Any, int]:
    """Return the sha256 and size of a file; read the file only if necessary."""
    known = known_sha256(path)
    if known is None:
        return fn(path, *args, **kwargs)
    digest = SimpleNamespace(
        digest=lambda: bytes.fromhex(known), hexdigest=lambda: known
    )
    return digest, os.path.getsize(path)
