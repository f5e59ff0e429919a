"""Write metadata: ``variant.json`` and manifests, always in the same form."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from wheel_variants.properties import Property
from wheel_variants.publish.generations import Generation

__all__ = ["make_document", "nested_properties", "to_json"]

#: In this order; other keys follow, and the variants come last.
_FIRST_KEYS = ("$schema", "default-priorities", "providers", "static-properties")


def make_document(
    generation: Generation,
    namespaces: Sequence[str],
    providers: Mapping[str, Mapping[str, Any]],
    variants: Mapping[str, Iterable[Property]],
) -> dict[str, Any]:
    """Return metadata that describes some variants.

    :param namespaces: the most important first.
    :param providers: by namespace; left out if the generation has none.
    :param variants: properties by label.
    """
    document: dict[str, Any] = {
        "$schema": generation.schema,
        "default-priorities": {"namespace": list(namespaces)},
    }
    if "providers" in generation.root:
        document["providers"] = {each: dict(providers[each]) for each in namespaces}
    document["variants"] = {
        label: nested_properties(properties) for label, properties in variants.items()
    }
    return document


def nested_properties(
    properties: Iterable[Property],
) -> dict[str, dict[str, list[str]]]:
    """Return properties as metadata has them: by namespace, then feature; sorted."""
    nested: dict[str, dict[str, list[str]]] = {}
    for each in sorted(set(properties)):
        values = nested.setdefault(each.namespace, {}).setdefault(each.feature, [])
        values.append(each.value)
    return nested


def to_json(document: Mapping[str, Any]) -> bytes:
    """Return metadata as JSON; equal documents give equal bytes."""
    keys = [key for key in _FIRST_KEYS if key in document]
    keys += sorted(set(document) - {*keys, "variants"})
    ordered = {key: document[key] for key in keys}
    if isinstance(ordered.get("providers"), dict):
        ordered["providers"] = dict(sorted(ordered["providers"].items()))
    ordered["variants"] = dict(sorted(document["variants"].items()))
    return f"{json.dumps(ordered, indent=2)}\n".encode("ascii")
