"""Count sensitive call sites.

Anchors cannot detect a *new* way around a seam. The census can: it lists every call, by
its own name, of the functions that a project names. If a release adds or removes such a call, a developer must
review the release.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from fork.engine.module import Module

__all__ = ["Census", "Sensitive", "differences", "take_census"]

#: The number of calls, by file, qualified function and callee.
Census = Counter[tuple[str, str, str]]


@dataclass(frozen=True, slots=True)
class Sensitive:
    """The calls to count: their names, and the folders to search.

    :ivar folders: the folders to search, as prefixes of archive paths.
    :ivar names: the last part of the name of each function, method or class.
    """

    folders: tuple[str, ...]
    names: frozenset[str]


def take_census(files: dict[str, bytes], sensitive: Sensitive) -> Census:
    """Count the sensitive calls in upstream's files, by archive path."""
    census: Census = Counter()
    for path, data in sorted(files.items()):
        if not path.startswith(sensitive.folders) or not path.endswith(".py"):
            continue
        if not any(name.encode() in data for name in sensitive.names):
            continue
        module = Module(path, data)
        for function, callee in _calls(module.tree, "<module>"):
            if callee in sensitive.names:
                census[path, function, callee] += 1
    return census


def differences(before: Census, after: Census) -> list[str]:
    """Return a line for each added or removed call site."""
    return [
        f"{file}: {function} calls {callee} {after[site]}x, before {before[site]}x"
        for site in sorted(before | after)
        if before[site] != after[site]
        for file, function, callee in [site]
    ]


def _calls(parent: ast.AST, scope: str) -> Iterator[tuple[str, str]]:
    for node in ast.iter_child_nodes(parent):
        inner = scope
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            inner = node.name if scope == "<module>" else f"{scope}.{node.name}"
        elif isinstance(node, ast.Call):
            callee = _callee(node.func)
            yield scope, callee
            if callee == "partial" and node.args:
                yield scope, _callee(node.args[0])
        yield from _calls(node, inner)


def _callee(function: ast.expr) -> str:
    """Return the last part of a called name, or of the class for a ``create`` method."""
    if isinstance(function, ast.Name):
        return function.id
    if not isinstance(function, ast.Attribute):
        return ""
    if function.attr == "create":
        return _callee(function.value)
    return function.attr
