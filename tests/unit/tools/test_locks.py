"""Samples of lock files are counted."""

from __future__ import annotations

from tests.lib.random_releases import random_project
from tests.lib.same_from_lock import REFUSED, LockComparison, Pair, Sample, Taken
from tools.locks import SampleTally

OLD, NEW = {"lib": Taken("1.0", "")}, {"lib": Taken("2.0", "")}


def test_tally() -> None:
    tally = SampleTally()
    alike = (Pair("a", OLD, OLD, []), Pair("b", NEW, OLD, []))
    tally.add(Sample(LockComparison(random_project(1), "", alike), ("x", REFUSED, "x")))
    assert tally.is_alike
    assert str(tally).splitlines() == [
        "2 of 2 alike, 3 samples rejected: 2 x, 1 variant-lock-conflict alone",
        "1 pairs with a package in another version than the index gives",
        "0 of 1 samples in which machines with the same builds need different packages",
        "50% refused",
    ]
    assert not tally.passes
    unlike = (Pair("a", OLD, OLD, []), Pair("b", {}, None, ["lib"]))
    tally.add(Sample(LockComparison(random_project(2), "", unlike), ()))
    assert not tally.is_alike
    assert str(tally).splitlines() == [
        "3 of 4 alike, 3 samples rejected: 2 x, 1 variant-lock-conflict alone",
        "1 pairs with a package in another version than the index gives",
        "1 of 2 samples in which machines with the same builds need different packages",
        "33% refused",
    ]
