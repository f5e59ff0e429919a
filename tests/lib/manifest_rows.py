"""The rules of manifests, a row for each way to break or to keep one.

A row is a small manifest of some schema, what installers make of it, and what
``wheel-variants check`` says.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tests.lib.manifests import Provider, make_manifest

__all__ = ["GONE", "ROWS", "Row", "good_document"]

SCHEMA = "https://variants-schema.wheelnext.dev/"
#: In place of a value: there is none.
GONE = object()

_DRAFTS = {
    "0.0.2": "It is of version 0.0.2, a draft that was replaced",
    "0.0.3": "It is of version 0.0.3, a draft that was replaced",
    "0.1.0": "It is of version 0.1.0, a draft that was replaced",
}

# The names of what installers do (``pip._vendor.wheel_variants.rules.Effect``).
REFUSED, UNSUPPORTED, DROPPED, NONE = "REFUSED", "UNSUPPORTED", "DROPPED", "NONE"


def good_document(schema: str = "0.2.0") -> dict[str, Any]:
    """Return a manifest that breaks no rule, but for being a draft in old schemas."""
    with_providers = not schema.startswith("0.1.")
    document = make_manifest(
        {
            "null": {},
            "cu128": ["nvidia :: cuda_version_lower_bound :: 12.8"],
            **({"mkl": ["blas :: library :: mkl"]} if with_providers else {}),
        },
        schema=schema if schema != "0.1.0" else "0.1.1",
        namespaces=["nvidia", "blas"] if with_providers else ["nvidia"],
        providers={"blas": Provider(static={"library": ["mkl", "openblas"]})},
    )
    if schema == "0.1.0":
        document["$schema"] = f"{SCHEMA}peps/825/v0.1.0.json"
    return document


@dataclass(frozen=True, slots=True)
class Row:
    """A manifest, and the verdicts on it.

    :ivar schema: of the good manifest that is changed.
    :ivar changes: values by path; ``/`` lies between the keys of a path.
    :ivar effect: what installers make of it.
    :ivar said: what ``check`` says by rule, beside that it is a draft or names no
        providers.
    """

    schema: str
    changes: Mapping[str, Any]
    effect: str = NONE
    said: Mapping[str, str] = field(default_factory=dict)

    @property
    def document(self) -> Any:
        """Return the manifest."""
        document: Any = good_document(self.schema)
        for path, value in self.changes.items():
            if not path:
                return value
            *parents, last = path.split("/")
            place = document
            for key in parents:
                place = place.setdefault(key, {})
            if value is GONE:
                del place[last]
            else:
                place[last] = copy.deepcopy(value)
        return document

    @property
    def findings(self) -> dict[str, str]:
        """Return all that ``check`` says, by rule."""
        usual = {}
        if self.schema.startswith("0.1.") and self.effect != REFUSED:
            usual["no-providers"] = (
                f"Version {self.schema} does not tell who provides nvidia: uv supports "
                "none of that"
            )
        if "$schema" not in self.changes and self.schema in _DRAFTS:
            usual["draft-schema"] = _DRAFTS[self.schema]
        return {**usual, **self.said}


_CUDA = {"nvidia": {"cuda_version_lower_bound": ["12.6"]}}


def _provider(provider: Any, schema: str = "0.2.0") -> tuple[str, dict[str, Any]]:
    return schema, {"providers/blas": provider}


def _variant(properties: Any, schema: str = "0.2.0") -> tuple[str, dict[str, Any]]:
    return schema, {"variants/x": properties}


def _abi(feature: str, value: str) -> tuple[str, dict[str, Any]]:
    return "0.2.0", {
        "default-priorities/namespace": ["abi"],
        "providers": {"abi": {"builtin": "abi_dependency"}},
        "variants": {
            "null": {},
            "good": {"abi": {"numpy": ["2.8"]}},
            "x": {"abi": {feature: [value]}},
        },
    }


def _nested(depth: int) -> list[Any]:
    return [_nested(depth - 1)] if depth else []


_PLUGIN = {"requires": ["nvidia-variant-provider>=0.0.1,<1.0.0"]}
_API = "nvidia_variant_provider.plugin:NvidiaVariantPlugin"
_STATIC = {"static-properties": {"library": ["mkl"]}}
_ABI_PROPERTIES = {"abi_dependency": {"torch": ["2.8"]}}

ROWS: Mapping[str, Row] = {
    # Of each schema, what is right.
    "good 0.0.2": Row("0.0.2", {}),
    "good 0.0.3": Row("0.0.3", {}),
    "good 0.1.0": Row("0.1.0", {}),
    "good 0.1.1": Row("0.1.1", {}),
    "good 0.2.0": Row("0.2.0", {}),
    # The document and its keys.
    "a list": Row(
        "0.2.0", {"": []}, REFUSED, {"manifest-types": "It is a list, not an object"}
    ),
    "null in place of it": Row(
        "0.2.0", {"": None}, REFUSED, {"manifest-types": "It is null, not an object"}
    ),
    "too deep": Row(
        "0.2.0",
        {"x": _nested(40)},
        REFUSED,
        {"manifest-limits": "It is nested too deeply"},
    ),
    "no default-priorities": Row(
        "0.2.0",
        {"default-priorities": GONE},
        REFUSED,
        {"missing-keys": "The key 'default-priorities' is missing"},
    ),
    "default-priorities of no type": Row(
        "0.2.0",
        {"default-priorities": []},
        REFUSED,
        {"manifest-types": "'default-priorities' is a list, not an object"},
    ),
    "no variants key": Row(
        "0.2.0",
        {"variants": GONE},
        REFUSED,
        {"missing-keys": "The key 'variants' is missing"},
    ),
    "variants of no type": Row(
        "0.2.0",
        {"variants": []},
        REFUSED,
        {"manifest-types": "'variants' is a list, not an object"},
    ),
    "no variants": Row(
        "0.2.0", {"variants": {}}, REFUSED, {"manifest-types": "It lists no variants"}
    ),
    "no providers": Row(
        "0.2.0",
        {"providers": GONE, "variants/mkl": GONE},
        NONE,
        {"providers": "The key 'providers' is missing"},
    ),
    "providers of no type": Row(
        "0.2.0",
        {"providers": []},
        REFUSED,
        {"manifest-types": "'providers' is a list, not an object"},
    ),
    "a provider of no type": Row(
        *_provider([]),
        REFUSED,
        {"manifest-types": "The provider of 'blas' is a list, not an object"},
    ),
    "a key that nobody knows": Row(
        "0.2.0",
        {"x": 1},
        NONE,
        {"manifest-keys": "The key 'x' is not one of version 0.2.0"},
    ),
    "a key of another schema": Row(
        "0.2.0",
        {"static-properties": 1},
        NONE,
        {"manifest-keys": "The key 'static-properties' is not one of version 0.2.0"},
    ),
    "a key of priorities that nobody knows": Row(
        "0.2.0",
        {"default-priorities/x": 1},
        NONE,
        {
            "manifest-keys": "'default-priorities' has the key 'x', which means nothing there"
        },
    ),
    "a key of a provider that nobody knows": Row(
        *_provider({**_STATIC, "x": 1}),
        NONE,
        {
            "manifest-keys": "The provider of 'blas' has the key 'x', which means nothing there"
        },
    ),
    "providers in 0.1.1": Row(
        "0.1.1",
        {"providers": {"nvidia": _PLUGIN}},
        NONE,
        {"manifest-keys": "The key 'providers' is not one of version 0.1.1"},
    ),
    "more variants than installers read": Row(
        "0.2.0",
        {"variants": {f"{n:x}": {} for n in range(20_001)}},
        REFUSED,
        {"manifest-limits": "It lists more than 20000 variants"},
    ),
    # $schema.
    "no schema": Row(
        "0.2.0", {"$schema": GONE}, NONE, {"schema-version": "'$schema' is missing"}
    ),
    "no schema, no providers": Row(
        "0.1.1", {"$schema": GONE}, NONE, {"schema-version": "'$schema' is missing"}
    ),
    "a number for a schema": Row(
        "0.2.0",
        {"$schema": 1},
        REFUSED,
        {"manifest-types": "'$schema' is a number, not a string"},
    ),
    "null for a schema": Row(
        "0.2.0",
        {"$schema": None},
        REFUSED,
        {"manifest-types": "'$schema' is null, not a string"},
    ),
    "a schema without version": Row(
        "0.2.0",
        {"$schema": SCHEMA},
        NONE,
        {
            "schema-version": "'$schema' names no version that exists: 'https://variants-schema.wheelnext.dev/'"
        },
    ),
    "a patch that nobody knows": Row(
        "0.2.0",
        {"$schema": f"{SCHEMA}v0.2.7.json"},
        NONE,
        {
            "schema-version": "'$schema' names no version that exists: 'https://variants-schema.wheelnext.dev/v0.2.7.json'"
        },
    ),
    "a newer minor version": Row(
        "0.2.0",
        {"$schema": f"{SCHEMA}v0.3.0.json"},
        REFUSED,
        {
            "manifest-schema": "Its schema is not supported: 'https://variants-schema.wheelnext.dev/v0.3.0.json'"
        },
    ),
    "a newer major version": Row(
        "0.2.0",
        {"$schema": f"{SCHEMA}v2.0.0.json"},
        REFUSED,
        {
            "manifest-schema": "Its schema is not supported: 'https://variants-schema.wheelnext.dev/v2.0.0.json'"
        },
    ),
    "another path of 0.2.0": Row("0.2.0", {"$schema": f"{SCHEMA}v0.2.0.json"}),
    "0.2.0 that says 0.0.3, as variantlib 0.2.0 writes": Row(
        "0.2.0",
        {"$schema": f"{SCHEMA}v0.0.3.json"},
        NONE,
        {
            "draft-schema": "It is of version 0.0.3, a draft that was replaced",
            "manifest-keys": "The provider of 'blas' has the key 'static-properties', which means nothing there",
        },
    ),
    # The order of namespaces.
    "no order": Row(
        "0.2.0",
        {"default-priorities": {}},
        REFUSED,
        {"namespaces": "'default-priorities.namespace' is missing"},
    ),
    "an empty order": Row(
        "0.2.0",
        {"default-priorities/namespace": []},
        REFUSED,
        {"namespaces": "'default-priorities.namespace' is empty"},
    ),
    "an empty order in 0.0.2": Row(
        "0.0.2",
        {"default-priorities/namespace": []},
        REFUSED,
        {"namespaces": "'default-priorities.namespace' is empty"},
    ),
    "an order of no type": Row(
        "0.2.0",
        {"default-priorities/namespace": "nvidia"},
        REFUSED,
        {"manifest-types": "'default-priorities.namespace' is a string, not a list"},
    ),
    "an order of numbers": Row(
        "0.2.0",
        {"default-priorities/namespace": [1]},
        REFUSED,
        {
            "manifest-types": "An item of 'default-priorities.namespace' is a number, not a string"
        },
    ),
    "a namespace twice": Row(
        "0.2.0",
        {"default-priorities/namespace": ["nvidia", "blas", "blas"]},
        REFUSED,
        {
            "namespaces": "An item of 'default-priorities.namespace' is repeated: ['nvidia', 'blas', 'blas']"
        },
    ),
    "an invalid namespace": Row(
        "0.2.0",
        {"default-priorities/namespace": ["nvidia", "blas", "X"]},
        REFUSED,
        {"property": "Invalid namespace 'X' in 'default-priorities.namespace'"},
    ),
    "a namespace left out": Row(
        "0.2.0",
        {"default-priorities/namespace": ["nvidia"], "providers/blas": GONE},
        REFUSED,
        {
            "namespaces": "The variant 'mkl' uses the namespace 'blas', which 'default-priorities.namespace' lacks"
        },
    ),
    "more namespaces than installers read": Row(
        "0.1.1",
        {"default-priorities/namespace": ["nvidia", *map(str, range(64))]},
        REFUSED,
        {"manifest-limits": "It ranks more than 64 namespaces"},
    ),
    "a namespace that nothing uses": Row(
        "0.1.1", {"default-priorities/namespace": ["nvidia", "x"]}
    ),
    "a namespace without provider": Row(
        "0.2.0",
        {"default-priorities/namespace": ["nvidia", "blas", "amd"]},
        NONE,
        {"providers": "The namespace 'amd' has no provider"},
    ),
    "a provider too many": Row(
        "0.2.0",
        {"providers/npu": _PLUGIN},
        NONE,
        {
            "providers": "There is a provider of 'npu', which is not in 'default-priorities.namespace'"
        },
    ),
    "a provider of an invalid namespace": Row(
        "0.2.0",
        {"providers/X": _PLUGIN},
        REFUSED,
        {"property": "Invalid namespace 'X' in 'providers'"},
    ),
    "abi_dependency that is not ranked in 0.0.2": Row(
        "0.0.2", {"variants/x": _ABI_PROPERTIES}
    ),
    "abi_dependency that is not ranked in 0.0.3": Row(
        "0.0.3", {"variants/x": _ABI_PROPERTIES}
    ),
    "abi_dependency that is not ranked in 0.1.1": Row(
        "0.1.1",
        {"variants/x": _ABI_PROPERTIES},
        REFUSED,
        {
            "namespaces": "The variant 'x' uses the namespace 'abi_dependency', which 'default-priorities.namespace' lacks"
        },
    ),
    "abi_dependency that is not ranked in 0.2.0": Row(
        "0.2.0",
        {"variants/x": _ABI_PROPERTIES},
        REFUSED,
        {
            "namespaces": "The variant 'x' uses the namespace 'abi_dependency', which 'default-priorities.namespace' lacks"
        },
    ),
    # Orders of features and values, which ended with 0.1.1.
    "empty orders in 0.0.2": Row(
        "0.0.2",
        {
            "default-priorities/feature/nvidia": [],
            "default-priorities/property/nvidia": {"sm_arch": []},
            "default-priorities/property/x": {},
        },
    ),
    "empty orders in 0.0.3": Row(
        "0.0.3",
        {
            "default-priorities/feature/nvidia": [],
            "default-priorities/property/nvidia": {"sm_arch": []},
            "default-priorities/property/x": {},
        },
    ),
    "empty orders in 0.1.0": Row(
        "0.1.0",
        {
            "default-priorities/feature/nvidia": [],
            "default-priorities/property/nvidia": {"sm_arch": []},
            "default-priorities/property/x": {},
        },
    ),
    "empty tables of orders in 0.1.0": Row(
        "0.1.0", {"default-priorities/feature": {}, "default-priorities/property": {}}
    ),
    "an order of features in 0.1.1": Row(
        "0.1.1",
        {"default-priorities/feature": 1},
        NONE,
        {
            "manifest-keys": "'default-priorities' has the key 'feature', which means nothing there"
        },
    ),
    "an order of values in 0.1.1": Row(
        "0.1.1",
        {"default-priorities/property": 1},
        NONE,
        {
            "manifest-keys": "'default-priorities' has the key 'property', which means nothing there"
        },
    ),
    "an order of features in 0.2.0": Row(
        "0.2.0",
        {"default-priorities/feature": {}},
        NONE,
        {
            "manifest-keys": "'default-priorities' has the key 'feature', which means nothing there"
        },
    ),
    "an order of features of no type": Row(
        "0.0.3",
        {"default-priorities/feature/nvidia": "sm_arch"},
        REFUSED,
        {
            "manifest-types": "'default-priorities.feature.nvidia' is a string, not a list"
        },
    ),
    "an order of values of no type": Row(
        "0.0.3",
        {"default-priorities/property/nvidia": []},
        REFUSED,
        {
            "manifest-types": "'default-priorities.property.nvidia' is a list, not an object"
        },
    ),
    "an order of an invalid namespace": Row(
        "0.0.3",
        {"default-priorities/feature/X": []},
        REFUSED,
        {"property": "Invalid namespace 'X' in 'default-priorities.feature'"},
    ),
    "an order of an invalid feature": Row(
        "0.0.3",
        {"default-priorities/feature/nvidia": ["X"]},
        REFUSED,
        {"property": "Invalid feature 'X' in 'default-priorities.feature.nvidia'"},
    ),
    "an order of an invalid value": Row(
        "0.1.0",
        {"default-priorities/property/nvidia": {"sm_arch": ["X"]}},
        REFUSED,
        {
            "property": "Invalid value 'X' in 'default-priorities.property.nvidia' :: sm_arch"
        },
    ),
    "an order that repeats a value": Row(
        "0.1.0",
        {"default-priorities/property/nvidia": {"sm_arch": ["1", "1"]}},
        NONE,
        {
            "repeated-values": "An item of 'default-priorities.property.nvidia' :: sm_arch is repeated: ['1', '1']"
        },
    ),
    # Labels and properties.
    "an invalid label": Row(
        "0.2.0", {"variants/CU128": _CUDA}, REFUSED, {"label": "Invalid label 'CU128'"}
    ),
    "an empty label": Row(
        "0.2.0",
        {"variants": {"": _CUDA, "mkl": {"blas": {"library": ["mkl"]}}}},
        REFUSED,
        {"label": "Invalid label ''"},
    ),
    "the folder as a label": Row(
        "0.2.0",
        {"variants/.": _CUDA},
        NONE,
        {"label-path": "The label '.' cannot be the name of a file or folder"},
    ),
    "the folder above as a label": Row(
        "0.2.0",
        {"variants/..": _CUDA},
        NONE,
        {"label-path": "The label '..' cannot be the name of a file or folder"},
    ),
    "a long label in 0.0.2": Row(
        "0.0.2",
        {"variants/aaaaaaaaaaaaaaaaa": _CUDA},
        NONE,
        {
            "label-length": "The label 'aaaaaaaaaaaaaaaaa' has more than 16 characters, the most that version 0.0.2 allows"
        },
    ),
    "a long label in 0.0.3": Row(
        "0.0.3",
        {"variants/aaaaaaaaaaaaaaaaa": _CUDA},
        NONE,
        {
            "label-length": "The label 'aaaaaaaaaaaaaaaaa' has more than 16 characters, the most that version 0.0.3 allows"
        },
    ),
    "a long label in 0.1.0": Row(
        "0.1.0",
        {"variants/aaaaaaaaaaaaaaaaa": _CUDA},
        NONE,
        {
            "label-length": "The label 'aaaaaaaaaaaaaaaaa' has more than 16 characters, the most that version 0.1.0 allows"
        },
    ),
    "a long label in 0.1.1": Row("0.1.1", {"variants/aaaaaaaaaaaaaaaaa": _CUDA}),
    "a long label in 0.2.0": Row("0.2.0", {"variants/aaaaaaaaaaaaaaaaa": _CUDA}),
    "null with properties": Row(
        "0.2.0",
        {"variants/null": _CUDA},
        REFUSED,
        {"null-variant": "The null variant has properties"},
    ),
    "null with an empty namespace": Row(
        "0.2.0",
        {"variants/null": {"nvidia": {}}},
        NONE,
        {"empty-lists": "There are no features in the variant 'null': nvidia"},
    ),
    "nothing under another label": Row(
        "0.0.2",
        {"variants/00000000": {}},
        NONE,
        {"other-null": "The variant '00000000' has no properties"},
    ),
    "the same twice": Row(
        "0.2.0",
        {"variants/twin": {"blas": {"library": ["mkl"]}}},
        NONE,
        {
            "same-properties": "The labels 'mkl' and 'twin' have the same properties, so that 'mkl' is always preferred"
        },
    ),
    "the same CUDA twice, in an order": Row(
        "0.2.0",
        {
            "variants/a": {**_CUDA, "blas": {"library": ["mkl"]}},
            "variants/b": {**_CUDA, "blas": {"library": ["openblas"]}},
        },
        NONE,
        {
            "gpus-stated": "The labels 'a' and 'b' need the same of a machine, whatever GPU it has"
        },
    ),
    "a variant of no type": Row(
        *_variant([]),
        REFUSED,
        {"manifest-types": "The variant 'x' is a list, not an object"},
    ),
    "a namespace of no type": Row(
        *_variant({"nvidia": ["12.8"]}),
        REFUSED,
        {"manifest-types": "The variant 'x': nvidia is a list, not an object"},
    ),
    "a namespace without features in 0.0.2": Row(
        *_variant({**_CUDA, "amd": {}}, "0.0.2"),
        NONE,
        {"empty-lists": "There are no features in the variant 'x': amd"},
    ),
    "a namespace without features in 0.0.3": Row(
        *_variant({**_CUDA, "amd": {}}, "0.0.3"),
        NONE,
        {"empty-lists": "There are no features in the variant 'x': amd"},
    ),
    "a namespace without features in 0.1.1": Row(
        *_variant({**_CUDA, "amd": {}}, "0.1.1"),
        NONE,
        {"empty-lists": "There are no features in the variant 'x': amd"},
    ),
    "a namespace without features in 0.2.0": Row(
        *_variant({**_CUDA, "amd": {}}, "0.2.0"),
        NONE,
        {"empty-lists": "There are no features in the variant 'x': amd"},
    ),
    "an invalid namespace of a variant": Row(
        *_variant({"nvi dia": {"a": ["1"]}}),
        REFUSED,
        {"property": "Invalid namespace 'nvi dia' in the variant 'x'"},
    ),
    "an invalid feature": Row(
        *_variant({"nvidia": {"sm-arch": ["90_real"]}}),
        REFUSED,
        {"property": "Invalid feature 'sm-arch' in the variant 'x': nvidia"},
    ),
    "no values": Row(
        *_variant({"nvidia": {"sm_arch": []}}),
        REFUSED,
        {"property": "There are no values in the variant 'x': nvidia :: sm_arch"},
    ),
    "no values in 0.0.2": Row(
        *_variant({"nvidia": {"sm_arch": []}}, "0.0.2"),
        REFUSED,
        {"property": "There are no values in the variant 'x': nvidia :: sm_arch"},
    ),
    "a value in place of a list": Row(
        *_variant({"nvidia": {"sm_arch": "90_real"}}),
        REFUSED,
        {
            "manifest-types": "The variant 'x': nvidia :: sm_arch is a string, not a list"
        },
    ),
    "a number for a value": Row(
        *_variant({"nvidia": {"sm_arch": [90]}}),
        REFUSED,
        {
            "manifest-types": "An item of the variant 'x': nvidia :: sm_arch is a number, not a string"
        },
    ),
    "an invalid value": Row(
        *_variant({"nvidia": {"sm_arch": ["90-real"]}}),
        REFUSED,
        {"property": "Invalid value '90-real' in the variant 'x': nvidia :: sm_arch"},
    ),
    "a line break in a value": Row(
        *_variant({"nvidia": {"sm_arch": ["90_real\n"]}}),
        REFUSED,
        {
            "property": "Invalid value '90_real\\n' in the variant 'x': nvidia :: sm_arch"
        },
    ),
    "a value twice": Row(
        *_variant({"nvidia": {"sm_arch": ["90_real", "90_real"]}}),
        NONE,
        {
            "repeated-values": "An item of the variant 'x': nvidia :: sm_arch is repeated: ['90_real', '90_real']"
        },
    ),
    "values that are not sorted": Row(
        *_variant({"nvidia": {"sm_arch": ["90_virtual", "90_real"]}}),
        NONE,
        {
            "unsorted-values": "The values are not sorted in the variant 'x': nvidia :: sm_arch"
        },
    ),
    "a value that no machine has": Row(
        *_variant({"nvidia": {"sm_arch": ["gt_1030"]}}),
        DROPPED,
        {
            "never-supported": "No machine supports nvidia :: sm_arch :: gt_1030: nvidia :: sm_arch never has the value 'gt_1030'"
        },
    ),
    "a feature that no machine has": Row(
        *_variant({"nvidia": {"level": ["v3"]}}),
        DROPPED,
        {
            "never-supported": "No machine supports nvidia :: level :: v3: the provider of nvidia has no feature 'level'"
        },
    ),
    "a value that the static list lacks": Row(
        *_variant({"blas": {"library": ["blis"]}}),
        DROPPED,
        {
            "never-supported": "No machine supports blas :: library :: blis: it is not in the provider's static list"
        },
    ),
    # Providers of PEP 850.
    "a provider of no kind": Row(
        *_provider({}),
        UNSUPPORTED,
        {
            "no-provider-kind": "The provider of 'blas' has none of requires, static-properties, builtin"
        },
    ),
    "a plugin and a static list": Row(
        *_provider({**_PLUGIN, **_STATIC}),
        REFUSED,
        {
            "provider-kind": "The provider of 'blas' has 'requires' and 'static-properties'"
        },
    ),
    "a plugin and something built in": Row(
        *_provider({**_PLUGIN, "builtin": "abi_dependency"}),
        REFUSED,
        {"provider-kind": "The provider of 'blas' has 'requires' and 'builtin'"},
    ),
    "a static list and something built in": Row(
        *_provider({**_STATIC, "builtin": "abi_dependency"}),
        REFUSED,
        {
            "provider-kind": "The provider of 'blas' has 'static-properties' and 'builtin'"
        },
    ),
    "no packages and a static list": Row(
        *_provider({"requires": [], **_STATIC}),
        REFUSED,
        {
            "provider-kind": "The provider of 'blas' has 'requires' and 'static-properties'"
        },
    ),
    "a plugin that requires nothing": Row(
        *_provider({"requires": []}),
        REFUSED,
        {"provider-kind": "'requires' of the provider of 'blas' is empty"},
    ),
    "an empty static list": Row(
        "0.2.0",
        {"providers/blas": {"static-properties": {}}, "variants/mkl": GONE},
        NONE,
        {
            "empty-lists": "'static-properties' of the provider of 'blas' has an empty list"
        },
    ),
    "a feature without values in a static list": Row(
        *_provider(
            {
                "static-properties": {"library": ["mkl"], "kind": []},
                "feature-order": ["kind", "library"],
            }
        ),
        NONE,
        {
            "empty-lists": "'static-properties' of the provider of 'blas' has an empty list"
        },
    ),
    "a static list of no type": Row(
        *_provider({"static-properties": ["library"]}),
        REFUSED,
        {
            "manifest-types": "'static-properties' of the provider of 'blas' is a list, not an object"
        },
    ),
    "a static list of values alone": Row(
        *_provider({"static-properties": {"library": "mkl"}}),
        REFUSED,
        {
            "manifest-types": "'static-properties' of the provider of 'blas' :: library is a string, not a list"
        },
    ),
    "a static list of an invalid feature": Row(
        *_provider({"static-properties": {"Library": ["mkl"]}}),
        REFUSED,
        {
            "property": "Invalid feature 'Library' in 'static-properties' of the provider of 'blas'"
        },
    ),
    "a static list of an invalid value": Row(
        *_provider({"static-properties": {"library": ["MKL"]}}),
        REFUSED,
        {
            "property": "Invalid value 'MKL' in 'static-properties' of the provider of 'blas' :: library"
        },
    ),
    "a static list that repeats a value": Row(
        *_provider({"static-properties": {"library": ["mkl", "mkl"]}}),
        NONE,
        {
            "repeated-values": "An item of 'static-properties' of the provider of 'blas' :: library is repeated: ['mkl', 'mkl']"
        },
    ),
    "an order of one feature": Row(
        *_provider({**_STATIC, "feature-order": ["library"]})
    ),
    "no order of two features": Row(
        *_provider({"static-properties": {"library": ["mkl"], "kind": ["a"]}}),
        REFUSED,
        {"provider-static": "'feature-order' of the provider of 'blas' is missing"},
    ),
    "an empty order of features": Row(
        *_provider({**_STATIC, "feature-order": []}),
        REFUSED,
        {
            "provider-static": "'feature-order' of the provider of 'blas' must name each feature once: []"
        },
    ),
    "an order of other features": Row(
        *_provider({**_STATIC, "feature-order": ["kind"]}),
        REFUSED,
        {
            "provider-static": "'feature-order' of the provider of 'blas' must name each feature once: ['kind']"
        },
    ),
    "an order with a feature twice": Row(
        *_provider({**_STATIC, "feature-order": ["library", "library"]}),
        REFUSED,
        {
            "provider-static": "'feature-order' of the provider of 'blas' must name each feature once: ['library', 'library']"
        },
    ),
    "an order in place of a list": Row(
        *_provider({**_STATIC, "feature-order": "library"}),
        REFUSED,
        {
            "manifest-types": "'feature-order' of the provider of 'blas' is a string, not a list"
        },
    ),
    "null for an order": Row(
        *_provider({**_STATIC, "feature-order": None}),
        REFUSED,
        {
            "manifest-types": "'feature-order' of the provider of 'blas' is null, not a list"
        },
    ),
    "an order for a plugin": Row(
        *_provider({**_PLUGIN, "feature-order": ["library"]}),
        REFUSED,
        {
            "provider-static": "The provider of 'blas' has 'feature-order' without 'static-properties'"
        },
    ),
    "an unknown builtin": Row(
        *_provider({"builtin": "mind"}),
        UNSUPPORTED,
        {
            "provider-builtin": "No installer is known to bring 'mind' along, as the provider of 'blas' expects"
        },
    ),
    "a builtin of no type": Row(
        *_provider({"builtin": 1}),
        REFUSED,
        {
            "manifest-types": "'builtin' of the provider of 'blas' is a number, not a string"
        },
    ),
    "packages of no type": Row(
        *_provider({"requires": "a"}),
        REFUSED,
        {
            "manifest-types": "'requires' of the provider of 'blas' is a string, not a list"
        },
    ),
    "packages that are numbers": Row(
        *_provider({"requires": [1]}),
        REFUSED,
        {
            "manifest-types": "An item of 'requires' of the provider of 'blas' is a number, not a string"
        },
    ),
    "more packages than installers read": Row(
        *_provider({"requires": [f"a{n}" for n in range(17)]}),
        REFUSED,
        {
            "manifest-limits": "'requires' of the provider of 'blas' has more than 16 items"
        },
    ),
    "a requirement that no terminal shows": Row(
        *_provider({"requires": ["a\x1b"]}),
        REFUSED,
        {
            "manifest-limits": "Invalid text (500 printable characters at most) 'a\\x1b' in 'requires' of the provider of 'blas'"
        },
    ),
    "a requirement longer than installers read": Row(
        *_provider({"requires": ["a" * 501]}),
        REFUSED,
        {
            "manifest-limits": "Invalid text (500 printable characters at most) 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa... in 'requires' of the provider of 'blas'"
        },
    ),
    "a requirement that is none": Row(
        "0.2.0",
        {
            "providers/nvidia": {
                "requires": [*_PLUGIN["requires"], "a b"],
                "plugin-api": _API,
            }
        },
        UNSUPPORTED,
        {
            "provider-requires": "The provider of 'nvidia' requires 'a b', which is no dependency specifier",
            "provider-in-uv": "uv does not take its own provider of nvidia: it requires more than one package",
        },
    ),
    "a requirement of some variants": Row(
        "0.2.0",
        {
            "providers/nvidia": {
                "requires": ["nvidia-variant-provider; variant_label == 'x'"],
                "plugin-api": _API,
            }
        },
        UNSUPPORTED,
        {
            "provider-requires": "The provider of 'nvidia' requires \"nvidia-variant-provider; variant_label == 'x'\", which depends on the variant: none is chosen yet"
        },
    ),
    "a marker that cannot be evaluated": Row(
        "0.2.0",
        {
            "providers/nvidia": {
                "requires": ["nvidia-variant-provider; os_name ~= 'x'"],
                "plugin-api": _API,
            }
        },
        UNSUPPORTED,
        {
            "provider-requires": "The provider of 'nvidia' requires 'nvidia-variant-provider; os_name ~= \"x\"', whose marker cannot be evaluated",
            "provider-in-uv": "uv does not take its own provider of nvidia: its requirement has more than a name and versions",
        },
    ),
    "a requirement twice": Row(
        "0.2.0",
        {
            "providers/nvidia": {
                "requires": [*_PLUGIN["requires"] * 2],
                "plugin-api": _API,
            }
        },
        NONE,
        {
            "repeated-values": "An item of 'requires' of the provider of 'nvidia' is repeated: ['nvidia-variant-provider>=0.0.1,<1.0.0', 'nvidia-variant-provider>=0.0.1,<1....",
            "provider-in-uv": "uv does not take its own provider of nvidia: it requires more than one package",
        },
    ),
    "an address": Row(
        "0.2.0",
        {
            "providers/npu": {"requires": ["a @ https://example.org/a.whl"]},
            "default-priorities/namespace": ["nvidia", "blas", "npu"],
        },
        NONE,
        {
            "provider-url": "'a @ https://example.org/a.whl' names an address in the provider of 'npu': it is not trusted by name"
        },
    ),
    "a requirement that nothing satisfies": Row(
        "0.2.0",
        {
            "providers/npu": {"requires": ["a>2,<1"]},
            "default-priorities/namespace": ["nvidia", "blas", "npu"],
        },
        NONE,
        {
            "provider-installable": "No version satisfies 'a>2,<1' in the provider of 'npu'"
        },
    ),
    "an entry point with blanks": Row(
        "0.2.0",
        {"providers/nvidia/plugin-api": _API.replace(":", " : ")},
        NONE,
        {
            "provider-in-uv": "uv does not take its own provider of nvidia: that has the "
            "entry point nvidia_variant_provider.plugin:NvidiaVariantPlugin"
        },
    ),
    "an entry point of no type": Row(
        "0.2.0",
        {"providers/nvidia/plugin-api": None},
        REFUSED,
        {
            "manifest-types": "'plugin-api' of the provider of 'nvidia' is null, not a string"
        },
    ),
    "an entry point that is none": Row(
        "0.2.0",
        {"providers/nvidia/plugin-api": "a-b:c"},
        REFUSED,
        {
            "provider-api": "'plugin-api' of the provider of 'nvidia' is no entry point: 'a-b:c'"
        },
    ),
    "an entry point of nothing": Row(
        *_provider({**_STATIC, "plugin-api": "a"}),
        REFUSED,
        {"provider-api": "The provider of 'blas' has 'plugin-api' without 'requires'"},
    ),
    "optional of no type": Row(
        *_provider({**_STATIC, "optional": "yes"}),
        REFUSED,
        {
            "manifest-types": "'optional' of the provider of 'blas' is a string, not a boolean"
        },
    ),
    "keys of drafts": Row(
        *_provider({**_STATIC, "enable-if": "os_name"}),
        UNSUPPORTED,
        {
            "manifest-keys": "The provider of 'blas' has the key 'enable-if', which means nothing there",
            "enable-if": "The provider of 'blas' applies if 'os_name', which cannot be evaluated",
        },
    ),
    "uv: too new": Row(
        "0.2.0",
        {"providers/nvidia/requires": ["nvidia-variant-provider>=0.0.2"]},
        NONE,
        {
            "provider-in-uv": "uv does not take its own provider of nvidia: that is of version 0.0.1, which it excludes"
        },
    ),
    "uv: another package": Row(
        "0.2.0",
        {
            "providers/npu": _PLUGIN,
            "providers/x86_64": {"requires": ["a"]},
            "default-priorities/namespace": ["nvidia", "blas", "npu", "x86_64"],
        },
        NONE,
        {
            "provider-in-uv": "uv does not take its own provider of x86_64: that is of x86_64-variant-provider"
        },
    ),
    "uv: another entry point": Row(
        "0.2.0",
        {"providers/nvidia/plugin-api": "a"},
        NONE,
        {
            "provider-in-uv": "uv does not take its own provider of nvidia: that has the entry point nvidia_variant_provider.plugin:NvidiaVariantPlugin"
        },
    ),
    "uv: a marker": Row(
        "0.2.0",
        {"providers/nvidia/requires": ["nvidia-variant-provider; os_name != 'x'"]},
        NONE,
        {
            "provider-in-uv": "uv does not take its own provider of nvidia: its requirement has more than a name and versions"
        },
    ),
    "uv: two packages": Row(
        "0.2.0",
        {"providers/nvidia/requires": [*_PLUGIN["requires"], "a"]},
        NONE,
        {
            "provider-in-uv": "uv does not take its own provider of nvidia: it requires more than one package"
        },
    ),
    # Providers of the drafts.
    "a plugin in 0.0.2 whose use nobody knows": Row(
        *_provider({"requires": ["a"], "plugin-use": "never"}, "0.0.2"),
        REFUSED,
        {
            "manifest-types": "'plugin-use' of the provider of 'blas' is 'never', which is not none, build or all"
        },
    ),
    "a plugin of builds in 0.0.2": Row(
        *_provider(
            {"requires": ["a"], "plugin-api": "a", "plugin-use": "build"}, "0.0.2"
        )
    ),
    "no word on packages in 0.0.2": Row(*_provider({"plugin-use": "none"}, "0.0.2")),
    "no packages in 0.0.2": Row(
        *_provider({"requires": []}, "0.0.2"),
        UNSUPPORTED,
        {
            "no-provider-kind": "The provider of 'blas' has none of requires, static-properties, builtin"
        },
    ),
    "no packages in 0.0.3": Row(
        *_provider({"requires": [], "install-time": True}, "0.0.3"),
        UNSUPPORTED,
        {
            "no-provider-kind": "The provider of 'blas' has none of requires, static-properties, builtin"
        },
    ),
    "an entry point of nothing in 0.0.3": Row(
        *_provider({"plugin-api": "a", "install-time": False}, "0.0.3")
    ),
    "empty static lists in 0.0.3": Row(
        "0.0.3",
        {
            "static-properties/x": {"f": []},
            "static-properties/y": {},
            "static-properties/blas/kind": [],
        },
    ),
    "an empty static list in 0.0.2": Row(
        "0.0.2", {"default-priorities/property/blas/kind": []}
    ),
    "static lists of no type in 0.0.3": Row(
        "0.0.3",
        {"static-properties": ["blas"]},
        REFUSED,
        {"manifest-types": "'static-properties' is a list, not an object"},
    ),
    "a static list of no type in 0.0.3": Row(
        "0.0.3",
        {"static-properties/x": ["f"]},
        REFUSED,
        {"manifest-types": "'static-properties.x' is a list, not an object"},
    ),
    "a static list without order in 0.0.3": Row(
        "0.0.3",
        {"static-properties/blas/kind": ["a"]},
        NONE,
        {
            "static-order": "'default-priorities.feature' does not order all features of the provider of 'blas'"
        },
    ),
    "install-time of no type": Row(
        *_provider({"requires": ["a"], "install-time": "no"}, "0.0.3"),
        REFUSED,
        {
            "manifest-types": "'install-time' of the provider of 'blas' is a string, not a boolean"
        },
    ),
    "enable-if of no type": Row(
        *_provider(
            {"requires": [], "install-time": False, "enable-if": ["x"]}, "0.0.3"
        ),
        REFUSED,
        {
            "manifest-types": "'enable-if' of the provider of 'blas' is a list, not a string"
        },
    ),
    "enable-if that is no marker": Row(
        *_provider(
            {"requires": [], "install-time": False, "enable-if": "x ="}, "0.0.3"
        ),
        UNSUPPORTED,
        {
            "enable-if": "The provider of 'blas' applies if 'x =', which cannot be evaluated"
        },
    ),
    "enable-if that cannot be evaluated": Row(
        *_provider(
            {"requires": [], "plugin-use": "none", "enable-if": "os_name ~= 'x'"},
            "0.0.2",
        ),
        UNSUPPORTED,
        {
            "enable-if": "The provider of 'blas' applies if \"os_name ~= 'x'\", which cannot be evaluated"
        },
    ),
    # Dependencies on the versions of other packages.
    "a good ABI dependency": Row(*_abi("numpy", "2.8.1")),
    "a name that is not normalised": Row(
        *_abi("flash__attn", "2.8"),
        DROPPED,
        {
            "abi-dependency": "The property abi :: flash__attn :: 2.8 does not name the distribution in its normalised form"
        },
    ),
    "a name that no distribution has": Row(
        *_abi("_numpy", "2.8"),
        DROPPED,
        {
            "abi-dependency": "The property abi :: _numpy :: 2.8 does not name the distribution in its normalised form"
        },
    ),
    "a version of four numbers": Row(
        *_abi("numpy", "2.8.0.1"),
        DROPPED,
        {
            "abi-dependency": "The property abi :: numpy :: 2.8.0.1 has no version of one to three numbers, of up to nine digits each and without leading zeros"
        },
    ),
    "a version with zeros": Row(
        *_abi("numpy", "02.8"),
        DROPPED,
        {
            "abi-dependency": "The property abi :: numpy :: 02.8 has no version of one to three numbers, of up to nine digits each and without leading zeros"
        },
    ),
    "a pre-release": Row(
        *_abi("numpy", "2.9rc1"),
        DROPPED,
        {
            "abi-dependency": "The property abi :: numpy :: 2.9rc1 has no version of one to three numbers, of up to nine digits each and without leading zeros"
        },
    ),
    "a version of 14 digits": Row(
        *_abi("numpy", "20240101123456"),
        DROPPED,
        {
            "abi-dependency": "The property abi :: numpy :: 20240101123456 has no version of one to three numbers, of up to nine digits each and without leading zeros"
        },
    ),
    "abi_dependency by its name in 0.2.0": Row(
        "0.2.0",
        {
            "default-priorities/namespace": ["nvidia", "blas", "abi_dependency"],
            "providers/abi_dependency": {},
            "variants/x": _ABI_PROPERTIES,
        },
        UNSUPPORTED,
        {
            "no-provider-kind": "The provider of 'abi_dependency' has none of requires, static-properties, builtin"
        },
    ),
    "a static list named abi_dependency in 0.2.0": Row(
        "0.2.0",
        {
            "default-priorities/namespace": ["nvidia", "blas", "abi_dependency"],
            "providers/abi_dependency": {"static-properties": {"torch": ["2.7"]}},
            "variants/x": _ABI_PROPERTIES,
        },
        DROPPED,
        {
            "never-supported": "No machine supports abi_dependency :: torch :: 2.8: it is not in the provider's static list"
        },
    ),
    "abi_dependency by its name in 0.0.2": Row(
        "0.0.2",
        {
            "default-priorities/namespace": ["nvidia", "blas", "abi_dependency"],
            "providers/abi_dependency": {"requires": [], "plugin-use": "none"},
            "variants/x": _ABI_PROPERTIES,
        },
    ),
}
