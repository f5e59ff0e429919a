"""The property that decides between two variants."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.tests.ordering_cases import (
    ABLE_MACHINES,
    VARIANTS,
    Machine,
    machine,
    manifest,
)
from wheel_variants.comparison import Comparison, Criterion, compare
from wheel_variants.ordering import rank
from wheel_variants.preferences import Preference
from wheel_variants.properties import Property

HOST: Machine = {
    "gpu": [("cuda", ["12.8", "12.6"]), ("sm", ["90", "80"])],
    "cpu": [("level", ["v3", "v2"])],
}
CUDA, OLD_CUDA = Property("gpu", "cuda", "12.8"), Property("gpu", "cuda", "12.6")
SM, LEVEL = Property("gpu", "sm", "80"), Property("cpu", "level", "v3")
ON_CPU = Preference("cpu")

# name: (features of the first, of the second, preferences, what decides)
CASES: Mapping[str, tuple[Any, Any, Sequence[Preference], Comparison]] = {
    "namespace": (
        {"gpu": {"sm": ["80"]}},
        {"cpu": {"level": ["v3"]}},
        [],
        Comparison(Criterion.NAMESPACE, SM, LEVEL),
    ),
    "feature": (
        {"gpu": {"cuda": ["12.6"]}},
        {"gpu": {"sm": ["80"]}},
        [],
        Comparison(Criterion.FEATURE, OLD_CUDA, SM),
    ),
    "value": (
        {"gpu": {"cuda": ["12.6", "12.8"]}, "cpu": {"level": ["v2"]}},
        {"gpu": {"cuda": ["12.6"], "sm": ["90"]}},
        [],
        Comparison(Criterion.VALUE, CUDA, OLD_CUDA),
    ),
    "more": (
        {"gpu": {"cuda": ["12.8"], "sm": ["80"]}},
        {"gpu": {"cuda": ["12.8"]}},
        [],
        Comparison(Criterion.MORE, SM),
    ),
    "more than null": (
        {"cpu": {"level": ["v3"]}},
        {},
        [],
        Comparison(Criterion.MORE, LEVEL),
    ),
    "label": (
        {"gpu": {"cuda": ["12.8"]}},
        {"gpu": {"cuda": ["12.8", "13.0"]}},
        [],
        Comparison(Criterion.LABEL),
    ),
    "preference": (
        {"cpu": {"level": ["v3"]}},
        {"gpu": {"cuda": ["12.8"]}},
        [Preference("amd"), ON_CPU],
        Comparison(Criterion.PREFERENCE, LEVEL, CUDA, ON_CPU),
    ),
    "not a preference that both have": (
        {"cpu": {"level": ["v3"]}, "gpu": {"cuda": ["12.8"]}},
        {"cpu": {"level": ["v3"]}, "gpu": {"sm": ["80"]}},
        [ON_CPU],
        Comparison(Criterion.FEATURE, CUDA, SM),
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_case(name: str) -> None:
    first, second, preferences, expected = CASES[name]
    content = manifest(["gpu", "cpu"], {"first": first, "second": second})
    ranking = rank(content, machine(HOST), ["second", "first"], preferences)
    assert ranking.compatible == ("first", "second")
    found = compare(content, machine(HOST), "first", "second", preferences)
    assert found == expected


def test_null_is_last() -> None:
    content = manifest(["gpu"], {"zero": {}})
    assert compare(content, machine(HOST), "zero", "null").criterion is Criterion.NULL


Place = tuple[int, int, int]


def _placed(
    stated: Mapping[str, Any], described: Machine, namespaces: Sequence[str]
) -> list[tuple[Place, Property]]:
    """Return the best property of each feature after its rank, best rank first."""
    places: dict[Place, Property] = {}
    for namespace, features in stated.items():
        offered = [name for name, _ in described[namespace]]
        for name, accepted in features.items():
            values = dict(described[namespace])[name]
            value = next(value for value in values if value in accepted)
            place = (
                namespaces.index(namespace),
                offered.index(name),
                values.index(value),
            )
            places[place] = Property(namespace, name, value)
    return sorted(places.items())


def _decided(
    first: str,
    second: str,
    variants: Mapping[str, Any],
    described: Machine,
    namespaces: Sequence[str],
) -> Comparison | None:
    """Compare by the steps of PEP 825, and return None if *second* comes first."""
    ours = _placed(variants[first], described, namespaces)
    theirs = _placed(variants[second], described, namespaces)
    axes = (Criterion.NAMESPACE, Criterion.FEATURE, Criterion.VALUE)
    for (place, our), (other, their) in zip(ours, theirs, strict=False):
        if place > other:
            return None
        for criterion, at, other_at in zip(axes, place, other, strict=True):
            if at < other_at:
                return Comparison(criterion, our, their)
    if len(ours) != len(theirs):
        more = ours[len(theirs) :]
        return Comparison(Criterion.MORE, more[0][1]) if more else None
    if second == "null":
        return Comparison(Criterion.NULL)
    return Comparison(Criterion.LABEL) if "null" != first < second else None


@given(VARIANTS, ABLE_MACHINES, st.permutations("abc"))
def test_every_pair_of_the_order_is_decided_as_the_pep_says(
    variants: dict[str, Any], described: Machine, namespaces: list[str]
) -> None:
    variants["null"] = {}
    supported, content = machine(described), manifest(namespaces, variants)
    order = rank(content, supported, variants).compatible
    for first, second in combinations(order, 2):
        found = compare(content, supported, first, second)
        assert found == _decided(first, second, variants, described, namespaces)
