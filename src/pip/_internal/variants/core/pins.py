"""Which versions requirements settle.

Pure: no I/O and nothing from the rest of pip.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pip._vendor.packaging.specifiers import SpecifierSet

__all__ = ["pinned"]


def pinned(specifier: SpecifierSet) -> list[str]:
    """Return the versions besides which no other one will do, mostly none or one."""
    return [
        each.version
        for each in specifier
        if each.operator == "==="
        or (each.operator == "==" and not each.version.endswith(".*"))
    ]
