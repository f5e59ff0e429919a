"""The tests that SECURITY.md names for each promise exist."""

from __future__ import annotations

import ast
import re
from pathlib import Path

NAMED = re.compile(r"`((?:core/)?tests/[\w/]+\.py)(?:::([\w:]+))?`")


def defined(tree: ast.AST, prefix: str = "") -> set[str]:
    """Return the names of tests, with those of their classes."""
    names = set()
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.ClassDef):
            names |= defined(node, f"{prefix}{node.name}::")
        elif isinstance(node, ast.FunctionDef):
            names.add(prefix + node.name)
    return names


def test_named_tests_exist(repository_root: Path) -> None:
    text = (repository_root / "SECURITY.md").read_text(encoding="utf-8")
    promises = text.partition("## Promises")[2].split("\n\n**")[1:]
    assert len(promises) >= 11
    for promise in promises:
        named = NAMED.findall(promise)
        assert named, promise
        for path, name in named:
            file = repository_root / path
            assert file.is_file(), path
            tree = ast.parse(file.read_text(encoding="utf-8"))
            assert not name or name in defined(tree), f"{path}::{name}"
