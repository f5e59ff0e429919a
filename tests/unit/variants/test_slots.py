"""What hangs on upstream's objects and on modules is all in one list."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from pip._internal.fast import slots as of_parallel
from pip._internal.fast.slots import Slot
from pip._internal.variants import slots
from pip._internal.variants.slots import GLOBALS
from tests.lib.floors import modules

SOURCE = Path(__file__).resolve().parents[3] / "src"
OWN = ("pip._internal.fast.slots", "pip._internal.variants.slots")
SLOTS = {
    name
    for room in (of_parallel, slots)
    for name, each in vars(room).items()
    if isinstance(each, Slot)
}
#: What makes an object that changes.
MUTABLE = frozenset(
    ("dict", "list", "set", "defaultdict", "deque", "Counter", "OrderedDict", "local")
    + ("Lock", "RLock", "Event", "ContextVar")
    + ("WeakKeyDictionary", "WeakValueDictionary", "WeakSet")
)
#: Where attributes are set that are not named: a copy of a link of ours.
COPIES = ["variants.index.links"]


def trees() -> Iterator[tuple[str, ast.Module]]:
    """Yield each module, by its name below ``pip._internal``, and its syntax."""
    for name, path in modules(SOURCE).items():
        if name not in OWN:
            short = re.sub(r"^pip\._(internal|vendor)\.", "", name)
            yield short, ast.parse(path.read_text(encoding="utf-8"))


def changing_globals(tree: ast.Module) -> Iterator[str]:
    """Yield the names in a module that are bound again, or begin empty to be filled."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Global):
            yield from node.names
    for node in tree.body:
        if isinstance(node, ast.Assign | ast.AnnAssign):
            target = node.target if isinstance(node, ast.AnnAssign) else node.targets[0]
            if isinstance(target, ast.Name) and is_mutable(node.value):
                yield target.id


def is_mutable(value: ast.expr | None) -> bool:
    """Tell whether a value is one that is there to be changed."""
    match value:
        case ast.Dict(keys=[]) | ast.List(elts=[]):
            return True
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)):
            return name in MUTABLE
    return False


def foreign_attributes(tree: ast.Module) -> Iterator[str]:
    """Yield the names of attributes that look like ours and are set on an object."""
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(value=ast.Name(id="self")):
                pass
            case ast.Attribute(attr=name, ctx=ast.Store()):
                if re.match("_?variants?_|_variants?$", name):
                    yield name
            case ast.Call(func=ast.Name(id="setattr"), args=[_, ast.Constant(), _]):
                yield ast.unparse(node)
            case ast.Call(func=ast.Name(id="setattr")):
                yield "setattr"
            case ast.Subscript(value=ast.Call(func=ast.Name(id="vars"))):
                if isinstance(node.ctx, ast.Store):
                    yield ast.unparse(node)


def test_each_global_that_changes_is_listed() -> None:
    found = {
        f"{name}.{each}" for name, tree in trees() for each in changing_globals(tree)
    }
    assert found == set(GLOBALS)


def test_attributes_are_set_by_slots() -> None:
    found = {
        (name, each) for name, tree in trees() for each in foreign_attributes(tree)
    }
    by_name = {("variants.seams", "variants_command_line")}
    assert found == by_name | {(name, "setattr") for name in COPIES}
    for name, path in modules(SOURCE).items():
        assert "# type: ignore[attr-defined]" not in path.read_text("utf-8"), name


def test_who_uses_a_slot_is_said_there() -> None:
    """The comment above a slot names the modules that set and read it, and no others."""
    lines = "".join(modules(SOURCE)[each].read_text(encoding="utf-8") for each in OWN)
    used = {
        (node.value.id, name.removeprefix("variants."))
        for name, tree in trees()
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)
        if node.value.id in SLOTS and node.attr in ("of", "set", "once")
    }
    used.add(("COMMAND_LINE", "seams"))
    names = {name.removeprefix("variants.") for name, _ in trees()}
    for slot in SLOTS:
        (comment,) = re.findall(rf"((?:^#:.*\n)+){slot} = ", lines, re.MULTILINE)
        named = {each for each in re.findall(r"``([\w.]+)``", comment) if each in names}
        assert named == {module for each, module in used if each == slot}, slot


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ("_kept: dict[str, int] = {}", ["_kept"]),
        ("_kept = threading.local()", ["_kept"]),
        ("_seen = None\ndef f():\n    global _seen", ["_seen"]),
        ("NAMES = {'a': 1}\nOTHER = frozenset(())", []),
    ],
)
def test_a_global_that_changes_is_found(code: str, found: list[str]) -> None:
    assert list(changing_globals(ast.parse(code))) == found


@pytest.mark.parametrize(
    "code",
    [
        "session._variants = 1",
        "dist._variant_bound = 1",
        "setattr(dist, NAME, 1)",
        "setattr(dist, 'bound', 1)",
        "vars(dist)[NAME] = 1",
    ],
)
def test_an_attribute_that_is_set_is_found(code: str) -> None:
    assert len(list(foreign_attributes(ast.parse(code)))) == 1


def test_a_slot() -> None:
    slot, owner = Slot("_kept"), type("Owner", (), {})()
    assert slot.of(owner, int) is None
    slot.set(owner, 3)
    assert slot.of(owner, int) == 3
    assert slot.of(owner, str) is None, "what is of another kind is not ours"
    assert slot.once(owner, lambda _: 4) == 3
    other = Slot("_other")
    assert other.once(owner, lambda _: None) is None
    assert other.once(owner, lambda _: 4) is None, "it was made"
