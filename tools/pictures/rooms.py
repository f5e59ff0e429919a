"""Draw the rooms of the source and the arrows between them.

From ``tests/data/floors.toml``, the imports of ``src`` and the first sentence of each
room's docstring.
"""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from xml.etree.ElementTree import Element, SubElement

from tests.lib.floors import Floors, imports, read_floors
from tools.pictures.svg import box, finished, new, write

__all__ = ["Box", "drawing", "known", "layout", "shortest"]

ROOT = Path(__file__).resolve().parents[2]
_SOURCE = ROOT / "src"
_PLAN = ROOT / "tests" / "data" / "floors.toml"
#: What finds the modes.
_DOOR = "variants.seams"

# Pixels.
_WIDTH, _MARGIN = 900, 20
_BOX_WIDTH, _LINE, _GAP = 270, 15, 30
_LETTERS = 40

_STYLE = """
.upstream { fill: #f3f3f3; stroke: #999; }
.mode, .by-name { stroke-dasharray: 5 3; }
"""
_LEGEND = (
    "An arrow: imports from. One that follows from others is left out.",
    "Dashed: a mode, which is found by name; no other room knows it.",
)


@dataclass(frozen=True, slots=True)
class Box:
    """Where a room stands, in pixels; *lines* say what it holds."""

    name: str
    lines: Sequence[str]
    left: float
    top: float

    @property
    def height(self) -> float:
        """Return how high it is."""
        return (len(self.lines) + 1) * _LINE + 12

    @property
    def middle(self) -> float:
        """Return how far from the left its middle is."""
        return self.left + _BOX_WIDTH / 2


def known(floors: Floors, arrows: Mapping[str, set[str]]) -> dict[str, set[str]]:
    """Return which rooms each room imports from.

    :param arrows: which modules each module imports.
    """
    found: dict[str, set[str]] = {room: set() for room in floors.level}
    for module, others in arrows.items():
        room = floors.room(module)
        if room is not None:
            rooms = {floors.room(other) for other in others}
            found[room] |= {each for each in rooms if each is not None} - {room}
    return found


def shortest(known: Mapping[str, set[str]]) -> dict[str, set[str]]:
    """Leave out each arrow from which nothing new follows: there is a longer way."""

    def reached(room: str) -> set[str]:
        return known[room].union(*map(reached, known[room]))

    return {
        room: {
            each
            for each in others
            if not any(each in reached(other) for other in others)
        }
        for room, others in known.items()
    }


def layout(floors: Floors, texts: Mapping[str, str]) -> dict[str, Box]:
    """Place the rooms, the lowest floor at the bottom.

    :param texts: what each room holds.
    """
    boxes: dict[str, Box] = {}
    top = _MARGIN + 2.0 * _LINE + _GAP
    for level in sorted(set(floors.level.values()), reverse=True):
        rooms = [room for room, at in floors.level.items() if at == level]
        # One that is alone stands to the left or to the right: arrows go past it.
        places = len(rooms) if len(rooms) > 1 else 2
        offset = level % 2 if len(rooms) == 1 else 0
        row = []
        for at, room in enumerate(rooms):
            middle = _WIDTH * (at + offset + 0.5) / places
            lines = textwrap.wrap(texts[room], _LETTERS)
            row.append(Box(room, lines, middle - _BOX_WIDTH / 2, top))
        boxes.update((each.name, each) for each in row)
        top += max(each.height for each in row) + _GAP
    return boxes


def drawing(root: Path = ROOT) -> str:
    """Return the picture as it is to be."""
    floors = read_floors(_PLAN)
    internal = root / "src" / "pip" / "_internal"
    boxes = layout(floors, {room: _text(internal, room) for room in floors.level})
    arrows = shortest(known(floors, imports(root / "src")))
    modes = {room for room, others in floors.known_by.items() if not others}
    bottom = max(each.top + each.height for each in boxes.values())
    svg = new(_WIDTH, bottom + 4 * _LINE, _STYLE)
    upstream = Box("pip as released, with the seams", [], 0, _MARGIN)
    _draw_box(svg, upstream, "upstream", _WIDTH)
    for room, others in arrows.items():
        for other in sorted(others):
            _draw_arrow(svg, boxes[room], boxes[other])
    for mode in sorted(modes):
        _draw_arrow(svg, boxes[_DOOR], boxes[mode], "by-name")
    for room in sorted(boxes.keys() - modes - set().union(*arrows.values())):
        above = Box("", [], boxes[room].left, _MARGIN)
        _draw_arrow(svg, above, boxes[room])
    for each in boxes.values():
        _draw_box(svg, each, "mode" if each.name in modes else "room")
    for at, line in enumerate(_LEGEND):
        write(svg, _WIDTH / 2, bottom + (at + 1.7) * _LINE, line)
    return finished(svg)


def _text(source: Path, room: str) -> str:
    """Return the first sentence of a room's docstring."""
    path = source.joinpath(*room.split("."))
    file = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    words = ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))) or ""
    return words.partition("\n")[0].replace("``", "")


def _draw_box(svg: Element, room: Box, kind: str, width: float = _BOX_WIDTH) -> None:
    box(svg, room.left, room.top, width, room.height, kind)
    middle = room.left + width / 2
    write(svg, middle, room.top + _LINE + 2, room.name.replace(".", "/"), "name")
    for at, line in enumerate(room.lines, 2):
        write(svg, middle, room.top + at * _LINE + 4, line)


def _draw_arrow(svg: Element, one: Box, other: Box, kind: str = "import") -> None:
    start, end = one.top + one.height, other.top
    halfway = (start + end) / 2
    line = (
        f"M{one.middle:.0f} {start:.0f} C{one.middle:.0f} {halfway:.0f}"
        f" {other.middle:.0f} {halfway:.0f} {other.middle:.0f} {end:.0f}"
    )
    SubElement(svg, "path", {"class": kind, "marker-end": "url(#head)"}, d=line)
