"""What the runs come to: tables, goals, and every run by itself."""

from __future__ import annotations

import signal
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import Any

from tools.kills.figures import SURE, Share, chance_of_so_many, ratio
from tools.kills.runner import Configuration, Kill, Undisturbed
from tools.kills.verdict import Outcome, Verdict

__all__ = ["Results", "document", "goals", "tables"]

_BASE = "upstream"
#: Of undisturbed runs, the last ones, which tell how fast the machine is now.
_LAST = 3


@dataclass(frozen=True, slots=True)
class Results:
    """All runs of one configuration, the killed ones by signal."""

    configuration: Configuration
    undisturbed: list[Undisturbed]
    kills: dict[signal.Signals, list[Kill]] = field(default_factory=dict)

    @property
    def span(self) -> float:
        """Seconds of the installing phase, to the end of pip."""
        return median(each.span for each in self.undisturbed)

    @property
    def last_span(self) -> float:
        """Return the same of the last undisturbed runs."""
        return median(each.span for each in self.undisturbed[-_LAST:])

    @property
    def absent(self) -> float:
        """Return how many seconds the first module is not there."""
        return median(each.absent for each in self.undisturbed)

    def damaged(self, number: signal.Signals | None = None) -> Share:
        """Return how many killed runs left a mixed or broken environment.

        :param number: of this signal only
        """
        kills = self.killed(number)
        return Share(sum(each.verdict.is_damaged for each in kills), len(kills))

    def killed(self, number: signal.Signals | None = None) -> list[Kill]:
        """Return the killed runs, or those of one signal."""
        return [
            kill
            for each, kills in self.kills.items()
            if number in (None, each)
            for kill in kills
        ]


def tables(results: Sequence[Results]) -> str:
    """Write what came of the runs, in Markdown."""
    base = next((r for r in results if r.configuration.name == _BASE), None)
    parts = [
        _table(
            "configuration | signal | runs | over before | old | new | mixed | broken | "
            "mixed or broken | litter | mended by the next run | absent",
            (row for each in results for row in _outcomes(each)),
        ),
        _table(
            "configuration | undisturbed runs | whole | installing phase | "
            "first module absent | at risk",
            (_times(each) for each in results),
        ),
    ]
    if base is not None and len(results) > 1:
        rows = (
            row for each in results if each is not base for row in _compared(each, base)
        )
        parts.append(
            _table(
                "configuration | signal | times upstream's share | "
                "chance of so many if alike | not above upstream's | half of it at most",
                rows,
            )
        )
    return "\n\n".join(parts)


def goals(results: Sequence[Results]) -> Iterator[tuple[str, bool]]:
    """Yield the goals of the fork, and whether they are met."""
    base = next((r for r in results if r.configuration.name == _BASE), None)
    for each in results:
        title = each.configuration.title
        if base is not None and each is not base:
            yield (
                f"{title}: mixed or broken at most half as often as with stock pip",
                each.damaged().value <= base.damaged().value / 2,
            )
            yield (
                f"{title}: the first module is absent no longer than with stock pip",
                each.absent <= base.absent,
            )


def document(results: Sequence[Results], seed: int) -> dict[str, Any]:
    """Return every run, as JSON has it; times in seconds."""
    return {
        "seed": seed,
        "configurations": {
            each.configuration.name: {
                "undisturbed": [
                    {"whole": run.whole, "span": run.span, "absent": run.absent}
                    for run in each.undisturbed
                ],
                "kills": [
                    {"signal": number.name, **_kill(kill)}
                    for number, kills in each.kills.items()
                    for kill in kills
                ],
            }
            for each in results
        },
    }


def _kill(kill: Kill) -> dict[str, Any]:
    return {
        "moment": kill.moment,
        "after": kill.after,
        "status": kill.status,
        "left processes": kill.left,
        **_verdict(kill.verdict),
        "next": kill.next and _verdict(kill.next),
        "next output": kill.next_output,
    }


def _verdict(verdict: Verdict) -> dict[str, Any]:
    return {
        "outcome": verdict.outcome.value,
        "packages": {name: each.value for name, each in verdict.packages.items()},
        "faults": dict(verdict.faults),
        "litter": list(verdict.litter),
    }


def _table(head: str, rows: Iterator[str]) -> str:
    dashes = "|".join("---" for _ in head.split(" | "))
    return "\n".join([f"| {head} |", f"|{dashes}|", *(f"| {row} |" for row in rows)])


def _outcomes(results: Results) -> Iterator[str]:
    for number, kills in results.kills.items():
        damaged = [kill for kill in kills if kill.verdict.is_damaged]
        new = [kill for kill in damaged if _is_new(kill)]
        mended = f"{sum(kill.is_mended for kill in damaged)} of {len(damaged)}"
        if littered := sum(not kill.is_mended for kill in new):
            mended += f", {littered} more with litter"
        cells = [
            results.configuration.title,
            number.name,
            len(kills),
            sum(not kill.status for kill in kills),
            *(sum(k.verdict.outcome is each for k in kills) for each in Outcome),
            results.damaged(number),
            sum(bool(kill.verdict.litter) for kill in kills),
            mended,
            _ms(results.absent),
        ]
        yield " | ".join(map(str, cells))


def _is_new(kill: Kill) -> bool:
    return kill.next is not None and kill.next.outcome is Outcome.NEW


def _times(results: Results) -> str:
    damaged = results.damaged()
    cells = [
        results.configuration.title,
        str(len(results.undisturbed)),
        f"{median(each.whole for each in results.undisturbed):.2f} s",
        _ms(results.span),
        _ms(results.absent),
        # How long a kill would do damage, all in all.
        _ms(results.span * damaged.value) if damaged.of else "-",
    ]
    return " | ".join(cells)


def _compared(ours: Results, theirs: Results) -> Iterator[str]:
    numbers: list[signal.Signals | None] = [*ours.kills]
    if len(numbers) > 1:
        numbers.append(None)
    for number in numbers:
        share, base = ours.damaged(number), theirs.damaged(number)
        middle, low, high = ratio(share, base)
        cells = [
            ours.configuration.title,
            "both" if number is None else number.name,
            f"{middle:.2f} ({low:.2f} to {high:.2f})",
            f"{chance_of_so_many(share, base):.3f}",
            "**no**" if _is_above(share, base) else "yes",
            "yes" if high <= 0.5 else "no" if low > 0.5 else "open",
        ]
        yield " | ".join(cells)


def _is_above(ours: Share, theirs: Share) -> bool:
    return chance_of_so_many(ours, theirs) < 1 - SURE


def _ms(seconds: float) -> str:
    return f"{seconds * 1000:.0f} ms"
