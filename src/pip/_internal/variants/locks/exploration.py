"""Resolve once for each variant of each package that a lock file has."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from pip._vendor.packaging.utils import canonicalize_name

from pip._internal.console.output import get_logger
from pip._internal.variants.errors import BuildConflict, VariantError
from pip._internal.variants.index.links import label_of
from pip._internal.variants.locks.conditions import (
    Condition,
    Locked,
    LockedVariant,
    Resolution,
    Source,
    conditions,
    project_of,
)
from pip._internal.variants.locks.documents import depends_on_machine
from pip._internal.variants.locks.release import LockingRelease

if TYPE_CHECKING:
    from pip._vendor.packaging.version import _BaseVersion

    from pip._internal.req.req_install import InstallRequirement
    from pip._internal.req.req_set import RequirementSet
    from pip._internal.resolution.resolvelib.base import Candidate, Requirement
    from pip._internal.resolution.resolvelib.resolver import Resolver
    from pip._internal.variants.selection.run import Run

__all__ = ["DependsOnMachine", "Exploration"]

logger = get_logger(__name__)

#: A variant, and the node of a resolution that it stands for: its project, maybe with
#: extras.
_Target = tuple[LockedVariant, str]


class DependsOnMachine(VariantError):
    """What a variant needs differs between machines that install this variant."""

    reference = "variant-lock-conditions"
    usual_hint = (
        "Lock other variants: --variant PACKAGE=LABEL, once for each; or another version; "
        "or only plain wheels: --no-variants."
    )

    def __init__(self, name: str, requirement: str, properties: Sequence[str]) -> None:
        super().__init__(
            f"Cannot lock {name}: what it needs depends on the machine that installs it.",
            [
                f"It needs {requirement}",
                f"A machine that runs it may lack {' or '.join(properties)}.",
            ],
        )


class Exploration:
    """What the resolutions for one lock file have found.

    :ivar versions: of each project, those that a resolution took.
    :ivar pinned: the versions of projects that may have only one.
    :ivar releases: those with variants, by project.
    :ivar requirements: what was resolved, by project and version.
    :ivar failed: the variants that could not be resolved, and why.
    """

    def __init__(
        self,
        run: Run,
        resolver: Resolver,
        resolve_once: Callable[[], RequirementSet],
        selected: dict[str, LockedVariant],
        pinned: Mapping[str, str],
    ) -> None:
        """Make it.

        :param resolve_once: resolves with the variants in *selected*, and with the least
            demanding one of other projects.
        """
        self._run, self._resolver = run, resolver
        self._resolve_once, self._selected = resolve_once, selected
        self.pinned = pinned
        self.versions: dict[str, set[_BaseVersion]] = defaultdict(set)
        self.releases: dict[str, LockingRelease] = {}
        self.requirements: dict[Locked, InstallRequirement] = {}
        self.failed: dict[_Target, str] = {}
        self._resolutions: list[Resolution] = []
        self._asked: dict[tuple[Source, str], list[Requirement]] = defaultdict(list)
        self._candidates: dict[Locked, Candidate] = {}

    @property
    def targets(self) -> frozenset[_Target]:
        """All variants that were resolved."""
        return frozenset(
            (variant, node)
            for each in self._resolutions
            for node in each.versions
            if (variant := each.taken.get(project_of(node))) is not None
        )

    @property
    def variants(self) -> frozenset[LockedVariant]:
        """All variants that are locked."""
        return frozenset(variant for variant, _ in self.targets)

    def conditions(self) -> dict[Locked, Condition]:
        """Return when each project and version is needed.

        :raises Ambiguity: if nothing decides which version of a project is needed.
        :raises Unresolved: if it is not known what a variant needs.
        """
        found = conditions(self._resolutions, self._accepts)
        return {locked: found[locked] for locked in self.requirements}

    def _accepts(self, source: Source, node: str, version: str) -> bool:
        candidate = self._candidates.get((node, version))
        return candidate is not None and all(
            each.is_satisfied_by(candidate) for each in self._asked[source, node]
        )

    def first(self) -> RequirementSet:
        """Resolve with the least demanding variants.

        :raises BuildConflict: if nothing can be found.
        """
        self._selected.clear()
        found = self._resolve_once()
        self._observe(found)
        return found

    def each(self) -> None:
        """Resolve with each variant of each project that a resolution comes to."""
        while (target := self._next()) is not None:
            wanted, origin = target
            problem = "nothing that is locked needs it then"
            for selected in self._selections(wanted[0], origin):
                self._selected.clear()
                self._selected.update(selected)
                try:
                    self._observe(self._resolve_once())
                except BuildConflict as error:
                    problem = str(error)
                if wanted in self.targets:
                    break
            else:
                logger.debug("%s is not locked: %s", wanted[0], problem)
                self.failed[wanted] = problem

    def _next(self) -> tuple[_Target, Resolution] | None:
        """Return a variant that was not resolved yet, and a resolution of its project."""
        done = self.failed.keys() | self.targets
        for resolution in self._resolutions:
            for node in sorted(resolution.versions):
                if project_of(node) in resolution.taken:
                    for variant in self.releases[project_of(node)].builds:
                        if (variant, node) not in done:
                            return (variant, node), resolution
        return None

    def _selections(
        self, wanted: LockedVariant, origin: Resolution
    ) -> Iterator[dict[str, LockedVariant]]:
        """Yield what to select so that a variant is: it alone, then all of its label."""
        alone = {**origin.taken, wanted.project: wanted}
        yield alone
        alike = {
            project: variant
            for project, release in self.releases.items()
            for variant in release.builds
            if variant.label == wanted.label
        }
        if alike.items() - alone.items():
            yield {**alone, **alike}

    def _observe(self, found: RequirementSet) -> None:
        """Record what a resolution found."""
        result = self._resolver._result
        assert result is not None, "it has resolved"
        # The interpreter is no package.
        mapping = {
            node: candidate
            for node, candidate in result.mapping.items()
            if candidate.source_link is not None
        }
        taken: dict[str, LockedVariant] = {}
        for node, candidate in mapping.items():
            link, project = candidate.source_link, candidate.project_name
            self.versions[project].add(candidate.version)
            self._candidates.setdefault((node, str(candidate.version)), candidate)
            release = link and self._run.decisions.release_of(link)
            if link and isinstance(release, LockingRelease) and release.builds:
                taken[project] = LockedVariant(project, label_of(link))
                self.releases[project] = release
        versions = {node: str(each.version) for node, each in mapping.items()}
        children = {
            parent: frozenset(versions.keys() & set(result.graph.iter_children(parent)))
            for parent in (None, *versions)
        }
        resolution = Resolution(versions, taken, children)
        self._resolutions.append(resolution)
        for node in versions:
            for information in result.criteria[node].information:
                parent = None if information.parent is None else information.parent.name
                if node in children.get(parent, ()):
                    source = resolution.source(parent)
                    self._asked[source, node].append(information.requirement)
        for name, requirement in found.requirements.items():
            project = canonicalize_name(name)
            self.requirements.setdefault((project, versions[project]), requirement)

    def refuse_dependence(self) -> None:
        """Check that no variant needs something on some machines only.

        :raises DependsOnMachine: if one does.
        """
        if self._resolver.ignore_dependencies:
            return
        for link, candidate in self._resolver.factory._link_candidate_cache.items():
            label, release = label_of(link), self._run.decisions.release_of(link)
            if label is None or not isinstance(release, LockingRelease):
                continue
            if self.releases and release not in self.releases.values():
                continue
            selection = release.fetch_selection_of(link)
            if (
                selection is None
                or selection.manifest is None
                or not release.is_for_any
            ):
                continue
            for text in candidate.dist.metadata.get_all("Requires-Dist", []):
                lacking = depends_on_machine(text, selection.manifest, label)
                if lacking:
                    name = f"the variant {label} of {release}"
                    raise DependsOnMachine(name, text, lacking)
