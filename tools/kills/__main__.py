"""Kill running upgrades of three packages (``nox -s kills``).

The signals are spread evenly over the installing phase of an undisturbed run. Ctrl-C ends
the series early; the results so far are printed. The exit status is 1 if the fork leaves
more than half of stock pip's share of mixed or broken environments, or if the first module
is missing for longer than with stock pip.
"""

from __future__ import annotations

import argparse
import json
import random
import signal
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from statistics import median

from tests.lib.environments import Workshop
from tools.kills.stage import (
    CONFIGURATIONS,
    Configuration,
    Kill,
    KillError,
    Stage,
    Undisturbed,
)
from tools.kills.verdict import State

__all__ = ["KillResults", "goals", "main", "moments", "table"]

#: The number of runs per signal, as a multiple of --count.
_SIGNALS = {signal.SIGKILL: 1.0, signal.SIGTERM: 1 / 3}
#: The number of runs after which the speed of the machine is measured again, because other
#: programs use it too.
_MEASURED_AGAIN = 5


@dataclass(frozen=True, slots=True)
class KillResults:
    """All runs of one configuration."""

    configuration: Configuration
    undisturbed: list[Undisturbed] = field(default_factory=list)
    kills: list[Kill] = field(default_factory=list)

    @property
    def absent(self) -> float:
        """The seconds during which the first module is missing."""
        return median(each.absent for each in self.undisturbed)

    @property
    def damaged(self) -> float:
        """The share of killed runs that left a damaged environment."""
        return sum(k.verdict.is_damaged for k in self.kills) / max(1, len(self.kills))


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the configurations in the command line, and return the exit status."""
    options = _parser().parse_args(arguments)
    try:
        results = _measure(options)
    except KillError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    if options.json is not None:
        document = [asdict(each) for each in results]
        text = json.dumps(document, indent=1, default=lambda outcome: outcome.value)
        options.json.write_text(text + "\n", encoding="utf-8")
    print(f"Seed {options.seed}.\n")
    print(*table(results), sep="\n", end="\n\n")
    is_good = True
    for goal, is_met in goals(results):
        print(f"{'met' if is_met else 'MISSED'}: {goal}")
        is_good &= is_met
    return 0 if is_good else 1


def moments(seed: int, number: signal.Signals, count: int) -> list[float]:
    """Return random moments from 0 to 1, one in each of *count* equal slots."""
    chance = random.Random(f"{seed} {number.name}")
    return [(slot + chance.random()) / count for slot in range(count)]


def table(results: Sequence[KillResults]) -> Iterator[str]:
    """Yield a Markdown table with a line per configuration and signal."""
    head = [
        "configuration",
        "signal",
        "runs",
        "over before",
        *(e.value for e in State),
    ]
    head += ["litter", "fixed by the next run", "absent", "installing phase"]
    yield f"| {' | '.join(head)} |"
    yield f"|{'---|' * len(head)}"
    for each in results:
        span = median(run.span for run in each.undisturbed)
        for name in dict.fromkeys(kill.signal for kill in each.kills):
            kills = [kill for kill in each.kills if kill.signal == name]
            damaged = [kill for kill in kills if kill.verdict.is_damaged]
            cells = [
                *(each.configuration.title, name, len(kills)),
                sum(not kill.status for kill in kills),
                *(sum(k.verdict.outcome is end for k in kills) for end in State),
                sum(bool(kill.verdict.litter) for kill in kills),
                f"{sum(kill.is_fixed for kill in damaged)} of {len(damaged)}",
                *(f"{each.absent * 1000:.0f} ms", f"{span * 1000:.0f} ms"),
            ]
            yield f"| {' | '.join(map(str, cells))} |"


def goals(results: Sequence[KillResults]) -> Iterator[tuple[str, bool]]:
    """Yield the goals of the fork, and whether they are met."""
    base = next((r for r in results if not r.configuration.is_fork), None)
    for each in results:
        title = each.configuration.title
        if base is not None and each is not base:
            yield (
                f"{title}: mixed or broken at most half as often as with stock pip",
                each.damaged <= base.damaged / 2,
            )
            yield (
                f"{title}: the first module is absent no longer than with stock pip",
                each.absent <= base.absent,
            )


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="nox -s kills --", description=__doc__)
    parser.add_argument(
        "--count",
        type=int,
        default=60,
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
        default=9,
        help="of the moments; the same gives the same ones (%(default)s)",
    )
    parser.add_argument(
        "--json", type=Path, metavar="FILE", help="write every run there"
    )
    return parser


def _measure(options: argparse.Namespace) -> list[KillResults]:
    chosen = [
        each for each in CONFIGURATIONS if each.name in (options.only or [each.name])
    ]
    plan = [
        (number, moment)
        for number, share in _SIGNALS.items()
        if options.signal in (None, number.name)
        for moment in moments(options.seed, number, max(1, int(options.count * share)))
    ]
    # Random order, so that the runs so far are representative.
    random.Random(options.seed).shuffle(plan)
    with ExitStack() as stack:
        name = stack.enter_context(tempfile.TemporaryDirectory(prefix="kills-"))
        workshop = Workshop(Path(name))
        stages: list[tuple[Stage, KillResults]] = []
        for each in chosen:
            _log(f"{each.title}: making its environment")
            stage = Stage(each, workshop, Path(name, "stages", each.name))
            stages.append((stack.enter_context(closing(stage)), KillResults(each)))
        for turn in range(options.undisturbed):
            _log(f"undisturbed: {turn + 1} of {options.undisturbed}")
            _measure_again(stages)
        # Alternate between the configurations, so that other load affects all of them.
        with suppress(KeyboardInterrupt):
            for turn, (number, moment) in enumerate(plan):
                if turn and turn % _MEASURED_AGAIN == 0:
                    _measure_again(stages)
                for stage, results in stages:
                    last = results.undisturbed[-3:]
                    span = median(each.span for each in last)
                    kill = stage.kill(number, moment, span)
                    results.kills.append(kill)
                    _log(
                        f"[{turn + 1}/{len(plan)}] {results.configuration.name} {kill}"
                    )
    return [results for _, results in stages]


def _measure_again(stages: Sequence[tuple[Stage, KillResults]]) -> None:
    for stage, results in stages:
        results.undisturbed.append(stage.undisturbed())


def _log(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
