"""Which machines a build tells apart by what it needs, and how that is said."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from pip._vendor.packaging.markers import Marker
from pip._vendor.wheel_variants.manifest import Manifest
from pip._vendor.wheel_variants.manifest_parser import parse_document

from pip._internal.variants.locks.machine_classes import (
    MachineClass,
    Properties,
    asked,
    machine_classes,
    spelled,
    uncertain,
)
from tests.lib.manifests import make_manifest

A, B, ONLY = "gpu :: arch :: a", "gpu :: arch :: b", "gpu :: level :: one"


def manifest(*properties: str) -> Manifest:
    return parse_document(make_manifest({"x": list(properties), "null": {}}))


def found(properties: Sequence[str], *markers: str) -> tuple[MachineClass, ...]:
    """Return the kinds of machines for a build with these markers."""
    described = manifest(*properties)
    return machine_classes(asked(map(Marker, markers), described, "x"), described, "x")


def lacking(*machine_classes: MachineClass) -> list[list[set[str]]]:
    """Return what the machines of each kind lack."""
    return [sorted(map(set, each.lacking), key=sorted) for each in machine_classes]


def test_what_a_machine_may_lack() -> None:
    # Of a feature with one value, that is supported wherever the build runs.
    assert [*map(str, uncertain(manifest(A, B, ONLY), "x"))] == [A, B]
    assert uncertain(manifest(A, B), "null") == uncertain(manifest(A, B), "y") == []
    versions = ["abi_dependency :: lib :: 1", "abi_dependency :: lib :: 2"]
    assert uncertain(manifest(*versions), "x") == []


def test_what_markers_ask() -> None:
    described = manifest(A, B, ONLY)
    markers = [
        f"'{A}' in variant_properties",
        f"'{A.replace(' ', '')}' not in variant_properties and extra == 'x'",
        f"'{A}' in variant_properties or '{B}' in variant_properties",
        f"'{ONLY}' in variant_properties",
        "'gpu' in variant_namespaces and 'gpu :: arch' in variant_features",
        "variant_label == 'x'",
        "python_version > '3'",
    ]
    assert {
        str(marker): sorted(map(str, properties))
        for marker, properties in asked(map(Marker, markers), described, "x").items()
    } == {
        str(Marker(text)): properties
        for text, properties in zip(markers, [[A], [A], [A, B]], strict=False)
    }


def test_kinds() -> None:
    assert found([A, B], f"'{ONLY}' in variant_properties") == ()
    # A machine that lacks both does not run it.
    any_of_them = f"'{A}' in variant_properties or '{B}' in variant_properties"
    assert found([A, B], any_of_them) == ()
    assert lacking(*found([A, B], f"'{A}' in variant_properties")) == [[set()], [{A}]]
    both = f"'{A}' in variant_properties and '{B}' in variant_properties"
    assert lacking(*found([A, B], both)) == [[set()], [{A}, {B}]]


def test_a_machine_of_two_kinds() -> None:
    with_a = MachineClass(frozenset([A]), frozenset([frozenset()]))
    without_a = MachineClass(frozenset([A]), frozenset([frozenset([A])]))
    one_of_them = MachineClass(
        frozenset([A, B]), frozenset([frozenset([A]), frozenset([B])])
    )
    without_b = MachineClass(frozenset([B]), frozenset([frozenset([B])]))
    assert not with_a.meets(without_a)
    assert with_a.meets(one_of_them)
    assert without_a.meets(without_b)
    assert one_of_them.nearest(frozenset([B, ONLY]))[0] == {B, ONLY}
    assert without_a.nearest(frozenset([B])) == [{A, B}]


NAMES = ["a", "b", "c", "d"]
MACHINES = [
    frozenset(each)
    for size in range(len(NAMES) + 1)
    for each in itertools.combinations(NAMES, size)
]


@given(
    st.lists(st.sampled_from(MACHINES), unique=True, min_size=1),
    st.lists(st.sampled_from(MACHINES), unique=True),
)
def test_what_is_spelled_tells_them_apart(
    wanted: list[Properties], others: list[Properties]
) -> None:
    others = [each for each in others if each not in wanted]
    alternatives = [*spelled(wanted, others, frozenset(NAMES))]

    def holds(machine: Properties) -> bool:
        return any(
            missing <= machine and not needed & machine
            for needed, missing in alternatives
        )

    assert all(map(holds, wanted))
    assert not any(map(holds, others))


def test_it_asks_for_no_more_than_it_must() -> None:
    none, a, b, both = map(frozenset, ("", "a", "b", "ab"))
    assert [*spelled([none, a], [b, both], both)] == [(b, none)]
    assert [*spelled([both], [none, a], both)] == [(none, b)]
    assert [*spelled([none, a, b], [both], both)] == [(b, none), (a, none)]
