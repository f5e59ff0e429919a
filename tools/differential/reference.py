"""Rank variants with variantlib, the library of the drafts."""

from __future__ import annotations

import copy
from dataclasses import replace

from variantlib.api import get_variants_by_priority
from variantlib.errors import ValidationError

from tools.differential.oracle import Lists, order
from tools.differential.releases import RandomRelease
from tools.others import nothing_installed, sort_with_variantlib

__all__ = ["known_difference", "order_by_lists", "order_by_manifest"]


@nothing_installed
def order_by_lists(release: RandomRelease, lists: Lists) -> list[str] | None:
    """Rank variants with variantlib for the supported properties.

    variantlib's model replaces the manifest, because variantlib reads only one schema
    version.

    :return: the labels; None if variantlib refuses the properties.
    """
    priorities = release.document["default-priorities"]
    if "v0.1.1" in release.document.get("$schema", "") or release.schema == "0.2.0":
        priorities = {"namespace": priorities["namespace"]}
    supported = [
        (namespace, feature, value)
        for namespace, features in lists.items()
        for feature, values in features
        for value in values
    ]
    try:
        found = sort_with_variantlib(
            release.document["variants"], supported, priorities
        )
    except ValidationError:
        return None
    return _labels(release, found)


@nothing_installed
def order_by_manifest(release: RandomRelease) -> list[str] | None:
    """Rank the variants of a manifest 0.2 with variantlib; all lists must be static."""
    try:
        found = get_variants_by_priority(
            variants_json=copy.deepcopy(release.document),
            enable_optional_plugins=sorted(release.enabled),
        )
    except ValidationError:
        return None
    return _labels(release, [each.label for each in found])


def _labels(release: RandomRelease, found: list[str]) -> list[str]:
    # variantlib adds the null variant to any release, and never adds a label without a
    # description.
    return [label for label in found if label in release.labels]


def known_difference(release: RandomRelease, theirs: list[str] | None) -> str | None:
    """Return the known deviation of variantlib that explains a difference, or None."""
    variants = release.document["variants"]
    if theirs is None:
        if any(not each for label, each in variants.items() if label != "null"):
            return "a label other than null has no properties: refused"
        if any(
            len(set(values)) != len(values)
            for properties in variants.values()
            for features in properties.values()
            for values in features.values()
        ):
            return "a value of a variant is repeated: refused"
        return None
    everything = frozenset(release.document["default-priorities"]["namespace"])
    if order(replace(release, enabled=everything)) == theirs:
        return "a static provider is optional and off: used all the same"
    return None
