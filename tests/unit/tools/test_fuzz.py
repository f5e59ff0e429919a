"""Tests of what fuzzing found, and of the limits that it sets."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.lib.environments import REPOSITORY
from tools.fuzz.target import FuzzTarget, LimitExceeded, Limits, printable
from tools.fuzz.targets import TARGETS

#: A folder a target, with a file for each finding: its name says what is special.
CASES = sorted((REPOSITORY / "tests" / "data" / "fuzz").glob("*/*"))


@pytest.mark.parametrize(
    "case", CASES, ids=lambda case: f"{case.parent.name}/{case.name}"
)
def test_findings(case: Path) -> None:
    """Each was a crash, a hang or a wrong choice, and must not come back."""
    TARGETS[case.parent.name].run(case.read_bytes())


@pytest.mark.parametrize("name", TARGETS)
def test_seeds(name: str) -> None:
    """Each target can read what it begins with."""
    seeds = list(TARGETS[name].seeds())
    assert seeds
    for seed in seeds[:20]:
        TARGETS[name].run(seed)


def test_what_takes_long_is_a_finding() -> None:
    limits = Limits(FuzzTarget("slow", lambda _: sum(range(10_000_000))))
    limits.seconds = 0.001
    with pytest.raises(LimitExceeded, match="slow took"):
        limits(b"")


def test_what_takes_much_memory_is_a_finding() -> None:
    limits = Limits(FuzzTarget("large", lambda _: bytearray(64 << 20)))
    limits.megabytes = -1
    with pytest.raises(LimitExceeded, match=r"large took \d+ MB"):
        limits(b"")


def test_what_a_terminal_obeys_is_a_finding() -> None:
    with pytest.raises(AssertionError, match="not printable"):
        printable("\x1b[2J")
