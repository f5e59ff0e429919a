"""Digests of files while these are written, which spares reading them again."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from pip._internal.utils.hashes import Hashes

__all__ = ["Digests", "Verified", "check_path", "identity"]

#: By path of a file, its identity when it was complete, and its digests by algorithm.
_NOTED: dict[str, tuple[tuple[int, ...], Mapping[str, str]]] = {}


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
        was, noted = _NOTED[path]
        if not _is_allowed(self._hashes, noted):
            self._hashes._raise(self._gots)
        return Verified(path, was)

    def note(self, path: str) -> None:
        """Note the digests of the file at *path*, which is complete, for upstream."""
        noted = {name: got.hexdigest() for name, got in self._gots.items()}
        _NOTED[path] = identity(path), noted


def check_path(fn: Callable[[Hashes, str], None], hashes: Hashes, path: str) -> None:
    """Check a file, and read it only if its digests are not known or not allowed."""
    if path in _NOTED:
        was, noted = _NOTED[path]
        if identity(path) == was and _is_allowed(hashes, noted):
            return
    fn(hashes, path)


def _is_allowed(hashes: Hashes, noted: Mapping[str, str]) -> bool:
    return any(hashes.is_hash_allowed(*each) for each in noted.items())


def identity(path: str) -> tuple[int, ...]:
    """Return what a changed file, or another one at the same path, would not have."""
    status = os.stat(path)
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns
