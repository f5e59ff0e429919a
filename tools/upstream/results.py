"""Saved runs of upstream's tests, so that a cell can be run in parts.

A cell is one configuration of one of upstream's two suites, and the name of a folder of
runs.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timezone
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tools.upstream.tree import Checkout

__all__ = [
    "BUILD",
    "FORK",
    "STOCK",
    "CellResults",
    "Outcomes",
    "PytestRun",
    "read_outcomes",
]

#: The folder of trees and results.
BUILD = Path(__file__).resolve().parents[2] / "build" / "upstream"
#: The part of a cell's name between the configuration of the tests and the fork's options.
FORK, STOCK = "-fork", "-untouched"

#: By node ID: passed, failed, skipped or xfailed. An error outside of the test itself
#: counts as a failure of the test.
Outcomes = dict[str, str]

# A test of upstream takes seconds; a test that takes ten minutes hangs.
_TIMEOUT = "600"


@dataclass(frozen=True, slots=True)
class PytestRun:
    """One call of pytest.

    :ivar date: the start time, ISO 8601, UTC.
    :ivar upstream: the commit of the tests.
    :ivar pip: the version of the tested pip.
    :ivar digest: the digest of the wheel of that pip.
    :ivar folder: the folder of the tree, which upstream puts into the names of some tests.
    :ivar group: the group, such as "3/8" for the third of eight groups; "network" for the
        tests that belong to no group, "" for tests selected by name.
    :ivar finished: whether pytest finished.
    """

    date: str
    upstream: str
    pip: str
    digest: str
    folder: str
    group: str
    finished: bool


@dataclass(frozen=True, slots=True)
class CellResults:
    """The runs of one cell.

    :ivar build: the folder of the runs of all cells.
    """

    build: Path
    cell: str

    @property
    def stock(self) -> CellResults:
        """The runs of the same tests with stock pip."""
        return CellResults(self.build, self.cell.partition(FORK)[0] + STOCK)

    @property
    def _folder(self) -> Path:
        return self.build / "results" / self.cell

    def runs(self) -> list[PytestRun]:
        """Return the runs, oldest first."""
        return [run for run, _ in self._read()]

    def outcomes(self) -> Outcomes:
        """Return the latest outcome of each test, by node ID."""
        outcomes: Outcomes = {}
        for run, log in self._read():
            with log.open(encoding="utf-8") as lines:
                for test, outcome in read_outcomes(lines).items():
                    outcomes[test.replace(run.folder, "TREE")] = outcome
        return outcomes

    @property
    def whole(self) -> bool:
        """Whether every group of a division has finished."""
        finished = {run.group for run in self.runs() if run.finished}
        counts = {int(group.split("/")[1]) for group in finished if "/" in group}
        return any(
            finished.issuperset(f"{number}/{count}" for number in range(1, count + 1))
            for count in counts
        )

    def has(self, group: str, tree: Checkout) -> bool:
        """Return whether a group of tests is complete with this pip."""
        wanted = (group, tree.commit, tree.digest)
        return any(
            run.finished and (run.group, run.upstream, run.digest) == wanted
            for run in self.runs()
        )

    def run(
        self,
        tree: Checkout,
        arguments: Sequence[str],
        group: str,
        variables: Mapping[str, str],
    ) -> bool:
        """Call pytest, and save its report.

        :return: whether pytest finished.
        """
        self._folder.mkdir(parents=True, exist_ok=True)
        number = sum(1 for _ in self._folder.glob("*.json")) + 1
        about = self._folder / f"{number:04}.json"
        log = about.with_suffix(".log")
        now = datetime.now(timezone.utc).isoformat(timespec="seconds")
        run = PytestRun(
            *(now, tree.commit, tree.version, tree.digest, str(tree.folder), group),
            finished=False,
        )
        about.write_text(json.dumps(asdict(run)), encoding="utf-8")
        pytest = [str(tree.python), "-m", "pytest", "-p", "no:cacheprovider", "-q"]
        pytest += ["--timeout", _TIMEOUT, "--continue-on-collection-errors"]
        # Upstream's tests pass their environment to pip, so keep only the variables for
        # starting a process and those of the cell, not the user's settings.
        kept = [name for name in ("TMPDIR", "TEMP", "TMP") if name in os.environ]
        path = os.pathsep.join([str(tree.python.parent), os.environ["PATH"]])
        with TemporaryDirectory(prefix="upstream-home-") as home:
            environ = {"PATH": path, "HOME": home, "LC_CTYPE": "en_US.UTF-8"}
            done = subprocess.run(
                [*pytest, f"--report-log={log}", *arguments],
                cwd=tree.root,
                env={
                    **{name: os.environ[name] for name in kept},
                    **environ,
                    **variables,
                },
                check=False,
            )
        # 0: all passed, 1: some failed, 5: nothing was selected.
        run = replace(run, finished=done.returncode in (0, 1, 5))
        about.write_text(json.dumps(asdict(run)), encoding="utf-8")
        return run.finished

    def _read(self) -> Iterator[tuple[PytestRun, Path]]:
        for about in sorted(self._folder.glob("*.json")):
            log = about.with_suffix(".log")
            if log.exists():
                yield PytestRun(**json.loads(about.read_text(encoding="utf-8"))), log


def read_outcomes(lines: Iterable[str]) -> Outcomes:
    """Return the outcomes of the finished tests in a log of pytest-reportlog.

    If the run was killed, the log ends early; the unfinished test is left out.
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
            test, outcome = report["nodeid"], _outcome(report)
            # Phases that passed do not override a skip or an expected failure.
            if outcome == "failed" or begun.get(test, "passed") == "passed":
                begun[test] = outcome
            # "???": the worker died, and reports no further phase.
            if report["when"] in ("teardown", "???"):
                outcomes[test] = begun.pop(test)
    return outcomes


def _outcome(report: Mapping[str, Any]) -> str:
    is_expected = report["outcome"] == "skipped" and report.get("wasxfail") is not None
    return "xfailed" if is_expected else str(report["outcome"])
