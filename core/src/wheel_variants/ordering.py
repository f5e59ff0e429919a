"""Filter and rank the variants of a release (PEP 825, "Variant ordering").

Pure: no I/O.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from wheel_variants.labels import NULL_LABEL
from wheel_variants.manifest import Manifest, Variant
from wheel_variants.preferences import Preference
from wheel_variants.properties import Feature, Property, SupportedProperties

__all__ = ["Mismatch", "Ranking", "rank", "supported_of"]

#: Sorts after each position, so that a variant with more properties comes first.
_END = (float("inf"),)


class Mismatch(NamedTuple):
    """A feature with no value that both the variant and the machine support.

    :ivar wanted: the values that the variant accepts.
    :ivar offered: the values that the machine supports, most preferred first.
    """

    feature: Feature
    wanted: tuple[str, ...]
    offered: tuple[str, ...]


class Ranking(NamedTuple):
    """The labels of a release's variants, divided by their compatibility with a machine.

    :ivar compatible: the labels of compatible variants, best first.
    :ivar rejected: the mismatches of each incompatible variant, by label.
    :ivar unknown: the labels that the manifest does not describe.
    """

    compatible: tuple[str, ...]
    rejected: Mapping[str, tuple[Mismatch, ...]]
    unknown: tuple[str, ...] = ()


def rank(
    manifest: Manifest,
    supported: SupportedProperties,
    labels: Iterable[str],
    preferences: Sequence[Preference] = (),
) -> Ranking:
    """Filter and rank *labels* for a machine that supports *supported*.

    A variant is compatible if the machine supports at least one value of each of its
    features. PEP 825 defines the order. Apart from the sorting, the time is proportional to
    the number of properties in *manifest*.

    :param preferences: the user's preferences, strongest first. Preferences reorder the
        compatible variants and have no other effect.
    """
    index = _index(manifest, supported, preferences)
    keys: list[tuple[tuple[tuple[float, ...], ...], bool, str]] = []
    rejected: dict[str, tuple[Mismatch, ...]] = {}
    unknown = []
    for label in dict.fromkeys(labels):
        if not manifest.describes(label):
            unknown.append(label)
            continue
        places, mismatches = _matched(manifest.variant(label), index)
        if mismatches:
            rejected[label] = tuple(mismatches)
        else:
            keys.append(((*sorted(places), _END), label == NULL_LABEL, label))
    keys.sort()
    return Ranking(tuple(key[2] for key in keys), rejected, tuple(unknown))


def supported_of(
    manifest: Manifest,
    variant: Variant,
    supported: SupportedProperties,
    preferences: Sequence[Preference] = (),
) -> tuple[Property, ...]:
    """Return the properties of *variant* that the machine supports, best first."""
    index = _index(manifest, supported, preferences)
    found = sorted(
        (places[value], Property(namespace, feature, value))
        for namespace, features in variant.features.items()
        for feature, values in features.items()
        for places in (index.get((namespace, feature), {}),)
        for value in values
        if value in places
    )
    return tuple(property_ for _, property_ in found)


#: The rank of each supported value, by namespace and feature.
_Index = Mapping[tuple[str, str], Mapping[str, tuple[int, int, int]]]


def _index(
    manifest: Manifest,
    supported: SupportedProperties,
    preferences: Sequence[Preference],
) -> _Index:
    """Return the ranks of the supported values."""
    index = {}
    for namespace_at, namespace in enumerate(manifest.namespaces):
        by_name = {feature.name: feature for feature in supported.get(namespace, ())}
        values_first = manifest.value_order.get(namespace, {})
        names = _listed_first(manifest.feature_order.get(namespace, ()), by_name)
        for feature_at, name in enumerate(names):
            values = _listed_first(values_first.get(name, ()), by_name[name].values)
            order = {value: at for at, value in enumerate(values)}
            # In the machine's order, because mismatches list these values.
            places = {
                value: (namespace_at, feature_at, order[value])
                for value in by_name[name].values
            }
            # Preferred values come before all namespaces, strongest preference first.
            for at, preference in enumerate(reversed(preferences), start=1):
                if preference.namespace == namespace:
                    for value, place in places.items():
                        if preference.covers(Property(namespace, name, value)):
                            places[value] = (-at, *place[1:])
            index[namespace, name] = places
    return index


def _listed_first(first: Sequence[str], rest: Iterable[str]) -> list[str]:
    """Order *rest*, with the items that are in *first* at the front."""
    known = dict.fromkeys(rest)
    listed = dict.fromkeys(item for item in first if item in known)
    return list(listed | known)


def _matched(
    variant: Variant, index: _Index
) -> tuple[list[tuple[int, int, int]], list[Mismatch]]:
    """Return the rank of each feature's best value, and the unsupported features."""
    places, mismatches = [], []
    for namespace, features in variant.features.items():
        for name, wanted in features.items():
            feature = Feature(namespace, name)
            known = index.get(feature, {})
            best = min((known[v] for v in wanted if v in known), default=None)
            if best is None:
                mismatches.append(Mismatch(feature, wanted, tuple(known)))
            else:
                places.append(best)
    return places, mismatches
