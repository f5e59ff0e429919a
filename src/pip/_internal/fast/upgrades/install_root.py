"""Installing files into a folder first, to be moved to their places later."""

from __future__ import annotations

import compileall
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager

__all__ = ["BYTECODE", "compile_file", "final_path", "installed_below"]

#: By path of an installed module: puts its bytecode in place; returns whether that was possible.
BYTECODE: dict[str, Callable[[str], bool]] = {}

#: The folder that stands for the root, if any.
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
    """Return the place where the file at *path* will be in the end."""
    if _tree is not None and path.startswith(_tree + os.sep):
        return path.removeprefix(_tree)
    return path


def compile_file(fn: Callable[[str], bool], path: str) -> bool:
    """Compile a module for the place where it will be in the end, if that is not done."""
    put = BYTECODE.pop(path, None)
    if put is not None and put(path):
        return True
    place = final_path(path)
    if place == path:
        return fn(path)
    folder = os.path.dirname(place)
    done: bool = compileall.compile_file(path, ddir=folder, force=True, quiet=True)
    return done
