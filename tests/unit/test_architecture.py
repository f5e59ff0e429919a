"""What docs/architecture.md names is there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.lib.floors import read_floors

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / "docs/architecture.md").read_text(encoding="utf-8")
#: What a path may be below.
BASES = (
    "",
    "src/pip/_internal",
    "src/pip/_internal/variants",
    "src/pip/_vendor",
    "core/src",
    "tests/unit/variants",
)
PATHS = sorted(set(re.findall(r"`([a-z_/]+(?:/|\.(?:py|md|toml|json)))`", TEXT)))


def test_there_are_paths() -> None:
    assert {"wheel_variants/ordering.py", "locks/", "tests/data/floors.toml"} <= set(
        PATHS
    )


@pytest.mark.parametrize("path", PATHS)
def test_each_path_is_there(path: str) -> None:
    # What hooks and wheels write has names, and is no file of the project.
    assert path == "variant.json" or any(
        (ROOT / base / path).exists() for base in BASES
    )


def test_each_room_is_in_the_table() -> None:
    rooms = read_floors(ROOT / "tests/data/floors.toml").level
    named = {path.strip("/").removesuffix(".py") for path in PATHS}
    assert {room.removeprefix("variants.").replace(".", "/") for room in rooms} - {
        "commands/variants"
    } <= named
