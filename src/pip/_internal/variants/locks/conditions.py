"""With which builds each locked package is needed.

One resolution shows what one choice of builds needs. Several of them, which differ in
the choice, together show what depends on it.

What only some builds need has a marker in the file such as ``'variant-torch-cu128' in
dependency_groups`` (PEP 751); the group is on where that build is installed. What depends
on a property of the build too has a group for that, which is on where the machine
supports it. The names of the groups follow from the builds in the file, so that whoever
reads it finds the same ones. Pure: no I/O and nothing from the rest of pip.
"""

from __future__ import annotations

import functools
import itertools
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from pip._vendor.packaging.utils import canonicalize_name

from pip._internal.variants.locks.machine_classes import (
    MachineClass,
    Properties,
    spelled,
)

__all__ = [
    "Ambiguity",
    "Condition",
    "Group",
    "Locked",
    "LockedVariant",
    "PropertyCondition",
    "Resolution",
    "Spelled",
    "build_of",
    "conditions",
    "group_names",
    "groups_of",
    "holds",
    "marker_text",
    "project_of",
    "spelled_out",
]


@dataclass(frozen=True, slots=True)
class LockedVariant:
    """A build of a project: the variant of that label, or a plain one.

    :ivar project: its normalised name.
    :ivar label: None for a plain build.
    :ivar machine_class: the machines that it is on; None for any, if it needs the same on all.
    """

    project: str
    label: str | None
    machine_class: MachineClass | None = None

    def __str__(self) -> str:
        name = f"{self.project} ({self.label or 'plain'}"
        if self.machine_class is not None and (
            lacking := self.machine_class.nearest(frozenset())[0]
        ):
            name += f" without {', '.join(sorted(lacking))}"
        return f"{name})"

    @property
    def on_any(self) -> LockedVariant:
        """Return the build whatever machine it is on."""
        return (
            self
            if self.machine_class is None
            else LockedVariant(self.project, self.label)
        )


class PropertyCondition(NamedTuple):
    """Whether the machine supports a property of a build that is installed.

    :ivar build: it, whatever machine it is on.
    :ivar property: as markers write it.
    """

    build: LockedVariant
    property: str
    is_supported: bool = True


#: What has a group: a build, or that a property of it is supported.
Group = LockedVariant | PropertyCondition


def build_of(group: Group) -> LockedVariant:
    """Return the build that is, or of which something is supported."""
    return group.build if isinstance(group, PropertyCondition) else group


#: A project, by its normalised name, in a version.
Locked = tuple[str, str]

#: Alternatives, each of which asks for the choice of some builds, and for what the machine
#: supports of them. All are positive, and none includes another, so that equal conditions
#: have one form.
Condition = frozenset[frozenset[Group]]

ALWAYS: Condition = frozenset([frozenset()])
_NEVER: Condition = frozenset()


class Ambiguity(ValueError):
    """A project is needed in two versions, and nothing tells when in which.

    :ivar versions: these, each with builds that need it.
    """

    def __init__(
        self, project: str, versions: Mapping[str, Sequence[LockedVariant]]
    ) -> None:
        super().__init__(f"{project} in the versions {', '.join(versions)}")
        self.project = project
        self.versions = versions


@dataclass(frozen=True)
class Resolution:
    """What one resolution found.

    A project with extras, ``name[extra]``, is a node beside the project; it depends on
    what its extras need, and on the project.

    :ivar versions: of each node, all of them reachable from the root.
    :ivar taken: the build that was taken, of each project with variants.
    :ivar children: the nodes that each node depends on; under None those that the user
        asked for.
    :ivar lacking: the properties that the machine lacks.
    """

    versions: Mapping[str, str]
    taken: Mapping[str, LockedVariant]
    children: Mapping[str | None, frozenset[str]]
    lacking: Properties = frozenset()
    _reached: dict[str, frozenset[str]] = field(default_factory=dict, compare=False)

    def build(self, node: str | None) -> LockedVariant | None:
        """Return the build of a node whose project has variants."""
        return None if node is None else self.taken.get(project_of(node))

    @cached_property
    def builds(self) -> frozenset[LockedVariant]:
        """Return all builds that were taken."""
        return frozenset(self.taken.values())

    def reached_from(self, project: str) -> frozenset[str]:
        """Return the nodes that a project depends on, directly or not."""
        if project not in self._reached:
            nodes = [node for node in self.versions if project_of(node) == project]
            self._reached[project] = self._below(nodes)
        return self._reached[project]

    def reached_without(self, node: str) -> frozenset[str]:
        """Return the nodes that are needed even if *node* needed nothing."""
        return self._below([None], ignored=node)

    def _below(
        self, nodes: Iterable[str | None], ignored: str | None = None
    ) -> frozenset[str]:
        found: set[str] = set()
        left = list(nodes)
        while left:
            new = self.children.get(left.pop(), frozenset()) - found
            found |= new
            left += new - {ignored}
        return frozenset(found)


def holds(condition: Condition, builds: Iterable[Group]) -> bool:
    """Tell whether a condition holds where just *builds* are installed.

    :param builds: and what the machine supports of them.
    """
    present = frozenset(builds)
    return any(terms <= present for terms in condition)


def conditions(resolutions: Sequence[Resolution]) -> dict[Locked, Condition]:
    """Tell when each project and version that was found is needed.

    For each of *resolutions* the conditions that hold with its builds are those of what it
    found. Other mixtures of the same builds need what each of the builds was seen to
    need; where they would need one project in two versions, there is no answer.

    :raises Ambiguity: then.
    """
    needs = _Needs(resolutions)
    found = {
        locked: needs.simplified(locked)
        for locked in sorted(needs.exact)
        if locked[0] == project_of(locked[0])
    }
    by_project: dict[str, list[str]] = defaultdict(list)
    for project, version in found:
        by_project[project].append(version)
    for project, versions in by_project.items():
        for one, other in itertools.combinations(versions, 2):
            both = _both(found[project, one], found[project, other])
            if any(_is_possible(terms, found, by_project) for terms in both):
                raise _ambiguity(resolutions, project, (one, other))
    for resolution in resolutions:
        missing = {*resolution.versions.items()} & found.keys() - _needed(
            found, resolution
        )
        if missing:
            # Each of two packages would have to tell when the other one is needed.
            project, _ = min(missing)
            raise _ambiguity(resolutions, project, by_project[project])
    return found


def _is_possible(
    terms: frozenset[Group],
    found: Mapping[Locked, Condition],
    versions: Mapping[str, Sequence[str]],
) -> bool:
    """Tell whether builds may come together, each where its project is needed."""
    alternatives: Condition = frozenset([terms])
    expanded: set[str] = set()
    while True:
        asked = frozenset[Group]().union(*alternatives)
        left = {build_of(each).project for each in asked} - expanded
        if not left or not alternatives:
            return bool(alternatives)
        project = min(left)
        expanded.add(project)
        needed = _any(
            own for version in versions[project] for own in found[project, version]
        )
        with_it = [each for each in alternatives if _has(each, project)]
        without = alternatives.difference(with_it)
        alternatives = _any([*without, *_both(frozenset(with_it), needed)])


def _has(terms: frozenset[Group], project: str) -> bool:
    return any(build_of(each).project == project for each in terms)


def _needed(found: Mapping[Locked, Condition], resolution: Resolution) -> set[Locked]:
    """Return what is needed where those builds are taken that *resolution* took."""
    builds: frozenset[LockedVariant] = frozenset()
    while True:
        needed = {locked for locked in found if holds(found[locked], builds)}
        taken = {
            build for name, _ in needed if (build := resolution.build(name)) is not None
        }
        if taken <= builds:
            return needed
        builds |= taken


#: What depends on something: the root, a package, or one build of it.
_Source = tuple[Locked | None, LockedVariant | None]


class _Needs:
    """Conditions as they grow from the root along the dependencies."""

    def __init__(self, resolutions: Sequence[Resolution]) -> None:
        self._resolutions = resolutions
        #: For each child of a source, the numbers of the runs by the child's version.
        self._targets: dict[_Source, dict[str, dict[str, list[int]]]] = defaultdict(
            lambda: defaultdict(lambda: defaultdict(list))
        )
        for number, resolution in enumerate(resolutions):
            for parent, children in resolution.children.items():
                locked = (
                    None if parent is None else (parent, resolution.versions[parent])
                )
                source = locked, resolution.build(parent)
                for child in children:
                    version = resolution.versions[child]
                    self._targets[source][child][version].append(number)
        self._labels: dict[str, set[LockedVariant]] = defaultdict(set)
        for build in itertools.chain.from_iterable(
            resolution.builds for resolution in resolutions
        ):
            self._labels[build.project].add(build)
        self.exact = self._grown()

    def _grown(self) -> dict[Locked, Condition]:
        edges = [
            (source, (child, version), self._told_apart(child, version, targets))
            for source, children in self._targets.items()
            for child, targets in children.items()
            for version in targets
        ]
        found = {
            locked: _NEVER
            for resolution in self._resolutions
            for locked in resolution.versions.items()
        }
        grows = True
        while grows:
            grows = False
            for (parent, build), child, apart in edges:
                source = ALWAYS if parent is None else found[parent]
                # What has extras needs itself without them, whatever its build.
                if build is not None and child[0] != build.project:
                    own = frozenset([frozenset([build])])
                    # A build is taken only where its project is needed; its extras
                    # may be needed in fewer cases.
                    same = parent is None or parent[0] == build.project
                    source = own if same else _both(source, own)
                new = _any([*found[child], *_both(source, apart)])
                if new != found[child]:
                    found[child] = new
                    grows = True
        return found

    def _told_apart(
        self, child: str, version: str, targets: Mapping[str, Sequence[int]]
    ) -> Condition:
        """Return what tells this version from the others that the same source needs."""
        if len(targets) == 1:
            return ALWAYS
        numbers = [number for each in targets.values() for number in each]
        telling = []
        for project in sorted(self._labels):
            builds = [
                {self._resolutions[number].build(project) for number in each}
                for each in targets.values()
            ]
            seen = set[LockedVariant | None]().union(*builds)
            # What is needed only by the one to be told apart tells nothing.
            if all(
                project in self._resolutions[number].reached_without(child)
                for number in numbers
            ) and len(seen) == sum(map(len, builds)):
                involved = sum(
                    child in self._resolutions[number].reached_from(project)
                    for number in numbers
                )
                telling.append((-involved, project))
        if not telling:
            raise _ambiguity(self._resolutions, child, targets)
        _, project = min(telling)
        return frozenset(
            frozenset([build])
            for number in targets[version]
            if (build := self._resolutions[number].build(project)) is not None
        )

    def simplified(self, locked: Locked) -> Condition:
        """Replace all builds of a package by what the package itself is needed for."""
        condition = self._of_others(locked[0], self.exact[locked])
        replaced: set[tuple[str, frozenset[Group]]] = set()
        while True:
            for complete in self._complete(condition):
                if complete not in replaced:
                    break
            else:
                return condition
            replaced.add(complete)
            project, rest = complete
            needed = [
                terms
                for each in {
                    resolution.versions.get(project) for resolution in self._resolutions
                }
                if each is not None
                for terms in self._of_others(project, self.exact[project, each])
            ]
            others = (
                terms
                for terms in condition
                if not (
                    terms - self._labels[project] == rest
                    and terms & self._labels[project]
                )
            )
            replacement = _both(frozenset([rest]), frozenset(needed))
            condition = self._of_others(locked[0], _any([*others, *replacement]))

    def _complete(self, condition: Condition) -> Iterator[tuple[str, frozenset[Group]]]:
        """Yield the projects all of whose builds are alternatives, with the rest."""
        for project in sorted(
            {build_of(each).project for terms in condition for each in terms}
        ):
            builds = self._labels[project]
            for rest in sorted({terms - builds for terms in condition}, key=_order):
                if all(rest | {build} in condition for build in builds):
                    yield project, rest

    def _of_others(self, project: str, condition: Condition) -> Condition:
        """Leave out alternatives in which a project is needed because it is there."""
        return frozenset(terms for terms in condition if not _has(terms, project))


def project_of(node: str) -> str:
    """Return the project of a node, which may have extras."""
    return node.partition("[")[0]


def _order(terms: frozenset[Group]) -> list[tuple[str, str, str]]:
    builds = ((build_of(each), each) for each in terms)
    return sorted(
        (build.project, build.label or "", "" if build is each else str(each))
        for build, each in builds
    )


def _any(alternatives: Iterable[frozenset[Group]]) -> Condition:
    """Unite alternatives; one that includes another, or contradicts itself, goes."""
    kept: list[frozenset[Group]] = []
    for terms in sorted(set(alternatives), key=len):
        if not any(other <= terms for other in kept) and not _excludes(terms, terms):
            kept.append(terms)
    return frozenset(kept)


def _both(one: Condition, other: Condition) -> Condition:
    return _any(left | right for left in one for right in other)


def _excludes(one: frozenset[Group], other: frozenset[Group]) -> bool:
    """Tell whether no machine has both alternatives.

    They ask for different builds of one project, or one for a property and the other one
    for its absence.
    """
    return any(_contradict(left, right) for left in one for right in other)


@functools.lru_cache(maxsize=65536)
def _contradict(one: Group, other: Group) -> bool:
    if isinstance(one, PropertyCondition) or isinstance(other, PropertyCondition):
        # Of one build, a machine may support several properties.
        ones, others = build_of(one).on_any, build_of(other).on_any
        return ones.project == others.project and ones != others
    if one.project == other.project:
        return one != other
    if one.machine_class is None or other.machine_class is None:
        return False
    return not one.machine_class.meets(other.machine_class)


def _ambiguity(
    resolutions: Sequence[Resolution], project: str, versions: Iterable[str]
) -> Ambiguity:
    """Make the error; it names the builds that depend on the project."""
    told: dict[str, list[LockedVariant]] = {}
    for version in versions:
        builds = {
            build
            for resolution in resolutions
            if resolution.versions.get(project) == version
            for build in resolution.builds
            if project in resolution.reached_from(build.project)
        }
        told[version] = sorted(builds, key=str)
    return Ambiguity(project, told)


# Dependency groups that stand for builds, and for what the machine supports of them


#: Alternatives as a marker has them. Whoever asks for a fact asks for its build too.
Spelled = frozenset[frozenset[Group]]


def spelled_out(
    condition: Condition, seen: Mapping[LockedVariant, frozenset[Properties]]
) -> Spelled:
    """Say of each kind of machines what they support.

    :param seen: of each build, what the machines lack of which it is known what the build
        needs there. For others it does not matter what the condition is.
    """
    found: set[frozenset[Group]] = set(map(_with_builds, condition))
    asked = frozenset[Group]().union(*condition)
    machine_classes = {
        each for each in asked if isinstance(each, LockedVariant) and each.machine_class
    }
    for build in sorted({each.on_any for each in machine_classes}, key=str):
        wanted: dict[frozenset[Group], set[Properties]] = defaultdict(set)
        names: Properties = frozenset()
        for terms in list(found):
            for each in machine_classes.intersection(terms):
                if each.machine_class and each.on_any == build:
                    found.remove(terms)
                    names = each.machine_class.asked
                    wanted[terms - {each}] |= each.machine_class.lacking
        for rest, machines in wanted.items():
            others = seen[build] - machines
            for supported, lacking in spelled(machines, others, names):
                facts = (PropertyCondition(build, name) for name in supported)
                absent = (
                    PropertyCondition(build, name, is_supported=False)
                    for name in lacking
                )
                found.add(rest | {build, *facts, *absent})
    return frozenset(found)


def _with_builds(terms: frozenset[Group]) -> frozenset[Group]:
    """Add the builds of facts, where these do not say on which machines they are."""
    known = {each.on_any for each in terms if isinstance(each, LockedVariant)}
    return terms | (
        {each.build for each in terms if isinstance(each, PropertyCondition)} - known
    )


def groups_of(condition: Spelled) -> set[Group]:
    """Return what the marker of a condition has groups for."""
    return {_group(each) for terms in condition for each in terms}


def _group(each: Group) -> Group:
    return (
        each
        if isinstance(each, LockedVariant)
        else PropertyCondition(each.build, each.property)
    )


def group_names(
    builds: Iterable[LockedVariant], facts: Iterable[PropertyCondition] = ()
) -> dict[Group, str]:
    """Name the group of each build and of each fact; no two have the same one.

    :param builds: all builds in the file.
    :param facts: all properties of theirs that a machine which runs them may lack.
    :return: names in normalised form. Those of the builds do not depend on the facts.
    """
    names: dict[Group, str] = {}
    taken: set[str] = set()

    def name(group: Group, text: str) -> None:
        # A name may not end with what a label of punctuation alone becomes.
        stem = canonicalize_name(text).strip("-")
        unique, number = stem, 1
        while unique in taken:
            number += 1
            unique = f"{stem}-{number}"
        taken.add(unique)
        names[group] = unique

    for build in sorted(set(builds), key=lambda each: (each.project, each.label or "")):
        name(build, f"variant-{build.project}-{build.label or 'plain'}")
    for fact in sorted(set(facts), key=lambda each: (names[each.build], each.property)):
        name(fact, f"{names[fact.build]}-{fact.property.replace(' :: ', '-')}")
    return names


def marker_text(
    condition: Condition | Spelled, names: Mapping[Group, str]
) -> str | None:
    """Write a condition as a marker; None if it always holds."""
    if condition == ALWAYS:
        return None
    alternatives = sorted(
        sorted(
            f"'{names[_group(each)]}' {_operator(each)} dependency_groups"
            for each in terms
        )
        for terms in condition
    )
    texts = (" and ".join(terms) for terms in alternatives)
    if len(alternatives) == 1:
        return next(texts)
    return " or ".join(f"({text})" if " and " in text else text for text in texts)


def _operator(each: Group) -> str:
    return "in" if isinstance(each, LockedVariant) or each.is_supported else "not in"
