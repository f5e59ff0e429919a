"""Manifests as lock files hold them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from pip._vendor.wheel_variants.manifest import InvalidManifest, Manifest
from pip._vendor.wheel_variants.manifest_parser import parse_document, parse_manifest

from pip._internal.variants.locks.release import (
    depends_on_machine,
    inlined,
    read_inlined,
    uncertain,
)
from tests.lib.manifests import SCHEMAS, cuda, make_manifest

VARIANTS = {
    "null": {},
    "cu126": cuda("12.6"),
    "cu128": cuda("12.8", ["90"]),
    "mkl": ["blas_lapack :: provider :: mkl"],
}


@pytest.mark.parametrize("schema", SCHEMAS)
def test_just_some_labels(schema: str) -> None:
    document = make_manifest(VARIANTS, schema=schema)
    manifest = parse_manifest(json.dumps(document).encode())
    table = inlined(manifest, ["cu128", "null"])
    assert table == {
        **document,
        "variants": {label: document["variants"][label] for label in ("cu128", "null")},
    }
    assert read_inlined(table).document == table


def test_a_null_variant_that_is_not_listed() -> None:
    document = make_manifest({"cu126": cuda("12.6")})
    manifest = parse_manifest(json.dumps(document).encode())
    assert inlined(manifest, ["null"])["variants"] == {"null": {}}


def test_what_toml_does_not_have() -> None:
    document: dict[str, Any] = make_manifest(VARIANTS)
    provider = document["providers"]["nvidia"]
    expected = inlined(parse_manifest(json.dumps(document).encode()), VARIANTS)
    provider |= {"more": None, "number": 1}
    document["unknown"] = 2.5
    manifest = parse_manifest(json.dumps(document).encode())
    assert inlined(manifest, VARIANTS) == expected


def test_nothing_that_counts_is_left_out() -> None:
    document = make_manifest(VARIANTS)
    document["variants"]["cu126"]["nvidia"]["sm_arch"] = ["90_real", 80]
    with pytest.raises(
        InvalidManifest, match=r"'sm_arch' .* is a number, not a string"
    ):
        read_inlined(document)


A, B, ONLY = "gpu :: arch :: a", "gpu :: arch :: b", "gpu :: level :: one"
HAS_A, HAS_B = (f"'{each}' in variant_properties" for each in (A, B))


def described(*properties: str) -> Manifest:
    return parse_document(make_manifest({"x": list(properties), "null": {}}))


def test_what_a_machine_may_lack() -> None:
    # Of a feature with one value, that is supported wherever the build runs.
    assert [*map(str, uncertain(described(A, B, ONLY), "x"))] == [A, B]
    assert uncertain(described(A, B), "null") == uncertain(described(A, B), "y") == []
    versions = ["abi_dependency :: lib :: 1", "abi_dependency :: lib :: 2"]
    assert uncertain(described(*versions), "x") == []


@pytest.mark.parametrize(
    ("marker", "asked"),
    [
        (HAS_A, [A]),
        (f"'{A.replace(' ', '')}' not in variant_properties and extra == 'x'", [A]),
        (f"{HAS_A} and {HAS_B}", [A, B]),
        # Even if it makes no difference: who knows what the rest of the marker says.
        (f"{HAS_A} or {HAS_B}", [A, B]),
        (f"{HAS_A} and variant_label == 'y'", [A]),
        (f"'{A}a' in variant_properties", []),
        (f"'{ONLY}' in variant_properties", []),
        ("'gpu' in variant_namespaces and 'gpu :: arch' in variant_features", []),
        ("variant_label == 'x'", []),
        ("variant_properties in 'gpu'", []),
        (f"python_version > '3' or '{A}' == 'b'", []),
    ],
)
def test_what_depends_on_the_machine(marker: str, asked: list[str]) -> None:
    manifest = described(A, B, ONLY)
    assert depends_on_machine(f"lib; {marker}", manifest, "x") == asked
    assert depends_on_machine(f"lib; {marker}", manifest, "null") == []
