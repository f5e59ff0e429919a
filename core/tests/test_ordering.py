"""The labels that a machine can run, and their order.

``core/conformance/ordering.json`` covers single orders.
"""

from __future__ import annotations

import random
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from core.tests.ordering_cases import MACHINES, VARIANTS, Machine, machine, manifest
from wheel_variants.ordering import Mismatch, rank, supported_of
from wheel_variants.properties import Feature

GPU: Machine = {
    "nvidia": [("cuda", ["12.8", "12.7", "12.6"]), ("sm", ["90_real", "90_virtual"])],
    "cpu": [("level", ["v3", "v2", "v1"]), ("avx", ["on"])],
}


def test_the_reason_of_a_rejection() -> None:
    described = manifest(
        ["nvidia"],
        {"cu129": {"nvidia": {"cuda": ["12.9", "13.0"]}}},
        # The machine's best value comes first nevertheless.
        property={"nvidia": {"cuda": ["12.6"]}},
    )
    assert described.value_order
    ranking = rank(described, machine(GPU), ["cu129", "unheard_of"])
    assert ranking.rejected == {
        "cu129": (
            Mismatch(
                Feature("nvidia", "cuda"), ("12.9", "13.0"), ("12.8", "12.7", "12.6")
            ),
        )
    }
    assert ranking.unknown == ("unheard_of",)


def test_supported_properties_of_a_variant() -> None:
    variants = {
        "a": {
            "cpu": {"level": ["v1", "v4", "v2"]},
            "nvidia": {"sm": ["90_virtual", "90_real"], "cuda": ["12.6"]},
        }
    }
    described = manifest(["nvidia", "cpu"], variants)
    found = supported_of(described, described.variants["a"], machine(GPU))
    assert [str(property_) for property_ in found] == [
        "nvidia :: cuda :: 12.6",
        "nvidia :: sm :: 90_real",
        "nvidia :: sm :: 90_virtual",
        "cpu :: level :: v2",
        "cpu :: level :: v1",
    ]


@given(VARIANTS, MACHINES, st.permutations("abc"), st.randoms())
def test_laws_of_the_order(
    variants: dict[str, Any],
    described: Machine,
    namespaces: list[str],
    shuffler: random.Random,
) -> None:
    variants["null"] = {}
    supported = machine(described)
    values_of = {
        (namespace, feature.name): feature.values
        for namespace, features in supported.items()
        for feature in features
    }
    ranking = rank(manifest(namespaces, variants), supported, variants)

    # Each label is either compatible, because every feature of it has a supported
    # value, or rejected for features that have none.
    assert sorted([*ranking.compatible, *ranking.rejected]) == sorted(variants)
    for label, properties in variants.items():
        unsupported = {
            Feature(namespace, name)
            for namespace, features in properties.items()
            for name, values in features.items()
            if not set(values) & set(values_of.get((namespace, name), ()))
        }
        reasons = {mismatch.feature for mismatch in ranking.rejected.get(label, ())}
        assert reasons == unsupported

    # Null is last, after whatever else has no properties.
    assert ranking.compatible[-1] == "null"
    empty = [label for label in ranking.compatible if not variants[label]]
    assert list(ranking.compatible[-len(empty) :]) == empty
    assert empty[:-1] == sorted(empty[:-1])

    # The order depends neither on that of the labels nor on that in the file.
    labels = list(variants)
    shuffler.shuffle(labels)
    mixed = manifest(namespaces, {label: variants[label] for label in labels})
    assert rank(mixed, supported, labels).compatible == ranking.compatible

    # Leaving labels out does not change the order of the rest.
    some = [label for label in labels if shuffler.random() < 0.5]
    expected = [label for label in ranking.compatible if label in some]
    assert list(rank(mixed, supported, some).compatible) == expected
