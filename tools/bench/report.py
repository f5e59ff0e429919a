"""Write the results: JSON, a Markdown table and a chart."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any

from tools.bench.cases import COLD
from tools.bench.goals import INSTRUCTIONS
from tools.bench.runner import Measurement
from tools.bench.tools import FORK, PIP, UV

__all__ = ["document", "keep", "markdown", "write"]

Row = Mapping[str, Any]

_COLORS = {FORK: "#306998", PIP: "#9aa5b1", UV: "#de5fe9"}
_HOW_TO_READ = """\
Each tool: medians of wall-clock and CPU time in milliseconds, and requests. Ratios of medians
are the fork's to another tool's; below 1 the fork is faster. Stock pip takes the plain wheels of
the same pages. A star marks runs that did not do what they were to do: see below."""


def document(
    measurements: Sequence[Measurement],
    versions: Mapping[str, str],
    command: str,
    scale: float = 1,
    goals: Sequence[Row] = (),
) -> dict[str, Any]:
    """Return all results, for JSON.

    :param scale: the scale of large wheels.
    :param goals: the result of :func:`tools.bench.goals.results`.
    """
    return {
        "command": command,
        "machine": {
            "system": f"{platform.system()} {platform.machine()}",
            "cpus": os.cpu_count(),
            "python": platform.python_version(),
        },
        "scale": scale,
        "tools": dict(versions),
        "goals": list(goals),
        "measurements": [_row(measurement) for measurement in measurements],
    }


def _row(measurement: Measurement) -> dict[str, Any]:
    scenario, samples = measurement.scenario, measurement.samples
    return {
        "case": scenario.case.name,
        "title": scenario.case.title,
        "cache": scenario.cache,
        "delay_ms": scenario.delay,
        "tool": measurement.tool,
        "problem": measurement.problem,
        "wall_s": [round(sample.wall, 5) for sample in samples],
        "cpu_s": [round(sample.cpu, 5) for sample in samples],
        "requests": sorted({sample.requests for sample in samples}),
        "bytes": samples[-1].received if samples else 0,
        "instructions": measurement.instructions,
    }


def keep(measured: Mapping[str, Any], folder: Path) -> None:
    """Write ``results.json`` into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    text = json.dumps(measured, indent=1, ensure_ascii=False)
    (folder / "results.json").write_text(text + "\n", encoding="utf-8")


def write(measured: Mapping[str, Any], folder: Path) -> None:
    """Write ``results.json``, ``results.md`` and ``results.svg`` into a folder."""
    keep(measured, folder)
    (folder / "results.md").write_text(markdown(measured), encoding="utf-8")
    _draw(measured, folder / "results.svg")


def markdown(measured: Mapping[str, Any]) -> str:
    """Return the tables of a document."""
    machine, tools = measured["machine"], measured["tools"]
    made = (
        f"Made by `{measured['command']}` on {machine['system']} with "
        f"{machine['cpus']} CPUs and Python {machine['python']}."
    )
    problems = {
        f"- {tools[row['tool']]}, {row['title']}: {' '.join(row['problem'].split())}"
        for row in measured["measurements"]
        if row["problem"]
    }
    lines = [
        "# Benchmark",
        "",
        made,
        *_scale(measured["scale"]),
        "",
        _HOW_TO_READ,
        "",
        "![Wall-clock time by case](results.svg)",
        "",
        *_goals(measured),
        *_cases(measured),
        "",
        "## What a tool did not do",
        "",
        *(sorted(problems) or ["Nothing."]),
    ]
    return "\n".join(lines) + "\n"


def _scale(scale: float) -> list[str]:
    said = f"Sizes of large wheels, and numbers of files, are times {scale}."
    return [] if scale == 1 else ["", said]


def _goals(measured: Mapping[str, Any]) -> Iterator[str]:
    if not measured["goals"]:
        return
    yield from ("## Goals", "")
    yield from _head(
        *(
            "",
            "work",
            "cache",
            "measure",
            "ms a request",
            "beside",
            "goal",
            "figure",
            "",
        )
    )
    for row in measured["goals"]:
        verdict = f"not judged: {' '.join((row['problem'] or '').split())}"
        if row["problem"] is None:
            verdict = "met" if row["met"] else "**missed**"
        yield _cells(
            *(str(row["goal"]), row["title"], row["cache"], row["measure"]),
            "" if row["measure"] == INSTRUCTIONS else str(row["delay_ms"]),
            measured["tools"].get(row["peer"], row["peer"]),
            f"{row['limit']:.2f}",
            "-" if row["figure"] is None else f"{row['figure']:.3f}",
            verdict,
        )
    yield from ("", "## All cases", "")


def _cases(measured: Mapping[str, Any]) -> Iterator[str]:
    tools = measured["tools"]
    ratios = ((PIP, "wall_s"), (PIP, "cpu_s"), (UV, "wall_s"))
    yield from _head(
        *("case", "cache", "ms a request", *tools.values()),
        *("wall ÷ pip", "CPU ÷ pip", "wall ÷ uv"),
    )
    grouped: dict[tuple[str, str, str], dict[str, Row]] = {}
    for row in measured["measurements"]:
        key = (row["title"], row["cache"], str(row["delay_ms"]))
        grouped.setdefault(key, {})[row["tool"]] = row
    for key, rows in grouped.items():
        yield _cells(
            *key,
            *(_cell(rows[tool]) for tool in tools),
            *(_ratio(rows, other, measure) for other, measure in ratios),
        )


def _cell(row: Row) -> str:
    if not row["wall_s"]:
        return "-"
    wall, cpu = (median(row[key]) * 1000 for key in ("wall_s", "cpu_s"))
    requests = " to ".join(map(str, row["requests"]))
    return f"{wall:.0f} / {cpu:.0f}, {requests}{' *' if row['problem'] else ''}"


def _ratio(rows: Mapping[str, Row], other: str, key: str) -> str:
    pair = [rows[tool] for tool in (FORK, other) if tool in rows]
    if len(pair) < 2 or any(row["problem"] or not row[key] for row in pair):
        return "-"
    ours, theirs = (median(row[key]) for row in pair)
    return f"{ours / theirs:.2f}"


def _head(*headings: str) -> Iterator[str]:
    yield _cells(*headings)
    yield _cells(*("---" for _ in headings))


def _cells(*texts: str) -> str:
    return f"| {' | '.join(texts)} |"


def _draw(measured: Mapping[str, Any], path: Path) -> None:
    """Write a chart with one panel per delay and one group of bars per case."""
    # matplotlib is slow to import, and runs that only measure do not need it.
    import matplotlib as mpl
    from matplotlib.figure import Figure

    rows = [
        row
        for row in measured["measurements"]
        if row["cache"] == COLD and row["wall_s"] and not row["problem"]
    ]
    delays = sorted({row["delay_ms"] for row in rows}) or [0]
    titles = list(dict.fromkeys(row["title"] for row in rows))
    # Text stays text, and the same data gives the same file.
    with mpl.rc_context(
        {"svg.fonttype": "none", "svg.hashsalt": "pip", "font.size": 9}
    ):
        size = (5 * len(delays), 1.3 + 0.6 * len(titles))
        figure = Figure(figsize=size, layout="constrained")
        panels = figure.subplots(1, len(delays), sharey=True, squeeze=False)[0]
        for panel, delay in zip(panels, delays, strict=True):
            for place, tool in enumerate(measured["tools"]):
                shown = [r for r in rows if (r["tool"], r["delay_ms"]) == (tool, delay)]
                at = [titles.index(row["title"]) + place * 0.25 for row in shown]
                widths = [median(row["wall_s"]) for row in shown]
                panel.barh(at, widths, 0.25, label=tool, color=_COLORS[tool])
            panel.set_title(f"{delay} ms a request")
            panel.set_xlabel("seconds, cold cache")
        panels[0].set_yticks([at + 0.25 for at in range(len(titles))], titles)
        panels[0].invert_yaxis()
        # Inside a panel, a legend can cover bars.
        figure.legend(
            *panels[0].get_legend_handles_labels(), loc="outside lower center", ncols=4
        )
        figure.savefig(path, format="svg", metadata={"Date": None})
