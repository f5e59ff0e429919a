"""Filter and order the variants of a release (PEP 825, "Variant ordering").

Pure: no I/O and nothing from the rest of pip.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from pip._vendor.packaging._variants import NULL_LABEL

from pip._internal.variants.manifest import Manifest, Variant
from pip._internal.variants.properties import (
    Feature,
    Property,
    SupportedProperties,
)

__all__ = ["Mismatch", "Ranking", "rank", "supported_of"]

#: Sorts after each position, so that of two variants of which one has all the other's
#: properties and more, the one with more comes first.
_END = (float("inf"),)


@dataclass(frozen=True, slots=True)
class Mismatch:
    """A feature of which a machine supports no value that a variant accepts.

    :ivar wanted: what the variant accepts.
    :ivar offered: what the machine supports, most preferred first.
    """

    feature: Feature
    wanted: tuple[str, ...]
    offered: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Ranking:
    """The labels that a machine can run, best first, and why it cannot run the rest.

    :ivar unknown: labels that the manifest does not describe.
    """

    compatible: tuple[str, ...]
    rejected: Mapping[str, tuple[Mismatch, ...]]
    unknown: tuple[str, ...] = ()


def rank(
    manifest: Manifest, supported: SupportedProperties, labels: Iterable[str]
) -> Ranking:
    """Filter and order *labels* for a machine that supports *supported*.

    A variant is compatible if the machine supports, of each of its features, at
    least one value. Of the compatible ones, the one whose best supported values come
    first wins; see PEP 825. Takes time in proportion to the properties in
    *manifest*, apart from the sorting.
    """
    positions = _positions(manifest, supported)
    keys: list[tuple[tuple[tuple[float, ...], ...], bool, str]] = []
    rejected: dict[str, tuple[Mismatch, ...]] = {}
    unknown = []
    for label in dict.fromkeys(labels):
        variant = manifest.variant(label)
        if variant is None:
            unknown.append(label)
            continue
        places = _places(variant, positions)
        if places is None:
            rejected[label] = _mismatches(variant, supported)
        else:
            keys.append(((*sorted(places), _END), label == NULL_LABEL, label))
    keys.sort()
    return Ranking(tuple(key[2] for key in keys), rejected, tuple(unknown))


def supported_of(
    manifest: Manifest, variant: Variant, supported: SupportedProperties
) -> tuple[Property, ...]:
    """Give the properties of *variant* that the machine supports, best first."""
    positions = _positions(manifest, supported)
    found = sorted(
        (namespace_at, feature_at, values_at[value], namespace, feature, value)
        for namespace, features in variant.features.items()
        for feature, values in features.items()
        if (namespace, feature) in positions
        for namespace_at, feature_at, values_at in (positions[namespace, feature],)
        for value in values
        if value in values_at
    )
    return tuple(Property(*place[3:]) for place in found)


_Positions = Mapping[tuple[str, str], tuple[int, int, Mapping[str, int]]]


def _positions(manifest: Manifest, supported: SupportedProperties) -> _Positions:
    """Index what is supported: where namespace, feature and each value stand."""
    index = {}
    for namespace_at, namespace in enumerate(manifest.namespaces):
        by_name = {feature.name: feature for feature in supported.features(namespace)}
        values_first = manifest.value_order.get(namespace, {})
        names = _listed_first(manifest.feature_order.get(namespace, ()), by_name)
        for feature_at, name in enumerate(names):
            values = _listed_first(values_first.get(name, ()), by_name[name].values)
            values_at = {value: at for at, value in enumerate(values)}
            index[namespace, name] = (namespace_at, feature_at, values_at)
    return index


def _listed_first(first: Sequence[str], rest: Iterable[str]) -> list[str]:
    """Order *rest* with the members of *first* in front, which it may lack."""
    known = dict.fromkeys(rest)
    listed = dict.fromkeys(item for item in first if item in known)
    return list(listed | known)


def _places(variant: Variant, positions: _Positions) -> list[tuple[float, ...]] | None:
    """Give the place of the best value of each feature; None if one has none."""
    places: list[tuple[float, ...]] = []
    for namespace, features in variant.features.items():
        for feature, values in features.items():
            position = positions.get((namespace, feature))
            if position is None:
                return None
            namespace_at, feature_at, values_at = position
            best = min((values_at[v] for v in values if v in values_at), default=None)
            if best is None:
                return None
            places.append((namespace_at, feature_at, best))
    return places


def _mismatches(
    variant: Variant, supported: SupportedProperties
) -> tuple[Mismatch, ...]:
    found = []
    for namespace, features in variant.features.items():
        for name, wanted in features.items():
            offered = supported.values_of(namespace, name)
            if not set(wanted) & set(offered):
                found.append(Mismatch(Feature(namespace, name), wanted, offered))
    return tuple(found)
