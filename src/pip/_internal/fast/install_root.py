"""Install files into a temporary folder, from which pip moves them later."""

from __future__ import annotations

import compileall
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from pip._internal.exceptions import BlockedImportError

#: By path of an installed module: a function that installs the bytecode, and returns
#: whether that succeeded.
BYTECODE: dict[str, Callable[[str], bool]] = {}

#: The folder that replaces the root, or None.
_tree: str | None = None


@contextmanager
def installed_below(tree: str) -> Iterator[None]:
    """Install below a folder, as if it were the root."""
    global _tree
    _tree = tree
    try:
        yield
    finally:
        _tree = None


def final_path(path: str) -> str:
    """Return the final path of the file at *path*."""
    if _tree is not None and path.startswith(_tree + os.sep):
        return path.removeprefix(_tree)
    return path


def compile_file(fn: Callable[[str], bool], path: str) -> bool:
    """Compile a module for its final path, unless pip already has the bytecode."""
    put = BYTECODE.pop(path, None)
    if put is not None and put(path):
        return True
    place = final_path(path)
    if place == path:
        return fn(path)
    folder = os.path.dirname(place)
    with suppress(BlockedImportError, ImportError):
        return bool(compileall.compile_file(path, ddir=folder, force=True, quiet=True))
    return False
