"""The census of sensitive call sites.

Anchors and fingerprints cannot see a *new* way around a seam.  The census can: it lists
every call of the functions through which wheels, links and distributions become
candidates, and a release in which one was added or removed must be reviewed.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator

from fork.module import Module

__all__ = ["SENSITIVE", "Census", "differences", "take_census"]

#: ``{file: {qualified function: {callee: number of calls}}}``
Census = dict[str, dict[str, dict[str, int]]]

#: Called functions, methods and classes, by the last part of their name.
SENSITIVE = frozenset(
    {
        "LinkCandidate",
        "LinkCollector",
        "LinkEvaluator",
        "Wheel",
        "_find_candidates",
        "_get_candidates",
        "_iter_found_candidates",
        "_make_candidate_from_link",
        "_prepare_linked_requirement",
        "_scan_directory",
        "add_locked_link",
        "compute_best_candidate",
        "default_environment",
        "evaluate",
        "evaluate_link",
        "evaluate_links",
        "find_all_candidates",
        "find_best_candidate",
        "find_requirement",
        "from_element",
        "from_json",
        "get_applicable_candidates",
        "get_best_candidate",
        "get_metadata_distribution",
        "get_wheel_distribution",
        "install_wheel",
        "iter_dependencies",
        "parse_wheel_filename",
        "prepare_linked_requirement",
        "prepare_linked_requirements_more",
        "process_project_url",
        "select_from_pylock_path_or_url",
        "sort_best_candidate",
        "supported",
    }
)
_FOLDERS = ("pip/_internal/", "pip/_vendor/packaging/")


def take_census(files: dict[str, bytes]) -> Census:
    """Count the sensitive calls of upstream's files, by archive path."""
    census: Census = {}
    for path, data in sorted(files.items()):
        if not path.startswith(_FOLDERS) or not path.endswith(".py"):
            continue
        if not any(name.encode() in data for name in SENSITIVE):
            continue
        module = Module(path, data)
        calls = Counter(_calls(module.tree, "<module>", _aliases(module.tree)))
        for (function, callee), count in sorted(calls.items()):
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


def _aliases(tree: ast.Module) -> dict[str, str]:
    return {
        alias.asname: alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
        if alias.asname and alias.name in SENSITIVE
    }


def _calls(
    parent: ast.AST, scope: str, aliases: dict[str, str]
) -> Iterator[tuple[str, str]]:
    for node in ast.iter_child_nodes(parent):
        inner = scope
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            inner = node.name if scope == "<module>" else f"{scope}.{node.name}"
        elif isinstance(node, ast.Call):
            callees = [_callee(node.func, aliases)]
            if callees == ["partial"] and node.args:
                callees.append(_callee(node.args[0], aliases))
            yield from ((scope, callee) for callee in callees if callee in SENSITIVE)
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
