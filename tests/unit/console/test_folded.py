"""Where lines end on terminals."""

from __future__ import annotations

import pytest

from pip._internal.console.output import folded
from pip._internal.console.texts import Hint, capital


def lines(said: str, width: int, prefix: str = "") -> list[str]:
    """Return what a terminal shows of a line."""
    return folded(said, width, prefix=prefix).plain.split("\n")


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("", [""]),
        ("short", ["short"]),
        ("exactly twenty chars", ["exactly twenty chars"]),
        ("one more than twenties", ["one more than", "  twenties"]),
        ("  what is indented stays so", ["  what is", "    indented stays", "    so"]),
        ("x https://host.example/a/long/path y", ["x", "  https://host.example/a/long/path", "  y"]),
        ("https://host.example/a/long/path", ["https://host.example/a/long/path"]),
        ("ns :: f :: v, ns :: g :: v", ["ns :: f :: v,", "  ns :: g :: v"]),
        ("ns :: feature :: a_long_value", ["ns :: feature :: a_long_value"]),
        ("\N{CJK UNIFIED IDEOGRAPH-4E00}" * 9 + " ab cd", ["\N{CJK UNIFIED IDEOGRAPH-4E00}" * 9, "  ab cd"]),
    ],
)  # fmt: skip
def test_lines_end_between_words(said: str, expected: list[str]) -> None:
    assert lines(said, 20) == expected


def test_a_prefix_takes_place() -> None:
    assert lines("one two three", 20, prefix="WARNING: ") == [
        "WARNING: one two",
        "  three",
    ]


def test_a_command_stands_alone() -> None:
    command = "pip install --opt 'a b' --long-option value name"
    assert lines(Hint("To do it:", command), 22) == ["To do it:", f"  {command}"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("its RECORD is broken", "Its RECORD is broken"),
        ("dist: no space", "dist: no space"),
        ("idna-3.10.whl is broken", "idna-3.10.whl is broken"),
        ("/tmp/x is full", "/tmp/x is full"),
        ("variant.json is missing", "variant.json is missing"),
        ("", ""),
    ],
)
def test_names_keep_their_case(text: str, expected: str) -> None:
    assert capital(text) == expected
