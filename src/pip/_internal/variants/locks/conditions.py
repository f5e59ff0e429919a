"""Compute the variants that need each locked package.

One resolution shows the dependencies of one selection of variants. Several resolutions, one
for each variant, together show which dependencies need which variant. A dependency of only
some variants gets a marker in the file, such as ``'variant-torch-cu128' in
dependency_groups`` (PEP 751); the group is active if that variant is installed.

A package may have several versions if the variant of one project decides the version. pip
refuses any other case, and any combination of variants that would get a version which one
of the variants does not accept. Pure: no I/O.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from pip._vendor.packaging.utils import canonicalize_name

from pip._internal.variants.errors import VariantError


class LockedVariant(NamedTuple):
    """A locked build of a project: a variant or a plain wheel.

    :ivar project: the normalized name of the project.
    :ivar label: the label; None for a plain wheel.
    """

    project: str
    label: str | None

    def __str__(self) -> str:
        return f"{self.project} ({self.label or 'plain'})"


#: The normalized name and the version of a project.
Locked = tuple[str, str]

#: The source of a dependency: a node, its version, and its variant if its project has any.
#: The root has no node.
Source = tuple[str | None, str, LockedVariant | None]

#: The variants that need a package; None stands for the user, who always needs the package.
Condition = frozenset[LockedVariant | None]

_ALWAYS: Condition = frozenset([None])


class LockConflict(VariantError):
    """The dependencies of variants do not fit into one lock file."""

    reference = "variant-lock-conflict"
    usual_hint = (
        "Lock fewer variants (repeat --variant LABEL or --variant PACKAGE=LABEL), or "
        "write one file per kind of machine."
    )


@dataclass(frozen=True)
class Resolution:
    """The result of one resolution.

    A project with extras, ``name[extra]``, is a separate node. It depends on the requirements of
    its extras, and on the project.

    :ivar versions: the versions of all nodes.
    :ivar taken: the selected variant of each project with variants.
    :ivar children: the dependencies of each node; those of None are the user's requirements.
    """

    versions: Mapping[str, str]
    taken: Mapping[str, LockedVariant]
    children: Mapping[str | None, frozenset[str]]

    def source(self, node: str | None) -> Source:
        """Return a node as the source of its dependencies."""
        if node is None:
            return None, "", None
        return node, self.versions[node], self.taken.get(project_of(node))

    def reaches(self, project: str, needed: str) -> bool:
        """Return whether a project depends on another one, possibly indirectly."""
        seen: set[str] = set()
        left = [node for node in self.versions if project_of(node) == project]
        while left:
            new = self.children.get(left.pop(), frozenset()) - seen
            seen |= new
            left += new
        return needed in seen


def holds(condition: Condition, variants: Iterable[LockedVariant]) -> bool:
    """Return whether a condition is true if only *variants* are installed."""
    return None in condition or not condition.isdisjoint(variants)


def conditions(
    resolutions: Sequence[Resolution], accepts: Callable[[Source, str, str], bool]
) -> dict[Locked, Condition]:
    """Return the conditions under which each node and version is needed.

    The conditions apply to all combinations of variants, resolved or not.

    :param accepts: a function that returns whether a source accepts a version of a node.
    :raises LockConflict: if the dependencies of a combination, or their versions, are unknown,
        or if no condition can express them.
    """
    needs = _Needs(resolutions)
    needs.check(accepts)
    return needs.found


class _Needs:
    """Conditions, propagated from the root along the dependencies.

    :ivar found: the condition for each node and version.
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
        self._deciding = {
            project: self._decided_by(project)
            for project, versions in self._versions.items()
            if len(versions) > 1
        }
        self.found: dict[Locked, Condition] = defaultdict(frozenset)
        while self._grow():
            pass

    def _decided_by(self, project: str) -> Mapping[LockedVariant, str]:
        """Return the variants of another project that decide the version of *project*.

        :return: the version of *project* for each of these variants.

        :raises LockConflict: if no project decides the version.
        """
        runs = [each for each in self._resolutions if project in each.versions]
        deciding = []
        for name in sorted(self._variants):
            versions: dict[LockedVariant, str] = {}
            for run in runs:
                version, variant = run.versions[project], run.taken.get(name)
                if variant is None or versions.setdefault(variant, version) != version:
                    break
            else:
                # A project that depends on this one is more likely to decide.
                reached = sum(run.reaches(name, project) for run in runs)
                deciding.append((reached, versions))
        if not deciding:
            raise self._several_versions(project)
        return max(deciding, key=lambda each: each[0])[1]

    def _grow(self) -> bool:
        """Propagate along each dependency once.

        :return: whether any condition changed.
        """
        before = dict(self.found)
        for source, children in self._children.items():
            for child in sorted(children):
                when = self._when(source, child)
                for version, needed in self._by_version(project_of(child), when):
                    old = self.found[child, version]
                    self.found[child, version] = self._simplified(child, old | needed)
        return self.found != before

    def _when(self, source: Source, child: str) -> Condition:
        """Return the condition for a source that needs *child*."""
        node, version, variant = source
        if node is None:
            return _ALWAYS
        if variant is None or project_of(child) == variant.project:
            # A node with extras always needs the same project without extras.
            return self.found[node, version]
        return frozenset([variant])

    def _by_version(
        self, project: str, when: Condition
    ) -> Iterator[tuple[str, Condition]]:
        """Yield each version of a project, with the condition for that version."""
        deciding = self._deciding.get(project)
        for version in self._versions[project]:
            if deciding is None:
                yield version, when
            else:
                own = {each for each, its in deciding.items() if its == version}
                yield version, frozenset(own) if None in when else when & own

    def _simplified(self, child: str, condition: Condition) -> Condition:
        # A project with an installed variant is needed already.
        condition -= self._variants.get(project_of(child), set())
        is_always = None in condition or any(
            variants <= condition and self._is_always(project)
            for project, variants in self._variants.items()
        )
        return _ALWAYS if is_always else condition

    def _is_always(self, project: str) -> bool:
        return any(
            None in self.found[project, version] for version in self._versions[project]
        )

    def check(self, accepts: Callable[[Source, str, str], bool]) -> None:
        """Check every combination of variants.

        :raises LockConflict: if a version is unknown or not accepted, or if the dependencies
            of a variant are unknown.
        """
        for node, version in self.found:
            for variant in sorted(self._variants.get(project_of(node), ()), key=str):
                self._check_variant(node, version, variant)
        for source, children in self._children.items():
            for child in sorted(children):
                deciding = self._deciding.get(project_of(child))
                if deciding is not None:
                    self._check_versions(source, child, deciding, accepts)
        for run in self._resolutions:
            needed = {
                locked
                for locked, condition in self.found.items()
                if holds(condition, run.taken.values())
            }
            for node, _ in needed ^ set(run.versions.items()):
                raise self._several_versions(project_of(node))

    def _check_variant(self, node: str, version: str, variant: LockedVariant) -> None:
        """Check that the dependencies of a variant are known."""
        source = node, version, variant
        project = variant.project
        alone = self._children.get((project, version, variant), set())
        is_more = self._children.get(source, set()) - alone - {project}
        is_less_needed = self.found[node, version] != self.found[project, version]
        if source not in self._children or (is_more and is_less_needed):
            raise LockConflict(
                f"Cannot lock {variant} as {node}: pip did not find its dependencies "
                "for every combination of variants."
            )

    def _check_versions(
        self,
        source: Source,
        child: str,
        deciding: Mapping[LockedVariant, str],
        accepts: Callable[[Source, str, str], bool],
    ) -> None:
        """Check that a source always gets a version that it accepts."""
        when = self._when(source, child)
        project = next(iter(deciding)).project
        variants = self._variants[project]
        others = when - variants
        if others and not self._is_always(project):
            raise self._several_versions(project_of(child))
        for variant in variants if others else when:
            version = deciding.get(variant) if variant else None
            if version is None or not accepts(source, child, version):
                raise self._several_versions(project_of(child))
            # This case would need a marker with "and".
            if others - _ALWAYS and variant not in self.found[child, version]:
                raise self._several_versions(project_of(child))

    def _several_versions(self, project: str) -> LockConflict:
        """Return the error for a project that variants need in different versions."""
        needing: dict[str, set[str]] = defaultdict(set)
        for run in self._resolutions:
            if project in run.versions:
                needing[run.versions[project]] |= {
                    str(variant)
                    for variant in run.taken.values()
                    if run.reaches(variant.project, project)
                }
        lines = [
            f"{project} {version}: {', '.join(sorted(variants))}"
            for version, variants in needing.items()
        ]
        return LockConflict(
            f"Cannot lock '{project}': variants that can be installed together need "
            "different versions.",
            lines,
        )


def project_of(node: str) -> str:
    """Return the project of a node, which may have extras."""
    return node.partition("[")[0]


def group_name(variant: LockedVariant) -> str:
    """Return the name of the dependency group of a variant."""
    name = f"variant-{variant.project}-{variant.label or 'plain'}"
    # A label that consists of punctuation would leave a trailing dash.
    return canonicalize_name(name).strip("-")


def marker_text(condition: Condition) -> str | None:
    """Return a condition as a marker, or None if the condition is always true."""
    names = sorted(group_name(each) for each in condition if each is not None)
    if None in condition:
        return None
    return " or ".join(f"'{name}' in dependency_groups" for name in names)
