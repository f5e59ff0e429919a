"""Run the benchmark, as ``nox -s bench`` does, and write docs/benchmarks/."""

from __future__ import annotations

import argparse
import fnmatch
import os
import shlex
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tests.lib.environments import REPOSITORY
from tools.bench import packages
from tools.bench.cases import CASES, COLD, WARM, Case
from tools.bench.large import add_large
from tools.bench.report import document, write
from tools.bench.runner import measure, scenarios
from tools.bench.server import BenchServer
from tools.bench.tools import TOOLS, make_tools

_DEFAULT_REPEAT = 11
_DEFAULT_SCALE = 0.1


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure what the command line names, and return the exit status."""
    if not hasattr(os, "wait4"):
        print(
            "error: the CPU time of other processes is not told here", file=sys.stderr
        )
        return 1
    given = list(sys.argv[1:] if arguments is None else arguments)
    options = _parser().parse_args(given)
    cases = _chosen(options.case)
    if options.list:
        for case in cases if options.case else CASES:
            print(f"{case.name:16}{case.title}")
        return 0
    has_large = any(case.large for case in cases)
    with tempfile.TemporaryDirectory(prefix="bench-") as name:
        folder = Path(name)
        server = BenchServer(folder)
        packages.fill(server)
        if has_large:
            print("making large wheels", file=sys.stderr)
            add_large(server, folder, options.scale)
        print("making environments", file=sys.stderr)
        tools = make_tools(options.tool or TOOLS, folder)
        measurements = []
        with server:
            for scenario in scenarios(cases, options.cache, options.delay):
                head = f"{scenario.case.name}, {scenario.cache}, {scenario.delay} ms"
                print(head, file=sys.stderr)
                measurements += measure(scenario, tools, server, options.repeat)
        versions = {tool.name: tool.version for tool in tools}
    command = "nox -s bench"
    if _told(given):
        command = f"{command} -- {shlex.join(_told(given))}"
    scale = options.scale if has_large else None
    write(document(measurements, versions, command, scale), options.out)
    print(f"written to {options.out}", file=sys.stderr)
    return 0


def _told(given: Sequence[str]) -> list[str]:
    """Leave out where the results go, which is nobody else's business."""
    told, rest = [], iter(given)
    for argument in rest:
        if argument == "--out":
            next(rest, None)
        elif not argument.startswith("--out="):
            told.append(argument)
    return told


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="nox -s bench --", description=__doc__)
    parser.add_argument(
        "--case",
        action="append",
        metavar="NAME",
        help="measure these only; may hold * and be used again",
    )
    parser.add_argument("--tool", action="append", choices=TOOLS)
    parser.add_argument(
        "--cache", nargs="+", choices=(COLD, WARM), default=[COLD, WARM]
    )
    parser.add_argument("--delay", nargs="+", type=int, metavar="MS")
    parser.add_argument(
        "--repeat", type=int, default=_DEFAULT_REPEAT, metavar="N", help="counted runs"
    )
    parser.add_argument(
        "--out",
        type=Path,
        default=REPOSITORY / "docs" / "benchmarks",
        metavar="FOLDER",
        help="where results.json, results.md and results.svg go",
    )
    parser.add_argument(
        "--scale",
        type=float,
        default=_DEFAULT_SCALE,
        metavar="N",
        help="of the large wheels, which have 8 GB at scale 1 (%(default)s); they are "
        "measured only if --case names them, and take five times that on disk",
    )
    parser.add_argument("--list", action="store_true", help="print the cases")
    return parser


def _chosen(patterns: Sequence[str] | None) -> list[Case]:
    if not patterns:
        return [case for case in CASES if not case.large]
    return [
        case
        for case in CASES
        if any(fnmatch.fnmatch(case.name, pattern) for pattern in patterns)
    ]


if __name__ == "__main__":
    sys.exit(main())
