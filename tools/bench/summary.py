"""What the runs of a benchmark say: medians, and ratios with how sure they are."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median, quantiles

__all__ = ["Ratio", "ratio"]

_RESAMPLES = 1000


@dataclass(frozen=True, slots=True)
class Ratio:
    """A ratio of two medians, and where it lies with 95 % probability."""

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.value:.2f} ({self.low:.2f} to {self.high:.2f})"


def ratio(ours: Sequence[float], theirs: Sequence[float]) -> Ratio:
    """Compare two series of runs, by the bootstrap over both.

    The same series give the same ratio, whenever they are compared.
    """
    chance = random.Random(0)
    resampled = [
        median(chance.choices(ours, k=len(ours)))
        / median(chance.choices(theirs, k=len(theirs)))
        for _ in range(_RESAMPLES)
    ]
    # 39 cuts: the first and the last have 2.5 % beyond them.
    cuts = quantiles(resampled, n=40)
    return Ratio(median(ours) / median(theirs), cuts[0], cuts[-1])
