"""Merge the manifests of one release (PEP 825, "Index-level metadata").

Each wheel describes its own label; together they make the manifest of the release.
Pure: no I/O and nothing from the rest of pip.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from pip._internal.variants.manifest import Manifest

__all__ = ["Disagreement", "merge"]


class Disagreement(ValueError):
    """Manifests of one release contradict each other."""


def merge(manifests: Iterable[Manifest]) -> Manifest:
    """Merge manifests of one release, in whatever order.

    :param manifests: at least one.
    :raises Disagreement: if they order namespaces differently, or give different
        properties to one label.
    """
    # The longest list of namespaces speaks for all; the others are where it begins.
    ordered = sorted(manifests, key=lambda each: (len(each.namespaces), repr(each)))
    merged = ordered.pop()
    for manifest in reversed(ordered):
        if merged.namespaces[: len(manifest.namespaces)] != manifest.namespaces:
            raise Disagreement(
                "they order namespaces as "
                f"{list(merged.namespaces)!r} and as {list(manifest.namespaces)!r}"
            )
        for label, variant in manifest.variants.items():
            stated = merged.variants.get(label, variant)
            if stated.properties() != variant.properties():
                raise Disagreement(f"they give other properties to the label {label!r}")
        merged = replace(
            merged,
            variants={**manifest.variants, **merged.variants},
            providers={**manifest.providers, **merged.providers},
            feature_order={**manifest.feature_order, **merged.feature_order},
            value_order={**manifest.value_order, **merged.value_order},
            document=_merge_documents(manifest.document, merged.document),
        )
    return merged


def _merge_documents(
    other: Mapping[str, Any], first: Mapping[str, Any]
) -> Mapping[str, Any]:
    """Unite the tables of two documents; whatever else there is, the first one says."""
    merged = {**other, **first}
    for key in ("variants", "providers", "static-properties"):
        if isinstance(other.get(key), dict) and isinstance(first.get(key), dict):
            merged[key] = {**other[key], **first[key]}
    return merged
