"""What docs/architecture.md names is there."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
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


def test_each_room_is_in_the_table() -> None:
    rooms = read_floors(ROOT / "tests/data/floors.toml").level
    named = {path.strip("/").removesuffix(".py") for path in PATHS}
    assert {room.removeprefix("variants.").replace(".", "/") for room in rooms} - {
        "commands/variants"
    } <= named


#: How many attributes an object may have: more is a sign of several things in one.
MOST_ATTRIBUTES = 14


def attributes(node: ast.ClassDef) -> Iterator[str]:
    """Yield the names of the attributes that an object of a class has, not inherited.

    Fields, what methods set, and what is computed once and kept.
    """
    heads = " ".join(map(ast.unparse, (*node.bases, *node.decorator_list)))
    has_fields = "NamedTuple" in heads or "dataclass" in heads
    for each in node.body:
        match each:
            case ast.AnnAssign(target=ast.Name(id=name), value=value):
                if has_fields or value is None:
                    yield name
            case ast.FunctionDef(decorator_list=decorators):
                if any("cached_property" in ast.unparse(one) for one in decorators):
                    yield each.name
    for inner in ast.walk(node):
        match inner:
            case ast.Attribute(value=ast.Name(id="self"), attr=name, ctx=ast.Store()):
                yield name


def test_no_object_knows_everything() -> None:
    found = {
        f"{path.name}: {node.name}": sorted(set(attributes(node)))
        for path in (ROOT / "src/pip/_internal/variants").rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ClassDef)
    }
    assert len(found["run.py: Run"]) <= 12
    assert {
        name: names for name, names in found.items() if len(names) > MOST_ATTRIBUTES
    } == {}


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
