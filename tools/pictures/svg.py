"""The elements of all pictures: boxes in columns, lines of text, and arrows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from xml.etree.ElementTree import Element, SubElement, indent, tostring

__all__ = ["Box", "Column", "box", "drawn", "finished", "new", "write"]

_STYLE = """
text { font: 12px sans-serif; fill: #222; text-anchor: middle; }
.name { font-weight: bold; }
rect { fill: #eef3fb; stroke: #4a6fa5; }
path { fill: none; stroke: #4a6fa5; stroke-width: 1.4; }
#head path { fill: #4a6fa5; stroke: none; }
.paper { fill: #fff; stroke: none; }
.page { fill: #f7f7f7; stroke: #999; }
.good { fill: #d8efdc; stroke: #2e7d32; }
.some { fill: #fdeccf; stroke: #b26a00; }
.out { fill: #f3f3f3; stroke: #999; stroke-dasharray: 4 3; }
"""
_HEAD = {"id": "head", "orient": "auto", "refX": "7", "refY": "4"}
_HEAD |= {"markerWidth": "8", "markerHeight": "8"}
# Pixels.
_MARGIN, _INSIDE, _LINE, _GAP = 12, 10, 16, 12


@dataclass(frozen=True, slots=True)
class Box:
    """Lines in a box, the first one bold; *kind* is its class."""

    lines: Sequence[str]
    kind: str = "box"


@dataclass(frozen=True, slots=True)
class Column:
    """Boxes below each other, with lines above them, optionally drawn as a page."""

    head: Sequence[str]
    boxes: Sequence[Box]
    on_page: bool = False


#: Columns and rows: from one box to another box in the next column.
_Arrow = tuple[tuple[int, float], tuple[int, float]]


def drawn(
    columns: Sequence[Column],
    arrows: Iterable[_Arrow] = (),
    width: int = 240,
    gap: int = 50,
) -> str:
    """Return a picture of columns.

    :param width: the width of a column, in pixels.
    """
    boxes = [each for column in columns for each in column.boxes]
    height = _LINE * max(len(each.lines) for each in boxes) + _GAP
    top = _MARGIN + _LINE * max(len(column.head) for column in columns) + _GAP
    rows = max(len(column.boxes) for column in columns)
    whole = len(columns) * (width + gap) - gap + 2 * _MARGIN
    bottom = top + rows * (height + _GAP) + _MARGIN
    svg = new(whole, bottom)
    lefts = [_MARGIN + at * (width + gap) for at in range(len(columns))]
    for left, column in zip(lefts, columns, strict=True):
        if column.on_page:
            box(svg, left, _MARGIN / 2, width, bottom - _MARGIN, "page")
        _write_all(svg, left + width / 2, _MARGIN, column.head)
        for row, each in enumerate(column.boxes):
            at = top + row * (height + _GAP)
            box(svg, left + _INSIDE, at, width - 2 * _INSIDE, height, each.kind)
            _write_all(svg, left + width / 2, at + 2, each.lines)
    for (one, start), (other, end) in arrows:
        first, last = (top + row * (height + _GAP) + height / 2 for row in (start, end))
        _arrow(svg, lefts[one] + width - _INSIDE, first, lefts[other] + _INSIDE, last)
    return finished(svg)


def new(width: float, height: float, style: str = "") -> Element:
    """Start a picture, and define an arrowhead (``url(#head)``).

    :param style: additional CSS.
    """
    size = {"width": f"{width:.0f}", "height": f"{height:.0f}"}
    # With a viewBox, a picture is scaled down instead of cut off.
    size["viewBox"] = f"0 0 {width:.0f} {height:.0f}"
    svg = Element("svg", size, xmlns="http://www.w3.org/2000/svg")
    SubElement(svg, "style").text = _STYLE + style
    head = SubElement(SubElement(svg, "defs"), "marker", _HEAD)
    SubElement(head, "path", d="M0 0 8 4 0 8z")
    # Without it, text is dark on dark in a dark theme.
    box(svg, 0, 0, width, height, "paper")
    return svg


def box(
    svg: Element, left: float, top: float, width: float, height: float, kind: str
) -> None:
    """Draw a box; *kind* is its class."""
    place = {"x": left, "y": top, "width": width, "height": height}
    attributes: Mapping[str, str] = {k: f"{v:.0f}" for k, v in place.items()}
    SubElement(svg, "rect", {"class": kind, **attributes}, rx="4")


def write(svg: Element, x: float, y: float, text: str, kind: str = "text") -> None:
    """Write a line; *kind* is its class."""
    words = SubElement(svg, "text", {"class": kind}, x=f"{x:.0f}", y=f"{y:.0f}")
    words.text = text


def finished(svg: Element) -> str:
    """Return the text of a picture."""
    indent(svg)
    return tostring(svg, encoding="unicode") + "\n"


def _write_all(svg: Element, x: float, top: float, lines: Sequence[str]) -> None:
    for number, line in enumerate(lines, 1):
        write(svg, x, top + number * _LINE, line, "text" if number > 1 else "name")


def _arrow(svg: Element, left: float, first: float, right: float, last: float) -> None:
    middle = (left + right) / 2
    line = f"M{left:.0f} {first:.0f} C{middle:.0f} {first:.0f}"
    line += f" {middle:.0f} {last:.0f} {right:.0f} {last:.0f}"
    SubElement(svg, "path", {"marker-end": "url(#head)"}, d=line)
