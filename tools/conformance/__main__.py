"""Run the conformance cases of core against core, the fork, variantlib and uv.

Print a table. For each disagreement, print the case and the section of the PEP that decides
the case. The exit status is 1 if core or the fork disagrees with a case.
"""

from __future__ import annotations

import json
import logging
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from importlib.metadata import version
from typing import Any, NamedTuple

from core.tests.conformance import TOPICS, Case, Model, read_cases
from tools.conformance import reference, uv
from tools.conformance.fork import ForkModel

__all__ = ["Implementation", "main"]

_OUTCOMES = ("passed", "failed", "not applicable")


class Implementation(NamedTuple):
    """An implementation to test with the cases.

    :ivar answer: a function that returns the result of a case, or None if the case does not
        apply.
    :ivar is_ours: whether a disagreement is a fault of this project.
    """

    name: str
    answer: Callable[[Case], Mapping[str, Any] | None]
    is_ours: bool = False


def main() -> int:
    """Run all cases, and return the exit status."""
    logging.disable()
    implementations = [
        Implementation("core", Model().answer, is_ours=True),
        Implementation("fork", ForkModel().answer, is_ours=True),
        Implementation(f"variantlib {version('variantlib')}", reference.answer),
        Implementation(f"uv {version('uv')}", uv.answer),
    ]
    counts: Counter[tuple[str, str, str]] = Counter()
    disagreements, status = list[str](), 0
    for topic in TOPICS:
        for case in read_cases(topic):
            for each in implementations:
                found = each.answer(case)
                outcome = _outcome(case, found)
                counts[topic, each.name, outcome] += 1
                if outcome == "failed":
                    disagreements.append(_disagreement(case, each, found))
                    status |= each.is_ours
    print("\n".join(_table([each.name for each in implementations], counts)))
    print("\n" + "\n".join(disagreements or ["No disagreements."]))
    return status


def _outcome(case: Case, found: object) -> str:
    if found is None:
        return "not applicable"
    return "passed" if found == case.expected else "failed"


def _disagreement(case: Case, implementation: Implementation, found: object) -> str:
    decided = "left open by" if case.open else "decided by"
    return (
        f"{case.id}: {implementation.name} differs, {decided} {case.source}: {case.why}\n"
        f"  expected {json.dumps(case.expected)}\n"
        f"  found    {json.dumps(found)}"
    )


def _table(
    names: list[str], counts: Mapping[tuple[str, str, str], int]
) -> Iterator[str]:
    """Yield the lines of a table, in Markdown: passed / failed / not applicable."""
    yield f"| topic | {' | '.join(names)} |"
    yield f"|---{'|---' * len(names)}|"
    for topic in TOPICS:
        cells = [
            [str(counts[topic, name, each]) for each in _OUTCOMES] for name in names
        ]
        yield f"| {topic} | {' | '.join(map(' / '.join, cells))} |"


if __name__ == "__main__":
    sys.exit(main())
