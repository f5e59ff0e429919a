"""What docs/architecture.md names is there."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from tests.lib.floors import read_floors

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / "docs/architecture.md").read_text(encoding="utf-8")
#: What a path may be below.
BASES = (
    "",
    "src/pip/_internal",
    "src/pip/_internal/variants",
    "src/pip/_vendor",
    "core/src",
    "tests/unit/variants",
)
PATHS = sorted(set(re.findall(r"`([a-z_/]+(?:/|\.(?:py|md|toml|json)))`", TEXT)))


def test_there_are_paths() -> None:
    assert {"wheel_variants/ordering.py", "locks/", "tests/data/floors.toml"} <= set(
        PATHS
    )


@pytest.mark.parametrize("path", PATHS)
def test_each_path_is_there(path: str) -> None:
    # What hooks and wheels write has names, and is no file of the project.
    assert path == "variant.json" or any(
        (ROOT / base / path).exists() for base in BASES
    )


def test_each_package_is_in_a_table() -> None:
    rooms = read_floors(ROOT / "tests/data/floors.toml").level
    places = {room.removeprefix("variants.").replace(".", "/") for room in rooms}
    for place in places - {"commands/variants"}:
        assert any(path.startswith((f"{place}/", f"{place}.py")) for path in PATHS)


def test_a_run_does_not_know_everything() -> None:
    path = ROOT / "src/pip/_internal/variants/selection/run.py"
    tree = ast.parse(path.read_text(encoding="utf-8"))
    (run,) = (
        node
        for node in tree.body
        if isinstance(node, ast.ClassDef) and node.name == "Run"
    )
    own = {
        each.attr
        for each in ast.walk(run)
        if isinstance(each, ast.Attribute) and isinstance(each.ctx, ast.Store)
    }
    computed = re.findall(r"@(?:functools\.)?cached_property\n", ast.unparse(run))
    assert 3 < len(own) + len(computed) <= 12


def test_choosing_says_nothing() -> None:
    """Sentences are in ``output`` and ``errors.py``; help and values of options have theirs."""
    room = ROOT / "src/pip/_internal/variants/selection"
    found = [
        (path.name, node.value)
        for path in sorted(room.glob("*.py"))
        if path.name not in ("settings.py", "option_values.py", "scoped_indexes.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
        if re.match(r"[A-Z][a-z]+ .* .*[.:?]$", node.value)
    ]
    docstrings = {
        ast.get_docstring(node, clean=False)
        for path in room.glob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
    }
    assert [each for each in found if each[1] not in docstrings] == []
