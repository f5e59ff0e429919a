"""Draw how long some installations take, from ``docs/benchmarks/results.json``."""

from __future__ import annotations

import json
from pathlib import Path
from statistics import median
from typing import Any

from tools.pictures.svg import box, finished, new, write

__all__ = ["drawing"]

_DATA = Path(__file__).resolve().parents[2] / "docs" / "benchmarks" / "results.json"
_CASES = {
    "variant-ten": "11 packages with variants",
    "variant-five": "1 with variants, 5 plain",
    "plain-five": "6 plain packages",
    "recorded": "jupyter: 97 plain packages, resolved",
}
_TOOLS = {"fork": "this pip", "pip": "", "uv": ""}
#: Milliseconds until a server answers.
_DELAY = 100

# Pixels.
_WIDTH, _LEFT, _RIGHT, _TOP = 760, 290, 60, 44
_BAR, _GAP = 18, 14
_STYLE = """
.paper { fill: #fff; stroke: none; }
.fork { fill: #4a6fa5; }
.pip, .uv { fill: #d9d9d9; stroke: #999; }
.right { text-anchor: end; }
.left { text-anchor: start; }
"""


def drawing() -> str:
    """Return the picture as it is to be."""
    data: dict[str, Any] = json.loads(_DATA.read_text(encoding="utf-8"))
    names = {tool: _TOOLS[tool] or data["tools"][tool] for tool in _TOOLS}
    measured = {each["case"] for each in data["measurements"]}
    cases = [case for case in _CASES if case in measured]
    rows = [
        (case, tool, _seconds(data, case, tool)) for case in cases for tool in names
    ]
    longest = max(seconds for _, _, seconds in rows)
    height = _TOP + len(rows) * _BAR + len(cases) * _GAP
    svg = new(_WIDTH, height, _STYLE)
    box(svg, 0, 0, _WIDTH, height, "paper")
    title = f"Seconds to install, nothing cached, {_DELAY} ms a request"
    write(svg, _WIDTH / 2, 22, title, "name")
    for at, (case, tool, seconds) in enumerate(rows):
        top = _TOP + at * _BAR + at // len(names) * _GAP
        if at % len(names) == 0:
            write(svg, 10, top + 31, _CASES[case], "left")
        write(svg, _LEFT - 8, top + 13, names[tool], "right")
        width = (_WIDTH - _LEFT - _RIGHT) * seconds / longest
        box(svg, _LEFT, top, width, _BAR - 2, tool)
        write(svg, _LEFT + width + 6, top + 13, f"{seconds:.1f}", "left")
    return finished(svg)


def _seconds(data: dict[str, Any], case: str, tool: str) -> float:
    """Return the median of the runs of a tool."""
    (runs,) = (
        each["wall_s"]
        for each in data["measurements"]
        if (each["case"], each["tool"]) == (case, tool)
        and (each["cache"], each["delay_ms"]) == ("cold", _DELAY)
    )
    return float(median(runs))
