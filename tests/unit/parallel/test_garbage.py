"""Who looks for garbage seldom, and who as ever."""

from __future__ import annotations

import atexit
import gc
from collections.abc import Iterator
from typing import Any

import pytest

from pip._internal.commands import create_command


@pytest.fixture
def at_exit(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Any]]:
    """Return what is to be done at the end of the process."""
    thresholds, registered = gc.get_threshold(), list[Any]()
    monkeypatch.setattr(atexit, "register", lambda do, *_: registered.append(do))
    yield registered
    gc.set_threshold(*thresholds)


def test_a_process_of_pip_s_own_seldom_looks_for_garbage(at_exit: list[Any]) -> None:
    before = gc.get_threshold()[0]
    command = create_command("install")
    command._cli = True
    command.parse_args(["plain"])
    assert gc.get_threshold()[0] > 10 * before
    assert gc.freeze in at_exit


@pytest.mark.parametrize(
    ("name", "arguments", "is_own"),
    [
        ("install", ["plain", "--no-fast"], True),
        ("install", ["plain"], False),
        ("show", ["plain"], True),
    ],
    ids=["switched-off", "called-by-another", "no-such-option"],
)
def test_other_processes_look_for_garbage_as_before(
    at_exit: list[Any], name: str, arguments: list[str], is_own: bool
) -> None:
    before = gc.get_threshold()
    command = create_command(name)
    command._cli = is_own
    command.parse_args(arguments)
    assert gc.get_threshold() == before
    assert gc.freeze not in at_exit
