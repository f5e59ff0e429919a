"""Compare all test runs of the fork with those of stock pip.

Print a table, and every test that fails only with the fork. The exit status is 1 if
tools/upstream/expected.toml does not list such a test, if stock pip did not run it, or if a
listed test passes.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Mapping
from fnmatch import fnmatchcase
from pathlib import Path

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

from tools.upstream.results import BUILD, FORK, CellResults, Outcomes

__all__ = ["compare", "listed", "main"]

_LIST = Path(__file__).with_name("expected.toml")
_COUNTED = ("passed", "failed", "skipped", "xfailed")
_REGRESSIONS = "fail with the fork, pass untouched"
_UNKNOWN = "fail with the fork, not run untouched (--untouched --failed runs them)"
_LOST = "do not run with the fork, do untouched"
_EXPECTED = "fail as listed"
_STALE = "are listed, and do not fail: take them off the list"


def main(arguments: list[str] | None = None) -> int:
    """Print the comparison, and return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=Path, default=BUILD, help=argparse.SUPPRESS)
    build = parser.parse_args(arguments).build
    details, good = [], True
    print("| cell | of | " + " | ".join(_COUNTED) + " | run |")
    print("|---" * (len(_COUNTED) + 3) + "|")
    for folder in sorted(build.glob(f"results/*{FORK}*")):
        fork = CellResults(build, folder.name)
        found = compare(
            fork.outcomes(),
            fork.stock.outcomes(),
            listed(folder.name),
            whole=fork.whole and fork.stock.whole,
        )
        for name, results in (("fork", fork), ("untouched", fork.stock)):
            counts = Counter(results.outcomes().values())
            numbers = " | ".join(str(counts[each]) for each in _COUNTED)
            print(f"| {folder.name} | {name} | {numbers} | {_about(results)} |")
        for heading, tests in found.items():
            if tests:
                details += [f"\n{folder.name}: {len(tests)} {heading}:"]
                details += [f"  {test}" for test in sorted(tests)]
                good = good and heading == _EXPECTED
    print(*details, sep="\n")
    return 0 if good else 1


def listed(cell: str, path: Path = _LIST) -> set[str]:
    """Return the tests that are expected to fail in a cell, each listed with a reason."""
    content = tomllib.loads(path.read_text(encoding="utf-8"))
    return {
        test
        for each in content["difference"]
        for test in each["tests"]
        if each["reason"]
        and any(fnmatchcase(cell, pattern) for pattern in each.get("cells", ["*"]))
    }


def compare(
    fork: Outcomes, stock: Outcomes, listed: set[str], *, whole: bool
) -> Mapping[str, set[str]]:
    """Return the differences between two cells, by meaning.

    :param whole: whether both cells ran completely, so that a test that only one cell has
        is a difference.
    """
    failing = {test for test, outcome in fork.items() if outcome == "failed"}
    skipped = {test for test, outcome in fork.items() if outcome == "skipped"}
    ran = {test for test, outcome in stock.items() if outcome != "skipped"}
    worse = {test for test in failing if stock.get(test, "failed") != "failed"}
    lost = ran & skipped | (ran - fork.keys() if whole else set())
    return {
        _REGRESSIONS: worse - listed,
        _UNKNOWN: failing - stock.keys() - listed,
        _LOST: lost - listed,
        _EXPECTED: failing & listed,
        _STALE: listed & (fork.keys() - failing),
    }


def _about(results: CellResults) -> str:
    """Describe the runs of a cell."""
    runs = results.runs()
    if not runs:
        return "not run"
    dates = sorted({run.date[:10] for run in runs})
    pips = sorted({f"{run.pip} ({run.digest[:8]})" for run in runs})
    tests = sorted({run.upstream[:8] for run in runs})
    extent = "whole" if results.whole else "in part"
    return f"{extent}, {', '.join(dates)}, {', '.join(pips)}, tests {', '.join(tests)}"


if __name__ == "__main__":
    sys.exit(main())
