"""The differences from upstream that users want, each with its reason."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from tools.upstream.errors import UpstreamError

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

__all__ = ["EXPECTED", "Difference", "read_expected"]

#: The list that counts.
EXPECTED = Path(__file__).with_name("expected.toml")


@dataclass(frozen=True, slots=True)
class Difference:
    """A test that passes on the untouched release and is to fail with the fork.

    :param test: node id.
    :param reason: why a user wants it so.
    :param cells: names of the cells where it fails; patterns with ``*``.
    """

    test: str
    reason: str
    cells: tuple[str, ...] = ("*",)

    def concerns(self, cell: str) -> bool:
        """Tell whether the test is to fail in a cell."""
        return any(fnmatchcase(cell, pattern) for pattern in self.cells)


def read_expected(path: Path = EXPECTED) -> list[Difference]:
    """Return the differences that a file lists.

    :raises UpstreamError: an entry lacks its test or its reason, or has other keys.
    """
    content = tomllib.loads(path.read_text(encoding="utf-8"))
    entries = content.pop("difference", [])
    if content:
        raise UpstreamError(
            f"{path.name}: only [[difference]] has a meaning: {content}"
        )
    return [_difference(path.name, entry) for entry in entries]


def _difference(file: str, entry: dict[str, Any]) -> Difference:
    known = {"test", "reason", "cells"}
    if not (entry.get("test") and entry.get("reason") and entry.keys() <= known):
        raise UpstreamError(
            f"{file}: an entry has a test, a reason and perhaps cells: {entry}"
        )
    cells = tuple(entry.get("cells", ["*"]))
    return Difference(entry["test"], entry["reason"], cells)
