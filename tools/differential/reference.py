"""What variantlib chooses, the library that came with the drafts of the PEPs."""

from __future__ import annotations

import copy
from dataclasses import replace
from unittest import mock

from variantlib.api import get_variants_by_priority
from variantlib.errors import ValidationError
from variantlib.models.variant import VariantDescription, VariantProperty
from variantlib.resolver.lib import sort_and_filter_supported_variants

from tools.differential.oracle import Lists, order
from tools.differential.releases import Release

__all__ = ["known_difference", "order_by_lists", "order_by_manifest"]

# It lists what is installed at each call, for the namespace abi_dependency, which no
# release here uses.
_nothing_installed = mock.patch(
    "importlib.metadata.distributions", new=mock.Mock(return_value=())
)


@_nothing_installed
def order_by_lists(release: Release, lists: Lists) -> list[str] | None:
    """Have variantlib order the variants for what is supported.

    Its model stands in for the manifest, since it reads one generation alone.

    :return: None if it refuses them.
    """
    priorities = release.document["default-priorities"]
    try:
        variants = [
            VariantDescription.from_dict(copy.deepcopy(properties), label=label)
            for label, properties in release.document["variants"].items()
        ]
        overrides = "v0.1.1" not in release.document.get("$schema", "")
        overrides = overrides and release.generation != "0.2.0"
        found = sort_and_filter_supported_variants(
            variants,
            [
                VariantProperty(namespace, feature, value)
                for namespace, features in lists.items()
                for feature, values in features
                for value in values
            ],
            namespace_priorities=list(priorities["namespace"]),
            feature_priorities=priorities.get("feature") if overrides else None,
            property_priorities=priorities.get("property") if overrides else None,
        )
    except ValidationError:
        return None
    return _labels(release, found)


@_nothing_installed
def order_by_manifest(release: Release) -> list[str] | None:
    """Have variantlib read a manifest of generation 0.2 with static lists alone."""
    try:
        found = get_variants_by_priority(
            variants_json=copy.deepcopy(release.document),
            enable_optional_plugins=sorted(release.enabled),
        )
    except ValidationError:
        return None
    return _labels(release, found)


def _labels(release: Release, found: list[VariantDescription]) -> list[str]:
    # It adds the null variant to any release, and never a label without a description.
    return [each.label for each in found if each.label in release.labels]


def known_difference(release: Release, theirs: list[str] | None) -> str | None:
    """Say in what way of its own variantlib took a release, if it is a known one."""
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
