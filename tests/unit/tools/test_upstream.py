"""Whether upstream's own tests are counted and compared correctly."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import pytest

from tools.upstream import compare as command
from tools.upstream.compare import compare, listed
from tools.upstream.results import CellResults, Outcomes, PytestRun, read_outcomes
from tools.upstream.tree import Checkout


def _report(test: str, when: str, outcome: str, **more: str) -> str:
    report = {"$report_type": "TestReport", "nodeid": test, "when": when}
    return json.dumps({**report, "outcome": outcome, **more})


def _phases(test: str, *outcomes: str) -> list[str]:
    phases = ("setup", "call", "teardown")
    return [_report(test, *each) for each in zip(phases, outcomes, strict=True)]


@pytest.mark.parametrize(
    ("lines", "outcome"),
    [
        (_phases("t", "passed", "passed", "passed"), "passed"),
        (_phases("t", "passed", "failed", "passed"), "failed"),
        (_phases("t", "passed", "passed", "failed"), "failed"),
        (_phases("t", "passed", "skipped", "failed"), "failed"),
        (_phases("t", "passed", "skipped", "passed"), "skipped"),
        (
            [
                _report("t", "setup", "passed"),
                _report("t", "call", "skipped", wasxfail=""),
                _report("t", "teardown", "passed"),
            ],
            "xfailed",
        ),
        ([_report("t", "setup", "passed"), _report("t", "???", "failed")], "failed"),
        (['{"$report_type": "CollectReport", "nodeid": "t", "outcome": "failed"}'],)
        + ("failed",),
        ([_report("t", "setup", "passed"), _report("t", "call", "passed")], None),
        ([*_phases("t", "passed", "passed", "passed"), '{"cut'], "passed"),
        (['{"$report_type": "SessionFinish", "exitstatus": 0}'], None),
    ],
)
def test_a_test_s_worst_phase_is_its_outcome(
    lines: list[str], outcome: str | None
) -> None:
    assert read_outcomes(lines).get("t") == outcome


@pytest.mark.parametrize(
    ("fork", "untouched", "meaning"),
    [
        ("failed", "passed", command._REGRESSIONS),
        ("failed", "xfailed", command._REGRESSIONS),
        ("failed", "failed", None),
        ("failed", None, command._UNKNOWN),
        ("skipped", "passed", command._LOST),
        (None, "passed", command._LOST),
        ("skipped", "skipped", None),
        ("passed", "failed", None),
        ("passed", None, None),
    ],
)
def test_a_test_that_differs_is_found(
    fork: str | None, untouched: str | None, meaning: str | None
) -> None:
    ours, theirs = ({"t": each} if each else {} for each in (fork, untouched))
    found = compare(ours, theirs, set(), whole=True)
    assert [key for key, tests in found.items() if tests] == [meaning] * bool(meaning)
    # In part, an absent test says nothing.
    in_part = compare(ours, theirs, set(), whole=False)
    assert any(in_part.values()) == (meaning is not None and fork is not None)


def test_listed_tests_are_to_fail(tmp_path: Path) -> None:
    for outcome, meaning in (("failed", command._EXPECTED), ("passed", command._STALE)):
        found = compare({"t": outcome}, {"t": "passed"}, {"t"}, whole=True)
        assert {key for key, tests in found.items() if tests} == {meaning}
    path = tmp_path / "expected.toml"
    entry = '[[difference]]\ntests = ["t"]\nreason = "because"\ncells = ["unit-*"]\n'
    path.write_text(entry, encoding="utf-8")
    assert listed("unit-importlib-fork", path) == {"t"}
    assert listed("functional-importlib-fork", path) == set()
    assert all(test.startswith("tests/") for test in listed("unit-importlib-fork"))


UNIT = "unit-importlib-fork"
TREE = Checkout(Path("/trees/fork"), "abc", "123", "26.3")


def _keep(build: Path, cell: str, group: str, outcomes: Outcomes, **more: bool) -> None:
    """Write down a run as if the tests had been run."""
    folder = build / "results" / cell
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{len([*folder.glob('*.json')]) + 1:04}.json"
    finished = more.get("finished", True)
    where = (TREE.commit, TREE.version, TREE.digest, str(TREE.folder))
    run = PytestRun("2026-11-21T08:00:00+00:00", *where, group, finished)
    path.write_text(json.dumps(asdict(run)), encoding="utf-8")
    lines = [_phases(t, "passed", end, "passed") for t, end in outcomes.items()]
    log = "\n".join(line for each in lines for line in each)
    path.with_suffix(".log").write_text(log, encoding="utf-8")


def test_a_cell_is_put_together_from_its_runs(tmp_path: Path) -> None:
    results = CellResults(tmp_path, UNIT)
    assert not results.runs()
    assert not results.whole
    _keep(tmp_path, UNIT, "1/2", {"a": "failed", f"b[{TREE.folder}/venv]": "passed"})
    _keep(tmp_path, UNIT, "2/2", {"c": "passed"}, finished=False)
    assert results.has("1/2", TREE)
    assert not results.has("2/2", TREE)
    assert not results.has("1/2", Checkout(TREE.folder, "abc", "another", "26.3"))
    assert not results.has("1/2", Checkout(TREE.folder, "another", "123", "26.3"))
    assert not results.whole
    _keep(tmp_path, UNIT, "2/2", {"c": "failed"})
    _keep(tmp_path, UNIT, "", {"a": "passed"})
    _keep(tmp_path, UNIT, "network", {})
    assert results.whole
    assert results.outcomes() == {
        "a": "passed",
        "b[TREE/venv]": "passed",
        "c": "failed",
    }


@pytest.mark.parametrize(
    ("untouched", "status", "told"),
    [
        (
            {"t": "failed"},
            0,
            "| unit-importlib-fork | untouched | 0 | 1 | 0 | 0 | whole",
        ),
        ({"t": "passed"}, 1, "1 fail with the fork, pass untouched:\n  t\n"),
        ({}, 1, "1 fail with the fork, not run untouched"),
    ],
)
def test_the_comparison_is_printed_and_judged(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    untouched: Outcomes,
    status: int,
    told: str,
) -> None:
    _keep(tmp_path, UNIT, "1/1", {"t": "failed"})
    _keep(tmp_path, CellResults(tmp_path, UNIT).stock.cell, "1/1", untouched)
    assert command.main(["--build", str(tmp_path)]) == status
    assert told in capsys.readouterr().out
