"""Why one variant comes before another (PEP 825, "Variant ordering").

Pure: no I/O and nothing from the rest of pip.
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
    """What decided between two variants, in the order of looking."""

    #: The user prefers a property of the first.
    PREFERENCE = "preference"
    #: Their first different properties are of different namespaces.
    NAMESPACE = "namespace"
    #: They are of different features of a namespace.
    FEATURE = "feature"
    #: They are of one feature, with different values.
    VALUE = "value"
    #: The first has all that the second has, and more.
    MORE = "more-properties"
    #: Both have the same properties, and the second is the null variant.
    NULL = "null"
    #: Both have the same properties; the label decides.
    LABEL = "label"


@dataclass(frozen=True, slots=True)
class Comparison:
    """Why the first of two variants comes before the second.

    :ivar first: its property that decided, None if only the label did.
    :ivar second: the second's property at the same place, None if it has no more.
    :ivar preference: the user's, if that decided.
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
    """Tell why the variant labelled *first* comes before the one labelled *second*.

    Both are compatible, and *first* is ordered before *second*.
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
    """Return the strongest preference that covers a property; it alone places it."""
    return next((each for each in preferences if each.covers(property_)), None)


def _best(
    manifest: Manifest,
    supported: SupportedProperties,
    label: str,
    preferences: Sequence[Preference],
) -> list[Property]:
    """Return the best supported property of each feature of a variant, best first."""
    variant = manifest.variant(label)
    assert variant is not None, "what the manifest does not describe is not compatible"
    best: dict[Feature, Property] = {}
    for each in supported_of(manifest, variant, supported, preferences):
        best.setdefault(Feature(each.namespace, each.feature), each)
    return list(best.values())
