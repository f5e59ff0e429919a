"""With which variants each locked package is needed.

One resolution shows what one selection of variants needs. Several of them, one for each
variant, together show what depends on it. What only some variants need has a marker in
the file such as ``'variant-torch-cu128' in dependency_groups`` (PEP 751); the group is on
if that variant is installed.

A package may be needed in several versions if the variant of one project decides which.
Anything else is refused, and so is every combination of variants that would get a version
which one of them does not accept. Pure: no I/O and nothing from the rest of pip.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from pip._vendor.packaging.utils import canonicalize_name

__all__ = [
    "Ambiguity",
    "Condition",
    "Group",
    "Locked",
    "LockedVariant",
    "PropertyCondition",
    "Resolution",
    "Source",
    "Unresolved",
    "conditions",
    "group_names",
    "holds",
    "marker_text",
    "project_of",
]


class LockedVariant(NamedTuple):
    """A wheel of a project: the variant with that label, or a plain one.

    :ivar project: its normalized name.
    :ivar label: None for a plain wheel.
    """

    project: str
    label: str | None

    def __str__(self) -> str:
        return f"{self.project} ({self.label or 'plain'})"


class PropertyCondition(NamedTuple):
    """Whether the machine supports a property of a variant that is installed.

    Only older lock files have groups for that.

    :ivar property: as markers write it.
    """

    build: LockedVariant
    property: str


#: What has a group: a variant, or that a property of it is supported.
Group = LockedVariant | PropertyCondition

#: A project, by its normalized name, in a version.
Locked = tuple[str, str]

#: What depends on something: a node in a version, and its variant if its project has any.
#: The root has no node.
Source = tuple[str | None, str, LockedVariant | None]

#: Alternatives, each of which requires some variants. None includes another, so equal
#: conditions have one form.
Condition = frozenset[frozenset[LockedVariant]]

_ALWAYS: Condition = frozenset([frozenset()])
_NEVER: Condition = frozenset()


class Ambiguity(ValueError):
    """A project is needed in several versions, and no variant decides when in which.

    :ivar versions: these, each with variants that need it.
    """

    def __init__(
        self, project: str, versions: Mapping[str, Sequence[LockedVariant]]
    ) -> None:
        super().__init__(f"{project} in the versions {', '.join(versions)}")
        self.project = project
        self.versions = versions


class Unresolved(ValueError):
    """A variant may be needed in a way in which it could not be resolved.

    :ivar node: the project of the variant, with the extras that are needed.
    """

    def __init__(self, node: str, variant: LockedVariant | None) -> None:
        super().__init__(f"{variant} as {node}")
        self.node = node
        self.variant = variant


@dataclass(frozen=True)
class Resolution:
    """What one resolution found.

    A project with extras, ``name[extra]``, is a node beside the project; it depends on
    what its extras need, and on the project.

    :ivar versions: of each node, all of them reachable from the root.
    :ivar taken: the variant that was selected of each project that has any.
    :ivar children: the nodes that each node depends on; under None those that the user
        requested.
    """

    versions: Mapping[str, str]
    taken: Mapping[str, LockedVariant]
    children: Mapping[str | None, frozenset[str]]
    _reached: dict[str, frozenset[str]] = field(default_factory=dict, compare=False)

    def source(self, node: str | None) -> Source:
        """Return a node as what others are needed by."""
        if node is None:
            return None, "", None
        return node, self.versions[node], self.taken.get(project_of(node))

    def reached_from(self, project: str) -> frozenset[str]:
        """Return the nodes that a project depends on, directly or not."""
        if project not in self._reached:
            found: set[str] = set()
            left = [node for node in self.versions if project_of(node) == project]
            while left:
                new = self.children.get(left.pop(), frozenset()) - found
                found |= new
                left += new
            self._reached[project] = frozenset(found)
        return self._reached[project]


def holds(condition: Condition, variants: Iterable[LockedVariant]) -> bool:
    """Return whether a condition holds if just *variants* are installed."""
    present = frozenset(variants)
    return any(terms <= present for terms in condition)


def conditions(
    resolutions: Sequence[Resolution], accepts: Callable[[Source, str, str], bool]
) -> dict[Locked, Condition]:
    """Return when each project and version that was found is needed.

    It holds for all combinations of the variants, whether or not they were resolved.

    :param accepts: whether a source accepts a version of a node that it needs.
    :raises Ambiguity: if there is a combination for which the version is not known.
    :raises Unresolved: if there is one for which it is not known what a variant needs.
    """
    needs = _Needs(resolutions)
    needs.check(accepts)
    return {
        locked: condition
        for locked, condition in sorted(needs.found.items())
        if locked[0] == project_of(locked[0])
    }


class _Decider(NamedTuple):
    """The project whose variant decides the version of another project.

    :ivar versions: the version for each variant, as far as there was one.
    """

    project: str
    versions: Mapping[LockedVariant, str]


class _Needs:
    """Conditions as they grow from the root along the dependencies.

    :ivar found: when each node is needed in each version.
    """

    def __init__(self, resolutions: Sequence[Resolution]) -> None:
        self._resolutions = resolutions
        self._variants: dict[str, set[LockedVariant]] = defaultdict(set)
        self._children: dict[Source, set[str]] = defaultdict(set)
        self._versions: dict[str, dict[str, None]] = defaultdict(dict)
        for resolution in resolutions:
            for variant in resolution.taken.values():
                self._variants[variant.project].add(variant)
            for node, children in resolution.children.items():
                self._children[resolution.source(node)] |= children
            for node, version in resolution.versions.items():
                self._versions[project_of(node)][version] = None
        self._deciders = {
            project: self._decider(project)
            for project, versions in self._versions.items()
            if len(versions) > 1
        }
        self.found: dict[Locked, Condition] = defaultdict(lambda: _NEVER)
        self._grow()

    def _decider(self, project: str) -> _Decider:
        """Return what decides the version of a project.

        :raises Ambiguity: if nothing does.
        """
        runs = [each for each in self._resolutions if project in each.versions]
        deciders = []
        for name in sorted(self._variants):
            versions: dict[LockedVariant, str] = {}
            for run in runs:
                version, variant = run.versions[project], run.taken.get(name)
                if variant is None or versions.setdefault(variant, version) != version:
                    break
            else:
                deciders.append(_Decider(name, versions))
        if not deciders:
            raise self._ambiguity(project)
        # What depends on the project is more likely to decide than what does not.
        return min(
            deciders,
            key=lambda each: (
                -sum(project in run.reached_from(each.project) for run in runs)
            ),
        )

    def _grow(self) -> None:
        grows = True
        while grows:
            grows = False
            for source, children in self._children.items():
                for child in children:
                    when = self._when(source, child)
                    for version, decided in self._decided(project_of(child)):
                        old = self.found[child, version]
                        new = self._any(child, [*old, *_both(when, decided)])
                        if new != old:
                            self.found[child, version] = new
                            grows = True

    def _when(self, source: Source, child: str | None = None) -> Condition:
        """Return when a source is installed, as far as it needs *child*."""
        node, version, variant = source
        if node is None:
            return _ALWAYS
        if variant is None or child == variant.project:
            # What has extras needs itself without them, whatever its variant.
            return self.found[node, version]
        own = frozenset([frozenset([variant])])
        # A variant is on only if its project is needed; its extras may be needed less.
        return own if node == variant.project else _both(self.found[node, version], own)

    def _decided(self, project: str) -> Iterator[tuple[str, Condition]]:
        """Yield each version of a project, and when it is the one to install."""
        decider = self._deciders.get(project)
        for version in self._versions[project]:
            yield (
                version,
                _ALWAYS
                if decider is None
                else frozenset(
                    frozenset([variant])
                    for variant, decided in decider.versions.items()
                    if decided == version
                ),
            )

    def _any(
        self, child: str, alternatives: Iterable[frozenset[LockedVariant]]
    ) -> Condition:
        """Unite alternatives, and leave out what makes no difference."""
        # A project that has a variant installed is needed already.
        kept = {each for each in _any(alternatives) if not _has(each, child)}
        for project, variants in self._variants.items():
            if self._is_needed(project, frozenset()):
                for rest in {each - variants for each in kept}:
                    if all(rest | {each} in kept for each in variants):
                        kept.add(rest)
        return _any(kept)

    def _is_needed(self, project: str, terms: frozenset[LockedVariant]) -> bool:
        """Return whether a project is always needed if some variants are installed."""
        return _has(terms, project) or any(
            needed <= terms
            for version in self._versions[project]
            for needed in self.found[project, version]
        )

    def check(self, accepts: Callable[[Source, str, str], bool]) -> None:
        """Check every combination of variants.

        :raises Ambiguity: if a version is not known, or not accepted.
        :raises Unresolved: if it is not known what a variant needs.
        """
        for (node, version), condition in self.found.items():
            for variant in self._variants.get(project_of(node)) or [None]:
                own = frozenset(() if variant is None else [variant])
                if (node, version, variant) not in self._children and any(
                    not _contradict(terms | own) for terms in condition
                ):
                    raise Unresolved(node, variant)
        for source, children in self._children.items():
            for child in children:
                decider = self._deciders.get(project_of(child))
                if decider is not None:
                    for terms in self._when(source, child):
                        self._check(source, child, terms, decider, accepts)
        for run in self._resolutions:
            for node, version in run.versions.items():
                if not holds(self.found[node, version], run.taken.values()):
                    raise self._ambiguity(project_of(node))

    def _check(
        self,
        source: Source,
        child: str,
        terms: frozenset[LockedVariant],
        decider: _Decider,
        accepts: Callable[[Source, str, str], bool],
    ) -> None:
        if not self._is_needed(decider.project, terms):
            raise self._ambiguity(project_of(child))
        for variant in self._variants[decider.project]:
            if not _contradict(terms | {variant}):
                version = decider.versions.get(variant)
                if version is None or not accepts(source, child, version):
                    raise self._ambiguity(project_of(child))

    def _ambiguity(self, project: str) -> Ambiguity:
        """Return the error; it names the variants that depend on the project."""
        versions: dict[str, set[LockedVariant]] = defaultdict(set)
        for run in self._resolutions:
            if project in run.versions:
                versions[run.versions[project]].update(
                    variant
                    for variant in run.taken.values()
                    if project in run.reached_from(variant.project)
                )
        return Ambiguity(
            project, {each: sorted(found, key=str) for each, found in versions.items()}
        )


def project_of(node: str) -> str:
    """Return the project of a node, which may have extras."""
    return node.partition("[")[0]


def _has(terms: Iterable[LockedVariant], project: str) -> bool:
    return any(each.project == project for each in terms)


def _contradict(terms: frozenset[LockedVariant]) -> bool:
    """Return whether they are several variants of one project."""
    return len({each.project for each in terms}) < len(terms)


def _any(alternatives: Iterable[frozenset[LockedVariant]]) -> Condition:
    """Unite alternatives, without contradictions and those that include another."""
    kept: list[frozenset[LockedVariant]] = []
    for terms in sorted(set(alternatives), key=len):
        if not any(other <= terms for other in kept) and not _contradict(terms):
            kept.append(terms)
    return frozenset(kept)


def _both(one: Condition, other: Condition) -> Condition:
    return _any(left | right for left in one for right in other)


def group_names(groups: Iterable[Group]) -> dict[Group, str]:
    """Name the dependency group of each variant and property; no two share a name.

    :param groups: all variants in the file, and all properties of theirs that a machine
        which runs them may lack.
    :return: normalized names. Those of the variants do not depend on the properties.
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

    every = set(groups)
    variants = [each for each in every if isinstance(each, LockedVariant)]
    for variant in sorted(variants, key=lambda each: (each.project, each.label or "")):
        name(variant, f"variant-{variant.project}-{variant.label or 'plain'}")
    properties = [each for each in every if isinstance(each, PropertyCondition)]
    for each in sorted(properties, key=lambda each: (names[each.build], each.property)):
        name(each, f"{names[each.build]}-{each.property.replace(' :: ', '-')}")
    return names


def marker_text(condition: Condition, names: Mapping[Group, str]) -> str | None:
    """Write a condition as a marker; None if it always holds."""
    if condition == _ALWAYS:
        return None
    alternatives = sorted(
        sorted(f"'{names[each]}' in dependency_groups" for each in terms)
        for terms in condition
    )
    texts = (" and ".join(terms) for terms in alternatives)
    if len(alternatives) == 1:
        return next(texts)
    return " or ".join(f"({text})" if " and " in text else text for text in texts)
