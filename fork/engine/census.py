"""The census of sensitive call sites.

Anchors and fingerprints cannot see a *new* way around a seam.  The census can: it lists
every call of functions that a project names, and a release in which one was added or
removed must be reviewed.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from fork.engine.module import Module

__all__ = ["Census", "Sensitive", "differences", "take_census"]

#: ``{file: {qualified function: {callee: number of calls}}}``
Census = dict[str, dict[str, dict[str, int]]]


@dataclass(frozen=True, slots=True)
class Sensitive:
    """Name the calls that are counted.

    :param folders: where they are counted, as prefixes of archive paths.
    :param names: called functions, methods and classes, by the last part of their name.
    :param risk: what a call that nobody reviewed might do, as a clause.
    """

    folders: tuple[str, ...]
    names: frozenset[str]
    risk: str


def take_census(files: dict[str, bytes], sensitive: Sensitive) -> Census:
    """Count the sensitive calls of upstream's files, by archive path."""
    census: Census = {}
    for path, data in sorted(files.items()):
        if not path.startswith(sensitive.folders) or not path.endswith(".py"):
            continue
        if not any(name.encode() in data for name in sensitive.names):
            continue
        module = Module(path, data)
        aliases = _aliases(module.tree, sensitive.names)
        calls = Counter(_calls(module.tree, "<module>", aliases))
        for (function, callee), count in sorted(calls.items()):
            if callee not in sensitive.names:
                continue
            census.setdefault(path, {}).setdefault(function, {})[callee] = count
    return census


def differences(recorded: Census, found: Census) -> list[str]:
    """Return one line for each call site that was added or removed."""
    before, after = _flat(recorded), _flat(found)
    lines: list[str] = []
    for site in sorted(before.keys() | after.keys()):
        old, new = before.get(site, 0), after.get(site, 0)
        if old != new:
            file, function, callee = site
            lines.append(f"{file}: {function} calls {callee} {new}x, recorded {old}x")
    return lines


def _flat(census: Census) -> dict[tuple[str, str, str], int]:
    return {
        (file, function, callee): count
        for file, functions in census.items()
        for function, callees in functions.items()
        for callee, count in callees.items()
    }


def _aliases(tree: ast.Module, names: frozenset[str]) -> dict[str, str]:
    return {
        alias.asname: alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
        if alias.asname and alias.name in names
    }


def _calls(
    parent: ast.AST, scope: str, aliases: dict[str, str]
) -> Iterator[tuple[str, str]]:
    for node in ast.iter_child_nodes(parent):
        inner = scope
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            inner = node.name if scope == "<module>" else f"{scope}.{node.name}"
        elif isinstance(node, ast.Call):
            callee = _callee(node.func, aliases)
            yield scope, callee
            if callee == "partial" and node.args:
                yield scope, _callee(node.args[0], aliases)
        yield from _calls(node, inner, aliases)


def _callee(function: ast.expr, aliases: dict[str, str]) -> str:
    """Return the last part of a function's name; the class of a ``create``."""
    if isinstance(function, ast.Name):
        return aliases.get(function.id, function.id)
    if not isinstance(function, ast.Attribute):
        return ""
    if function.attr == "create":
        return _callee(function.value, aliases)
    return function.attr
