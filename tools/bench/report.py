"""Write what was measured: JSON for programs, a Markdown table and a chart for people."""

from __future__ import annotations

import json
import operator
import os
import platform
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any

from tools.bench.cases import CASES
from tools.bench.chart import draw
from tools.bench.goals import INSTRUCTIONS
from tools.bench.runner import Measurement
from tools.bench.summary import ratio
from tools.bench.tools import FORK, PIP, TOOLS, UV

__all__ = ["document", "keep", "markdown", "write"]

Document = Mapping[str, Any]
Row = Mapping[str, Any]

_MILLISECONDS = 1000
_HOW_TO_READ = """\
Each tool: medians of wall-clock and CPU time in milliseconds, and requests. Ratios are
the first tool's, which is the fork, to another's, with the range that holds 95 % of
resampled ratios; below 1 the fork is faster. A tool without variants installs the plain
twin of a package. A star marks runs that did not do what they were to do: see below."""

_HOW_GOALS_ARE_JUDGED = """\
Wall: the median of the fork's runs divided by the median of the other tool's, which took turns.
CPU beyond: of such runs, user and system time beyond that of a case which differs in nothing
else. Instructions: of one run each. The cache is cold, but for what goes into a second environment."""


def document(
    measurements: Sequence[Measurement],
    versions: Mapping[str, str],
    command: str,
    scale: float | None = None,
    goals: Sequence[Row] = (),
) -> dict[str, Any]:
    """Return all that was measured, ready for JSON.

    :param scale: of large wheels; None for what they have at scale 1.
    :param goals: as :func:`tools.bench.goals.results` returns them.
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
    last = samples[-1].exchanges if samples else ()
    return {
        "case": scenario.case.name,
        "title": scenario.case.title,
        "beyond": scenario.case.beyond,
        "cache": scenario.cache,
        "delay_ms": scenario.delay,
        "tool": measurement.tool,
        "problem": measurement.problem,
        "labels": measurement.labels,
        "wall_s": [round(sample.wall, 5) for sample in samples],
        "cpu_s": [round(sample.cpu, 5) for sample in samples],
        "beside_wall_s": [round(sample.wall, 5) for sample in measurement.beside],
        "beside_cpu_s": [round(sample.cpu, 5) for sample in measurement.beside],
        "requests": sorted({len(sample.exchanges) for sample in samples}),
        "bytes": sum(exchange.sent for exchange in last),
        "requests_as_expected": measurement.requests_as_expected,
    }


def keep(measured: Document, folder: Path) -> None:
    """Write ``results.json`` into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    text = json.dumps(measured, indent=1, ensure_ascii=False)
    (folder / "results.json").write_text(text + "\n", encoding="utf-8")


def write(measured: Document, folder: Path) -> None:
    """Write ``results.json``, ``results.md`` and ``results.svg`` into a folder."""
    keep(measured, folder)
    (folder / "results.md").write_text(markdown(measured), encoding="utf-8")
    draw(measured, folder / "results.svg")


def markdown(measured: Document) -> str:
    """Return the tables of a document."""
    machine = measured["machine"]
    made = (
        f"Made by `{measured['command']}` on {machine['system']} with "
        f"{machine['cpus']} CPUs and Python {machine['python']}."
    )
    lines = [
        "# Benchmark",
        "",
        made,
        *_scale(measured),
        "",
        _HOW_TO_READ,
        "",
        "![Wall-clock time by case](results.svg)",
        "",
        *_goals(measured),
        *_main_table(measured),
        "",
        "## What the fork takes longer for",
        "",
        *_beyond_table(measured),
        "",
        "## What a tool cannot do",
        "",
        *_problems(measured),
    ]
    return "\n".join(lines).rstrip() + "\n"


def _scale(measured: Document) -> Iterator[str]:
    """Say how large the large wheels were."""
    if measured["scale"] is not None:
        yield ""
        yield f"Sizes of large wheels, and numbers of files, are times {measured['scale']}."


def _goals(measured: Document) -> Iterator[str]:
    """Tell which goals are met, if they were measured."""
    # Older documents have none.
    rows = measured.get("goals")
    if not rows:
        return
    yield from ("## Goals", "", _HOW_GOALS_ARE_JUDGED, "")
    yield from _table_head(
        *("", "work", "measure", "ms a request", "beside", "goal", "figure", "")
    )
    for row in rows:
        figure, met = _figure(row)
        yield _cells(
            *(str(row["goal"]), row["title"], row["measure"]),
            str(row["delay_ms"]) if row["measure"] != INSTRUCTIONS else "",
            measured["tools"].get(row["peer"], row["peer"]),
            *(f"{row['limit']:.2f}", figure, met),
        )
    yield from ("", "## All cases", "")


def _figure(row: Row) -> tuple[str, str]:
    """Return the figure, with its range where there are several runs, and a verdict."""
    if row["problem"]:
        return "-", f"not judged: {' '.join(row['problem'].split())}"
    if len(row["ours"]) > 1:
        figure = str(ratio(row["ours"], row["theirs"]))
    else:
        figure = f"{row['figure']:.3f}"
    return figure, "met" if row["met"] else "**missed**"


def _main_table(measured: Document) -> Iterator[str]:
    tools = [tool for tool in TOOLS if tool in measured["tools"]]
    yield from _table_head(
        *(
            "case",
            "cache",
            "ms a request",
            *(measured["tools"][tool] for tool in tools),
        ),
        *("wall ÷ pip", "CPU ÷ pip", "wall ÷ uv", "requests as they must be"),
    )
    for rows in _scenarios(measured):
        one = next(iter(rows.values()))
        yield _cells(
            *(one["title"], one["cache"], str(one["delay_ms"])),
            *(_cell(rows.get(tool)) for tool in tools),
            _ratio(rows, PIP, "wall_s"),
            _ratio(rows, PIP, "cpu_s"),
            _ratio(rows, UV, "wall_s"),
            _expected(rows.get(FORK)),
        )


def _scenarios(measured: Document) -> Iterator[dict[str, Row]]:
    """Yield the rows of each scenario by tool, in the order of measurement."""
    grouped: dict[tuple[object, ...], dict[str, Row]] = {}
    for row in measured["measurements"]:
        key = (row["case"], row["cache"], row["delay_ms"])
        grouped.setdefault(key, {})[row["tool"]] = row
    yield from grouped.values()


def _cell(row: Row | None) -> str:
    if row is None or not row["wall_s"]:
        return "-"
    wall, cpu = (median(row[key]) * _MILLISECONDS for key in ("wall_s", "cpu_s"))
    requests = " to ".join(str(count) for count in row["requests"])
    mark = " *" if row["problem"] else ""
    return f"{wall:.0f} / {cpu:.0f}, {requests}{mark}"


def _ratio(rows: Mapping[str, Row], other: str, key: str) -> str:
    ours, theirs = rows.get(FORK), rows.get(other)
    if ours is None or theirs is None or ours["problem"] or theirs["problem"]:
        return "-"
    if not ours[key] or not theirs[key]:
        return "-"
    return str(ratio(ours[key], theirs[key]))


def _expected(row: Row | None) -> str:
    answers = {None: "-", True: "yes", False: "**no**"}
    return answers[None if row is None else row["requests_as_expected"]]


def _beyond_table(measured: Document) -> Iterator[str]:
    titles = {case.name: case.title for case in CASES}
    yield from _table_head(
        *("case", "cache", "ms a request", "beside", "ms of wall-clock time", "of CPU"),
        *("wall ÷ that", "CPU ÷ that"),
    )
    for row in measured["measurements"]:
        if row["beside_wall_s"]:
            more = (
                median(map(operator.sub, row[key], row[f"beside_{key}"]))
                for key in ("wall_s", "cpu_s")
            )
            yield _cells(
                *(row["title"], row["cache"], str(row["delay_ms"])),
                titles.get(row["beyond"], row["beyond"]),
                *(f"{each * _MILLISECONDS:+.0f}" for each in more),
                *(
                    str(ratio(row[key], row[f"beside_{key}"]))
                    for key in ("wall_s", "cpu_s")
                ),
            )


def _problems(measured: Document) -> Iterator[str]:
    told: dict[str, None] = {}
    for row in measured["measurements"]:
        if row["problem"]:
            mark = " (*)" if row["wall_s"] else ""
            problem = " ".join(row["problem"].split())
            tool = measured["tools"][row["tool"]]
            told[f"- {tool}, {row['title']}: {problem}{mark}"] = None
    yield from told or ["Nothing."]


def _table_head(*headings: str) -> Iterator[str]:
    yield _cells(*headings)
    yield _cells(*("---" for _ in headings))


def _cells(*texts: str) -> str:
    return f"| {' | '.join(text.replace('|', chr(92) + '|') for text in texts)} |"
