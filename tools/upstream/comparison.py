"""One cell of the fork against the same cell of the untouched release."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from tools.upstream.expected import Difference
from tools.upstream.outcomes import Outcomes

__all__ = ["Comparison", "compare"]


@dataclass(frozen=True, slots=True)
class Comparison:
    """What two cells have in common, and what not.

    :param fork: how many of the fork's tests ended in which way.
    :param untouched: likewise, of the untouched release.
    :param both: how many tests ended alike in both, by their end.
    :param regressions: fail with the fork, do not fail untouched, and are not listed.
    :param unknown: fail with the fork and were not run untouched.
    :param lost: skipped or absent with the fork only.
    :param expected: fail as listed.
    :param stale: listed, and do not fail with the fork.
    """

    fork: Counter[str]
    untouched: Counter[str]
    both: Counter[str]
    regressions: tuple[str, ...]
    unknown: tuple[str, ...]
    lost: tuple[str, ...]
    expected: tuple[str, ...]
    stale: tuple[str, ...]

    @property
    def good(self) -> bool:
        """Tell whether nothing differs that is not listed."""
        return not (self.regressions or self.unknown or self.lost or self.stale)


def compare(
    fork: Outcomes,
    untouched: Outcomes,
    expected: Iterable[Difference],
    cell: str,
    *,
    whole: bool,
) -> Comparison:
    """Compare the outcomes of two cells.

    :param cell: name of the fork's cell.
    :param whole: whether both cells were run wholly, so that a test that is absent
        from the one is a difference.
    """
    listed = {each.test for each in expected if each.concerns(cell)}
    failing = {test for test, outcome in fork.items() if outcome == "failed"}
    worse = {test for test in failing if untouched.get(test, "failed") != "failed"}
    ran = {test for test, outcome in untouched.items() if outcome != "skipped"}
    skipped = {test for test, outcome in fork.items() if outcome == "skipped"}
    lost = ran & skipped | (ran - fork.keys() if whole else set())
    return Comparison(
        fork=Counter(fork.values()),
        untouched=Counter(untouched.values()),
        both=Counter(
            outcome for test, outcome in fork.items() if untouched.get(test) == outcome
        ),
        regressions=tuple(sorted(worse - listed)),
        unknown=tuple(sorted(failing - untouched.keys() - listed)),
        lost=tuple(sorted(lost - listed)),
        expected=tuple(sorted(failing & listed)),
        stale=tuple(sorted(listed & (fork.keys() - failing))),
    )
