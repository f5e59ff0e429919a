"""What all pictures are made of."""

from __future__ import annotations

from collections.abc import Mapping
from xml.etree.ElementTree import Element, SubElement, indent, tostring

__all__ = ["arrow", "box", "finished", "new", "write"]

_STYLE = """
text { font: 12px sans-serif; fill: #222; text-anchor: middle; }
.name { font-weight: bold; }
rect { fill: #eef3fb; stroke: #4a6fa5; }
path { fill: none; stroke: #4a6fa5; stroke-width: 1.4; }
#head path { fill: #4a6fa5; stroke: none; }
"""
_HEAD = {"id": "head", "orient": "auto", "refX": "7", "refY": "4"}
_HEAD |= {"markerWidth": "8", "markerHeight": "8"}


def new(width: float, height: float, style: str = "") -> Element:
    """Begin a picture, with the head of an arrow: ``marker-end`` = ``url(#head)``.

    :param style: CSS beside that of all pictures.
    """
    size = {"width": f"{width:.0f}", "height": f"{height:.0f}"}
    svg = Element("svg", size, xmlns="http://www.w3.org/2000/svg")
    SubElement(svg, "style").text = _STYLE + style
    head = SubElement(SubElement(svg, "defs"), "marker", _HEAD)
    SubElement(head, "path", d="M0 0 8 4 0 8z")
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


def arrow(svg: Element, start: tuple[float, float], end: tuple[float, float]) -> None:
    """Draw a curve from a point to another one to the right of it, with a head there."""
    (left, first), (right, last) = start, end
    middle = (left + right) / 2
    line = f"M{left:.0f} {first:.0f} C{middle:.0f} {first:.0f}"
    line += f" {middle:.0f} {last:.0f} {right:.0f} {last:.0f}"
    SubElement(svg, "path", {"marker-end": "url(#head)"}, d=line)


def finished(svg: Element) -> str:
    """Return the text of a picture."""
    indent(svg)
    return tostring(svg, encoding="unicode") + "\n"
