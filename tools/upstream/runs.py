"""The runs of a cell, kept on disk, so that a cell can be run bit by bit."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timezone
from pathlib import Path
from tempfile import TemporaryDirectory

from tools.upstream.cells import Cell
from tools.upstream.outcomes import Outcomes, read_outcomes
from tools.upstream.tree import Tree

__all__ = ["BUILD", "Results", "Run"]

#: Where trees and results are kept.
BUILD = Path(__file__).resolve().parents[2] / "build" / "upstream"

# Stands for the folder of the tree.
_TREE = "TREE"
# A test of upstream takes seconds; one that takes ten minutes will not end.
_TIMEOUT = "600"


@dataclass(frozen=True, slots=True)
class Run:
    """One call of pytest.

    :param date: of its start, ISO 8601, UTC.
    :param upstream: commit of the tests.
    :param pip: version of the pip tested.
    :param digest: of the wheel that it came from.
    :param folder: of the tree, which upstream puts into the names of some tests.
    :param group: "3/8" for the third of eight groups, "network" for the tests that are
        in none, "" for tests named one by one.
    :param finished: whether pytest came to its end.
    """

    date: str
    upstream: str
    pip: str
    digest: str
    folder: str
    group: str
    finished: bool


class Results:
    """The folder of one cell's runs.

    :param build: the folder that holds those of all cells.
    """

    def __init__(self, build: Path, cell: Cell) -> None:
        self.cell = cell
        self._folder = build / "results" / cell.name

    def runs(self) -> list[Run]:
        """Return what was run, oldest first."""
        return [run for run, _ in self._read()]

    def outcomes(self) -> Outcomes:
        """Return the latest outcome of each test, by node ids that fit any tree."""
        outcomes: Outcomes = {}
        for run, log in self._read():
            with log.open(encoding="utf-8") as lines:
                for test, outcome in read_outcomes(lines).items():
                    outcomes[test.replace(run.folder, _TREE)] = outcome
        return outcomes

    @property
    def whole(self) -> bool:
        """Tell whether every group of a division was run to its end."""
        finished = {run.group for run in self.runs() if run.finished}
        counts = {int(group.split("/")[1]) for group in finished if "/" in group}
        return any(
            finished.issuperset(f"{number}/{count}" for number in range(1, count + 1))
            for count in counts
        )

    def has(self, group: str, tree: Tree) -> bool:
        """Tell whether a group of tests was run to its end with this very pip."""
        wanted = (group, tree.commit, tree.digest)
        return any(
            run.finished and (run.group, run.upstream, run.digest) == wanted
            for run in self.runs()
        )

    def run_tests(self, tree: Tree, tests: Iterable[str]) -> bool:
        """Run tests one by one.

        :param tests: node ids as in `outcomes`. Each is run with all its parameters:
            those of one pip are not always those of the other.
        """
        functions = sorted({test.partition("[")[0] for test in tests})
        return self._run(tree, ["-n", "0", *functions], group="")

    def run_group(self, tree: Tree, number: int, count: int, workers: str) -> bool:
        """Run one of the groups that upstream's tests divide themselves into.

        Those that need the internet are left out.

        :param workers: how many tests at once.
        """
        split = ["--num-test-groups", str(count), "--test-group", str(number)]
        tests = ["-m", "not network", f"tests/{self.cell.suite}"]
        return self._run(tree, ["-n", workers, *split, *tests], f"{number}/{count}")

    def run_network(self, tree: Tree, workers: str) -> bool:
        """Run the tests that need the internet: PyPI, GitHub and others.

        :param workers: how many tests at once.
        """
        tests = ["-m", "network", f"tests/{self.cell.suite}"]
        return self._run(tree, ["-n", workers, *tests], "network")

    def _run(self, tree: Tree, arguments: Sequence[str], group: str) -> bool:
        """Call pytest and keep what it reports.

        :param arguments: for pytest, in addition to those of the cell.
        :return: whether pytest came to its end.
        """
        self._folder.mkdir(parents=True, exist_ok=True)
        number = sum(1 for _ in self._folder.glob("*.json")) + 1
        about = self._folder / f"{number:04}.json"
        log = about.with_suffix(".log")
        now = datetime.now(timezone.utc).isoformat(timespec="seconds")
        run = Run(
            *(now, tree.commit, tree.version, tree.digest, str(tree.folder), group),
            finished=False,
        )
        with about.open("x", encoding="utf-8") as file:
            json.dump(asdict(run), file)
        with TemporaryDirectory(prefix="upstream-home-") as home:
            done = subprocess.run(
                [
                    *(tree.python, "-m", "pytest", "-p", "no:cacheprovider", "-q"),
                    *("--timeout", _TIMEOUT, f"--report-log={log}"),
                    "--continue-on-collection-errors",
                    *self.cell.options,
                    *arguments,
                ],
                cwd=tree.root,
                env=_environ(tree, home, self.cell),
                check=False,
            )
        # 0: all passed, 1: some failed, 5: nothing was selected.
        run = replace(run, finished=done.returncode in (0, 1, 5))
        about.write_text(json.dumps(asdict(run)), encoding="utf-8")
        return run.finished

    def _read(self) -> Iterator[tuple[Run, Path]]:
        for about in sorted(self._folder.glob("*.json")):
            log = about.with_suffix(".log")
            if log.exists():
                yield Run(**json.loads(about.read_text(encoding="utf-8"))), log


def _environ(tree: Tree, home: str, cell: Cell) -> dict[str, str]:
    """Return all variables of the tests' environment.

    Upstream's tests pass on to pip what they find, so they find nothing of the user's
    settings: only what starts a process, and what makes the cell.
    """
    kept = ("TMPDIR", "TEMP", "TMP", "SYSTEMROOT")
    path = os.pathsep.join([str(tree.python.parent), os.environ["PATH"]])
    return {
        **{name: os.environ[name] for name in kept if name in os.environ},
        **{"PATH": path, "HOME": home, "LC_CTYPE": "en_US.UTF-8"},
        **cell.variables,
    }
