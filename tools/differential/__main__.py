"""Compare pip's selections with those of an oracle, variantlib and uv, on random releases.

The exit status is 1 if a selection differs for an unknown reason. docs/reliability.md
records the last lines of the output.
"""

from __future__ import annotations

import argparse
import json
import logging
import random
import sys
from collections import Counter
from dataclasses import asdict
from typing import Any

from tools.differential import oracle, own, reference
from tools.differential.releases import RandomRelease, random_release
from tools.differential.uv import compare_with_uv

#: The maximum number of unexplained differences to print.
_SHOWN = 5


class ComparisonTally:
    """The results of comparisons with one implementation."""

    def __init__(self, other: str) -> None:
        self._other = other
        self._same = 0
        self._explained: Counter[str] = Counter()
        self.unexplained: list[dict[str, Any]] = []

    def add(
        self,
        release: RandomRelease,
        ours: object,
        theirs: object,
        reason: str | None = None,
    ) -> None:
        """Count a comparison; *reason* explains a difference."""
        if ours == theirs:
            self._same += 1
        elif reason is not None:
            self._explained[reason] += 1
        else:
            described = {**asdict(release), "enabled": sorted(release.enabled)}
            self.unexplained.append({**described, "ours": ours, "theirs": theirs})

    def __str__(self) -> str:
        total = self._same + self._explained.total() + len(self.unexplained)
        unexplained = f"{len(self.unexplained)} unexplained differences"
        lines = [f"{self._other}: {total} releases, {self._same} alike, {unexplained}"]
        lines += [f"  {n} where {why}" for why, n in self._explained.most_common()]
        return "\n".join(lines)


def main(arguments: list[str] | None = None) -> int:
    """Run the comparisons, and return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=825, help="(default: %(default)s)")
    parser.add_argument(
        "--releases",
        type=int,
        default=25_000,
        help="releases for the oracle and variantlib (default: %(default)s)",
    )
    parser.add_argument(
        "--packages",
        type=int,
        default=300,
        help="packages that uv and pip install (default: %(default)s)",
    )
    options = parser.parse_args(arguments)
    logging.disable()
    chance = random.Random(options.seed)
    tallies = [
        *_models(chance, options.releases),
        _installers(chance, options.packages),
    ]
    for tally in tallies:
        print(tally)
        for difference in tally.unexplained[:_SHOWN]:
            print(json.dumps(difference, indent=1))
    return int(any(tally.unexplained for tally in tallies))


def _models(chance: random.Random, count: int) -> list[ComparisonTally]:
    """Compare pip's ranking with the oracle's and variantlib's."""
    by_text = ComparisonTally("PEP 825's text")
    by_lists = ComparisonTally("variantlib, given what is supported")
    by_manifest = ComparisonTally("variantlib, reading the manifest")
    for number in range(count):
        # Half of the releases have manifests that variantlib can read.
        release = (
            random_release(chance, schema="0.2.0", static=True)
            if number % 2
            else random_release(chance)
        )
        selection = own.choose(release)
        ours = list(selection.ranking.compatible)
        by_text.add(release, ours, oracle.order(release))
        theirs = reference.order_by_lists(release, oracle.supported_lists(release))
        why = reference.known_difference(release, theirs)
        by_lists.add(release, ours, theirs, why)
        if number % 2:
            theirs = reference.order_by_manifest(release)
            why = reference.known_difference(release, theirs)
            by_manifest.add(release, ours, theirs, why)
    return [by_text, by_lists, by_manifest]


def _installers(chance: random.Random, count: int) -> ComparisonTally:
    tally = ComparisonTally("uv, installing")
    if count:
        releases, ours, theirs = compare_with_uv(chance, count)
        for name, release in releases.items():
            unlisted = "null" not in release.document["variants"]
            why = "a null wheel is not in the manifest: a plain one taken"
            explained = unlisted and (ours[name], theirs[name]) == ("null", None)
            tally.add(release, ours[name], theirs[name], why if explained else None)
    return tally


if __name__ == "__main__":
    sys.exit(main())
