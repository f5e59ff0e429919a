"""Which commands collect garbage seldom, and which as usual."""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator

import pytest

if sys.implementation.name != "cpython":
    pytest.skip("other Pythons look for garbage in other ways", allow_module_level=True)

from pip._internal.commands import create_command


@pytest.fixture(autouse=True)
def thresholds() -> Iterator[None]:
    """Restore the settings of the garbage collector."""
    before = gc.get_threshold()
    yield
    gc.set_threshold(*before)
    gc.unfreeze()


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
    assert (gc.get_freeze_count() > 0) == is_seldom
    assert is_seldom or gc.get_threshold()[0] == before
