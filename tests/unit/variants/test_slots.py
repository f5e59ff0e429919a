"""What hangs on upstream's objects and on modules is all in one list."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from pip._internal.fast import slots as of_parallel
from pip._internal.fast.slots import Slot
from pip._internal.variants import slots
from tests.lib.floors import modules

SOURCE = Path(__file__).resolve().parents[3] / "src"
OWN = ("pip._internal.fast.slots", "pip._internal.variants.slots")
SLOTS = {
    name
    for room in (of_parallel, slots)
    for name, each in vars(room).items()
    if isinstance(each, Slot)
}
#: Globals that change, with who sets and reads them. They are for places to which
#: upstream hands on nothing of the run.
GLOBALS = {
    # The variant for which markers are evaluated. Set by hooks.metadata, read
    # wherever a marker is evaluated.
    "packaging._variants._variant",
    # The machine for which markers are evaluated, if it is not this one. Set by
    # selection.target, read wherever a marker is evaluated.
    "packaging._variants._target",
    # What to record of each build, by the path of its wheel. Set by
    # hooks.installing when the wheel is there, read by it when that is installed,
    # and by selection.installed.
    "variants.selection.installed.SELECTIONS",
    # The labels that were installed, by metadata folder, for the summary. Its own.
    "variants.hooks.installing._LABELS",
    # The documents of `pip lock --environment` that is running. Its own.
    "variants.locks.environments._current",
    # Who keeps what a thread logs, which goes through handlers that are pip's. Its
    # own.
    "fast.optional_work._OWN",
    # Held while a thread is born, and from the moment on at which Python ends. Its
    # own.
    "fast.threads._BIRTHS",
    # The options of the command. Set by seams.
    "fast.switches._options",
    # The sizes that JSON pages tell, by URL. Its own.
    "fast.pages._SIZES",
    # Whether Python ends, so that no work is begun. Its own.
    "fast.threads._ENDS",
    # The sha256 of files that were downloaded, which Hashes.check_against_path asks
    # for. Its own.
    "fast.digests._KNOWN",
    # The lock of the virtual environment that a command may change. Its own.
    "fast.environment_lock._lock",
    # The `pip install` that is running. Its own.
    "fast.install_command._install",
    # The wheels that a command unpacks ahead, read where files are installed. Its
    # own.
    "fast.unpacked_wheels._current",
    # Whether packages are replaced when what replaces them is ready. Set by
    # fast.install_command, read when pip installs.
    "fast.atomic_install._is_enabled",
    # The upgrade that is going on, for the functions that pip calls. Its own.
    "fast.atomic_install._transaction",
    # The bytecode of modules that are being installed. Set by fast.unpacked_wheels.
    "fast.install_root.BYTECODE",
    # The folder that stands for the root. Set by fast.atomic_install, read by all
    # that writes the final path of a file.
    "fast.install_root._tree",
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
    """Return whether a value is one that is there to be changed."""
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
    # Some listed ones are in a mode, which may be deleted.
    present = {name for name, _ in trees()}
    assert found == {each for each in GLOBALS if each.rpartition(".")[0] in present}


def test_attributes_are_set_by_slots() -> None:
    found = {
        (name, each) for name, tree in trees() for each in foreign_attributes(tree)
    }
    by_name = {
        ("variants.seams", "variants_command_line"),
        ("variants.seams", "variants_modes"),
    }
    assert found == by_name | {(name, "setattr") for name in COPIES}
    for name, path in modules(SOURCE).items():
        assert "# type: ignore[attr-defined]" not in path.read_text("utf-8"), name


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
