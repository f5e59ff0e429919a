"""Compare all runs of the fork with those of the untouched release.

Prints a table, then every test that fails with the fork and does not fail untouched.
Exit status 1 if there is one that tools/upstream/expected.toml does not list, one that
was not run untouched, or an entry of that list whose test passes.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from tools.upstream.cells import fork_cells
from tools.upstream.comparison import Comparison, compare
from tools.upstream.errors import UpstreamError
from tools.upstream.expected import read_expected
from tools.upstream.runs import BUILD, Results

__all__ = ["main"]

_COUNTED = ("passed", "failed", "skipped", "xfailed")
_HEADINGS = {
    "regressions": "fail with the fork, pass untouched",
    "unknown": "fail with the fork, not run untouched (--untouched --failed runs them)",
    "lost": "do not run with the fork, do untouched",
    "expected": "fail as listed",
    "stale": "are listed, and do not fail: take them off the list",
}


def main(arguments: list[str] | None = None) -> int:
    """Print the comparison; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=Path, default=BUILD, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    try:
        return _compare(options.build)
    except UpstreamError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2


def _compare(build: Path) -> int:
    expected = read_expected()
    details = []
    good = True
    print("| cell | of | " + " | ".join(_COUNTED) + " | run |")
    print("|---" * (len(_COUNTED) + 3) + "|")
    for cell in fork_cells():
        fork, untouched = Results(build, cell), Results(build, cell.twin)
        if not fork.runs():
            print(f"| {cell.name} | not run" + " |" * (len(_COUNTED) + 2))
            continue
        whole = fork.whole and untouched.whole
        comparison = compare(
            fork.outcomes(), untouched.outcomes(), expected, cell.name, whole=whole
        )
        for name, counts, results in (
            ("fork", comparison.fork, fork),
            ("untouched", comparison.untouched, untouched),
            ("both", comparison.both, None),
        ):
            numbers = " | ".join(str(counts[each]) for each in _COUNTED)
            about = "" if results is None else _about(results)
            print(f"| {cell.name} | {name} | {numbers} | {about} |")
        details += _details(cell.name, comparison)
        good = good and comparison.good
    print(*details, sep="\n")
    return 0 if good else 1


def _about(results: Results) -> str:
    """Return when, how far and with what a cell was run."""
    runs = results.runs()
    if not runs:
        return "not run"
    dates = sorted({run.date[:10] for run in runs})
    pips = sorted({f"{run.pip} ({run.digest[:8]})" for run in runs})
    tests = sorted({run.upstream[:8] for run in runs})
    extent = "whole" if results.whole else "in part"
    return f"{extent}, {', '.join(dates)}, {', '.join(pips)}, tests {', '.join(tests)}"


def _details(cell: str, comparison: Comparison) -> list[str]:
    lines = []
    for attribute, heading in _HEADINGS.items():
        tests = getattr(comparison, attribute)
        if tests:
            lines += [f"\n{cell}: {len(tests)} {heading}:", *(f"  {t}" for t in tests)]
    return lines


if __name__ == "__main__":
    sys.exit(main())
