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
from tools.bench import goals, packages
from tools.bench.cases import CASES, COLD, REGISTRY, WARM, Case
from tools.bench.goals import Counts, Goal
from tools.bench.instructions import counter
from tools.bench.large import (
    ALONE,
    LARGE,
    RECEIVED,
    TORCH,
    add_alone,
    add_large,
    add_received,
    add_torch,
    find_torch,
)
from tools.bench.report import Document, document, keep, write
from tools.bench.runner import Measurement, Scenario, count, measure, scenarios
from tools.bench.server import BenchServer
from tools.bench.tools import FORK, PIP, TOOLS, UV, Tool, make_tools

_DEFAULT_REPEAT = 11
_DEFAULT_SCALE = 1.0


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
    judged = goals.of_cases([case.name for case in cases if options.case])
    chosen = _scenarios(options, cases, judged)
    with tempfile.TemporaryDirectory(prefix="bench-") as name:
        folder = Path(name)
        server = BenchServer(folder)
        chosen = _fill(server, folder, chosen, options.scale)
        print("making environments", file=sys.stderr)
        tools = make_tools(options.tool or _needed(options), folder)
        measurements: list[Measurement] = []
        counts: Counts = {}

        def found() -> Document:
            versions = {tool.name: tool.version for tool in tools}
            verdicts = goals.results(measurements, counts, judged)
            told = verdicts if options.goals else ()
            scale = _told_scale(options, chosen)
            return document(measurements, versions, _command(given), scale, told)

        with server:
            for scenario in chosen:
                head = f"{scenario.case.name}, {scenario.cache}, {scenario.delay} ms"
                print(head, file=sys.stderr)
                measurements += measure(scenario, tools, server, options.repeat)
                # A run takes an hour, and may end early.
                keep(found(), options.out)
            if options.goals:
                counts = _counts(tools, server, judged)
        write(found(), options.out)
    print(f"written to {options.out}", file=sys.stderr)
    return 0


def _fill(
    server: BenchServer, folder: Path, chosen: Sequence[Scenario], scale: float
) -> list[Scenario]:
    """Let a server have the packages that are needed; large ones lie in a folder.

    :return: what can be measured
    """
    packages.fill(server)
    chosen = _without_registry(chosen)
    needed = {scenario.case.package for scenario in chosen}
    if not needed.isdisjoint({LARGE, ALONE, RECEIVED}):
        print("making large wheels", file=sys.stderr)
    if LARGE in needed:
        add_large(server, folder, scale)
    if ALONE in needed:
        add_alone(server, folder, scale)
    if RECEIVED in needed:
        add_received(server, folder)
    problem = find_torch(folder / TORCH) if TORCH in needed else None
    if problem is None:
        if TORCH in needed:
            add_torch(server, folder / TORCH)
        return list(chosen)
    print(f"skipped: {problem}", file=sys.stderr)
    return [each for each in chosen if each.case.package != TORCH]


def _without_registry(chosen: Sequence[Scenario]) -> list[Scenario]:
    """Leave out what needs a registry, if none is named."""
    if REGISTRY in os.environ:
        return list(chosen)
    left = [each for each in chosen if not each.case.is_registry]
    if len(left) < len(chosen):
        print(f"skipped: {REGISTRY} names no registry", file=sys.stderr)
    return left


def _told_scale(
    options: argparse.Namespace, chosen: Sequence[Scenario]
) -> float | None:
    """Return the scale if large wheels have other sizes than their cases tell."""
    has_large = any(scenario.case.package in (LARGE, ALONE) for scenario in chosen)
    return options.scale if has_large and options.scale != 1 else None


def _needed(options: argparse.Namespace) -> Sequence[str]:
    """Return the tools that take part if none is named."""
    return (FORK, PIP, UV) if options.goals and not options.case else TOOLS


def _scenarios(
    options: argparse.Namespace, cases: Sequence[Case], judged: Sequence[Goal]
) -> list[Scenario]:
    """Return what is to be timed: what goals need, and what is named beside it."""
    found = list(goals.timed(judged)) if options.goals else []
    if options.case or not options.goals:
        named = scenarios(cases, options.cache, options.delay)
        found += [each for each in named if each not in found]
    return found


def _counts(
    tools: Sequence[Tool], server: BenchServer, judged: Sequence[Goal]
) -> dict[tuple[str, str], int | str]:
    """Count the instructions that goals need."""
    prefix = counter()
    counts: dict[tuple[str, str], int | str] = {}
    for case, names in goals.to_count(judged):
        print(f"{case.name}, instructions", file=sys.stderr)
        for tool in tools:
            if tool.name in names:
                counts[case.name, tool.name] = (
                    "no valgrind here"
                    if prefix is None
                    else count(case, tool, server, prefix)
                )
    return counts


def _command(given: Sequence[str]) -> str:
    told = _told(given)
    return f"nox -s bench -- {shlex.join(told)}" if told else "nox -s bench"


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
        help="of the large wheels (%(default)s), which at 1 take 40 GB on disk with what is "
        "installed; they are measured only if --case names them",
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
