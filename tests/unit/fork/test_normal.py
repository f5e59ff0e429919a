"""The normal form depends on what an author wrote, not on the Python that reads it."""

from __future__ import annotations

import ast

import pytest

from fork.engine.normal import fingerprint, normal_form


def of(source: str) -> str:
    """Return the fingerprint of a source text."""
    return fingerprint(ast.parse(source))


# Syntax whose tree differs between versions of CPython: f-strings (3.12), type
# parameters (3.12), imports (3.15), deprecated fields, strings with characters of newer
# Unicode.
SAMPLE = r'''
import a.b as c, d
from .e import (f, g as h)
@decorate(1, *a, **{**b, "k": None})
async def f(x: int = -1, /, *y, z=..., **k) -> dict[str, "T"]:
    """Doc.
        Indented.
    """
    global g
    u"kind"; b"\x00\xff"; 1e400; 2j; 10**3; "\U0001fae8 \ud800 \x7f \u2028"
    f"{x}" "a" f"b{y!r:>{z}}{{c}}" "d"; f"{x=}"; f"""{
        x
    }"""; rf"\d{x:}"
    match x:
        case {"a": [1, *_], **rest} | None if (w := x):
            return [i async for i in x if i]
    with (open("a") as p, open("b")): ...
    x: int; (y): int = 1; del x
    try: raise E from None
    except (A, B) as e: pass
    finally: return await x[1:2, ::3]
'''


def test_the_form_is_the_same_on_every_python() -> None:
    assert (
        of(SAMPLE) == "73f3240fa493de36f885e8d7479edc6c8be28b4fe1c603005acbb85e7096f6b9"
    )


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("f(a, b)", "f(\n    a,  # comment\n    b,\n)"),
        ("x = 'a'", 'x = u"a"'),
        ("f'{a}bc'", "f'{a}b' 'c'"),
        ("x = 'bc'", "x = 'b' 'c'"),
        ("x = 0x10", "x = 16"),
    ],
)
def test_layout_is_left_out(one: str, other: str) -> None:
    assert of(one) == of(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("x = 1", "x = True"),
        ("x = 1", "x = 1.0"),
        ("x = 'a'", "x = b'a'"),
        ("x = None", "x = 'None'"),
        ("x = None", "x = ..."),
        ("f(a)", "f(*a)"),
        ("def f(a, b): ...", "def f(a, /, b): ..."),
        ("def f(*, a, b=1): ...", "def f(*, a=1, b): ..."),
        ("{**a}", "{None: a}"),
        ("f'{a}'", "f'{a!r}'"),
        ("f'{a}{b}'", "f'{a}{{b}}'"),
        ("a.b = 1", "a.c = 1"),
        ("import a", "import a as b"),
        ("from . import a", "from .. import a"),
        ("x[1:]", "x[:1]"),
        ("-1", "+1"),
        ("return_ = 1", "return_: int = 1"),
    ],
)
def test_meaning_is_kept(one: str, other: str) -> None:
    assert of(one) != of(other)


def test_loads_and_stores_of_an_expression_are_alike() -> None:
    statement = ast.parse("a.b = a.b").body[0]
    assert isinstance(statement, ast.Assign)
    assert normal_form(statement.targets[0]) == normal_form(statement.value)


def test_an_import_that_is_not_lazy_is_one_of_before(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As CPython 3.15 tells of each import, and older ones do not."""
    node = ast.parse("import a").body[0]
    before = fingerprint(node)
    monkeypatch.setattr(ast.Import, "_fields", ("names", "is_lazy"))
    monkeypatch.setattr(node, "is_lazy", 0, raising=False)
    assert fingerprint(node) == before
    monkeypatch.setattr(node, "is_lazy", 1)
    assert fingerprint(node) != before
