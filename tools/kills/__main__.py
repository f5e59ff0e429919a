"""Kill upgrades of three packages while they run, as ``nox -s kills`` does.

The moments are spread evenly over the installing phase of an undisturbed run. All times are those of a clock that stands still while pip waits for a processor that
somebody else has. Ctrl-C ends it early; what has been run until then is told.
Exit status 1 if the fork leaves more than half of stock pip's share of mixed or broken
environments, or if the first module is absent for longer than with stock pip.
"""

from __future__ import annotations

import argparse
import json
import random
import signal
import sys
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from pathlib import Path

from tests.lib.environments import Workshop
from tools.kills.report import Results, document, goals, tables
from tools.kills.runner import CONFIGURATIONS, Kill, KillError, Stage

__all__ = ["main", "moments"]

_SIGNALS = (signal.SIGKILL, signal.SIGTERM)
#: For so many runs with SIGKILL there is one with SIGTERM.
_KILLS_PER_TERM = 3
#: After so many runs the speed of the machine is measured again: others use it too.
_MEASURED_AGAIN = 5
_COUNT = 60
_SEED = 9


def main(arguments: Sequence[str] | None = None) -> int:
    """Run what the command line names, and return the exit status."""
    options = _parser().parse_args(arguments)
    if not sys.platform.startswith("linux"):
        print("error: files are watched with inotify, which Linux has", file=sys.stderr)
        return 2
    # A shell has what it starts in the background ignore interrupts.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.default_int_handler)
    try:
        results = _measure(options)
    except KillError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    if options.json is not None:
        content = json.dumps(document(results, options.seed), indent=1)
        options.json.write_text(content + "\n", encoding="utf-8")
    print(f"Seed {options.seed}.\n\n{tables(results)}\n")
    is_good = True
    for goal, is_met in goals(results):
        print(f"{'met' if is_met else 'MISSED'}: {goal}")
        is_good &= is_met
    return 0 if is_good else 1


def moments(seed: int, number: signal.Signals, count: int) -> list[float]:
    """Return moments from 0 to 1, one at random in each of *count* equal slots."""
    chance = random.Random(f"{seed} {number.name}")
    return [(slot + chance.random()) / count for slot in range(count)]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="nox -s kills --", description=__doc__)
    parser.add_argument(
        "--count",
        type=int,
        default=_COUNT,
        metavar="N",
        help="runs of each configuration that SIGKILL ends; with SIGTERM it is a third "
        "of that (%(default)s)",
    )
    parser.add_argument(
        "--undisturbed",
        type=int,
        default=5,
        metavar="N",
        help="runs of each configuration that nothing ends, before the others; one more "
        f"follows after {_MEASURED_AGAIN} of those each time (%(default)s)",
    )
    parser.add_argument(
        "--only",
        action="append",
        choices=[each.name for each in CONFIGURATIONS],
        help="these configurations only; may be used again",
    )
    parser.add_argument(
        "--signal", choices=[each.name for each in _SIGNALS], help="this one only"
    )
    parser.add_argument(
        "--seed",
        type=int,
        default=_SEED,
        help="of the moments; the same gives the same ones (%(default)s)",
    )
    parser.add_argument(
        "--moment",
        type=float,
        action="append",
        metavar="X",
        help="kill at this one only, from 0 to 1; may be used again",
    )
    parser.add_argument(
        "--json", type=Path, metavar="FILE", help="write every run there"
    )
    return parser


def _measure(options: argparse.Namespace) -> list[Results]:
    chosen = [
        each for each in CONFIGURATIONS if each.name in (options.only or [each.name])
    ]
    plan = _plan(options)
    done, total = 0, len(plan) * len(chosen)
    with ExitStack() as stack:
        name = stack.enter_context(tempfile.TemporaryDirectory(prefix="kills-"))
        workshop = Workshop(Path(name))
        stages: list[tuple[Stage, Results]] = []
        for each in chosen:
            _say(f"{each.title}: making its environment")
            stage = Stage(each, workshop, Path(name) / "stages" / each.name)
            stages.append((stack.enter_context(stage), Results(each, [])))
        for turn in range(options.undisturbed):
            _say(f"undisturbed: {turn + 1} of {options.undisturbed}")
            _measure_again(stages)
        # In turn, so that whatever else the machine does meets all of them.
        with suppress(KeyboardInterrupt):
            for turn, (number, moment) in enumerate(plan):
                if turn and turn % _MEASURED_AGAIN == 0:
                    _measure_again(stages)
                for stage, results in stages:
                    kill = stage.kill(number, moment, results.last_span)
                    results.kills.setdefault(number, []).append(kill)
                    done += 1
                    name = f"{results.configuration.name} {number.name}"
                    _say(f"[{done}/{total}] {name} {_told(kill)}")
        if done < total:
            _say(f"interrupted: what follows are {done} of {total} runs")
    return [results for _, results in stages]


def _measure_again(stages: Sequence[tuple[Stage, Results]]) -> None:
    for stage, results in stages:
        results.undisturbed.append(stage.undisturbed())


def _plan(options: argparse.Namespace) -> list[tuple[signal.Signals, float]]:
    """Return signals and moments, in no order, so that a part tells of the whole."""
    counts = (options.count, max(1, options.count // _KILLS_PER_TERM))
    plan = [
        (number, moment)
        for number, count in zip(_SIGNALS, counts, strict=True)
        if options.signal in (None, number.name)
        for moment in options.moment or moments(options.seed, number, count)
    ]
    random.Random(options.seed).shuffle(plan)
    return plan


def _told(kill: Kill) -> str:
    told = f"at {kill.moment:.3f}, {kill.after * 1000:.0f} ms: "
    told += kill.verdict.outcome.value
    if broken := ", ".join(kill.verdict.faults):
        told += f" ({broken})"
    if kill.verdict.litter:
        told += f", litter {' '.join(kill.verdict.litter[:2])}"
    if kill.next is not None:
        told += f"; next run: {kill.next.outcome.value}"
        if kill.next.litter:
            told += f", litter {' '.join(kill.next.litter[:2])}"
    if kill.left:
        told += f"; {kill.left} processes stayed"
    return told


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
