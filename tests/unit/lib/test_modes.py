"""Which tests run: in process, with the wheel, and which of their cases."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from tests.lib.modes import pytest_collection_modifyitems


class Item:
    """A case of a test, as far as its choice goes."""

    parent = "module"
    path = Path("tests/functional/test_it.py")

    def __init__(self, name: str, *marks: str, own: Sequence[str] = ()) -> None:
        self.name, self.originalname = name, name.partition("[")[0]
        self.marks = [*marks, *own]
        marked = [SimpleNamespace(name=each) for each in own]
        self.callspec = SimpleNamespace(params={}, marks=marked)

    def get_closest_marker(self, name: str) -> str | None:
        return name if name in self.marks else None


ITEMS = [
    Item("test_many[a]"),
    Item("test_many[b]"),
    Item("test_many[c]", own=["on_wheel"]),
    Item("test_marked[a]", "on_wheel"),
    Item("test_marked[b]", "on_wheel"),
    Item("test_signal[a]", "process"),
    Item("test_signal[b]", "process"),
]


def left(*options: str, args: Sequence[str] = ("tests",)) -> list[str]:
    """Return the names of the cases that run with some options."""
    items: list[Any] = list(ITEMS)
    hook = SimpleNamespace(pytest_deselected=dict)
    config = SimpleNamespace(getoption=options.__contains__, args=args, hook=hook)
    pytest_collection_modifyitems(cast(pytest.Config, config), items)
    return [item.name for item in items]


def test_in_process_all_cases_run_that_can() -> None:
    assert left("--in-process") == [item.name for item in ITEMS[:5]]


def test_in_process_the_first_case_can_be_asked_for() -> None:
    first = ["test_many[a]", "test_many[c]", "test_marked[a]"]
    assert left("--in-process", "--first-cases") == first


def test_with_the_wheel_the_first_case_runs_and_what_is_marked() -> None:
    assert left() == [
        "test_many[a]",
        "test_many[c]",
        "test_marked[a]",
        "test_signal[a]",
        "test_signal[b]",
    ]


def test_all_cases_can_be_asked_for() -> None:
    assert len(left("--every-case")) == len(ITEMS)
    assert len(left(args=["tests/functional/test_it.py::test_many[b]"])) == len(ITEMS)
