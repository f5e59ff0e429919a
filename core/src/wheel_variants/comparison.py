"""Explain why one variant is ranked above another (PEP 825, "Variant ordering").

Pure: no I/O.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from wheel_variants.labels import NULL_LABEL
from wheel_variants.manifest import Manifest
from wheel_variants.ordering import supported_of
from wheel_variants.preferences import Preference
from wheel_variants.properties import Feature, Property, SupportedProperties

__all__ = ["Comparison", "Criterion", "compare"]


class Criterion(enum.Enum):
    """A criterion that ranks one variant above another, in order of precedence."""

    #: The user prefers a property of the first variant.
    PREFERENCE = "preference"
    #: The first properties that differ are in different namespaces.
    NAMESPACE = "namespace"
    #: The first properties that differ are different features of one namespace.
    FEATURE = "feature"
    #: The first properties that differ are different values of one feature.
    VALUE = "value"
    #: The first variant has all properties of the second, and more.
    MORE = "more-properties"
    #: Both have the same properties, and the second is the null variant.
    NULL = "null"
    #: Both have the same properties; the label decides.
    LABEL = "label"


@dataclass(frozen=True, slots=True)
class Comparison:
    """The reason why the first of two variants is ranked above the second.

    :ivar first: the deciding property of the first variant; None if only the label decided.
    :ivar second: the property of the second variant at the same position, or None.
    :ivar preference: the user's preference if a preference decided, or None.
    """

    criterion: Criterion
    first: Property | None = None
    second: Property | None = None
    preference: Preference | None = None


def compare(
    manifest: Manifest,
    supported: SupportedProperties,
    first: str,
    second: str,
    preferences: Sequence[Preference] = (),
) -> Comparison:
    """Return why the variant *first* is ranked above the variant *second*.

    :param first: the label of a compatible variant.
    :param second: the label of a compatible variant that is ranked below *first*.
    """
    both = (_best(manifest, supported, each, preferences) for each in (first, second))
    for best, other in zip_longest(*both):
        if best == other:
            continue
        if other is None:
            return Comparison(Criterion.MORE, best)
        preference = _strongest(preferences, best)
        if preference is not None and preference != _strongest(preferences, other):
            return Comparison(Criterion.PREFERENCE, best, other, preference)
        if best.namespace != other.namespace:
            criterion = Criterion.NAMESPACE
        elif best.feature != other.feature:
            criterion = Criterion.FEATURE
        else:
            criterion = Criterion.VALUE
        return Comparison(criterion, best, other)
    return Comparison(Criterion.NULL if second == NULL_LABEL else Criterion.LABEL)


def _strongest(
    preferences: Iterable[Preference], property_: Property
) -> Preference | None:
    """Return the strongest preference that covers a property, or None."""
    return next((each for each in preferences if each.covers(property_)), None)


def _best(
    manifest: Manifest,
    supported: SupportedProperties,
    label: str,
    preferences: Sequence[Preference],
) -> list[Property]:
    """Return the best supported property of each feature of a variant, best first."""
    variant = manifest.variant(label)
    best: dict[Feature, Property] = {}
    for each in supported_of(manifest, variant, supported, preferences):
        best.setdefault(Feature(each.namespace, each.feature), each)
    return list(best.values())
