"""Samples of lock files are counted, and shrunk where they differ."""

from __future__ import annotations

from tests.lib.random_releases import Package, Project, random_project
from tests.lib.same_from_lock import REFUSED, Comparison, Pair, Sample, Taken
from tools.locks import Tally, smaller

OLD, NEW = {"lib": Taken("1.0", "")}, {"lib": Taken("2.0", "")}


def test_tally() -> None:
    tally = Tally()
    alike = (Pair("a", OLD, OLD, []), Pair("b", NEW, OLD, []))
    tally.add(Sample(Comparison(random_project(1), "", alike), ("x", REFUSED, "x")))
    assert tally.is_alike
    assert str(tally).splitlines() == [
        "2 of 2 alike, 3 samples rejected: 2 x, 1 variant-lock-conflict alone",
        "1 pairs with a package in another version than the index gives",
        "0 of 1 samples in which machines with the same builds need different packages",
        "50% refused",
    ]
    assert not tally.passes
    unlike = (Pair("a", OLD, OLD, []), Pair("b", {}, None, ["lib"]))
    tally.add(Sample(Comparison(random_project(2), "", unlike), ()))
    assert not tally.is_alike
    assert str(tally).splitlines() == [
        "3 of 4 alike, 3 samples rejected: 2 x, 1 variant-lock-conflict alone",
        "1 pairs with a package in another version than the index gives",
        "1 of 2 samples in which machines with the same builds need different packages",
        "33% refused",
    ]


def test_smaller() -> None:
    packages = (
        Package("app", ("1.0",), {None: ("lib[x]; variant_label == 'old'",)}),
        Package("lib", ("1.0", "2.0"), {"old": (), None: ()}),
        Package("left", ("1.0",), {None: ()}),
    )
    project = Project(1, ("app", "lib[x]"), packages, {"one": {}, "two": {}})
    found = list(smaller(project))
    assert [[*each.hosts] for each in found[:2]] == [["two"], ["one"]]
    assert [each.roots for each in found[2:5]] == [
        ("lib[x]",),
        ("app",),
        ("app", "lib"),
    ]
    rest = [each.packages for each in found[5:]]
    assert rest[0][0].needs == {None: ()}
    assert [dict(each[1].needs) for each in rest[1:3]] == [{None: ()}, {"old": ()}]
    assert [each[1].versions for each in rest[3:5]] == [("1.0",), ("2.0",)]
    assert [each.name for each in rest[5]] == ["app", "lib"]
    assert len(rest) == 6
