"""Digests of files while these are written."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from pip._internal.utils.hashes import Hashes

__all__ = ["Digests", "Verified", "check_path", "identity"]

# Files that were checked while they were written: by path, the hashes that were allowed
# and the identity of the file.
_CHECKED: dict[str, tuple[Hashes, tuple[int, ...]]] = {}


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

    def update(self, data: bytes) -> None:
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
        for name, got in self._gots.items():
            if self._hashes.is_hash_allowed(name, got.hexdigest()):
                verified = Verified(path, identity(path))
                break
        else:
            self._hashes._raise(self._gots)
        _CHECKED[path] = self._hashes, verified.identity
        return verified


def check_path(fn: Callable[[Hashes, str], None], hashes: Hashes, path: str) -> None:
    """Check a file, unless it was checked while it was written."""
    if path in _CHECKED:
        allowed, checked = _CHECKED[path]
        if hashes == allowed and identity(path) == checked:
            return
    fn(hashes, path)


def identity(path: str) -> tuple[int, ...]:
    """Return what a changed file, or another one at the same path, would not have."""
    status = os.stat(path)
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns
