"""Which labels a machine can run, and in which order."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.tests.ordering_cases import (
    MACHINES,
    VARIANTS,
    Machine,
    machine,
    manifest,
)
from wheel_variants.ordering import Mismatch, rank, supported_of
from wheel_variants.properties import Feature

GPU: Machine = {
    "nvidia": [
        ("cuda", ["12.8", "12.7", "12.6"]),
        ("sm", ["90_real", "90_virtual"]),
    ],
    "cpu": [("level", ["v3", "v2", "v1"]), ("avx", ["on"])],
}

# name: (namespaces, variants best first, labels that do not run)
ORDERS: Mapping[str, tuple[Sequence[str], Mapping[str, Any], Sequence[str]]] = {
    "higher value first": (
        ["nvidia"],
        {
            "cu128": {"nvidia": {"cuda": ["12.8"]}},
            "cu126": {"nvidia": {"cuda": ["12.6"]}},
            "null": {},
            "cu129": {"nvidia": {"cuda": ["12.9"]}},
        },
        ["cu129"],
    ),
    "the best supported value of several counts": (
        ["nvidia"],
        {
            "b": {"nvidia": {"cuda": ["12.6", "12.8", "13.0"]}},
            "a": {"nvidia": {"cuda": ["12.7"]}},
        },
        [],
    ),
    "every feature must be supported": (
        ["nvidia"],
        {
            "both": {"nvidia": {"cuda": ["12.6"], "sm": ["90_real"]}},
            "one": {"nvidia": {"cuda": ["12.6"], "sm": ["80_real"]}},
        },
        ["one"],
    ),
    "more properties before fewer": (
        ["nvidia"],
        {
            "more": {"nvidia": {"cuda": ["12.6"], "sm": ["90_virtual"]}},
            "less": {"nvidia": {"cuda": ["12.6"]}},
        },
        [],
    ),
    "an earlier feature before a better value of a later one": (
        ["nvidia"],
        {
            "cuda": {"nvidia": {"cuda": ["12.6"]}},
            "sm": {"nvidia": {"sm": ["90_real"]}},
        },
        [],
    ),
    "namespaces in the order of the manifest": (
        ["cpu", "nvidia"],
        {
            "cpu": {"cpu": {"level": ["v1"]}},
            "gpu": {"nvidia": {"cuda": ["12.8"]}},
        },
        [],
    ),
    "labels in ascending order where properties are equal": (
        ["nvidia"],
        {
            "a": {"nvidia": {"cuda": ["12.8"]}},
            "a.b": {"nvidia": {"cuda": ["12.8"]}},
            "b": {"nvidia": {"cuda": ["12.8"]}},
        },
        [],
    ),
    "null after other labels without properties": (
        ["nvidia"],
        {"00000000": {}, "zzz": {}, "null": {}},
        [],
    ),
    "an unknown namespace is not supported": (
        ["amd"],
        {"null": {}, "rocm": {"amd": {"gfx": ["gfx942"]}}},
        ["rocm"],
    ),
}


@pytest.mark.parametrize("name", ORDERS)
def test_order(name: str) -> None:
    namespaces, variants, refused = ORDERS[name]
    expected = [label for label in variants if label not in refused]
    shuffled = list(variants)
    for seed in range(5):
        random.Random(seed).shuffle(shuffled)
        mixed = manifest(namespaces, {label: variants[label] for label in shuffled})
        ranking = rank(mixed, machine(GPU), shuffled)
        assert list(ranking.compatible) == expected
        assert set(ranking.rejected) == set(refused)


def test_orders_of_old_manifests_come_first() -> None:
    variants = {
        "v3": {"cpu": {"level": ["v3"]}},
        "v2": {"cpu": {"level": ["v2"]}},
        "v1": {"cpu": {"level": ["v1"]}},
        "avx": {"cpu": {"avx": ["on"]}},
    }
    old = manifest(
        ["cpu"],
        variants,
        feature={"cpu": ["unknown", "avx"]},
        property={"cpu": {"level": ["v9", "v1"]}},
    )
    assert rank(old, machine(GPU), variants).compatible == ("avx", "v1", "v3", "v2")


def test_the_reason_of_a_rejection() -> None:
    described = manifest(["nvidia"], {"cu129": {"nvidia": {"cuda": ["12.9", "13.0"]}}})
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
    ranking = rank(manifest(namespaces, variants), supported, variants)

    # Each label is either compatible, because every feature of it has a supported
    # value, or rejected for features that have none.
    assert sorted([*ranking.compatible, *ranking.rejected]) == sorted(variants)
    for label, properties in variants.items():
        unsupported = {
            Feature(namespace, name)
            for namespace, features in properties.items()
            for name, values in features.items()
            if not set(values) & set(supported.values_of(namespace, name))
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
