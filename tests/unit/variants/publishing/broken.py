"""What breaks each rule for publishers: metadata, wheels and releases, one fault each."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from typing import Any

from tests.lib.manifests import SCHEMAS, Provider, make_manifest

__all__ = ["DOCUMENTS", "good_document"]

Document = dict[str, Any]


def good_document(schema: str = "0.2.0") -> Document:
    """Return metadata that breaks no rule but, if it is a draft, that it is one."""
    document = make_manifest(
        {
            "null": {},
            "mkl": ["blas :: library :: mkl"],
            "v3": ["x86_64 :: level :: v3"],
        },
        schema=schema,
        namespaces=["x86_64", "blas"],
        providers={
            "blas": Provider(static={"library": ["mkl", "openblas"]}),
            "x86_64": Provider(["x86_64-variant-provider>=0.2.0,<1.0.0"]),
        },
    )
    if schema in ("0.0.2", "0.0.3"):
        document["providers"]["blas"].pop("requires")
    return document


def _changed(change: Callable[[Document], object], schema: str = "0.2.0") -> Document:
    document = copy.deepcopy(good_document(schema))
    change(document)
    return document


def _variant(
    label: str, properties: Mapping[str, Any], schema: str = "0.2.0"
) -> Document:
    return _changed(lambda d: d["variants"].update({label: properties}), schema)


def _provider(namespace: str, provider: Any) -> Document:
    return _changed(lambda d: d["providers"].update({namespace: provider}))


def _namespaces(*namespaces: Any) -> Document:
    priorities = {"namespace": list(namespaces)}
    return _changed(lambda d: d.update({"default-priorities": priorities}))


def _abi(feature: str, value: str) -> Document:
    return make_manifest(
        {"null": {}, "x": {"abi_dependency": {feature: [value]}}},
        namespaces=["abi_dependency"],
    )


_V3 = {"x86_64": {"level": ["v3"]}}
_PLUGIN = {"requires": ["blas-provider"]}

#: By what is wrong: the metadata, and the rules that it breaks.
DOCUMENTS: Mapping[str, tuple[Any, set[str]]] = {
    "nothing": (good_document(), set()),
    "no providers in the format": (good_document("0.1.1"), {"no-providers"}),
    "draft 0.0.2": (good_document("0.0.2"), {"draft-schema"}),
    "draft 0.0.3": (good_document("0.0.3"), {"draft-schema"}),
    "a list": ([], {"manifest-types"}),
    "no schema": (_changed(lambda d: d.pop("$schema")), {"manifest-schema"}),
    "unknown schema": (
        _changed(lambda d: d.update({"$schema": "https://example.org/v0.9.0.json"})),
        {"manifest-schema"},
    ),
    "future schema": (
        _changed(lambda d: d.update({"$schema": "https://example.org/v2.0.0.json"})),
        {"manifest-schema"},
    ),
    "providers in 0.1.1": (
        _changed(lambda d: d.update({"$schema": SCHEMAS["0.1.1"]})),
        {"manifest-keys", "no-providers"},
    ),
    "the shape of 0.2.0 in 0.0.3": (
        _changed(lambda d: d.update({"$schema": SCHEMAS["0.0.3"]})),
        {"draft-schema", "manifest-keys"},
    ),
    "another key": (_changed(lambda d: d.update(x=1)), {"manifest-keys"}),
    "no providers": (_changed(lambda d: d.pop("providers")), {"manifest-keys"}),
    "no variants key": (_changed(lambda d: d.pop("variants")), {"manifest-keys"}),
    "no variants": (_changed(lambda d: d.update(variants={})), {"manifest-types"}),
    "no priorities": (
        _changed(lambda d: d.pop("default-priorities")),
        {"manifest-keys"},
    ),
    "orders of features": (
        _changed(lambda d: d["default-priorities"].update(feature={})),
        {"manifest-keys"},
    ),
    "no namespaces": (_namespaces(), {"namespaces", "providers"} - {"providers"}),
    "repeated namespace": (_namespaces("x86_64", "blas", "blas"), {"namespaces"}),
    "namespace left out": (_namespaces("blas"), {"namespaces", "providers"}),
    "namespace without provider": (
        _namespaces("x86_64", "blas", "nvidia"),
        {"providers"},
    ),
    "invalid namespace": (
        _namespaces("x86_64", "blas", "X"),
        {"property", "providers"},
    ),
    "namespaces of numbers": (_namespaces(1), {"manifest-types"}),
    "invalid label": (_variant("CU128", {}), {"label", "other-null"}),
    "the folder as a label": (_variant(".", {}), {"label-path", "other-null"}),
    "the folder above as a label": (_variant("..", {}), {"label-path", "other-null"}),
    "long label in a draft": (
        _variant("a" * 17, _V3 | {"blas": {"library": ["mkl"]}}, "0.0.3"),
        {"draft-schema", "label"},
    ),
    "long label": (
        _variant("a" * 17, _V3 | {"blas": {"library": ["mkl"]}}),
        set(),
    ),
    "null with properties": (
        _variant("null", {"x86_64": {"level": ["v4"]}}),
        {"null-variant"},
    ),
    "nothing under another label": (_variant("00000000", {}), {"other-null"}),
    "the same twice": (_variant("v3_too", _V3), {"same-properties"}),
    "unsorted values": (
        _variant("v34", {"x86_64": {"level": ["v4", "v3"]}}),
        {"unsorted-values"},
    ),
    "no values": (_variant("x", {"x86_64": {"level": []}}), {"property"}),
    "no features": (_variant("x", {"x86_64": {}}), {"property"}),
    "a value twice": (
        _variant("x", {"x86_64": {"level": ["v4", "v4"]}}),
        {"property"},
    ),
    "invalid value": (
        _variant("x", {"x86_64": {"level": ["V4"]}}),
        {"property", "never-supported"},
    ),
    "invalid feature": (
        _variant("x", {"x86_64": {"le-vel": ["v4"]}}),
        {"property", "never-supported"},
    ),
    "a value in place of a list": (
        _variant("x", {"x86_64": {"level": "v4"}}),
        {"manifest-types"},
    ),
    "a variant of no type": (
        _changed(lambda d: d["variants"].update(x=[])),
        {"manifest-types"},
    ),
    "a number": (_variant("x", {"x86_64": {"level": [4]}}), {"manifest-types"}),
    "unknown level": (
        _variant("x", {"x86_64": {"level": ["v9"]}}),
        {"never-supported"},
    ),
    "unknown feature": (
        _variant("x", {"x86_64": {"cache": ["on"]}}),
        {"never-supported"},
    ),
    "not in the static list": (
        _variant("x", {"blas": {"library": ["blis"]}}),
        {"never-supported"},
    ),
    "a provider too many": (_provider("npu", _PLUGIN), {"providers"}),
    "a provider of no type": (_provider("blas", []), {"manifest-types"}),
    "no kind": (_provider("blas", {}), {"provider-kind"}),
    "two kinds": (
        _provider("blas", {**_PLUGIN, "static-properties": {"library": ["mkl"]}}),
        {"provider-kind"},
    ),
    "keys of drafts": (
        _provider("blas", {**_PLUGIN, "enable-if": "True", "build-requires": []}),
        {"manifest-keys"},
    ),
    "optional": (_provider("blas", {**_PLUGIN, "optional": 1}), {"manifest-types"}),
    "requires nothing": (_provider("blas", {"requires": []}), {"provider-requires"}),
    "requires nonsense": (
        _provider("blas", {"requires": ["a b"]}),
        {"provider-requires"},
    ),
    "requires no list": (_provider("blas", {"requires": "a"}), {"manifest-types"}),
    "requires by variant": (
        _provider("blas", {"requires": ["a; variant_label == 'x'"]}),
        {"provider-requires"},
    ),
    "requires an address": (
        _provider("blas", {"requires": ["a @ https://example.org/a.whl"]}),
        {"provider-url"},
    ),
    "requires the impossible": (
        _provider("blas", {"requires": ["a>2,<1"]}),
        {"provider-installable"},
    ),
    "no entry point": (
        _provider("blas", {**_PLUGIN, "plugin-api": "a-b:c"}),
        {"provider-api"},
    ),
    "an entry point of nothing": (
        _provider(
            "blas", {"static-properties": {"library": ["mkl"]}, "plugin-api": "a"}
        ),
        {"provider-api"},
    ),
    "an empty list": (
        _provider("blas", {"static-properties": {}}),
        {"provider-static", "never-supported"},
    ),
    "no order": (
        _provider("blas", {"static-properties": {"library": ["mkl"], "kind": ["a"]}}),
        {"provider-static"},
    ),
    "the wrong order": (
        _provider(
            "blas",
            {"static-properties": {"library": ["mkl"]}, "feature-order": ["kind"]},
        ),
        {"provider-static"},
    ),
    "a static list of no type": (
        _provider("blas", {"static-properties": ["library"]}),
        {"manifest-types"},
    ),
    "a static list of values alone": (
        _provider("blas", {"static-properties": {"library": "mkl"}}),
        {"manifest-types", "never-supported"},
    ),
    "a static list of what is no feature": (
        _provider("blas", {"static-properties": {"Library": ["mkl"]}}),
        {"property", "never-supported"},
    ),
    "more than installers read": (
        _provider("blas", {"requires": [f"a{n}" for n in range(17)]}),
        {"manifest-types"},
    ),
    "an unknown builtin": (
        _provider("blas", {"builtin": "mind"}),
        {"provider-builtin"},
    ),
    "uv: too new": (
        _provider("x86_64", {"requires": ["x86_64-variant-provider>=0.3"]}),
        {"provider-in-uv"},
    ),
    "uv: another package": (
        _provider("x86_64", {"requires": ["provider-variant-x86-64"]}),
        {"provider-in-uv"},
    ),
    "uv: another entry point": (
        _provider(
            "x86_64", {"requires": ["x86_64-variant-provider"], "plugin-api": "a"}
        ),
        {"provider-in-uv"},
    ),
    "uv: nonsense": (
        _provider("x86_64", {"requires": ["a b"]}),
        {"provider-requires"},
    ),
    "uv: a marker": (
        _provider("x86_64", {"requires": ["x86_64-variant-provider; os_name=='nt'"]}),
        {"provider-in-uv"},
    ),
    "uv: two packages": (
        _provider("x86_64", {"requires": ["x86_64-variant-provider", "a"]}),
        {"provider-in-uv"},
    ),
    "a good ABI dependency": (_abi("torch", "2.8"), set()),
    "an ABI dependency told by its namespace": (
        {**_abi("torch", "2.8"), "providers": {"abi_dependency": {}}},
        {"provider-kind"},
    ),
    "an ABI dependency by another name": (
        _abi("flash__attn", "2.8"),
        {"abi-dependency"},
    ),
    "an ABI dependency on too much": (_abi("torch", "2.8.0.1"), {"abi-dependency"}),
    "an ABI dependency with zeros": (_abi("torch", "02.8"), {"abi-dependency"}),
}
