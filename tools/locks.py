"""Compare what machines install from a lock file with what they take from the index.

Random projects are locked once each, and compared on eight machines. Exit status 1 if
anything differs, or if pip refuses to lock more than 15 % of the projects that it could
lock; a sample that differs is printed in full.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory

from packaging.requirements import Requirement

from tests.lib.environments import REPOSITORY
from tests.lib.in_process import InProcess, InProcessWorkshop
from tests.lib.random_releases import Project
from tests.lib.same_from_lock import (
    REFUSED,
    Comparison,
    Rejected,
    Sample,
    compare,
    draw,
)

__all__ = ["Tally", "main", "smaller"]


#: The share of projects that pip may refuse to lock.
_MOST_REFUSED = 0.15


class Tally:
    """Samples, and how they ended."""

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
        """Tell whether all is the same from the lock files."""
        return not self._pairs[False]

    @property
    def refused(self) -> float:
        """The share of projects that cannot be locked, of those that could be."""
        refused = self._rejected[REFUSED]
        return refused / max(1, refused + self._samples)

    @property
    def passes(self) -> bool:
        """Whether all is the same from the lock files, and few projects are refused."""
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
    """Compare samples; return the exit status."""
    parser = argparse.ArgumentParser(prog="nox -s locks --", description=__doc__)
    parser.add_argument(
        "--samples", type=int, default=200, help="how many (default: %(default)s)"
    )
    parser.add_argument("--sample", type=int, help="only the one of this number")
    parser.add_argument(
        "--shrink",
        action="store_true",
        help="of a sample that differs, tell the smallest part that does",
    )
    parser.add_argument(
        "--jobs",
        type=int,
        default=os.cpu_count() or 1,
        help="how many at a time (default: %(default)s)",
    )
    options = parser.parse_args(arguments)
    numbers = range(options.samples) if options.sample is None else [options.sample]
    tally = Tally()
    for number, (sample, told) in zip(
        numbers, _samples(numbers, options.jobs, shrink=options.shrink), strict=True
    ):
        tally.add(sample)
        if sample.comparison.unlike:
            print(f"sample {number}, {told}\n", flush=True)
    print(tally)
    return int(not tally.passes)


def _samples(
    numbers: Iterable[int], jobs: int, *, shrink: bool
) -> Iterator[tuple[Sample, Comparison]]:
    # Each has a process of its own, since commands of pip run in it.
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        yield from pool.map(partial(_sample, shrink=shrink), numbers)


def _sample(number: int, *, shrink: bool) -> tuple[Sample, Comparison]:
    """Return a sample, and what to tell of it."""
    workshop = InProcessWorkshop(REPOSITORY / "build" / "assembled")
    with TemporaryDirectory() as name:
        sample = draw(number, workshop, Path(name))
        told = sample.comparison
        if shrink and told.unlike:
            told = _shrunk(told, workshop.fork(Path(name, "shrunk")))
    return sample, told


def _shrunk(comparison: Comparison, venv: InProcess) -> Comparison:
    """Return a project of which some machine is unlike, as small as can be."""
    is_smaller = True
    while is_smaller:
        is_smaller = False
        for project in smaller(comparison.project):
            try:
                found = compare(project, venv)
            except (Rejected, AssertionError):
                # Nor if a machine is left without any build.
                continue
            if found.unlike:
                comparison, is_smaller = found, True
                break
    return comparison


def smaller(project: Project) -> Iterator[Project]:
    """Return projects that lack one thing each."""
    for name in project.hosts if len(project.hosts) > 1 else ():
        hosts = {key: host for key, host in project.hosts.items() if key != name}
        yield replace(project, hosts=hosts)
    for position, root in enumerate(project.roots):
        before, after = project.roots[:position], project.roots[position + 1 :]
        if before or after:
            yield replace(project, roots=(*before, *after))
        if "[" in root:
            yield replace(project, roots=(*before, _name(root), *after))
    yield from _with_less_of_packages(project)


def _with_less_of_packages(project: Project) -> Iterator[Project]:
    wanted = {_name(root) for root in project.roots}
    for package in project.packages:
        for requires in package.needs.values():
            wanted.update(map(_name, requires))
    for position, package in enumerate(project.packages):
        before, after = project.packages[:position], project.packages[position + 1 :]
        if package.name not in wanted:
            yield replace(project, packages=(*before, *after))
        less = [replace(package, needs=needs) for needs in _fewer(package.needs)]
        if len(package.versions) > 1:
            less += [replace(package, versions=(each,)) for each in package.versions]
        for changed in less:
            yield replace(project, packages=(*before, changed, *after))


_Needs = Mapping[str | None, tuple[str, ...]]


def _fewer(needs: _Needs) -> Iterator[_Needs]:
    """Return what builds need without a build, or without one of these needs."""
    for label in needs if len(needs) > 1 else ():
        yield {key: requires for key, requires in needs.items() if key != label}
    for need in dict.fromkeys(each for requires in needs.values() for each in requires):
        yield {
            label: tuple(each for each in requires if each != need)
            for label, requires in needs.items()
        }


def _name(requirement: str) -> str:
    # Without the marker: those about variants are not known to packaging.
    return Requirement(requirement.partition(";")[0]).name


if __name__ == "__main__":
    sys.exit(main())
