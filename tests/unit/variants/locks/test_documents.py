"""Manifests as lock files hold them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from pip._vendor.wheel_variants.manifest import InvalidManifest
from pip._vendor.wheel_variants.manifest_parser import parse_manifest

from pip._internal.variants.locks.documents import inlined, read_inlined
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
    provider |= {"more": None, "number": 1, "\x1b": "text", "text": "\x00"}
    document["unknown"] = 2.5
    manifest = parse_manifest(json.dumps(document).encode())
    assert inlined(manifest, VARIANTS) == expected


def test_nothing_that_counts_is_left_out() -> None:
    document = make_manifest(VARIANTS)
    document["variants"]["cu126"]["nvidia"]["sm_arch"] = ["90_real", 80]
    with pytest.raises(InvalidManifest, match="sm_arch is a number, not a string"):
        read_inlined(document)
