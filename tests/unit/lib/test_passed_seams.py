"""Whether functional tests pass every seam."""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType, ModuleType
from typing import Any

import pytest

from fork.engine.kinds import Append, Decorate, InsertLine, ReplaceExpression
from fork.seams import SEAMS
from tests.lib.passed_seams import Watch

INDEX, LISTING = "pip/_internal/index/__init__.py", "pip/_internal/listing.py"
ON_INDEX = Decorate("Index.find", "found", file=INDEX)
ON_LISTING = Decorate("find", "found", file=LISTING)
SHOWN = InsertLine("show", "shown", before="", statement="", file=LISTING)
ADDED = Append("", "added", statement="", file=LISTING)
ELSEWHERE = Decorate("Index.all", "hooks.index:all", file=INDEX)
NAMED = ReplaceExpression(
    "name", "hooks.index:name", expression="", replacement="", file=LISTING
)


def function(module: str, name: str, code: str = "None") -> Callable[[], Any]:
    """Return a function of an upstream module, in which *code* is run."""
    room: dict[str, Any] = {"__name__": module, "hooks": HOOKS}
    made = eval(f"lambda: {code}", room)
    assert isinstance(made, FunctionType)
    made.__qualname__ = name
    return made


HOOKS = ModuleType("hooks")


@pytest.fixture
def watch() -> Watch:
    """Return what watches seams whose hooks are in ``HOOKS``."""
    vars(HOOKS).update(
        found=lambda fn: lambda: ["around", fn()],
        shown=int,
        added=lambda: 7,
        around=lambda hook: lambda fn: lambda: [hook, fn()],
        find=lambda hook: lambda: hook,
    )
    watch = Watch([ON_INDEX, ON_LISTING, SHOWN, ADDED, ELSEWHERE, NAMED])
    watch.install(lambda _: HOOKS)
    return watch


def test_a_decorated_function_is_told_from_others_of_its_hook(watch: Watch) -> None:
    find = HOOKS.found(function("pip._internal.index", "Index.find"))
    other = HOOKS.found(function("pip._internal.listing", "find"))
    assert not watch.passed, "to decorate is not to call"
    assert find() == ["around", None]
    assert not watch.passed, "this is no functional test"
    watch.on = True
    find()
    assert watch.passed == {ON_INDEX.name}
    other()
    assert watch.passed == {ON_INDEX.name, ON_LISTING.name}
    assert watch.missed == [SHOWN.name, ADDED.name, ELSEWHERE.name, NAMED.name]


def test_a_called_hook(watch: Watch) -> None:
    show = function("pip._internal.listing", "show", "hooks.shown()")
    assert show() == 0
    assert not watch.passed
    assert function("pip._internal.listing", "", "hooks.added()")() == 7
    assert watch.passed == {ADDED.name}, "a module ends once, whoever imports it"
    watch.on = True
    function("pip._internal.elsewhere", "", "hooks.shown()")()
    assert watch.passed == {ADDED.name}
    show()
    assert watch.passed == {ADDED.name, SHOWN.name}


def test_a_hook_that_is_named_by_its_module(watch: Watch) -> None:
    watch.on = True
    hook = HOOKS.around(ELSEWHERE.hook)
    assert hook(function("pip._internal.index", "Index.all"))() == [
        ELSEWHERE.hook,
        None,
    ]
    assert watch.passed == {ELSEWHERE.name}
    code = f"hooks.find({NAMED.hook!r})()"
    assert function("pip._internal.listing", "name", code)() == NAMED.hook
    assert watch.passed == {ELSEWHERE.name, NAMED.name}


def test_all_seams_with_hooks_are_told_apart() -> None:
    names = [seam.name for seam in SEAMS if seam.hook]
    assert len(set(names)) == len(names)
    assert len(names) >= 50
