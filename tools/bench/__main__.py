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
from typing import Any

from tests.lib.environments import REPOSITORY
from tools.bench import goals, packages
from tools.bench.cases import CASES, COLD, REGISTRY, WARM, Case
from tools.bench.large import LARGE, TORCH, add_large, add_torch
from tools.bench.report import document, keep, write
from tools.bench.runner import BenchServer, Measurement, Scenario, measure, scenarios
from tools.bench.tools import TOOLS, make_tools


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark in the command line, and return the exit status."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    options = _parser().parse_args(given)
    named = [case for case in CASES if _is_named(case.name, options.case)]
    if options.list:
        for case in named or CASES:
            print(f"{case.name:22}{case.title}")
        return 0
    if not hasattr(os, "wait4"):
        print("error: this system does not report CPU time", file=sys.stderr)
        return 1
    judged = goals.of_cases([case.name for case in named]) if options.goals else []
    _measure(options, _command(given), _chosen(options, named, judged), judged)
    _log(f"written to {options.out}")
    return 0


def _is_named(name: str, patterns: Sequence[str]) -> bool:
    return any(fnmatch.fnmatch(name, pattern) for pattern in patterns)


def _chosen(
    options: argparse.Namespace, named: Sequence[Case], judged: Sequence[goals.Goal]
) -> list[Scenario]:
    """Return the cases to measure, without duplicates."""
    chosen = [scenario for goal in judged for scenario in goal.scenarios()]
    if named or not options.goals:
        cases = named or [case for case in CASES if not case.large]
        chosen += scenarios(cases, options.cache, options.delay)
    return list(dict.fromkeys(chosen))


def _command(given: Sequence[str]) -> str:
    """Return the typed command, without the output folder."""
    at = given.index("--out") if "--out" in given else len(given)
    return f"nox -s bench -- {shlex.join([*given[:at], *given[at + 2 :]])}"


def _measure(
    options: argparse.Namespace,
    command: str,
    chosen: Sequence[Scenario],
    judged: Sequence[goals.Goal],
) -> None:
    """Run all scenarios, and write the results."""
    counted = [g.scenarios()[0] for g in judged if g.measure == goals.INSTRUCTIONS]
    measurements: list[Measurement] = []
    with tempfile.TemporaryDirectory(prefix="bench-") as name:
        server = BenchServer(Path(name))
        left_out = _fill(server, Path(name), chosen, options.scale)
        _log("making environments")
        tools = make_tools(options.tool or TOOLS, Path(name))
        versions = {tool.name: tool.version for tool in tools}

        def found() -> dict[str, Any]:
            verdicts = goals.results(measurements, judged)
            return document(measurements, versions, command, options.scale, verdicts)

        with server:
            for each in chosen:
                if each.case.package not in left_out:
                    _log(f"{each.case.name}, {each.cache}, {each.delay} ms")
                    measurements += measure(
                        each, tools, server, options.repeat, count=each in counted
                    )
                    # A run takes an hour, and may end early.
                    keep(found(), options.out)
        write(found(), options.out)


def _fill(
    server: BenchServer, folder: Path, chosen: Sequence[Scenario], scale: float
) -> set[str]:
    """Add the packages to a server, and return the unavailable packages."""
    packages.fill(server)
    needed = {scenario.case.package for scenario in chosen}
    problems = {}
    if LARGE in needed:
        _log("making large wheels")
        add_large(server, folder, scale)
    if TORCH in needed and (problem := add_torch(server, folder)):
        problems[TORCH] = problem
    if "jupyter" in needed and REGISTRY not in os.environ:
        problems["jupyter"] = f"{REGISTRY} names no registry"
    for problem in problems.values():
        _log(f"skipped: {problem}")
    return set(problems)


def _log(text: str) -> None:
    print(text, file=sys.stderr)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="nox -s bench --", description=__doc__)
    parser.add_argument(
        "--case",
        action="append",
        default=[],
        metavar="NAME",
        help="measure these only; can contain * and be used again",
    )
    parser.add_argument(
        "--goals",
        action="store_true",
        help="judge the goals of the cases that --case names, or all but the large ones",
    )
    parser.add_argument("--tool", action="append", choices=TOOLS)
    parser.add_argument(
        "--cache", nargs="+", choices=(COLD, WARM), default=[COLD, WARM]
    )
    parser.add_argument("--delay", nargs="+", type=int, metavar="MS")
    parser.add_argument(
        "--repeat", type=int, default=11, metavar="N", help="counted runs (%(default)s)"
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
        default=1,
        metavar="N",
        help="of the large wheels (%(default)s), which at 1 take 40 GB on disk with what is "
        "installed; they are measured only if --case names them",
    )
    parser.add_argument("--list", action="store_true", help="print the cases")
    return parser


if __name__ == "__main__":
    sys.exit(main())
