"""Let each resolution of a lock file be for machines that lack certain properties.

What a build needs may depend on which of its properties a machine supports. So while a
lock file is made, metadata that is known is bound to what the machine of the run has.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from pip._vendor.packaging.requirements import InvalidRequirement, Requirement

from pip._internal.variants.errors import BuildConflict, VariantError
from pip._internal.variants.index.links import label_of
from pip._internal.variants.locks.conditions import LockedVariant
from pip._internal.variants.locks.machine_classes import (
    MachineClass,
    Properties,
    asked,
    machine_classes,
)
from pip._internal.variants.locks.release import LockingRelease
from pip._internal.variants.selection.installed import bind

if TYPE_CHECKING:
    from pip._vendor.packaging.markers import Marker
    from pip._vendor.wheel_variants.manifest import Manifest
    from pip._vendor.wheel_variants.properties import Property

    from pip._internal.metadata import BaseDistribution
    from pip._internal.models.link import Link
    from pip._internal.req.req_set import RequirementSet
    from pip._internal.resolution.resolvelib.candidates import LinkCandidate
    from pip._internal.resolution.resolvelib.factory import Factory
    from pip._internal.resolution.resolvelib.resolver import Resolver
    from pip._internal.variants.selection.decisions import Decisions
    from pip._internal.variants.selection.release import Release

__all__ = ["Machines"]

#: How many conditions a release may have: each doubles what there is to resolve.
_MOST_CONDITIONS = 6
#: How many properties they may ask for: as many times is each evaluated as they have sets.
_MOST_PROPERTIES = 10


class TooManyConditions(VariantError):
    """What a release needs differs in too many ways from machine to machine."""

    reference = "variant-lock-conditions"

    def __init__(self, release: Release, properties: Sequence[str]) -> None:
        super().__init__(
            f"What {release} needs depends on {len(properties)} properties of the "
            f"machine; a lock file can have {_MOST_CONDITIONS} such conditions of a "
            "release.",
            properties,
            "Lock one build of it, or another version: --variant "
            f"{release.project}=LABEL, or '{release.project}<{release.version}'. Its "
            "publisher can have fewer conditions in the dependencies.",
        )


class Machines:
    """The machines that a lock file is for, as far as builds tell them apart.

    :ivar lacking: the properties that the machine of the last run lacks.
    """

    def __init__(
        self,
        decisions: Decisions,
        resolver: Resolver,
        resolve_once: Callable[[], RequirementSet],
    ) -> None:
        """Make them.

        :param resolve_once: resolves once, with *resolver*.
        """
        self._decisions = decisions
        self._resolver = resolver
        self._resolve_once = resolve_once
        self.lacking: Properties = frozenset()
        self._machine_classes: dict[LockedVariant, tuple[MachineClass, ...]] = {}
        self._asked: dict[Release, dict[Marker, frozenset[Property]]] = {}

    @property
    def factory(self) -> Factory:
        """Return what makes the candidates of all runs."""
        return self._resolver.factory

    @property
    def result(self) -> Any:
        """Return the graph that the last run came to."""
        assert self._resolver._result is not None, "it has resolved"
        return self._resolver._result

    def resolved(self, lacking: Properties) -> RequirementSet:
        """Resolve for a machine that lacks some properties.

        :raises BuildConflict: if nothing can be found.
        :raises TooManyConditions: if a release tells too many machines apart.
        """
        self.lacking = lacking
        while True:
            bound = self._bind()
            try:
                found = self._resolve_once()
            except BuildConflict:
                if self._bind() == bound:
                    raise
                continue
            if self._bind() == bound:
                return found
            # What is new in this run was taken as if the machine supported everything.

    def on_each(self, build: LockedVariant) -> Sequence[LockedVariant]:
        """Return a build once for each kind of machines that it tells apart."""
        found = self._machine_classes.get(build, ())
        return [
            LockedVariant(build.project, build.label, machine_class)
            for machine_class in found
        ] or [build]

    def build_of(self, link: Link, release: Release) -> LockedVariant:
        """Return the build at a link, on the machine of the last run."""
        build = LockedVariant(release.project, label_of(link))
        machine_class = self._machine_class(build)
        return (
            build
            if machine_class is None
            else LockedVariant(build.project, build.label, machine_class)
        )

    def known(self) -> set[Properties]:
        """Return what machines may lack that builds tell apart."""
        return {
            machine_class.nearest(frozenset())[0]
            for each in self._machine_classes.values()
            for machine_class in each
        }

    def _machine_class(self, build: LockedVariant) -> MachineClass | None:
        """Return the kind of the machine; the first if it cannot run the build."""
        found = self._machine_classes.get(build, ())
        for machine_class in found:
            if self.lacking & machine_class.asked in machine_class.lacking:
                return machine_class
        return found[0] if found else None

    def _bind(self) -> dict[LockedVariant, MachineClass]:
        """Bind all metadata to the machine.

        :return: the builds whose needs differ from those where all is supported.
        """
        bound: dict[LockedVariant, MachineClass] = {}
        if self._resolver.ignore_dependencies:
            # Nothing asks what a build needs.
            return bound
        candidates: dict[Link, LinkCandidate] = self.factory._link_candidate_cache
        for link, candidate in candidates.items():
            label, release = label_of(link), self._decisions.release_of(link)
            if not isinstance(release, LockingRelease) or not release.is_for_any:
                continue
            selection = release.selection_of(link)
            if label is None or selection is None or selection.manifest is None:
                continue
            build = LockedVariant(release.project, label)
            if build not in self._machine_classes:
                self._machine_classes[build] = self._told_apart(
                    release, candidate.dist, selection.manifest, label
                )
            machine_class = self._machine_class(build)
            if machine_class is None:
                continue
            lacking: Properties = frozenset()
            if self.lacking & machine_class.asked in machine_class.lacking:
                lacking = self.lacking & machine_class.asked
            properties = selection.properties(label)
            supported = [each for each in properties if str(each) not in lacking]
            bind(candidate.dist, label, supported, selection.manifest)
            if lacking:
                bound[build] = machine_class
        return bound

    def _told_apart(
        self,
        release: LockingRelease,
        dist: BaseDistribution,
        manifest: Manifest,
        label: str,
    ) -> tuple[MachineClass, ...]:
        """Return the kinds of machines that a build tells apart."""
        markers = asked(_markers(dist), manifest, label)
        if not markers:
            return ()
        known = self._asked.setdefault(release, {})
        for marker, properties in markers.items():
            known[marker] = known.get(marker, frozenset()) | properties
        named = sorted(set(itertools.chain.from_iterable(known.values())))
        conditions = min(len(known), len(named))
        if conditions > _MOST_CONDITIONS or len(named) > _MOST_PROPERTIES:
            raise TooManyConditions(release, [*map(str, named)])
        return machine_classes(markers, manifest, label)


def _markers(dist: BaseDistribution) -> list[Marker]:
    """Return the markers of all dependencies, those of extras too."""
    found: dict[Marker, None] = {}
    for text in dist.metadata.get_all("Requires-Dist", []):
        try:
            requirement = Requirement(text)
        except InvalidRequirement:
            # Upstream passes over such a wheel, and says so.
            return []
        if requirement.marker is not None:
            found[requirement.marker] = None
    return list(found)
