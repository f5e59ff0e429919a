"""Whether upstream's own tests are counted and compared rightly."""

from __future__ import annotations

import json
import zipfile
from dataclasses import asdict
from pathlib import Path

import pytest

from tools.upstream import compare as command
from tools.upstream.cells import Cell, fork_cells
from tools.upstream.comparison import Comparison, compare
from tools.upstream.errors import UpstreamError
from tools.upstream.expected import Difference, read_expected
from tools.upstream.outcomes import Outcomes, read_outcomes
from tools.upstream.runs import Results, Run
from tools.upstream.tree import Tree, prepare


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


def _compared(fork: Outcomes, untouched: Outcomes, *, whole: bool = True) -> Comparison:
    expected = [
        Difference("wanted", "because", ("unit-*",)),
        Difference("healed", "because"),
        Difference("wanted elsewhere", "because", ("functional-*",)),
    ]
    return compare(fork, untouched, expected, "unit-importlib", whole=whole)


def test_only_what_the_fork_breaks_is_a_regression() -> None:
    comparison = _compared(
        {
            "good": "passed",
            "broken everywhere": "failed",
            "mended": "passed",
            "broken": "failed",
            "no longer an expected failure": "failed",
            "wanted": "failed",
            "wanted elsewhere": "failed",
            "healed": "passed",
        },
        {
            "good": "passed",
            "broken everywhere": "failed",
            "mended": "failed",
            "broken": "passed",
            "no longer an expected failure": "xfailed",
            "wanted": "passed",
            "wanted elsewhere": "passed",
            "healed": "passed",
        },
    )
    assert comparison.regressions == (
        "broken",
        "no longer an expected failure",
        "wanted elsewhere",
    )
    assert comparison.expected == ("wanted",)
    assert comparison.stale == ("healed",)
    assert comparison.unknown == comparison.lost == ()
    assert comparison.both == {"passed": 2, "failed": 1}


@pytest.mark.parametrize(
    ("fork", "untouched", "attribute"),
    [
        ({"t": "failed"}, {"t": "passed"}, "regressions"),
        ({"t": "failed"}, {}, "unknown"),
        ({"t": "skipped"}, {"t": "passed"}, "lost"),
        ({}, {"t": "passed"}, "lost"),
        ({"healed": "passed"}, {"healed": "passed"}, "stale"),
        ({"t": "passed", "wanted": "failed"}, {"t": "passed", "wanted": "passed"}, ""),
        ({"t": "skipped"}, {"t": "skipped"}, ""),
        ({"t": "passed"}, {}, ""),
    ],
)
def test_a_comparison_is_good_if_nothing_differs(
    fork: Outcomes, untouched: Outcomes, attribute: str
) -> None:
    comparison = _compared(fork, untouched)
    found = [
        each
        for each in ("regressions", "unknown", "lost", "stale")
        if getattr(comparison, each)
    ]
    assert found == [attribute] * bool(attribute)
    assert comparison.good == (attribute == "")


def test_an_absent_test_counts_only_if_both_cells_are_whole() -> None:
    assert _compared({}, {"t": "passed"}).lost == ("t",)
    assert _compared({}, {"t": "passed"}, whole=False).good


def test_the_list_that_counts_can_be_read() -> None:
    assert all(each.test.startswith("tests/") for each in read_expected())


@pytest.mark.parametrize(
    "text",
    [
        '[[difference]]\ntest = "t"',
        '[[difference]]\ntest = "t"\nreason = ""',
        '[[difference]]\nreason = "because"',
        '[[difference]]\ntest = "t"\nreason = "because"\ncell = "c"',
        '[[differences]]\ntest = "t"\nreason = "because"',
    ],
)
def test_a_list_with_a_mistake_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "expected.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UpstreamError, match=r"expected\.toml"):
        read_expected(path)


def test_each_cell_has_a_name_of_its_own_and_a_twin() -> None:
    cells = fork_cells()
    assert len({cell.name for cell in cells}) == len(cells) == 12
    assert {cell.twin.name for cell in cells} == {
        "unit-importlib-untouched",
        "unit-pkg_resources-untouched",
        "functional-importlib-untouched",
        "functional-pkg_resources-untouched",
        "functional-importlib-zipapp-untouched",
        "functional-pkg_resources-zipapp-untouched",
    }
    off = Cell("functional", "pkg_resources", zipapp=True, variants=False)
    assert off.variables == {"PIP_NO_VARIANTS": "1"}
    assert off.twin.variables == {}
    assert off.python == off.twin.python == "3.10"
    assert UNIT.python == "3.11"
    assert "--use-zipapp" in off.options
    with pytest.raises(UpstreamError, match="zipapp"):
        Cell("unit", zipapp=True)
    with pytest.raises(UpstreamError, match="no variants"):
        Cell("unit", untouched=True, variants=False)


UNIT = Cell("unit")
TREE = Tree(Path("/trees/fork"), "abc", "123", "26.3")


def _keep(
    build: Path, cell: Cell, group: str, outcomes: Outcomes, **more: bool
) -> None:
    """Write down a run as if the tests had been run."""
    folder = build / "results" / cell.name
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{len([*folder.glob('*.json')]) + 1:04}.json"
    finished = more.get("finished", True)
    where = (TREE.commit, TREE.version, TREE.digest, str(TREE.folder))
    run = Run("2026-11-21T08:00:00+00:00", *where, group, finished)
    path.write_text(json.dumps(asdict(run)), encoding="utf-8")
    lines = [_phases(t, "passed", end, "passed") for t, end in outcomes.items()]
    log = "\n".join(line for each in lines for line in each)
    path.with_suffix(".log").write_text(log, encoding="utf-8")


def test_a_cell_is_put_together_from_its_runs(tmp_path: Path) -> None:
    results = Results(tmp_path, UNIT)
    assert not results.runs()
    assert not results.whole
    _keep(tmp_path, UNIT, "1/2", {"a": "failed", f"b[{TREE.folder}/venv]": "passed"})
    _keep(tmp_path, UNIT, "2/2", {"c": "passed"}, finished=False)
    assert results.has("1/2", TREE)
    assert not results.has("2/2", TREE)
    assert not results.has("1/2", Tree(TREE.folder, "abc", "another", "26.3"))
    assert not results.has("1/2", Tree(TREE.folder, "another", "123", "26.3"))
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
        ({"t": "failed"}, 0, "| unit-importlib-fork-variants | both | 0 | 1 |"),
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
    _keep(tmp_path, UNIT.twin, "1/1", untouched)
    assert command.main(["--build", str(tmp_path)]) == status
    printed = capsys.readouterr().out
    assert told in printed
    assert "| unit-pkg_resources-fork-variants | not run |" in printed


def test_only_a_checkout_of_upstream_will_do(tmp_path: Path) -> None:
    wheel = tmp_path / "pip-26.3-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as files:
        files.writestr("pip-26.3.dist-info/RECORD", "")
    for folder in (tmp_path, Path(__file__).parents[3]):
        with pytest.raises(UpstreamError, match="checkout of pip's repository"):
            prepare(folder, wheel, "3.11", tmp_path / "build")
