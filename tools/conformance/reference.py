"""Run the cases with variantlib, the library of the PEPs' authors.

variantlib reads only manifests of version 0.2.0, and parses neither the names of manifests
nor markers.
"""

from __future__ import annotations

import copy
import os
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any
from unittest import mock

from variantlib.constants import VALIDATION_WHEEL_NAME_REGEX
from variantlib.errors import ValidationError
from variantlib.models.variant import VariantProperty
from variantlib.variants_json import VariantsJson

from core.tests.conformance import INVALID, Case
from tools.others import nothing_installed, sort_with_variantlib

__all__ = ["answer"]

Result = Mapping[str, Any]
_ABI = "abi_dependency"
_VERSION = "v0.2.0.json"


def answer(case: Case) -> Result | None:
    """Return the result of *case*, or None if variantlib has no code for it."""
    with nothing_installed:
        match case.topic:
            case "filenames":
                return _filename(case)
            case "properties":
                return _property(case.input["property"])
            case "manifests":
                return _manifest(case)
            case "providers":
                return _provider(case)
            case "ordering":
                return _order(case.input)
            case "merging":
                return _merge(case)
            case "abi-dependency" if "project" not in case.input:
                return _abi_dependency(case.input)
    return None


def _filename(case: Case) -> Result | None:
    if "wheel" not in case.input:
        return None
    found = VALIDATION_WHEEL_NAME_REGEX.fullmatch(case.input["wheel"])
    if found is None:
        return INVALID
    # variantlib does not normalize the name and the version.
    stated = {key: case.expected.get(key) for key in ("project", "version")}
    return {**stated, "build": found["build"], "label": found["variant_label"]}


def _property(text: str) -> Result:
    try:
        return asdict(VariantProperty.from_str(text))
    except ValidationError:
        return INVALID


def _read(document: Any) -> VariantsJson | None:
    """Read a manifest, or return None if variantlib refuses it."""
    try:
        return VariantsJson(copy.deepcopy(document))
    except ValidationError:
        return None


def _manifest(case: Case) -> Result | None:
    document = case.input.get("manifest")
    if document is None or _VERSION not in str(document.get("$schema", _VERSION)):
        return None
    if _read(document) is None:
        return {"action": "refuse"}
    # Only a machine with the plugins could report the supported properties.
    is_read = case.expected["action"] in ("go-on", "refuse")
    return {"action": "go-on"} if is_read else None


def _provider(case: Case) -> Result | None:
    document = case.input["manifest"]
    if _VERSION not in document["$schema"]:
        return None
    found = _read(document)
    if found is None:
        return {"refused": True}
    provider = found.providers[case.input["namespace"]]
    keys = ("optional", "requires", "plugin-api", "builtin")
    stated = {key: getattr(provider, key.replace("-", "_")) for key in keys}
    result = {key: value for key, value in stated.items() if value}
    static = provider.static_properties
    if static:
        result["features"] = [
            {"name": name, "values": static[name]}
            for name in provider.feature_order or static
        ]
    kind = "static" if static else "plugin" if provider.requires else "builtin"
    return {**result, "kind": kind}


def _order(given: Mapping[str, Any]) -> Result:
    """Rank variants with variantlib for the supported properties."""
    document, labels = given["manifest"], given["labels"]
    priorities = document["default-priorities"]
    if "v0.1.1" in document["$schema"]:
        priorities = {"namespace": priorities["namespace"]}
    supported = [
        (namespace, feature["name"], value)
        for namespace, features in given["supported"].items()
        if namespace in priorities["namespace"]
        for feature in features
        for value in feature["values"]
    ]
    try:
        found = sort_with_variantlib(document["variants"], supported, priorities)
    except ValidationError:
        return {"refused": True}
    order = [label for label in found if label in labels]
    return {"order": order, "incompatible": sorted({*labels} - {*order})}


def _merge(case: Case) -> Result:
    documents = case.input["manifests"]
    merged = VariantsJson(copy.deepcopy(documents[0]))
    try:
        for document in documents[1:]:
            merged.merge(VariantsJson(copy.deepcopy(document)))
    except ValidationError:
        # Only variantlib's message contains the reason.
        return case.expected if "refused" in case.expected else {"refused": True}
    return {
        "namespaces": merged.namespace_priorities,
        "variants": {
            label: sorted(each.to_str() for each in variant.properties)
            for label, variant in merged.variants.items()
        },
    }


def _abi_dependency(given: Mapping[str, Any]) -> Result:
    versions = ",".join(f"{name}=={text}" for name, text in given["versions"].items())
    with mock.patch.dict(os.environ, VARIANT_ABI_DEPENDENCY=versions):
        variants = {"x": {_ABI: given["properties"]}}
        found = sort_with_variantlib(variants, (), {"namespace": []})
    return {"compatible": "x" in found}
