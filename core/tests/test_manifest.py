"""Manifests of every schema generation, valid and not."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.lib.manifests import SCHEMAS, Provider, make_manifest
from wheel_variants.manifest import InvalidManifest, Manifest, ProviderKind
from wheel_variants.manifest_parser import parse_manifest
from wheel_variants.properties import Property, SupportedFeature

CUDA = {"nvidia": {"cuda_version_lower_bound": ["12.8"]}}


def parse(**changes: Any) -> Manifest:
    """Parse a small valid manifest with some of its root keys changed or left out."""
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


@pytest.mark.parametrize("schema", ["0.0.2", "0.0.3", "0.2.0"])
def test_static_list(schema: str) -> None:
    content = make_manifest(
        {"mkl": {"blas_lapack": {"provider": ["mkl"]}}},
        schema=schema,
        providers={"blas_lapack": Provider(static={"provider": ["openblas", "mkl"]})},
    )
    provider = parse_manifest(json.dumps(content).encode()).provider("blas_lapack")
    assert provider.kind is ProviderKind.STATIC
    assert provider.static == (SupportedFeature("provider", ("openblas", "mkl")),)


def test_feature_order_of_a_static_list() -> None:
    providers = {
        "nvidia": {
            "static-properties": {"a": ["1"], "b": ["2"]},
            "feature-order": ["b", "a"],
        }
    }
    features = parse(providers=providers).provider("nvidia").static
    assert [feature.name for feature in features] == ["b", "a"]


@pytest.mark.parametrize("order", [None, [], ["a"], ["a", "a"], ["a", "b", "c"], "ab"])
def test_feature_order_must_name_each_feature_once(order: object) -> None:
    provider = {"static-properties": {"a": ["1"], "b": ["2"]}, "feature-order": order}
    with pytest.raises(InvalidManifest, match="feature-order"):
        parse(providers={"nvidia": provider})


@pytest.mark.parametrize(
    ("schema", "kept"),
    [
        ("https://example.org/schema.json", True),
        ("https://example.org/v0.0.2.json", True),
        ("https://example.org/v0.1.0.json", True),
        ("https://example.org/v0.1.1.json", False),
        ("https://example.org/v9.0.0/v0.2.0.json", False),
    ],
)
def test_orders_of_values_ended_with_0_1_1(schema: object, kept: bool) -> None:
    priorities = {"namespace": ["nvidia"], "property": {"nvidia": {"a": ["2", "1"]}}}
    manifest = parse(**{"$schema": schema, "default-priorities": priorities})
    assert manifest.value_order == ({"nvidia": {"a": ("2", "1")}} if kept else {})


def test_orders_of_values_without_a_schema() -> None:
    priorities = {"namespace": ["nvidia"], "property": {"nvidia": {"a": ["2", "1"]}}}
    manifest = parse(**{"default-priorities": priorities})
    assert manifest.value_order == {"nvidia": {"a": ("2", "1")}}


@pytest.mark.parametrize("version", ["1.0.0", "2.0.0", "0.3.0", "0.9.1", "1.0"])
def test_unsupported_schema(version: str) -> None:
    with pytest.raises(InvalidManifest, match=f"schema is not supported.*v{version}"):
        parse(**{"$schema": f"https://example.org/v{version}.json"})


def test_label_null_need_not_be_listed() -> None:
    manifest = parse(variants={"cu128": CUDA})
    null = manifest.variant("null")
    assert null is not None
    assert null.properties() == set()
    assert manifest.variant("cu129") is None


def test_a_label_without_properties() -> None:
    assert parse(variants={"00000000": {}}).variants["00000000"].properties() == set()


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


def test_blanks_around_the_colon_of_an_entry_point() -> None:
    provider = {"requires": ["a"], "plugin-api": "a.b : C.d"}
    assert (
        parse(providers={"nvidia": provider}).provider("nvidia").plugin_api == "a.b:C.d"
    )


def test_drafts_used_abi_dependency_without_ranking_it() -> None:
    variants = {"torch28": {"abi_dependency": {"torch": ["2.8"]}, **CUDA}}
    manifest = parse(variants=variants)
    assert manifest.namespaces == ("nvidia", "abi_dependency")
    assert manifest.provider("abi_dependency").kind is ProviderKind.BUILTIN


def test_labels_have_a_greatest_number() -> None:
    most: dict[str, Any] = {f"{number:x}": CUDA for number in range(20_000)}
    assert len(parse(variants=most).variants) == 20_000
    with pytest.raises(InvalidManifest, match=r"^it lists more than 20000 variants$"):
        parse(variants={**most, "more": {}})


def test_a_key_that_is_repeated_is_named() -> None:
    with pytest.raises(InvalidManifest, match="a key is repeated: 'b'"):
        parse_manifest(b'{"a": 1, "b": 1, "c": {}, "b": 2}')


def test_a_static_provider_of_a_draft_that_lists_nothing() -> None:
    provider = parse(providers={"nvidia": {"install-time": False}}).provider("nvidia")
    assert provider.kind is ProviderKind.STATIC
    assert not provider.static


def test_unknown_keys_are_ignored() -> None:
    manifest = parse(providers={"nvidia": {"requires": ["a"], "new": 1}}, more=[1, 2.5])
    assert manifest.provider("nvidia").requires == ("a",)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"null",
        b"[]",
        b"{}",
        b"<html>Not found</html>",
        b'{"default-priorities": {"namespace": ["nvidia"]}, "variants": {',
        b"[" * 200_000,
        b'{"a":' * 200_000,
        b'{"variants": ' + b"9" * 6_000 + b"}",
        b'{"variants": NaN}',
        b"\xff\xfe{\x00}\x00",
        b"\xef\xbb\xbf{}",
        b" " * (2 << 20) + b"{}",
        b'{"variants": {"a": {}, "a": {}}, "default-priorities": {"namespace": ["a"]}}',
    ],
    ids=lambda data: data[:20].decode("latin-1"),
)
def test_not_a_manifest(data: bytes) -> None:
    with pytest.raises(InvalidManifest):
        parse_manifest(data)


def _variants(value: object) -> dict[str, object]:
    return {"variants": {"cu128": value}}


@pytest.mark.parametrize(
    "changes",
    [
        {
            "default_priorities": {
                "namespace": ["nvidia", *(f"n{n}" for n in range(64))]
            }
        },
        {"providers": {"nvidia": {"requires": [f"a{n}" for n in range(17)]}}},
        {"variants": None},
        {"variants": []},
        {"variants": {}},
        {"variants": {"CU128": CUDA}},
        {"variants": {"cu128\n": CUDA}},
        {"variants": {"null": CUDA}},
        {"variants": {"cu-128": {}}},
        _variants(None),
        _variants("nvidia"),
        _variants({"nvidia": ["12.8"]}),
        _variants({"nvidia": {"level": "v3"}}),
        _variants({"nvidia": {"level": []}}),
        _variants({"nvidia": {"level": [3]}}),
        _variants({"nvidia": {"level": [True]}}),
        _variants({"nvidia": {"level": ["v3\n"]}}),
        _variants({"nvidia": {"level": ["V3"]}}),
        _variants({"nvidia": {"Level": ["v3"]}}),
        _variants({"nvidia": {"level": ["\ud800"]}}),
        _variants({"nvi dia": {"level": ["v3"]}}),
        _variants({"amd": {"level": ["v3"]}}),
        {"default_priorities": None},
        {"default_priorities": []},
        {"default_priorities": {}},
        {"default_priorities": {"namespace": []}},
        {"default_priorities": {"namespace": "nvidia"}},
        {"default_priorities": {"namespace": ["nvidia", "nvidia"]}},
        {"default_priorities": {"namespace": ["nvidia"], "property": {"nvidia": []}}},
        {"default_priorities": {"namespace": ["nvidia"], "feature": {"nvidia": "a"}}},
        {"providers": []},
        {"providers": {"nvidia": None}},
        {"providers": {"nvidia": {"requires": "nvidia-variant-provider"}}},
        {"providers": {"nvidia": {"requires": [1]}}},
        {"providers": {"nvidia": {"optional": "yes"}}},
        {"providers": {"nvidia": {"install-time": 1}}},
        {"providers": {"nvidia": {"enable-if": ["x"]}}},
        {"providers": {"nvidia": {"enable-if": "x\x1b[2J"}}},
        {"providers": {"nvidia": {"requires": ["a\nb"]}}},
        {"static_properties": ["a"]},
    ],
    ids=str,
)
def test_invalid_content(changes: Mapping[str, Any]) -> None:
    with pytest.raises(InvalidManifest):
        parse(**changes)


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
