"""Which machines a build tells apart by what it needs.

Markers of dependencies may ask which properties of a build the machine supports
(``variant_properties``, PEP 825, "Environment markers"). A machine that runs a build
supports at least one value of each of its features, so only where a feature has several
does an answer differ from machine to machine. All machines for which a build needs the
same are a *machine class*. Pure: no I/O and nothing from the rest of pip.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from pip._vendor.packaging.markers import Marker
from pip._vendor.wheel_variants.manifest import ABI_DEPENDENCY, Manifest
from pip._vendor.wheel_variants.markers import (
    MarkerSet,
    resolve_marker,
    variant_environment,
)
from pip._vendor.wheel_variants.properties import Property

__all__ = [
    "MachineClass",
    "Properties",
    "asked",
    "machine_classes",
    "spelled",
    "uncertain",
]

#: Properties as markers write them.
Properties = frozenset[str]


class MachineClass(NamedTuple):
    """Machines for which a build needs the same.

    :ivar asked: the properties on which it depends what the build needs.
    :ivar lacking: which of these such a machine lacks: a set for each possibility.
    """

    asked: Properties
    lacking: frozenset[Properties]

    def meets(self, other: MachineClass) -> bool:
        """Tell whether one machine may be of both kinds."""
        shared = self.asked & other.asked
        mine = {each & shared for each in self.lacking}
        return not mine.isdisjoint(each & shared for each in other.lacking)

    def nearest(self, lacking: Properties) -> list[Properties]:
        """Return what such machines lack of all properties, most like *lacking* first."""
        rest, own = lacking - self.asked, lacking & self.asked
        ordered = sorted(self.lacking, key=lambda each: (len(each ^ own), sorted(each)))
        return [rest | each for each in ordered]


def uncertain(manifest: Manifest, label: str) -> list[Property]:
    """Return the properties of a variant that a machine which runs it may lack.

    Which versions of other packages there are is no matter of the machine.
    """
    variant = manifest.variant(label)
    return [
        Property(namespace, feature, value)
        for namespace, features in ({} if variant is None else variant.features).items()
        if manifest.provider(namespace).builtin != ABI_DEPENDENCY
        for feature, values in features.items()
        if len(values) > 1
        for value in values
    ]


class _Asked(MarkerSet):
    """A set that knows what it was asked for."""

    def __init__(self, members: Iterable[str] = ()) -> None:  # noqa: ARG002
        super().__init__()
        self.asked: set[str] = set()

    def __contains__(self, member: object) -> bool:
        if isinstance(member, str):
            self.asked.add(member)
        return super().__contains__(member)


def asked(
    markers: Iterable[Marker], manifest: Manifest, label: str
) -> dict[Marker, frozenset[Property]]:
    """Return the markers that depend on the machine, and on which properties each does.

    :param markers: of the dependencies of a build.
    """
    unsettled = uncertain(manifest, label)
    if not unsettled:
        return {}
    found = {}
    for marker in markers:
        properties = _Asked()
        environment = {
            **variant_environment(label, ()),
            "variant_properties": properties,
        }
        resolve_marker(str(marker), environment)
        looked_up = MarkerSet(properties.asked)
        named = frozenset(each for each in unsettled if str(each) in looked_up)
        if named:
            found[marker] = named
    return found


def machine_classes(
    markers: Mapping[Marker, Collection[Property]], manifest: Manifest, label: str
) -> tuple[MachineClass, ...]:
    """Return the kinds of machines that a build tells apart; none if they are one.

    The first has the machines that support whatever the build declares.

    :param markers: what :func:`asked` returned. It takes time in proportion to the
        number of sets of their properties.
    """
    properties = sorted(set(itertools.chain.from_iterable(markers.values())))
    variant = manifest.variant(label)
    declared = () if variant is None else tuple(variant.properties())
    found: dict[Sequence[str], set[Properties]] = {}
    for lacking in _subsets(properties):
        supported = [each for each in declared if each not in lacking]
        if len(set(map(_feature, supported))) < len(set(map(_feature, declared))):
            # Such a machine does not run the build.
            continue
        environment = variant_environment(label, supported)
        outcome = tuple(resolve_marker(str(each), environment) for each in markers)
        found.setdefault(outcome, set()).add(frozenset(map(str, lacking)))
    if len(found) == 1:
        return ()
    names = frozenset(map(str, properties))
    return tuple(MachineClass(names, frozenset(each)) for each in found.values())


def _feature(each: Property) -> tuple[str, str]:
    return each.namespace, each.feature


def _subsets(properties: Sequence[Property]) -> Iterator[tuple[Property, ...]]:
    """Yield all sets of *properties*, the smaller ones first."""
    for size in range(len(properties) + 1):
        yield from itertools.combinations(properties, size)


def spelled(
    wanted: Collection[Properties], others: Collection[Properties], names: Properties
) -> Iterator[tuple[Properties, Properties]]:
    """Yield alternatives that hold for some machines and not for others.

    :param wanted: what these machines lack of the properties *names*.
    :param others: what those lack for which no alternative may hold. Machines that are
        neither wanted nor among them do not matter.
    :return: what a machine must support, and what it must lack, in each alternative.
    """
    left = sorted(wanted, key=lambda each: (len(each), sorted(each)))
    while left:
        needed, lacking = names - left[0], left[0]
        # Whatever does not tell these machines from the others is not asked.
        for name in sorted(names):
            fewer, less = needed - {name}, lacking - {name}
            if not any(less <= each and not fewer & each for each in others):
                needed, lacking = fewer, less
        yield needed, lacking
        left = [each for each in left if not (lacking <= each and not needed & each)]
