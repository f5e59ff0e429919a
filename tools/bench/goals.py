"""The speed goals of the fork relative to other tools."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from tools.bench.cases import CASES, COLD, WARM
from tools.bench.runner import Measurement, Scenario
from tools.bench.tools import FORK, PIP, UV

__all__ = ["CPU", "GOALS", "INSTRUCTIONS", "WALL", "Goal", "of_cases", "results"]

WALL, CPU, INSTRUCTIONS = "wall", "CPU", "instructions"


@dataclass(frozen=True, slots=True)
class Goal:
    """A speed goal.

    :ivar case: the name of a case.
    :ivar peer: the tool to compare with, in the same run.
    :ivar limits: the maximum ratio, by milliseconds per request.
    """

    number: int
    case: str
    peer: str
    measure: str
    limits: Mapping[int, float]
    cache: str = COLD

    def scenarios(self) -> list[Scenario]:
        """Return the scenarios that the goal needs."""
        return [Scenario(_CASES[self.case], self.cache, ms) for ms in self.limits]


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
    # Stock pip reads the same page, and selects its plain wheel.
    Goal(8, "labels", PIP, INSTRUCTIONS, {0: 1.15}),
    Goal(9, "variant-ten", UV, WALL, {30: 1.25, 100: 0.60}),
    Goal(10, "refused", UV, WALL, {30: 0.9, 100: 0.45}),
    Goal(11, "torch-again", PIP, WALL, {0: 0.10}, WARM),
    Goal(11, "torch-again-copied", PIP, WALL, {0: 0.35}, WARM),
)
_CASES = {case.name: case for case in CASES}


def of_cases(names: Collection[str]) -> list[Goal]:
    """Return the goals of some cases; by default, all goals without huge downloads."""
    return [
        goal
        for goal in GOALS
        if (goal.case in names if names else not _CASES[goal.case].large)
    ]


def results(
    measurements: Iterable[Measurement], goals: Iterable[Goal] = GOALS
) -> list[dict[str, Any]]:
    """Evaluate goals, for JSON: by ratios of medians, or by counts.

    If a measurement is missing, the figure is None, and the problem explains why.
    """
    known = {(each.scenario, each.tool): each for each in measurements}
    judged = []
    for goal in goals:
        for scenario, limit in zip(goal.scenarios(), goal.limits.values(), strict=True):
            values, problems = [], []
            for tool in (FORK, goal.peer):
                found = known.get((scenario, tool), Measurement(scenario, tool))
                values.append(_values(found, goal.measure))
                problem = found.problem or ("not measured" if not values[-1] else None)
                problems += [f"{tool}: {problem}"] * (problem is not None)
            figure = None if problems else median(values[0]) / median(values[1])
            judged.append(
                {
                    "goal": goal.number,
                    "case": goal.case,
                    "title": scenario.case.title,
                    "cache": goal.cache,
                    "measure": goal.measure,
                    "delay_ms": scenario.delay,
                    "peer": goal.peer,
                    "limit": limit,
                    "figure": figure,
                    "met": None if figure is None else figure <= limit,
                    "problem": "; ".join(problems) or None,
                }
            )
    return judged


def _values(measurement: Measurement, measure: str) -> list[float]:
    if measure == INSTRUCTIONS:
        count = measurement.instructions
        return [] if count is None else [count]
    attribute = "wall" if measure == WALL else "cpu"
    return [getattr(sample, attribute) for sample in measurement.samples]
