"""The digests of a file that is being written."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from pip._internal.utils.hashes import Hashes

__all__ = ["Digests", "Verified", "check_path", "identity"]

# What was checked while it was written: the hashes that were allowed, and the identity
# of the file, by its path.
_CHECKED: dict[str, tuple[Hashes, tuple[int, ...]]] = {}


class Verified(NamedTuple):
    """A file that is whole and is what was expected; nothing else may be unpacked.

    :ivar identity: of the file, when that was found.
    """

    path: str
    identity: tuple[int, ...]

    @classmethod
    def unchecked(cls, path: str) -> Verified:
        """Take a file for verified of which upstream expects nothing either."""
        return cls(path, identity(path))


class Digests:
    """What is needed to tell whether a file is one of those that are expected.

    :param hashes: the hashes of which one must be that of the file
    """

    def __init__(self, hashes: Hashes) -> None:
        self._hashes = hashes
        self._gots = {name: hashlib.new(name) for name in hashes._allowed}

    @classmethod
    def of(cls, hashes: Hashes | None) -> Digests | None:
        """Return None if nothing is expected, or not by an algorithm that is known."""
        try:
            return cls(hashes) if hashes else None
        except (ValueError, TypeError):
            return None  # Upstream has words for it.

    def update(self, data: bytes) -> None:
        """Take in the next bytes of the file."""
        for got in self._gots.values():
            got.update(data)

    def reset(self) -> None:
        """Begin with the first byte again."""
        self._gots = {name: hashlib.new(name) for name in self._gots}

    def check(self, path: str) -> Verified:
        """Tell upstream, which checks it later too, what is at *path*.

        :raises HashMismatch: if it is none of the files that are expected
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
    """Do not read a file again that was just checked."""
    if path in _CHECKED:
        allowed, checked = _CHECKED[path]
        if hashes == allowed and identity(path) == checked:
            return
    fn(hashes, path)


def identity(path: str) -> tuple[int, ...]:
    """Give what another file at the same path, or a changed one, would not have."""
    status = os.stat(path)
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns
