"""Draw what four machines get of one release, from ``tests/data/four-machines.toml``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import tomli

from tools.pictures.svg import arrow, box, finished, new, write

__all__ = ["drawing"]

_DATA = Path(__file__).resolve().parents[2] / "tests" / "data" / "four-machines.toml"

# Pixels.
_WIDTH, _MARGIN, _TOP = 760, 10, 64
_FILE_WIDTH, _MACHINE_WIDTH = 260, 280
_HEIGHT, _GAP = 44, 12
_STYLE = """
.paper { fill: #fff; stroke: none; }
.page { fill: #f7f7f7; stroke: #999; }
.typed { font-family: monospace; font-weight: bold; }
"""


def drawing() -> str:
    """Return the picture as it is to be."""
    data: dict[str, Any] = tomli.loads(_DATA.read_text(encoding="utf-8"))
    builds, machines = data["builds"], data["machines"]
    rows = max(len(builds), len(machines))
    height = _TOP + rows * (_HEIGHT + _GAP) + _MARGIN
    svg = new(_WIDTH, height, _STYLE)
    box(svg, 0, 0, _WIDTH, height, "paper")
    box(svg, *(_MARGIN, _MARGIN), _FILE_WIDTH + 20, height - 2 * _MARGIN, "page")
    name = f"{data['project']} {data['version']}"
    left = _MARGIN + 10 + _FILE_WIDTH / 2
    write(svg, left, _MARGIN + 20, f"One page: the builds of {name}", "name")
    right = _WIDTH - _MARGIN - _MACHINE_WIDTH / 2
    write(svg, right, _MARGIN + 20, "One command on every machine:", "name")
    write(svg, right, _MARGIN + 38, f"pip install {data['project']}", "typed")
    for at, (label, build) in enumerate(builds.items()):
        _row(svg, left, at, _FILE_WIDTH, f"…-{label}.whl", build["says"])
    for at, machine in enumerate(machines):
        _row(svg, right, at, _MACHINE_WIDTH, machine["what"], machine["has"])
        start, end = _middle(list(builds).index(machine["gets"])), _middle(at)
        one, other = left + _FILE_WIDTH / 2, right - _MACHINE_WIDTH / 2
        arrow(svg, (one, start), (other, end))
    return finished(svg)


def _middle(row: int) -> float:
    return _TOP + row * (_HEIGHT + _GAP) + _HEIGHT / 2


def _row(svg: Any, middle: float, row: int, width: float, *lines: str) -> None:
    box(svg, middle - width / 2, _middle(row) - _HEIGHT / 2, width, _HEIGHT, "row")
    for line, kind, below in zip(lines, ("name", "text"), (-4, 13), strict=True):
        write(svg, middle, _middle(row) + below, line, kind)
