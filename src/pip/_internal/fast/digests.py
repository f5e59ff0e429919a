"""Digests of files while these are written, which spares reading them again."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from pip._internal.utils.hashes import Hashes

__all__ = [
    "Digests",
    "Verified",
    "check_path",
    "file_hashed",
    "identity",
    "is_whole",
    "sha256_of",
    "sha256_read",
    "vouch",
]

_BLOCK = 1 << 18


class _Noted(NamedTuple):
    """What is known of a file.

    :ivar identity: of the file when it was complete
    :ivar digests: by algorithm
    :ivar is_whole: whether they are its own; else those of the file that it stands for
    """

    identity: tuple[int, ...]
    digests: Mapping[str, str]
    is_whole: bool = True

    @classmethod
    def of(cls, path: str) -> Mapping[str, str]:
        """Return the digests of the file that is at a path now; none if it was changed."""
        noted = _NOTED.get(path)
        if noted is None or identity(path) != noted.identity:
            return {}
        return noted.digests


#: By path.
_NOTED: dict[str, _Noted] = {}


class Verified(NamedTuple):
    """A file that is complete and as expected; nothing else may be unpacked.

    :ivar identity: of the file at that time.
    """

    path: str
    identity: tuple[int, ...]

    @classmethod
    def unchecked(cls, path: str) -> Verified:
        """Accept a file for which upstream has no hash to check either."""
        return cls(path, identity(path))


class Digests:
    """Digests of a file, to be compared with the hashes that are expected.

    :param hashes: the file must have one of them
    """

    def __init__(self, hashes: Hashes) -> None:
        self._hashes = hashes
        self._gots = {name: hashlib.new(name) for name in hashes._allowed}

    @classmethod
    def of(cls, hashes: Hashes | None) -> Digests | None:
        """Return None if no hash is expected, or none of a known algorithm."""
        try:
            return cls(hashes) if hashes else None
        except (ValueError, TypeError):
            return None  # Upstream reports it.

    def update(self, data: bytes | memoryview) -> None:
        """Take in the next bytes of the file."""
        for got in self._gots.values():
            got.update(data)

    def reset(self) -> None:
        """Begin again with the first byte."""
        self._gots = {name: hashlib.new(name) for name in self._gots}

    def check(self, path: str) -> Verified:
        """Check the file at *path*, and spare upstream from reading it again.

        :raises HashMismatch: if its hash is not expected
        """
        self.note(path)
        noted = _NOTED[path]
        if not _is_allowed(self._hashes, noted.digests):
            self._hashes._raise(self._gots)
        return Verified(path, noted.identity)

    def note(self, path: str) -> None:
        """Note the digests of the file at *path*, which is complete, for upstream."""
        digests = {name: got.hexdigest() for name, got in self._gots.items()}
        _NOTED[path] = _Noted(identity(path), digests)


def check_path(fn: Callable[[Hashes, str], None], hashes: Hashes, path: str) -> None:
    """Check a file, and read it only if its digests are not known or not allowed."""
    if not _is_allowed(hashes, _Noted.of(path)):
        fn(hashes, path)


def vouch(path: str, digests: Mapping[str, str]) -> None:
    """Let a file pass for another one, which it stands for.

    :param digests: of that one, by algorithm
    """
    _NOTED[path] = _Noted(identity(path), digests, is_whole=False)


def is_whole(path: str) -> bool:
    """Tell whether a file is what it seems to be, and does not stand for another one."""
    return path not in _NOTED or _NOTED[path].is_whole


def sha256_of(path: str) -> str:
    """Return the sha256 of a file, which is not read if its digests are known.

    :raises OSError: if it cannot be read
    """
    return _Noted.of(path).get("sha256") or sha256_read(path)


def sha256_read(path: str) -> str:
    """Compute the sha256 of a file, whatever is known of it.

    :raises OSError: if it cannot be read
    """
    digest = hashlib.sha256()
    block = memoryview(bytearray(_BLOCK))
    with open(path, "rb", buffering=0) as file:
        while count := file.readinto(block):
            digest.update(block[:count])
    return digest.hexdigest()


class _Known:
    """A sha256 that need not be computed, as far as upstream uses hashes of files."""

    def __init__(self, digest: str) -> None:
        self._digest = digest

    def digest(self) -> bytes:
        return bytes.fromhex(self._digest)

    def hexdigest(self) -> str:
        return self._digest


def file_hashed(
    fn: Callable[..., tuple[Any, int]], path: str, *args: Any, **kwargs: Any
) -> tuple[Any, int]:
    """Compute the sha256 and the size of a file; read it only if the former is not known."""
    if known := _Noted.of(path).get("sha256"):
        return _Known(known), os.path.getsize(path)
    return fn(path, *args, **kwargs)


def _is_allowed(hashes: Hashes, noted: Mapping[str, str]) -> bool:
    return any(hashes.is_hash_allowed(*each) for each in noted.items())


def identity(path: str) -> tuple[int, ...]:
    """Return what a changed file, or another one at the same path, would not have."""
    status = os.stat(path)
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns
