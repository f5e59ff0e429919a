"""What became of each test, read from the logs of pytest-reportlog."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, Literal

__all__ = ["Outcome", "Outcomes", "read_outcomes"]

Outcome = Literal["passed", "failed", "skipped", "xfailed"]

#: By node id. An error outside of the test itself is a failure of the test.
Outcomes = dict[str, Outcome]


def read_outcomes(lines: Iterable[str]) -> Outcomes:
    """Return the outcomes of the tests that a log tells the end of.

    A log may break off: the run was killed.  The test that was under way is left out.
    """
    outcomes: Outcomes = {}
    begun: Outcomes = {}
    for line in lines:
        try:
            report = json.loads(line)
        except ValueError:
            break
        kind = report.get("$report_type")
        if kind == "CollectReport" and report["outcome"] == "failed":
            # A module that cannot be imported, under the module's name.
            outcomes[report["nodeid"]] = "failed"
        elif kind == "TestReport":
            test = report["nodeid"]
            begun[test] = _worse(begun.get(test), _outcome(report))
            # "???": the worker died, and no further phase is reported.
            if report["when"] in ("teardown", "???"):
                outcomes[test] = begun.pop(test)
    return outcomes


def _outcome(report: dict[str, Any]) -> Outcome:
    outcome: Outcome = report["outcome"]
    if outcome == "skipped" and report.get("wasxfail") is not None:
        return "xfailed"
    return outcome


def _worse(former: Outcome | None, latter: Outcome) -> Outcome:
    """Return what counts of two phases; those that merely passed say nothing."""
    if former is None or former == "passed" or latter == "failed":
        return latter
    return former
