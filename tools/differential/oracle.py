"""Rank variants by the text of PEP 825, slowly and simply.

The oracle shares no code with the code under test. The steps are those of "Variant
ordering".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from packaging.markers import Marker

from tools.differential.releases import ENVIRONMENT, RandomRelease

__all__ = ["order", "supported_lists"]

Lists = dict[str, list[tuple[str, list[str]]]]


def supported_lists(release: RandomRelease) -> Lists:
    """Return the supported features and values, best first, by namespace.

    Optional providers must be enabled, a provider's marker must be true, and a static list
    of the manifest excludes every other source (PEP 850 and the drafts before it).
    """
    document = release.document
    lists: Lists = {}
    for namespace in document["default-priorities"]["namespace"]:
        provider = document.get("providers", {}).get(namespace, {})
        lists[namespace] = []
        if provider.get("optional") and namespace not in release.enabled:
            continue
        marker = provider.get("enable-if")
        if marker and not Marker(marker).evaluate({**ENVIRONMENT}):
            continue
        static = _static(document, namespace, provider)
        if static is None:
            found = release.machine.get(namespace, ())
            lists[namespace] = [(name, list(values)) for name, values in found]
        else:
            names = provider.get("feature-order", list(static))
            lists[namespace] = [(name, static[name]) for name in names]
    return lists


def _static(
    document: Mapping[str, Any], namespace: str, provider: Mapping[str, Any]
) -> Mapping[str, list[str]] | None:
    found: Mapping[str, list[str]] | None = None
    if "static-properties" in provider:
        found = provider["static-properties"]
    elif provider.get("plugin-use") in ("none", "build"):
        found = document["default-priorities"].get("property", {}).get(namespace, {})
    elif provider.get("install-time") is False:
        found = document.get("static-properties", {}).get(namespace, {})
    return found


def with_overrides(release: RandomRelease, lists: Lists) -> Lists:
    """Apply the orders that manifests before schema 0.1.1 can define."""
    if "v0.1.1" in release.document.get("$schema", "") or release.schema == "0.2.0":
        return lists
    priorities = release.document["default-priorities"]
    result: Lists = {}
    for namespace, features in lists.items():
        names = _first(
            priorities.get("feature", {}).get(namespace, []),
            [name for name, _ in features],
        )
        first_values = priorities.get("property", {}).get(namespace, {})
        result[namespace] = [
            (name, _first(first_values.get(name, []), values))
            for wanted in names
            for name, values in features
            if name == wanted
        ]
    return result


def _first(listed: Sequence[str], known: Sequence[str]) -> list[str]:
    return [item for item in listed if item in known] + [
        item for item in known if item not in listed
    ]


def order(release: RandomRelease) -> list[str]:
    """Return the compatible labels, best first."""
    lists = with_overrides(release, supported_lists(release))
    groups = [
        (label, features)
        for label in release.labels
        for features in [_described(release, label)]
        if features is not None and _compatible(features, lists)
    ]
    best_first: list[str] = []
    while groups:
        best = groups[0]
        for other in groups[1:]:
            if _before(release, lists, other, best):
                best = other
        groups.remove(best)
        best_first.append(best[0])
    return best_first


Features = Mapping[str, Mapping[str, Sequence[str]]]


def _described(release: RandomRelease, label: str) -> Features | None:
    found: Features | None = release.document["variants"].get(label)
    return {} if found is None and label == "null" else found


def _compatible(variant: Features, lists: Lists) -> bool:
    for namespace, features in variant.items():
        for feature, values in features.items():
            supported = [
                value
                for name, known in lists[namespace]
                if name == feature
                for value in known
            ]
            if not any(value in supported for value in values):
                return False
    return True


def _before(
    release: RandomRelease,
    lists: Lists,
    left: tuple[str, Features],
    right: tuple[str, Features],
) -> bool:
    """Compare two groups (step 7)."""
    # The group of null wheels is last, even after other labels without properties.
    if "null" in (left[0], right[0]):
        return right[0] == "null"
    ours = _sorted_keys(release, lists, left[1])
    theirs = _sorted_keys(release, lists, right[1])
    for our_key, their_key in zip(ours, theirs, strict=False):
        if our_key != their_key:
            return our_key < their_key
    if len(ours) != len(theirs):
        return len(ours) > len(theirs)
    return left[0] < right[0]


def _sorted_keys(
    release: RandomRelease, lists: Lists, variant: Features
) -> list[tuple[int, int, int]]:
    """Return the sorted keys of the best values (steps 4 to 6)."""
    namespaces = release.document["default-priorities"]["namespace"]
    keys = []
    for namespace, features in variant.items():
        for feature, values in features.items():
            names = [name for name, _ in lists[namespace]]
            at = names.index(feature)
            supported = lists[namespace][at][1]
            best = min(supported.index(value) for value in values if value in supported)
            keys.append((namespaces.index(namespace), at, best))
    return sorted(keys)
