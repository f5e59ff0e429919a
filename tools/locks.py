"""Compare installations from lock files with installations from the index.

Each random project is locked once, and compared on eight machines. The exit status is 1 if
anything differs, or if pip refuses to lock more than 15 % of the lockable projects. A
sample that differs is printed in full.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.lib.environments import REPOSITORY
from tests.lib.in_process import InProcessWorkshop
from tests.lib.same_from_lock import REFUSED, Sample, draw

__all__ = ["SampleTally", "main"]

#: The share of projects that pip may refuse to lock.
_MOST_REFUSED = 0.15


class SampleTally:
    """The results of samples."""

    def __init__(self) -> None:
        self._samples = 0
        self._pairs: Counter[bool] = Counter()
        self._rejected: Counter[str] = Counter()
        self._other_versions = 0
        self._beyond_builds = 0

    def add(self, sample: Sample) -> None:
        """Count a sample."""
        compared = sample.comparison
        self._samples += 1
        self._pairs.update(not pair.differences for pair in compared.pairs)
        self._rejected.update(sample.rejected)
        self._other_versions += sum(
            pair.is_in_another_version for pair in compared.pairs
        )
        self._beyond_builds += compared.depends_on_more_than_builds

    @property
    def is_alike(self) -> bool:
        """Whether lock files and index always give the same result."""
        return not self._pairs[False]

    @property
    def refused(self) -> float:
        """The share of lockable projects that pip refuses to lock."""
        refused = self._rejected[REFUSED]
        return refused / max(1, refused + self._samples)

    @property
    def passes(self) -> bool:
        """Whether results are always equal, and few projects are refused."""
        return self.is_alike and self.refused <= _MOST_REFUSED

    def __str__(self) -> str:
        reasons = ", ".join(f"{n} {why}" for why, n in self._rejected.most_common())
        return (
            f"{self._pairs[True]} of {self._pairs.total()} alike, "
            f"{self._rejected.total()} samples rejected: {reasons or 'none'}\n"
            f"{self._other_versions} pairs with a package in another version than the "
            "index gives\n"
            f"{self._beyond_builds} of {self._samples} samples in which machines with "
            "the same builds need different packages\n"
            f"{self.refused:.0%} refused"
        )


def main(arguments: Sequence[str] | None = None) -> int:
    """Compare samples, and return the exit status."""
    parser = argparse.ArgumentParser(prog="nox -s locks --", description=__doc__)
    parser.add_argument(
        "--samples", type=int, default=200, help="how many (default: %(default)s)"
    )
    parser.add_argument("--sample", type=int, help="only the one of this number")
    parser.add_argument(
        "--jobs",
        type=int,
        default=os.cpu_count() or 1,
        help="how many at a time (default: %(default)s)",
    )
    options = parser.parse_args(arguments)
    numbers = range(options.samples) if options.sample is None else [options.sample]
    tally = SampleTally()
    for number, sample in zip(numbers, _samples(numbers, options.jobs), strict=True):
        tally.add(sample)
        if sample.comparison.unlike:
            print(f"sample {number}, {sample.comparison}\n", flush=True)
    print(tally)
    return int(not tally.passes)


def _samples(numbers: Iterable[int], jobs: int) -> Iterator[Sample]:
    # Each sample needs a separate process, because pip commands run in it.
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        yield from pool.map(_sample, numbers)


def _sample(number: int) -> Sample:
    workshop = InProcessWorkshop(REPOSITORY / "build" / "assembled")
    with TemporaryDirectory() as name:
        return draw(number, workshop, Path(name))


if __name__ == "__main__":
    sys.exit(main())
