"""The mode of ``pip lock``: resolve with each variant of each release."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from typing import TYPE_CHECKING

from pip._vendor.packaging.utils import canonicalize_name
from pip._vendor.wheel_variants.manifest import ABI_DEPENDENCY, Manifest, Provider
from pip._vendor.wheel_variants.properties import SupportedFeature

from pip._internal.variants.errors import BuildConflict, DroppedVariants, VariantError
from pip._internal.variants.index.links import LocalVersionWheel, label_of
from pip._internal.variants.locks.conditions import (
    LockConflict,
    LockedVariant,
    Resolution,
    conditions,
    project_of,
)
from pip._internal.variants.locks.environments import current_documents
from pip._internal.variants.locks.release import LockingRelease, depends_on_machine
from pip._internal.variants.output import reasons
from pip._internal.variants.output.refusals import refuse_unknown_labels
from pip._internal.variants.providers.chain import ProviderChain
from pip._internal.variants.providers.result import ProviderResult
from pip._internal.variants.selection.mode import Mode
from pip._internal.variants.slots import LOCK

if TYPE_CHECKING:
    from pip._vendor.packaging.specifiers import SpecifierSet
    from pip._vendor.packaging.utils import NormalizedName
    from pip._vendor.packaging.version import _BaseVersion

    from pip._internal.models.link import Link
    from pip._internal.req.req_install import InstallRequirement
    from pip._internal.req.req_set import RequirementSet
    from pip._internal.resolution.resolvelib.base import Candidate, Requirement
    from pip._internal.resolution.resolvelib.factory import Factory
    from pip._internal.resolution.resolvelib.found_candidates import IndexCandidateInfo
    from pip._internal.variants.locks.conditions import Condition, Locked, Source
    from pip._internal.variants.selection.mode import Infos, ResolveOnce
    from pip._internal.variants.selection.release import Release
    from pip._internal.variants.selection.run import Run

#: A variant and its node in a resolution: the project, perhaps with extras.
_Target = tuple[LockedVariant, str]


class DependsOnMachine(VariantError):
    """The dependencies of a variant differ between compatible machines."""

    reference = "variant-lock-conditions"
    usual_hint = (
        "Lock other variants (--variant PACKAGE=LABEL, once for each), another "
        "version, or only plain wheels (--no-variants)."
    )

    def __init__(self, name: str, requirement: str, properties: Sequence[str]) -> None:
        super().__init__(
            f"Cannot lock {name}: its dependencies depend on the machine that installs "
            "it.",
            [
                f"It requires {requirement}.",
                f"A machine that runs this variant may lack {' or '.join(properties)}.",
            ],
        )


class _AnyMachine(ProviderChain):
    """A provider chain that supports every property that a variant declares."""

    def __init__(self) -> None:
        super().__init__(environ={}, environment={}, hardware=False)

    def _ask(
        self, manifest: Manifest, provider: Provider, project: str | None
    ) -> ProviderResult:
        """Return all properties that the variants of *manifest* declare."""
        namespace = provider.namespace
        if provider.builtin == ABI_DEPENDENCY:
            # The resolver decides these versions, for any machine.
            return self._abi_dependency(manifest, namespace, project)
        declared: dict[str, set[str]] = defaultdict(set)
        for variant in manifest.variants.values():
            for feature, values in variant.features.get(namespace, {}).items():
                declared[feature].update(values)
        features = (
            SupportedFeature(feature, tuple(sorted(values)))
            for feature, values in sorted(declared.items())
        )
        return ProviderResult(tuple(features), "the variants manifest")


class Locks(Mode):
    """The mode of ``pip lock``: lock all variants, for any machine.

    With ``--environment``, the mode prefers versions that are locked for other environments.

    :ivar versions: the versions of each project in all resolutions.
    :ivar releases: the releases with variants, by project.
    :ivar requirements: the resolved requirements, by project and version.
    """

    def __init__(self, run: Run) -> None:
        self._run = run
        if run.enabled:
            run.target.chosen_for = _AnyMachine()
        self._documents = current_documents()
        # The variants of the current resolution; other projects get the least demanding one.
        self._selected: dict[str, LockedVariant] = {}
        self.versions: dict[str, set[_BaseVersion]] = defaultdict(set)
        self.releases: dict[str, LockingRelease] = {}
        self.requirements: dict[Locked, InstallRequirement] = {}
        self._failed: dict[_Target, str] = {}
        self._resolutions: list[Resolution] = []
        self._asked: dict[tuple[Source, str], list[Requirement]] = defaultdict(list)
        self._candidates: dict[Locked, Candidate] = {}

    @property
    def factory(self) -> Factory:
        """The factory of candidates."""
        return self._run.resolver.factory

    @property
    def environment(self) -> Mapping[str, str]:
        """The markers that distinguish the described machine from other machines."""
        target = self._run.target.described
        return {} if target is None else target.distinguishing_markers

    def infos(
        self, infos: Infos, project: NormalizedName, specifier: SpecifierSet
    ) -> Iterator[IndexCandidateInfo]:
        """Yield the versions, with the versions of other resolutions first.

        A package with variants keeps its version. For another kind of machine, sources are
        candidates only if there are no wheels.
        """
        offered = list(infos())
        if self._run.target.is_elsewhere:
            offered = list(filter(_is_wheel, offered)) or offered
        seen = self.versions[project]
        if project in self.releases:
            offered = [info for info in offered if info[0] in seen]
        if not seen and self._documents is not None:
            seen = self._documents.versions[project]
        yield from sorted(offered, key=lambda info: info[0] not in seen)

    def release_type(
        self, links: Sequence[Link], *, pinned: bool
    ) -> Callable[..., Release] | None:
        """Return the release type that locks all variants."""
        if any(isinstance(link, LocalVersionWheel) for link in links):
            # These variants are versions, and a lock file has one version of a package.
            return None
        return partial(LockingRelease, selected=self._selected)

    def solve(self, resolve_once: ResolveOnce) -> RequirementSet:
        """Resolve once, and attach this mode to each requirement."""
        found = resolve_once()
        if self._documents is not None:
            self._documents.environment = self.environment
        for requirement in found.requirements.values():
            # Upstream passes only requirements to the code that writes the lock file.
            LOCK.set(requirement, self)
        return found

    def resolve(self, resolve_once: ResolveOnce) -> RequirementSet | None:
        """Resolve with each variant of each reachable package.

        :return: the result of the first resolution.
        :raises InstallationError: if even the least demanding variants cannot be resolved.
        :raises DependsOnMachine: if a variant has a dependency on some machines only.
        :raises LockConflict: if a lock file cannot express the dependencies of the variants.
        :raises NothingToInstall: if no project has the user's label.
        """
        if not self._run.enabled:
            return None
        self._run.attempt.may_fail = True
        try:
            first = self._resolve_with(resolve_once, {})
        except BuildConflict:
            # The conflict may be due to a dependency that some machines lack.
            self._refuse_dependence()
            # Resolve again, for the resolver's explanation.
            self._run.attempt.may_fail = False
            return self._resolve_with(resolve_once, {})
        self._resolve_each(resolve_once)
        self._refuse_dependence()
        self._refuse_failures()
        self._report_left_out()
        refuse_unknown_labels(self._run, list(self.releases.values()))
        return first

    @property
    def _targets(self) -> frozenset[_Target]:
        """All resolved variants, each with its node."""
        return frozenset(
            (variant, node)
            for each in self._resolutions
            for node in each.versions
            if (variant := each.taken.get(project_of(node))) is not None
        )

    @property
    def variants(self) -> frozenset[LockedVariant]:
        """All locked variants."""
        return frozenset(variant for variant, _ in self._targets)

    @cached_property
    def conditions(self) -> Mapping[Locked, Condition]:
        """The conditions under which each project and version is needed."""
        found = conditions(self._resolutions, self._accepts)
        return {locked: found[locked] for locked in self.requirements}

    def _refuse_failures(self) -> None:
        """Raise an error if some combination of variants cannot be locked.

        :raises LockConflict: if a variant cannot be locked.
        """
        for (variant, node), problem in self._failed.items():
            if variant in self.variants:
                raise LockConflict(f"Cannot lock {variant} as {node}.", [problem])
        _ = self.conditions

    def _accepts(self, source: Source, node: str, version: str) -> bool:
        candidate = self._candidates.get((node, version))
        return candidate is not None and all(
            each.is_satisfied_by(candidate) for each in self._asked[source, node]
        )

    def _resolve_with(
        self, resolve_once: ResolveOnce, selected: Mapping[str, LockedVariant]
    ) -> RequirementSet:
        """Resolve with some variants, and the least demanding variants of other projects.

        :raises BuildConflict: if there is no solution.
        """
        self._selected.clear()
        self._selected.update(selected)
        found = resolve_once()
        self._observe(found)
        return found

    def _resolve_each(self, resolve_once: ResolveOnce) -> None:
        """Resolve with each variant of each project in a resolution."""
        while (target := self._next()) is not None:
            wanted, origin = target
            problem = "no locked package needs this variant"
            for selected in self._selections(wanted[0], origin):
                try:
                    self._resolve_with(resolve_once, selected)
                except BuildConflict as error:
                    problem = str(error)
                if wanted in self._targets:
                    break
            else:
                self._failed[wanted] = problem

    def _next(self) -> tuple[_Target, Resolution] | None:
        """Return the next unresolved variant and a resolution with its project, or None."""
        done = self._failed.keys() | self._targets
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
        """Yield selections with *wanted*.

        The first selection changes only this variant. The second selection, if different, also has
        the variants of other projects with the same label.
        """
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

    def _locking_release(
        self, link: Link, requirement: InstallRequirement | None
    ) -> LockingRelease | None:
        """Return the release of a file, if the lock file gets all of its variants."""
        if requirement is not None and requirement.is_direct:
            # A URL selects one wheel, even if an index lists it too.
            return None
        release = self._run.decisions.release_of(link)
        if isinstance(release, LockingRelease) and release.builds:
            return release
        return None

    def _observe(self, found: RequirementSet) -> None:
        """Record the result of a resolution."""
        result = self._run.resolver._result
        assert result is not None, "it has resolved"
        # The interpreter is not a package.
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
            requirement = found.requirements.get(project)
            release = link and self._locking_release(link, requirement)
            if link and release:
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

    def _refuse_dependence(self) -> None:
        """Check that the dependencies of variants do not depend on the machine.

        :raises DependsOnMachine: if the dependencies of a variant depend on the machine.
        """
        if self._run.resolver.ignore_dependencies:
            return
        for link, candidate in self.factory._link_candidate_cache.items():
            label, release = label_of(link), self._run.decisions.release_of(link)
            if label is None or not isinstance(release, LockingRelease):
                continue
            if self.releases and release not in self.releases.values():
                continue
            selection = release.fetch_selection_of(link)
            if selection is None or not release.is_for_any:
                continue
            for text in candidate.dist.metadata.get_all("Requires-Dist", []):
                lacking = depends_on_machine(text, selection.manifest, label)
                if lacking:
                    name = f"the variant '{label}' of {release}"
                    raise DependsOnMachine(name, text, lacking)

    def _report_left_out(self) -> None:
        """Report the variants that pip leaves out of the lock file."""
        for (variant, _), problem in self._failed.items():
            name = reasons.build_name(self.releases[variant.project], variant.label)
            warning = f"Leaving {name} out of the lock file: {problem}"
            hint = "Name the variants to lock: --variant PACKAGE=LABEL, once for each"
            follows = "locks the others"
            dropped = DroppedVariants(
                name, problem, warning, follows=follows, hints=[hint]
            )
            self._run.reporter.report([dropped])


def _is_wheel(info: IndexCandidateInfo) -> bool:
    _, maker = info
    assert isinstance(maker, partial), "upstream makes each candidate so"
    return bool(maker.keywords["link"].is_wheel)
