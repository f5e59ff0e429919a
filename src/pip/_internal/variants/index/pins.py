"""Which versions requirements settle."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from pip._vendor.packaging.version import Version

if TYPE_CHECKING:
    from pip._vendor.packaging.specifiers import SpecifierSet

__all__ = ["pinned", "pinned_versions"]

#: So many numbers most versions have.
_USUAL = 3


def pinned(specifier: SpecifierSet) -> list[str]:
    """Return the versions besides which no other one will do, mostly none or one."""
    return [
        each.version
        for each in specifier
        if each.operator == "==="
        or (each.operator == "==" and not each.version.endswith(".*"))
    ]


def pinned_versions(specifier: SpecifierSet) -> Iterator[str]:
    """Yield the public versions that ``==`` settles, as they may be spelled.

    ``0.21`` is ``0.21.0``, and where each version has a folder only one of them is there.
    """
    for each in specifier:
        if each.operator != "==" or each.version.endswith(".*"):
            continue
        version = Version(Version(each.version).public)
        spelled, release = str(version), ".".join(map(str, version.release))
        for parts in _lengths(version.release):
            yield spelled.replace(release, ".".join(map(str, parts)), 1)


def _lengths(release: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    yield release
    if len(release) < _USUAL:
        yield release + (0,) * (_USUAL - len(release))
    if len(release) > _USUAL and not any(release[_USUAL:]):
        yield release[:_USUAL]
