"""Goals of the benchmark are judged rightly, and recordings keep what resolvers read."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.lib.index import Exchange
from tools.bench.goals import (
    CPU,
    GOALS,
    INSTRUCTIONS,
    WALL,
    of_cases,
    results,
    timed,
    to_count,
)
from tools.bench.instructions import counted
from tools.bench.report import document, markdown
from tools.bench.runner import Measurement, Sample
from tools.bench.tools import FORK, PIP, UV

#: Of the fork beside the others, whose runs take a second.
HALF = (0.5, 0.4, 0.9)


def _carried(size: int) -> tuple[Exchange, ...]:
    return (Exchange("GET", "/", 200, size // 2),) * 2


def _measurements(problem: str | None = None) -> list[Measurement]:
    return [
        Measurement(
            scenario,
            tool,
            # What the line carries in a second.
            [Sample(w, w, _carried(int(scenario.case.rate or 0))) for w in walls],
            problem=problem if tool == FORK else None,
        )
        for scenario in timed()
        for tool, walls in ((FORK, HALF), (PIP, (1, 1, 1)), (UV, (1, 1, 1)))
    ]


def _counts(ours: int | str) -> dict[tuple[str, str], int | str]:
    return {
        (case.name, tool): ours if tool == FORK else 1000
        for case, tools in to_count()
        for tool in tools
    }


def _by_row(rows: list[dict[str, Any]]) -> dict[tuple[str, int, str], Any]:
    return {(row["case"], row["delay_ms"], row["measure"]): row for row in rows}


def test_goals_are_judged_by_medians_and_counts() -> None:
    rows = _by_row(results(_measurements(), _counts(800)))
    different = {(each.case, ms, each.measure) for each in GOALS for ms in each.limits}
    assert rows.keys() == different
    figures = {row["figure"] for row in rows.values() if row["measure"] != INSTRUCTIONS}
    assert figures == {0.5}
    counts = {row["figure"] for row in rows.values() if row["measure"] == INSTRUCTIONS}
    assert counts == {0.8}
    assert rows["long-page", 0, CPU]["met"] is True
    assert rows["plain-five", 100, WALL]["met"] is False
    # Just as large as it may be.
    assert rows["plain-five", 0, INSTRUCTIONS]["met"] is True


def test_what_it_takes_to_begin_does_not_count() -> None:
    measurements = [
        replace(each, beside=[Sample(9, base, ()) for base in bases])
        for each in _measurements()
        for bases in [(0.3, 0.1, 0.2) if each.tool == FORK else (0.6, 0.4, 0.2)]
    ]
    row = _by_row(results(measurements, {}))["long-page", 0, CPU]
    # The medians are 0.5 of 1 second, and 0.2 and 0.4 of those are the beginning.
    assert row["figure"] == pytest.approx(0.3 / 0.6)


def test_what_went_wrong_is_not_judged() -> None:
    rows = _by_row(results(_measurements("other outcome"), _counts("no valgrind here")))
    assert {row["met"] for row in rows.values()} == {None}
    assert rows["plain-five", 0, INSTRUCTIONS]["problem"] == "fork: no valgrind here"
    assert rows["plain-five", 100, WALL]["problem"] == "fork: other outcome"
    assert _by_row(results([], {}))["refused", 100, WALL]["problem"] == (
        "fork: not run; uv: not run"
    )


def test_only_what_is_named_takes_gigabytes() -> None:
    numbers = {goal.number for goal in of_cases([])}
    assert numbers == {1, 2, 3, 5, 7, 8, 9, 10}
    assert [goal.number for goal in of_cases(["labels", "large"])] == [6, 8]
    assert of_cases(["version"]) == []


def test_the_report_tells_figure_and_verdict() -> None:
    judged = results(_measurements(), _counts("no valgrind here"))
    versions = {FORK: "this pip", PIP: "pip 26.3", UV: "uv"}
    text = markdown(document([], versions, "nox -s bench", None, judged))
    line = next(line for line in text.splitlines() if line.startswith("| 10 |"))
    assert "| wall | 30 | uv | 0.90 | 0.50 (" in line
    assert "| met |" in line
    assert "| pip 26.3 | 0.80 | - | not judged: fork: no valgrind here |" in text
    assert "## Goals" not in markdown(document([], versions, "nox -s bench"))


def test_the_last_count_is_taken() -> None:
    assert counted("Would install a-1\n==7== I refs:        2,450,123\n") == 2450123
    with pytest.raises(ValueError, match="no instructions"):
        counted("valgrind: cannot start")
