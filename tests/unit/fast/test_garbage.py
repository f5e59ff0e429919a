"""Which commands collect garbage seldom, and which as usual."""

from __future__ import annotations

import atexit
import gc
import sys
from collections.abc import Iterator
from contextlib import suppress
from typing import Any
from unittest.mock import Mock

import pytest

if sys.implementation.name != "cpython":
    pytest.skip("other Pythons look for garbage in other ways", allow_module_level=True)

from pip._internal.commands import create_command
from pip._internal.fast import install_command


@pytest.fixture(autouse=True)
def thresholds() -> Iterator[None]:
    """Restore the settings of the garbage collector."""
    before = gc.get_threshold()
    yield
    gc.set_threshold(*before)


@pytest.mark.parametrize(
    ("name", "arguments", "is_own", "is_seldom"),
    [
        ("install", ["plain"], True, True),
        ("install", ["plain", "--no-fast"], True, False),
        ("install", ["plain"], False, False),
        ("show", ["plain"], True, False),
    ],
)
def test_who_seldom_looks_for_garbage(
    name: str, arguments: list[str], is_own: bool, is_seldom: bool
) -> None:
    before = gc.get_threshold()[0]
    command = create_command(name)
    command._cli = is_own
    command.parse_args(arguments)
    assert (gc.get_threshold()[0] > 10 * before) == is_seldom
    assert is_seldom or gc.get_threshold()[0] == before


@pytest.mark.parametrize("error", [None, KeyboardInterrupt])
def test_search_at_exit(monkeypatch: pytest.MonkeyPatch, error: Any) -> None:
    """After an interruption, the search removes temporary files."""
    registered = list[Any]()
    monkeypatch.setattr(atexit, "register", registered.append)
    command = create_command("install")
    command._cli = True
    do = Mock(return_value=0, side_effect=error)
    with suppress(KeyboardInterrupt):
        install_command.run(do, command, *command.parse_args(["plain"]))
    assert (gc.freeze in registered) == (error is None)
