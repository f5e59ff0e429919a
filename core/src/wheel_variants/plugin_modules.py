"""Check the modules that installers import as provider plugins. Pure: no I/O."""

from __future__ import annotations

import sys
from collections.abc import Collection
from importlib.machinery import EXTENSION_SUFFIXES, SOURCE_SUFFIXES

__all__ = ["belongs"]


def belongs(module: str, files: Collection[str]) -> bool:
    """Return whether Python imports a module from one of *files*.

    :param module: a dotted name.
    :param files: relative paths, with slashes.
    """
    parts = module.split(".")
    if parts[0] in sys.stdlib_module_names or not all(map(str.isidentifier, parts)):
        return False
    path = "/".join(parts)
    return any(
        f"{path}{package}{suffix}" in files
        for package in ("", "/__init__")
        for suffix in (*SOURCE_SUFFIXES, *EXTENSION_SUFFIXES)
    )
