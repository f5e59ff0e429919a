"""Manifests of every schema version.

``core/conformance`` covers the validity and the providers of manifests.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.lib.manifests import SCHEMAS, make_manifest
from wheel_variants.manifest import InvalidManifest, Manifest, ProviderKind
from wheel_variants.manifest_parser import parse_manifest
from wheel_variants.properties import Property, SupportedFeature

CUDA = {"nvidia": {"cuda_version_lower_bound": ["12.8"]}}


def parse(**changes: Any) -> Manifest:
    """Parse a small valid manifest after changing or removing some root keys."""
    content: dict[str, Any] = {
        "default-priorities": {"namespace": ["nvidia"]},
        "variants": {"cu128": CUDA, "null": {}},
    }
    content |= {key.replace("_", "-"): value for key, value in changes.items()}
    return parse_manifest(json.dumps(content).encode())


@pytest.mark.parametrize("schema", SCHEMAS)
def test_each_generation_has_the_same_meaning(schema: str) -> None:
    content = make_manifest({"cu128": CUDA, "null": {}}, schema=schema)
    manifest = parse_manifest(json.dumps(content).encode())
    assert manifest.namespaces == ("nvidia",)
    assert list(manifest.variants) == ["cu128", "null"]
    expected = {Property("nvidia", "cuda_version_lower_bound", "12.8")}
    assert manifest.variants["cu128"].properties() == expected
    assert manifest.variants["null"].properties() == set()
    kind = manifest.provider("nvidia").kind
    if schema == "0.1.1":
        assert kind is ProviderKind.UNNAMED
    else:
        assert kind is ProviderKind.PLUGIN
        assert manifest.provider("nvidia").requires == (
            "nvidia-variant-provider>=0.0.1,<1.0.0",
        )


@pytest.mark.parametrize(
    ("schema", "kept"),
    [
        ({}, True),
        ({"$schema": "https://example.org/schema.json"}, True),
        ({"$schema": "https://example.org/v9.0.0/v0.2.0.json"}, False),
    ],
)
def test_orders_of_values_ended_with_0_1_1(schema: dict[str, Any], kept: bool) -> None:
    priorities = {"namespace": ["nvidia"], "property": {"nvidia": {"a": ["2", "1"]}}}
    manifest = parse(**schema, **{"default-priorities": priorities})
    assert manifest.value_order == ({"nvidia": {"a": ("2", "1")}} if kept else {})


@pytest.mark.parametrize(
    "provider",
    [
        {"requires": ["x"], "enable-if": "os_name == 'nt'"},
        {"requires": ["x"]},
        {"static-properties": {"torch": ["2.8"]}},
        {"static-properties": {}},
        {"builtin": "other"},
        {},
    ],
    ids=str,
)
def test_the_name_of_a_namespace_says_nothing_of_its_provider(
    provider: dict[str, Any],
) -> None:
    provider = {**provider, "optional": True}
    named, other = (
        parse(
            **{"default-priorities": {"namespace": [name]}},
            providers={name: provider},
            variants={"x": {name: {"torch": ["2.8"]}}},
        ).provider(name)
        for name in ("abi_dependency", "other")
    )
    assert bool(named.problem) == bool(other.problem)
    assert named._replace(namespace="", problem="") == other._replace(
        namespace="", problem=""
    )
    assert named.optional


@pytest.mark.parametrize(
    "provider",
    [{"plugin-use": "none", "requires": []}, {"install-time": False}],
    ids=str,
)
def test_drafts_had_a_name_for_what_is_built_in(provider: dict[str, Any]) -> None:
    found = parse(
        **{"default-priorities": {"namespace": ["abi_dependency"]}},
        providers={
            "abi_dependency": {
                **provider,
                "optional": True,
                "enable-if": "os_name == 'nt'",
            }
        },
        variants={"x": {"abi_dependency": {"torch": ["2.8"]}}},
    ).provider("abi_dependency")
    assert found.kind is ProviderKind.BUILTIN
    assert (found.builtin, found.optional) == ("abi_dependency", True)
    assert found.enable_if == "os_name == 'nt'"


def test_empty_lists_mean_nothing() -> None:
    manifest = parse(
        **{
            "default-priorities": {
                "namespace": ["nvidia", "blas"],
                "feature": {"nvidia": []},
                "property": {"nvidia": {"sm_arch": []}, "blas": {}},
            }
        },
        static_properties={"blas": {"library": ["mkl"], "kind": []}},
        providers={"blas": {"install-time": False}},
        variants={"cu128": {**CUDA, "blas": {}}, "null": {"nvidia": {}}},
    )
    assert manifest.variants["cu128"].features == {
        "nvidia": {"cuda_version_lower_bound": ("12.8",)}
    }
    assert manifest.variants["null"].features == {}
    assert manifest.provider("blas").static == (SupportedFeature("library", ("mkl",)),)


def test_drafts_used_abi_dependency_without_ranking_it() -> None:
    variants = {"torch28": {"abi_dependency": {"torch": ["2.8"]}, **CUDA}}
    manifest = parse(variants=variants)
    assert manifest.namespaces == ("nvidia", "abi_dependency")
    assert manifest.provider("abi_dependency").kind is ProviderKind.BUILTIN


def test_labels_have_a_greatest_number() -> None:
    most: dict[str, Any] = {f"{number:x}": CUDA for number in range(20_000)}
    assert len(parse(variants=most).variants) == 20_000
    with pytest.raises(InvalidManifest, match="lists more than 20000 variants"):
        parse(variants={**most, "more": {}})


def test_a_key_that_is_repeated_is_named() -> None:
    with pytest.raises(InvalidManifest, match="repeated key 'b'"):
        parse_manifest(b'{"a": 1, "b": 1, "c": {}, "b": 2}')


@pytest.mark.parametrize(
    "data",
    [
        b"[" * 200_000,
        b'{"a":' * 200_000,
        b'{"variants": ' + b"9" * 6_000 + b"}",
        b'{"variants": NaN}',
        rb'{"$schema": "\ud800", "variants": {}}',
        b" " * (2 << 20) + b"{}",
    ],
    ids=lambda data: data[:20].decode("latin-1"),
)
def test_not_a_manifest(data: bytes) -> None:
    with pytest.raises(InvalidManifest):
        parse_manifest(data)


def test_all_manifests_of_the_public_index() -> None:
    repository = Path(__file__).resolve().parents[2]
    folder = repository.parent / "shared" / "data" / "public-index"
    if not folder.is_dir():
        pytest.skip("the data of the public index is not there")
    files = sorted(folder.glob("*/*/*-variants.json"))
    assert len(files) == 192
    for file in files:
        manifest = parse_manifest(file.read_bytes())
        raw = json.loads(file.read_bytes())
        assert list(manifest.variants) == list(raw["variants"]), file
        for label, properties in raw["variants"].items():
            assert manifest.variants[label].features == {
                namespace: {name: tuple(values) for name, values in features.items()}
                for namespace, features in properties.items()
            }
        for namespace, described in raw["providers"].items():
            provider = manifest.provider(namespace)
            is_static = (
                described.get("plugin-use") in ("none", "build")
                or described.get("install-time") is False
            )
            kind = ProviderKind.STATIC if is_static else ProviderKind.PLUGIN
            assert provider.kind is kind, file
            assert bool(provider.static) == is_static, file
            assert provider.enable_if == described.get("enable-if"), file
