"""The pictures are drawn from what there is."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.lib.floors import Floors
from tools.pictures.__main__ import PICTURES
from tools.pictures.rooms import known, layout, shortest

FLOORS = Floors({"low": 0, "mid": 1, "high": 2, "mode": 1}, {"mode": []}, {})


@pytest.mark.parametrize("path", PICTURES, ids=lambda each: str(each.stem))
def test_they_are_up_to_date(path: Path) -> None:
    """``python -m tools.pictures`` writes them anew."""
    assert path.read_text(encoding="utf-8") == PICTURES[path]()


def test_rooms_know_what_their_modules_import() -> None:
    arrows = {"high.a": {"high.b", "mid.c"}, "high.b": {"low"}, "mid.c": set()}
    expected = {"high": {"mid", "low"}, "mid": set(), "low": set(), "mode": set()}
    assert known(FLOORS, {**arrows, "around": {"low"}}) == expected


def test_what_follows_is_left_out() -> None:
    rooms = {"high": {"mid", "low"}, "mid": {"low"}, "low": set()}
    assert shortest(rooms) == {"high": {"mid"}, "mid": {"low"}, "low": set()}


def test_lower_floors_stand_lower_and_apart() -> None:
    boxes = layout(FLOORS, {room: f"What {room} holds" for room in FLOORS.level})
    assert boxes["high"].top + boxes["high"].height < boxes["mid"].top
    assert boxes["mid"].top + boxes["mid"].height < boxes["low"].top
    assert boxes["mid"].top == boxes["mode"].top
    assert boxes["mid"].middle < boxes["mode"].middle
