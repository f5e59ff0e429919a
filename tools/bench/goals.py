"""How fast the fork is to be beside another tool, and whether it is."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from tools.bench.cases import CASES, COLD, WARM, Case
from tools.bench.runner import Measurement, Scenario
from tools.bench.tools import FORK, PIP, UV

__all__ = [
    "CPU",
    "GOALS",
    "INSTRUCTIONS",
    "WALL",
    "Counts",
    "Goal",
    "of_cases",
    "results",
    "timed",
    "to_count",
]

WALL, CPU, INSTRUCTIONS = "wall", "CPU", "instructions"
#: Of runs that were counted: which case, by which tool, and how many instructions, or
#: why there is no number.
Counts = Mapping[tuple[str, str], int | str]


@dataclass(frozen=True, slots=True)
class Goal:
    """A row of the table of goals.

    :ivar number: of the row.
    :ivar case: the name of a case.
    :ivar peer: the tool beside which it is measured, in the same run.
    :ivar measure: :data:`WALL`; :data:`CPU`, beyond that of the case that it is beyond; or
        :data:`INSTRUCTIONS`.
    :ivar limits: the largest ratio, by milliseconds a request.
    :ivar cache: its state.
    """

    number: int
    case: str
    peer: str
    measure: str
    limits: Mapping[int, float]
    cache: str = COLD


GOALS: Sequence[Goal] = (
    Goal(1, "plain-five-http", PIP, INSTRUCTIONS, {0: 1.03}),
    Goal(1, "plain-five-http-slow", PIP, INSTRUCTIONS, {0: 1.02}),
    Goal(1, "plain-five", PIP, INSTRUCTIONS, {0: 0.80}),
    Goal(2, "plain-five", PIP, WALL, {100: 0.42}),
    Goal(3, "sixty", PIP, WALL, {100: 0.27, 30: 0.30}),
    Goal(3, "sixty", PIP, CPU, {100: 1.0, 30: 1.0}),
    Goal(4, "registry", PIP, WALL, {0: 0.45}),
    Goal(4, "registry", UV, WALL, {0: 0.80}),
    Goal(4, "registry", PIP, WALL, {0: 0.50}, WARM),
    Goal(5, "many", PIP, WALL, {0: 0.80}, WARM),
    Goal(5, "many", PIP, CPU, {0: 1.10}, WARM),
    Goal(6, "large", PIP, WALL, {0: 0.42}),
    Goal(7, "long-page", PIP, CPU, {0: 0.66}),
    # Stock pip reads the same page, and takes the plain wheel on it.
    Goal(8, "labels", PIP, INSTRUCTIONS, {0: 1.15}),
    Goal(9, "variant-ten", UV, WALL, {30: 1.25, 100: 0.60}),
    Goal(10, "refused", UV, WALL, {30: 0.9, 100: 0.45}),
    Goal(11, "torch-again", PIP, WALL, {0: 0.10}, WARM),
    Goal(11, "torch-again-copied", PIP, WALL, {0: 0.35}, WARM),
)
_CASES = {case.name: case for case in CASES}


def of_cases(names: Collection[str]) -> list[Goal]:
    """Return the goals of some cases; of none means all that take no gigabytes."""
    return [
        goal
        for goal in GOALS
        if (goal.case in names if names else not _CASES[goal.case].large)
    ]


def timed(goals: Iterable[Goal] = GOALS) -> Iterator[Scenario]:
    """Yield what must be timed to judge goals, each scenario once."""
    named = (
        (goal.case, goal.cache, delay)
        for goal in goals
        if goal.measure != INSTRUCTIONS
        for delay in goal.limits
    )
    for case, cache, delay in dict.fromkeys(named):
        yield Scenario(_CASES[case], cache, delay)


def to_count(goals: Iterable[Goal] = GOALS) -> Iterator[tuple[Case, Sequence[str]]]:
    """Yield the cases whose instructions must be counted, and of which tools."""
    for goal in goals:
        if goal.measure == INSTRUCTIONS:
            yield _CASES[goal.case], (FORK, goal.peer)


def results(
    measurements: Sequence[Measurement], counts: Counts, goals: Iterable[Goal] = GOALS
) -> list[dict[str, Any]]:
    """Judge goals, ready for JSON.

    A figure is a ratio of medians; None where something is missing, and the problem says
    what.
    """
    return [
        _judged(goal, delay, limit, measurements, counts)
        for goal in goals
        for delay, limit in goal.limits.items()
    ]


def _judged(
    goal: Goal,
    delay: int,
    limit: float,
    measurements: Sequence[Measurement],
    counts: Counts,
) -> dict[str, Any]:
    problems: list[str] = []
    values: list[Sequence[float]] = []
    for tool in (FORK, goal.peer):
        if goal.measure != INSTRUCTIONS:
            scenario = Scenario(_CASES[goal.case], goal.cache, delay)
            runs, problem = _times(goal.measure, scenario, tool, measurements)
        else:
            runs, problem = _count(counts.get((goal.case, tool), "not counted"))
        values.append(runs)
        if problem is not None:
            problems.append(f"{tool}: {problem}")
    ours, theirs = values
    figure = None if problems else median(ours) / median(theirs)
    return {
        "goal": goal.number,
        "case": goal.case,
        "title": _CASES[goal.case].title,
        "measure": goal.measure,
        "delay_ms": delay,
        "peer": goal.peer,
        "ours": ours,
        "theirs": theirs,
        "limit": limit,
        "figure": figure,
        "met": None if figure is None else figure <= limit,
        "problem": "; ".join(problems) or None,
    }


def _count(found: int | str) -> tuple[list[float], str | None]:
    """Return one run in instructions, or why there is none."""
    return ([], found) if isinstance(found, str) else ([found], None)


def _times(
    measure: str, scenario: Scenario, tool: str, measurements: Sequence[Measurement]
) -> tuple[list[float], str | None]:
    """Return the runs in seconds, and why they do not count."""
    for each in measurements:
        if (each.scenario, each.tool) == (scenario, tool):
            if measure == WALL:
                runs = [round(sample.wall, 5) for sample in each.samples]
            else:
                base = (
                    median(sample.cpu for sample in each.beside) if each.beside else 0
                )
                runs = [round(sample.cpu - base, 5) for sample in each.samples]
            return runs, each.problem or (None if runs else "not run")
    return [], "not run"
