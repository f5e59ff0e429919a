"""Servers wait at random, and with the same seed in the same way."""

from __future__ import annotations

import urllib.request
from types import SimpleNamespace

import pytest

from tests.lib import jitter
from tests.lib.index import IndexServer


@pytest.fixture
def waits(
    monkeypatch: pytest.MonkeyPatch, index: IndexServer
) -> list[tuple[float, int]]:
    """Return how long servers waited, though they do not, after how many requests."""
    made: list[tuple[float, int]] = []

    def note(seconds: float) -> None:
        made.append((seconds, len(index.log())))

    monkeypatch.setattr(jitter, "time", SimpleNamespace(sleep=note))
    monkeypatch.setattr(jitter, "_random", None)
    return made


def ask(index: IndexServer, seed: str | None) -> None:
    """Ask for a page twice."""
    jitter.begin(seed)
    index.clear_log()
    for _ in range(2):
        urllib.request.urlopen(index.index_url).close()


def test_before_it_is_noted_and_before_it_is_answered(
    index: IndexServer, waits: list[tuple[float, int]]
) -> None:
    ask(index, "1")
    assert [known for _, known in waits] == [0, 1, 1, 2]
    assert len({seconds for seconds, _ in waits}) == 4
    assert all(0 <= seconds <= 0.04 for seconds, _ in waits)


def test_a_seed_tells_how_long(
    index: IndexServer, waits: list[tuple[float, int]]
) -> None:
    for seed in "1", "1", "2":
        ask(index, seed)
    first, again, other = (
        [seconds for seconds, _ in waits[at : at + 4]] for at in range(0, 12, 4)
    )
    assert first == again != other


def test_not_unless_it_is_asked_for(
    index: IndexServer, waits: list[tuple[float, int]]
) -> None:
    ask(index, None)
    assert not waits
