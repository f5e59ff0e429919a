"""Goals of the benchmark are judged correctly."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tests.lib.repository import Repository
from tools.bench.cases import CASES
from tools.bench.goals import CPU, GOALS, INSTRUCTIONS, WALL, of_cases, results
from tools.bench.packages import fill
from tools.bench.report import document, markdown
from tools.bench.runner import BenchRun, Measurement
from tools.bench.tools import FORK, PIP, UV


def _measurements() -> list[Measurement]:
    """Return runs of all goals, in which the fork takes half a second, others one."""
    walls = {FORK: (0.5, 0.4, 0.9), PIP: (1, 1, 1), UV: (1, 1, 1)}
    return [
        Measurement(
            scenario,
            tool,
            [BenchRun(wall, wall, 2, 1000) for wall in walls[tool]],
            instructions=800 if tool == FORK else 1000,
        )
        for scenario in {each for goal in GOALS for each in goal.scenarios()}
        for tool in walls
    ]


def _by_row(rows: list[dict[str, Any]]) -> dict[tuple[str, int, str], Any]:
    return {(row["case"], row["delay_ms"], row["measure"]): row for row in rows}


def test_goals_are_judged_by_medians_and_counts() -> None:
    rows = results(_measurements())
    assert len(rows) == sum(len(goal.limits) for goal in GOALS)
    for row in rows:
        assert row["figure"] == (0.8 if row["measure"] == INSTRUCTIONS else 0.5)
    found = _by_row(rows)
    assert found["long-page", 0, CPU]["met"] is True
    assert found["plain-five", 100, WALL]["met"] is False
    # Just as large as it may be.
    assert found["plain-five", 0, INSTRUCTIONS]["met"] is True


def test_failed_and_missing_runs_are_not_judged() -> None:
    failed = [
        replace(each, instructions=None, problem="other outcome")
        if each.tool == FORK
        else each
        for each in _measurements()
    ]
    assert {row["met"] for row in results(failed)} == {None}
    assert _by_row(results(failed))["sixty", 100, CPU]["problem"] == (
        "fork: other outcome"
    )
    assert _by_row(results([]))["refused", 100, WALL]["problem"] == (
        "fork: not measured; uv: not measured"
    )


def test_only_named_goals_take_gigabytes() -> None:
    numbers = {goal.number for goal in of_cases([])}
    assert numbers == {1, 2, 3, 5, 7, 8, 9, 10}
    assert [goal.number for goal in of_cases(["labels", "large"])] == [6, 8]
    assert of_cases(["version"]) == []


def test_the_index_has_the_package_of_each_case() -> None:
    repository = Repository()
    fill(repository)
    needed = {case.package for case in CASES if not case.large and case.package}
    assert needed <= repository.projects.keys()
    assert len(repository.projects["long-page"]) == 10_000


def test_the_report_has_figures_and_verdicts() -> None:
    versions = {FORK: "this pip", PIP: "pip 26.3", UV: "uv"}
    runs = [each for each in _measurements() if each.scenario.case.name == "refused"]
    judged = results(runs)
    text = markdown(document(runs, versions, "nox -s bench", 1, judged))
    assert "| wall | 30 | uv | 0.90 | 0.500 | met |" in text
    assert "| pip 26.3 | 0.80 | - | not judged: fork: not measured;" in text
    assert "| 500 / 500, 2 | 1000 / 1000, 2 | 1000 / 1000, 2 | 0.50 |" in text
    assert "## Goals" not in markdown(document(runs, versions, "nox -s bench"))
