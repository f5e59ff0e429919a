"""How sure a share is, and whether it is above another one."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass
from statistics import NormalDist, quantiles

__all__ = ["SURE", "Share", "chance_of_so_many", "ratio"]

#: How sure one must be to call a share higher than another.
SURE = 0.95

_Z = NormalDist().inv_cdf((1 + SURE) / 2)
_DRAWS = 20_000


@dataclass(frozen=True, slots=True)
class Share:
    """How many of some runs ended in one way."""

    hits: int
    of: int

    @property
    def value(self) -> float:
        """Return the share, from 0 to 1; of no runs it is 0."""
        return self.hits / self.of if self.of else 0.0

    @property
    def interval(self) -> tuple[float, float]:
        """Return where the true share lies with 95 % probability (Wilson)."""
        if not self.of:
            return 0.0, 1.0
        scale = 1 + _Z**2 / self.of
        middle = self.value + _Z**2 / (2 * self.of)
        spread = self.value * (1 - self.value) / self.of + (_Z / (2 * self.of)) ** 2
        half = _Z * math.sqrt(spread)
        return max(0.0, (middle - half) / scale), min(1.0, (middle + half) / scale)

    def __str__(self) -> str:
        low, high = self.interval
        return f"{self.value:.0%} ({low:.0%} to {high:.0%})"


def chance_of_so_many(ours: Share, theirs: Share) -> float:
    """Return how probable at least so many hits of ours are if both are alike.

    That is Fisher's exact test with one side. Below 1 - :data:`SURE`, ours is above.
    """
    hits = ours.hits + theirs.hits
    total = math.comb(ours.of + theirs.of, hits)
    ways = sum(
        math.comb(ours.of, n) * math.comb(theirs.of, hits - n)
        for n in range(ours.hits, min(hits, ours.of) + 1)
    )
    return ways / total


def ratio(ours: Share, theirs: Share) -> tuple[float, float, float]:
    """Return how many times theirs ours is: the median, and where 95 % of it lie.

    Drawn from what both shares may be, given the runs and nothing else (Jeffreys' prior);
    the same shares give the same ratio each time.
    """
    chance = random.Random(0)

    def draw(share: Share) -> float:
        missed = share.of - share.hits
        return chance.betavariate(share.hits + 0.5, missed + 0.5)

    cuts = quantiles((draw(ours) / draw(theirs) for _ in range(_DRAWS)), n=40)
    return cuts[19], cuts[0], cuts[-1]
