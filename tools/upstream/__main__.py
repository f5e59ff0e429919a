"""Run one cell of stock pip's tests; save the results in build/upstream.

The groups of a cell can be run in several calls: a group that has finished with the same
pip and the same checkout is skipped.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from tools.upstream.results import BUILD, FORK, STOCK, CellResults
from tools.upstream.tree import Checkout, UpstreamError, prepare

__all__ = ["cell", "main", "parser"]

# A CPython version for which the backend is the default. Selecting the older backend on a
# newer CPython makes pip warn, and upstream's tests turn that warning into an error.
_PYTHONS = {"importlib": "3.11", "pkg_resources": "3.10"}


def main(arguments: list[str] | None = None) -> int:
    """Run the cell, and return an exit status that ignores failing tests."""
    options = parser().parse_args(arguments)
    try:
        results = CellResults(BUILD, cell(options))
        wheel = options.release if options.untouched else options.fork
        tree = prepare(options.checkout, wheel, _PYTHONS[options.backend], BUILD)
        for group, chosen in _groups(options, results).items():
            if "/" in group and results.has(group, tree):
                print(f"{results.cell}: group {group} was run")
                continue
            _run(results, tree, options, group, chosen)
    except UpstreamError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return 0


def cell(options: argparse.Namespace) -> str:
    """Return the name of the cell that options select.

    :raises UpstreamError: if the cell does not exist.
    """
    if options.zipapp and options.suite == "unit":
        raise UpstreamError("unit tests import pip; a zipapp is for functional")
    ways = {"-no-variants": options.no_variants, "-no-fast": options.no_fast}
    if options.untouched and any(ways.values()):
        raise UpstreamError("the untouched release has nothing to turn off")
    name = f"{options.suite}-{options.backend}{'-zipapp' * options.zipapp}"
    off = "".join(way for way, is_off in ways.items() if is_off)
    return f"{name}{STOCK}" if options.untouched else f"{name}{FORK}{off}"


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    parser = argparse.ArgumentParser(prog="nox -s upstream --", description=__doc__)
    parser.add_argument(
        "checkout", type=Path, help="a git checkout of pip's repository; HEAD counts"
    )
    parser.add_argument("suite", choices=("unit", "functional"))
    parser.add_argument(
        "--backend",
        choices=_PYTHONS,
        default="importlib",
        help="what pip reads metadata with: on CPython 3.11, or on 3.10",
    )
    parser.add_argument("--zipapp", action="store_true", help="run pip from a zip file")
    parser.add_argument("--no-variants", action="store_true")
    parser.add_argument("--no-fast", action="store_true")
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
    # The nox session builds these wheels.
    for name in ("--fork", "--release"):
        parser.add_argument(name, type=Path, required=True, help=argparse.SUPPRESS)
    return parser


def _groups(options: argparse.Namespace, results: CellResults) -> dict[str, list[str]]:
    """Return the pytest arguments that select tests, by group."""
    tests = f"tests/{options.suite}"
    if options.failed:
        failing = _failing(results)
        return {"": ["-n", "0", *failing]} if failing else {}
    if options.network:
        return {"network": ["-n", options.workers, "-m", "network", tests]}
    count = options.num_test_groups
    chosen = [options.test_group] if options.test_group else range(1, count + 1)
    split = ["-n", options.workers, "--num-test-groups", str(count)]
    return {
        f"{k}/{count}": [*split, "--test-group", str(k), "-m", "not network", tests]
        for k in chosen
    }


def _failing(results: CellResults) -> list[str]:
    """Return the failing tests, without their parameters, which differ by pip."""
    cells = [results]
    if results.cell.endswith(STOCK):
        way = results.cell.removesuffix(STOCK)
        folders = BUILD.glob(f"results/{way}{FORK}*")
        cells = [CellResults(BUILD, folder.name) for folder in folders]
    return sorted(
        {
            test.partition("[")[0]
            for each in cells
            for test, outcome in each.outcomes().items()
            if outcome == "failed"
        }
    )


def _run(
    results: CellResults,
    tree: Checkout,
    options: argparse.Namespace,
    group: str,
    chosen: list[str],
) -> None:
    given = {"PIP_NO_VARIANTS": options.no_variants, "PIP_NO_FAST": options.no_fast}
    variables = {name: "1" for name, is_set in given.items() if is_set}
    arguments = ["--use-zipapp"] * options.zipapp + chosen
    if not results.run(tree, arguments, group, variables):
        raise UpstreamError(f"pytest broke off in group {group!r}; see above")


if __name__ == "__main__":
    sys.exit(main())
