"""Arrows between the rooms of the source point down, and none leads in a circle."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.lib.floors import Floors, circles, imports, read_floors

ROOT = Path(__file__).resolve().parents[2]
UNIT = ROOT / "tests/unit"
#: Folders of unit tests that are about no room: of the project as a whole, of the
#: grammar in vendored packaging, and of what makes, brings and tests the fork.
NO_ROOMS = {"", "carrier", "fork", "lib", "packaging", "tools", "tools.release"}
FLOORS = read_floors(ROOT / "tests/data/floors.toml")
ARROWS = imports(ROOT / "src")


def forbidden(floors: Floors, arrows: dict[str, set[str]]) -> list[str]:
    """Return the arrows that no module may have."""
    found = []
    for module, known in sorted(arrows.items()):
        room = floors.room(module)
        for other in sorted(known):
            its = floors.room(other)
            if room and its and not floors.allows(room, its):
                found.append(f"{module} -> {other}")
    return found


def test_each_module_is_in_a_room() -> None:
    without = {name for name in ARROWS if FLOORS.room(name) is None}
    # The package around the rooms, which is empty.
    assert without == {"variants"}


def test_each_room_is_there() -> None:
    assert {FLOORS.room(name) for name in ARROWS} - {None} == set(FLOORS.level)


def test_arrows_point_down() -> None:
    assert forbidden(FLOORS, ARROWS) == []


def test_there_is_no_circle() -> None:
    assert list(map(sorted, circles(ARROWS))) == []


@pytest.mark.parametrize(
    "path", [str(path.relative_to(UNIT)) for path in UNIT.rglob("test_*.py")]
)
def test_unit_tests_stand_in_the_room_that_they_test(path: str) -> None:
    folder = ".".join(Path(path).parts[:-1])
    # Some rooms are modules.
    module = f"{folder}.{Path(path).stem.removeprefix('test_')}"
    assert not {folder, module}.isdisjoint({*FLOORS.level, *NO_ROOMS})


def test_a_relative_import_does_not_go_unseen(tmp_path: Path) -> None:
    (tmp_path / "pip/_internal").mkdir(parents=True)
    module = tmp_path / "pip/_internal/low.py"
    module.write_text("from . import high", encoding="utf-8")
    with pytest.raises(ValueError, match=r"from \. import high"):
        imports(tmp_path)


@pytest.mark.parametrize(
    "statement",
    [
        "from pip._internal.high import thing",
        "import pip._internal.high.inner",
        "from pip._internal.high import inner",
        "def later():\n    from pip._internal.high.inner import thing",
        "if TYPE_CHECKING:\n    from pip._internal.high.inner import Thing",
    ],
)
def test_any_import_is_an_arrow(statement: str, tmp_path: Path) -> None:
    """A test that cannot fail is none."""
    rooms = tmp_path / "pip/_internal"
    for room in ("low", "high"):
        (rooms / room).mkdir(parents=True)
        (rooms / room / "__init__.py").touch()
    (rooms / "low/inner.py").write_text(statement, encoding="utf-8")
    (rooms / "high/inner.py").write_text(
        "from pip._internal.low import inner", encoding="utf-8"
    )
    arrows = imports(tmp_path)
    floors = Floors({"low": 0, "high": 1}, {}, {})
    (arrow,) = forbidden(floors, arrows)
    assert arrow.startswith("low.inner -> high")
    if arrow.endswith(".inner"):
        assert circles(arrows) == [{"low.inner", "high.inner"}]


def test_who_is_known_by_few() -> None:
    floors = Floors({"low": 0, "middle": 1, "high": 2}, {"low": ["high"]}, {"high": []})
    assert not floors.allows("middle", "low")
    assert not floors.allows("high", "middle")
    assert not floors.allows("high", "low")
