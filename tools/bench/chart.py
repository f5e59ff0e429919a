"""Draw the wall-clock times of the cases that run at several delays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

from tools.bench.cases import COLD
from tools.bench.tools import FORK, LTT, PIP, UV

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["draw"]

_COLOURS = {FORK: "#306998", PIP: "#9aa5b1", UV: "#de5fe9", LTT: "#e8833a"}


def draw(measured: Mapping[str, Any], path: Path) -> None:
    """Write a chart as SVG: a panel a delay, a group of bars a case, cold caches."""
    # Heavy, and of no use to whoever only measures.
    import matplotlib as mpl
    from matplotlib.figure import Figure

    rows = [
        row
        for row in measured["measurements"]
        if row["cache"] == COLD and row["wall_s"] and not row["problem"]
    ]
    delays = sorted({row["delay_ms"] for row in rows}) or [0]
    tools = [tool for tool in measured["tools"] if any(r["tool"] == tool for r in rows)]
    titles = list(dict.fromkeys(row["title"] for row in rows))
    # Text stays text, and the same data gives the same file.
    with mpl.rc_context(
        {"svg.fonttype": "none", "svg.hashsalt": "pip", "font.size": 9}
    ):
        figure = Figure(figsize=(5 * len(delays), 1 + 0.6 * len(titles)))
        panels = figure.subplots(1, len(delays), sharey=True, squeeze=False)[0]
        for panel, delay in zip(panels, delays, strict=True):
            shown = [row for row in rows if row["delay_ms"] == delay]
            _draw_bars(panel, shown, titles, tools)
            panel.set_title(f"{delay} ms a request")
            panel.set_xlabel("seconds, cold cache")
            panel.spines[["top", "right"]].set_visible(False)
        panels[0].set_yticks(range(len(titles)), titles)
        panels[0].invert_yaxis()
        panels[-1].legend(frameon=False)
        figure.tight_layout()
        figure.savefig(path, format="svg", metadata={"Date": None})


def _draw_bars(
    panel: Axes,
    rows: Sequence[Mapping[str, Any]],
    titles: Sequence[str],
    tools: Sequence[str],
) -> None:
    """Draw a group of bars for each title, one bar a tool."""
    height = 0.8 / max(1, len(tools))
    for place, tool in enumerate(tools):
        bars = {
            titles.index(row["title"]): median(row["wall_s"])
            for row in rows
            if row["tool"] == tool
        }
        at = [number + (place - len(tools) / 2) * height for number in bars]
        widths = list(bars.values())
        panel.barh(at, widths, height, label=tool, color=_COLOURS[tool])
