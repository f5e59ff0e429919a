"""Each schema generation is written with its own keys."""

from __future__ import annotations

import pytest

from tests.lib.hosts import HOSTS, nvidia_features, x86_64_features
from tests.lib.manifests import (
    PREVIEW_TORCH,
    SCHEMAS,
    Properties,
    Provider,
    cuda,
    make_manifest,
    nest,
    variant_json,
)

_VARIANTS: dict[str, Properties] = {
    "a": ["nvidia :: sm_arch :: 90_real", "priority :: order :: 1"],
    "b": ["priority::order::2"],
    "null": {},
}


def test_properties_are_nested() -> None:
    lines = ["x :: f :: 1", "x::f::2", "y :: g :: on"]
    assert nest(lines) == {"x": {"f": ["1", "2"]}, "y": {"g": ["on"]}}
    assert cuda("12.8", ["75", "120_virtual"]) == {
        "nvidia": {
            "cuda_version_lower_bound": ["12.8"],
            "sm_arch": ["75_real", "120_virtual"],
        }
    }


@pytest.mark.parametrize("schema", SCHEMAS)
def test_every_generation_ranks_the_namespaces(schema: str) -> None:
    manifest = make_manifest(_VARIANTS, schema=schema)
    assert manifest["$schema"].endswith(f"v{schema}.json")
    assert manifest["default-priorities"]["namespace"] == ["nvidia", "priority"]
    assert manifest["variants"]["b"] == {"priority": {"order": ["2"]}}
    assert manifest["variants"]["null"] == {}


def test_static_list_stands_where_the_generation_wants_it() -> None:
    order = {"order": ["1", "2", "3"]}
    oldest = make_manifest(_VARIANTS, schema="0.0.2")
    assert oldest["default-priorities"]["property"] == {"priority": order}
    assert oldest["providers"]["priority"] == {"plugin-use": "none", "requires": []}
    middle = make_manifest(_VARIANTS, schema="0.0.3")
    assert middle["static-properties"] == {"priority": order}
    assert middle["providers"]["priority"] == {"install-time": False, "requires": []}
    assert middle["providers"]["nvidia"]["install-time"] is True
    bare = make_manifest(_VARIANTS, schema="0.1.1")
    assert bare.keys() == {"$schema", "default-priorities", "variants"}
    newest = make_manifest(_VARIANTS, schema="0.2.0")
    assert newest["providers"]["priority"] == {"static-properties": order}


def test_newest_generation_orders_several_static_features() -> None:
    provider = Provider(static={"b": ["1"], "a": ["2"]}, optional=True)
    manifest = make_manifest({"x": ["n :: a :: 2"]}, providers={"n": provider})
    assert manifest["providers"]["n"] == {
        "optional": True,
        "static-properties": {"b": ["1"], "a": ["2"]},
        "feature-order": ["b", "a"],
    }


def test_wheel_carries_its_own_label_only() -> None:
    inside = variant_json(PREVIEW_TORCH, "cu128")
    assert list(inside["variants"]) == ["cu128"]
    assert inside["providers"] == PREVIEW_TORCH["providers"]


def test_nvidia_values_of_a_driver() -> None:
    lower, upper, arch = nvidia_features("12.8", "8.6")
    assert lower["values"][:2] == ["12.8", "12.7"]
    assert lower["values"][8:12] == ["12.0", "12", "11.20", "11.19"]
    assert lower["values"][-2:] == ["11.0", "11"]
    assert upper["values"][0] == "15.20"
    assert upper["values"][20:23] == ["15.0", "15", "14.20"]
    assert upper["values"][-2:] == ["12.10", "12.9"]
    assert "12" not in upper["values"]
    assert arch["values"] == [
        *("86_real", "85_real", "84_real", "83_real", "82_real", "81_real", "80_real"),
        "80_virtual",
    ]


def test_hosts() -> None:
    assert x86_64_features("v3") == [{"feature": "level", "values": ["v3", "v2", "v1"]}]
    assert len(HOSTS) == 16
    assert HOSTS["none"]["supported"] == {}
    assert set(HOSTS["cuda12.6-sm7.5"]["supported"]) == {"nvidia", "x86_64"}
