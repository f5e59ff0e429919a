"""Draw what an installation reads and runs, from ``tests/data/who-runs.toml``.

Which hardware pip asks for itself is what it brings along providers for.
"""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import Any

import tomli

from pip._internal.variants.providers.chain import BUILTIN_NAMESPACES
from tools.pictures.svg import box, finished, new, write

__all__ = ["drawing"]

_DATA = Path(__file__).resolve().parents[2] / "tests" / "data" / "who-runs.toml"

# Pixels.
_WIDTH, _MARGIN, _TOP, _GAP = 780, 12, 66, 12
_HEIGHT, _LINE, _LETTERS = 62, 15, 36
#: Of each column, what it costs in trust.
_KINDS = ("read", "own", "code")
_STYLE = """
.paper { fill: #fff; stroke: none; }
.column { fill: #f7f7f7; stroke: #999; }
.read { fill: #d8efdc; stroke: #2e7d32; }
.own { fill: #eef3fb; stroke: #4a6fa5; }
.code { fill: #fdeccf; stroke: #b26a00; }
.small { font-size: 11px; }
"""


def drawing() -> str:
    """Return the picture as it is to be."""
    columns: list[dict[str, Any]] = tomli.loads(_DATA.read_text("utf-8"))["columns"]
    rows = max(len(each["rows"]) for each in columns)
    height = _TOP + rows * (_HEIGHT + _GAP) + 2 * _MARGIN
    width = (_WIDTH - 2 * _MARGIN - (len(columns) - 1) * _GAP) / len(columns)
    svg = new(_WIDTH, height, _STYLE)
    box(svg, 0, 0, _WIDTH, height, "paper")
    # The one that no machine has a say in is no detection.
    names = ", ".join(sorted(BUILTIN_NAMESPACES))
    for at, (column, kind) in enumerate(zip(columns, _KINDS, strict=True)):
        left = _MARGIN + at * (width + _GAP)
        middle = left + width / 2
        box(svg, left, _MARGIN, width, height - 2 * _MARGIN, "column")
        write(svg, middle, _MARGIN + 22, column["title"], "name")
        write(svg, middle, _MARGIN + 40, column["leave"])
        for row, (name, said) in enumerate(column["rows"]):
            top = _TOP + row * (_HEIGHT + _GAP)
            box(svg, left + 10, top, width - 20, _HEIGHT, kind)
            write(svg, middle, top + 20, name, "name")
            lines = textwrap.wrap(said.format(namespaces=names), _LETTERS)
            for below, line in enumerate(lines):
                write(svg, middle, top + 38 + below * _LINE, line, "small")
    return finished(svg)
