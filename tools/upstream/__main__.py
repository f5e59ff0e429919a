"""Run one cell of upstream's own tests; keep the results in build/upstream.

A cell that is split into groups can be run over several calls: a group that was run to
its end with the same pip and the same checkout is not run again.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from tools.upstream.cells import BACKENDS, SUITES, Cell, fork_cells
from tools.upstream.errors import UpstreamError
from tools.upstream.runs import BUILD, Results
from tools.upstream.tree import Tree, prepare

__all__ = ["main"]


def main(arguments: list[str] | None = None) -> int:
    """Run the cell; return the exit status, which says nothing of failing tests."""
    options = _parser().parse_args(arguments)
    try:
        cell = Cell(
            options.suite,
            options.backend,
            options.zipapp,
            options.variants,
            options.untouched,
        )
        wheel = options.release if options.untouched else options.fork
        tree = prepare(options.checkout, wheel, cell.python, BUILD)
        return _run(cell, tree, options)
    except UpstreamError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="nox -s upstream --", description=__doc__)
    parser.add_argument(
        "checkout", type=Path, help="a git checkout of pip's repository; HEAD counts"
    )
    parser.add_argument("suite", choices=SUITES)
    parser.add_argument(
        "--backend",
        choices=BACKENDS,
        default="importlib",
        help="what pip reads metadata with: on CPython 3.11, or on 3.10",
    )
    parser.add_argument("--zipapp", action="store_true", help="run pip from a zip file")
    parser.add_argument("--no-variants", dest="variants", action="store_false")
    parser.add_argument(
        "--untouched", action="store_true", help="test the release, not the fork"
    )
    parser.add_argument(
        "--failed",
        action="store_true",
        help="run, one by one, only what fails in this cell; with --untouched, what "
        "fails in the cells of the fork that it is compared with",
    )
    parser.add_argument(
        "--network",
        action="store_true",
        help="run the tests that need PyPI, GitHub and other hosts; no other call does",
    )
    parser.add_argument(
        "--num-test-groups", type=int, default=1, metavar="N", help="split the tests"
    )
    parser.add_argument(
        "--test-group", type=int, metavar="K", help="run the Kth group, not all"
    )
    parser.add_argument(
        "-n", dest="workers", default="2", help="tests at once (default: %(default)s)"
    )
    # The session builds these.
    for name in ("--fork", "--release"):
        parser.add_argument(name, type=Path, required=True, help=argparse.SUPPRESS)
    return parser


def _run(cell: Cell, tree: Tree, options: argparse.Namespace) -> int:
    results = Results(BUILD, cell)
    if options.failed:
        tests = _failing(cell)
        if not tests:
            print(f"{cell.name}: nothing fails")
        elif not results.run_tests(tree, tests):
            raise UpstreamError("pytest broke off; see above")
        return 0
    if options.network:
        if not results.run_network(tree, options.workers):
            raise UpstreamError("pytest broke off; see above")
        return 0
    count, only = options.num_test_groups, options.test_group
    for number in [only] if only else range(1, count + 1):
        if results.has(f"{number}/{count}", tree):
            print(f"{cell.name}: group {number} of {count} was run")
        elif not results.run_group(tree, number, count, options.workers):
            raise UpstreamError(f"pytest broke off in group {number}; see above")
    return 0


def _failing(cell: Cell) -> list[str]:
    cells = [cell]
    if cell.untouched:
        cells = [each for each in fork_cells() if each.twin == cell]
    outcomes = [Results(BUILD, each).outcomes().items() for each in cells]
    return sorted({test for each in outcomes for test, end in each if end == "failed"})


if __name__ == "__main__":
    sys.exit(main())
