"""Draw what a lock file holds, from ``tests/data/lock-picture.toml``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import tomli

from tools.pictures.svg import arrow, box, finished, new, write

__all__ = ["drawing"]

_DATA = Path(__file__).resolve().parents[2] / "tests" / "data" / "lock-picture.toml"

# Pixels.
_WIDTH, _MARGIN, _TOP, _GAP = 780, 12, 66, 14
_FILE, _MACHINE, _ROW, _HEIGHT = 300, 250, 50, 66
_STYLE = """
.paper { fill: #fff; stroke: none; }
.page { fill: #f7f7f7; stroke: #999; }
.always { fill: #eef3fb; stroke: #4a6fa5; }
.some { fill: #fdeccf; stroke: #b26a00; }
.small { font-size: 11px; }
.typed { font-family: monospace; font-weight: bold; }
"""


def drawing() -> str:
    """Return the picture as it is to be."""
    data: dict[str, Any] = tomli.loads(_DATA.read_text(encoding="utf-8"))
    locked, machines, builds = data["locked"], data["machines"], data["builds"]
    height = _TOP + max(len(locked) * _ROW, len(machines) * (_HEIGHT + _GAP)) + 24
    svg = new(_WIDTH, height, _STYLE)
    box(svg, 0, 0, _WIDTH, height, "paper")
    box(svg, _MARGIN, _MARGIN, _FILE + 24, height - 2 * _MARGIN, "page")
    left = _MARGIN + 12
    write(
        svg, left + _FILE / 2, _MARGIN + 20, "pylock.toml: one for all of them", "name"
    )
    write(svg, left + _FILE / 2, _MARGIN + 38, f"pip lock {data['project']}", "typed")
    for at, package in enumerate(locked):
        top, is_for_all = _TOP + at * _ROW, len(package["with"]) == len(builds)
        box(svg, left, top, _FILE, _ROW - 8, "always" if is_for_all else "some")
        name = f"{package['name']} {package['version']}"
        write(svg, left + _FILE / 2, top + 17, name, "name")
        labels = ", ".join(package["with"])
        said = f"with {labels} only" if not is_for_all else "with every build"
        if package["name"] == data["project"]:
            said = f"wheels {labels}, and their manifest"
        write(svg, left + _FILE / 2, top + 33, said, "small")
    right = _WIDTH - _MARGIN - _MACHINE
    title = "pip install -r pylock.toml"
    write(svg, right + _MACHINE / 2, _MARGIN + 20, "On each machine:", "name")
    write(svg, right + _MACHINE / 2, _MARGIN + 38, title, "typed")
    for at, machine in enumerate(machines):
        top = _TOP + at * (_HEIGHT + _GAP)
        box(svg, right, top, _MACHINE, _HEIGHT, "always")
        write(svg, right + _MACHINE / 2, top + 18, machine["has"], "name")
        first, rest = machine["gets"][0], ", ".join(machine["gets"][1:])
        write(svg, right + _MACHINE / 2, top + 36, first, "small")
        write(svg, right + _MACHINE / 2, top + 52, rest, "small")
        start = left + _FILE + 12, height / 2
        arrow(svg, start, (right, top + _HEIGHT / 2))
    return finished(svg)
