"""How a run differs that locks all variants of each release, one after the other."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from pip._vendor.wheel_variants import abi_dependency
from pip._vendor.wheel_variants.manifest import ABI_DEPENDENCY, Manifest
from pip._vendor.wheel_variants.properties import SupportedFeature

from pip._internal.variants.errors import BuildConflict, DroppedVariants
from pip._internal.variants.index.links import LocalVersionWheel
from pip._internal.variants.locks.conditions import Ambiguity, LockedVariant, Unresolved
from pip._internal.variants.locks.environments import PreferLocked, these_first
from pip._internal.variants.locks.exploration import Exploration
from pip._internal.variants.locks.plan import make_plan, not_resolved, two_versions
from pip._internal.variants.locks.release import LockingRelease
from pip._internal.variants.output import reasons
from pip._internal.variants.output.refusals import refuse_unknown_labels
from pip._internal.variants.providers.chain import ProviderChain
from pip._internal.variants.providers.result import ProviderResult
from pip._internal.variants.slots import LOCK_PLAN

if TYPE_CHECKING:
    from pip._vendor.packaging.specifiers import SpecifierSet
    from pip._vendor.packaging.utils import NormalizedName

    from pip._internal.models.link import Link
    from pip._internal.req.req_set import RequirementSet
    from pip._internal.resolution.resolvelib.found_candidates import IndexCandidateInfo
    from pip._internal.resolution.resolvelib.resolver import Resolver
    from pip._internal.variants.selection.release import Release
    from pip._internal.variants.selection.run import Run

__all__ = ["Locks"]

#: How many ways to try of having one version for all.
_MOST_PINNED = 8


class _AnyMachine(ProviderChain):
    """The answers of no machine: every property that a variant declares is supported."""

    def __init__(self) -> None:
        super().__init__(environ={}, environment={}, hardware=False)

    def query(
        self, manifest: Manifest, namespaces: Iterable[str], project: str | None = None
    ) -> dict[str, ProviderResult]:
        """Return all that the variants of *manifest* declare in *namespaces*."""
        return {
            namespace: self._declared(manifest, namespace, project)
            for namespace in namespaces
        }

    def _declared(
        self, manifest: Manifest, namespace: str, project: str | None
    ) -> ProviderResult:
        if manifest.provider(namespace).builtin == ABI_DEPENDENCY:
            # Here the resolver has a say, whatever the machine.
            found = abi_dependency.supported(manifest, namespace, None, project)
            return ProviderResult(
                found.features, "this installation", reason=found.reason
            )
        declared: dict[str, dict[str, None]] = {}
        for variant in manifest.variants.values():
            for feature, values in variant.features.get(namespace, {}).items():
                declared.setdefault(feature, {}).update(dict.fromkeys(values))
        features = (
            SupportedFeature(feature, tuple(sorted(declared[feature])))
            for feature in sorted(declared)
        )
        return ProviderResult(tuple(features), "the variants manifest")


class Locks(PreferLocked):
    """``pip lock``: variants for any machine, and all of them.

    :ivar selected: the variants to take just now; of other packages, the least demanding.
    """

    may_take_several = True

    def __init__(self, run: Run) -> None:
        super().__init__(run)
        self._run = run
        self.chosen_for = _AnyMachine()
        self.selected: dict[str, LockedVariant] = {}
        self._found: Exploration | None = None

    def infos(
        self,
        infos: Callable[[], Iterator[IndexCandidateInfo]],
        project: NormalizedName,
        specifier: SpecifierSet,
    ) -> Iterator[IndexCandidateInfo]:
        """Put versions first that another resolution took: the fewer, the better.

        A package with variants keeps its one version.
        """
        found = self._found
        if found is None:
            return infos()
        if project in found.pinned:
            pinned = found.pinned[project]
            return (info for info in infos() if str(info[0]) == pinned)
        seen = frozenset(found.versions.get(project, ()))
        if project in found.releases:
            return (info for info in infos() if info[0] in seen)
        if not seen:
            return super().infos(infos, project, specifier)
        return these_first(seen, infos)

    def release_type(
        self, links: Sequence[Link], *, pinned: bool
    ) -> Callable[..., Release] | None:
        """Return what makes a release of which all variants are locked."""
        if any(isinstance(link, LocalVersionWheel) for link in links):
            # These variants are versions, and a lock file has one of a package.
            return None
        return partial(LockingRelease, selected=self.selected)

    def resolve(
        self, resolve_once: Callable[[], RequirementSet], resolver: Resolver
    ) -> RequirementSet:
        """Resolve with each variant of each package that any resolution comes to.

        :return: what the first one found; each requirement knows the plan of the lock.
        :raises InstallationError: if not even the least demanding variants can be had.
        :raises DependsOnMachine: if a variant needs something on some machines only.
        :raises LockConflict: if what depends on the variants cannot be written down.
        :raises VariantLabelNotFound: if nothing has a label that the user chose.
        """
        explore = partial(Exploration, self._run, resolver, resolve_once, self.selected)
        found, first = self._explored(explore)
        self._report_left_out(found)
        finder = resolver.factory._finder
        refuse_unknown_labels(self._run, finder, list(found.releases.values()))
        if found.releases:
            plan = make_plan(found, resolver.factory)
            for requirement in first.requirements.values():
                # Upstream hands nothing else on to what writes the lock file.
                LOCK_PLAN.set(requirement, plan)
        return first

    def _explored(
        self, explore: Callable[[Mapping[str, str]], Exploration]
    ) -> tuple[Exploration, RequirementSet]:
        """Resolve with each variant; if versions are ambiguous, with one for all.

        :raises LockConflict: if that is not possible with the same variants.
        """
        attempts: list[dict[str, str]] = [{}]
        problem: Exception | None = None
        wanted: frozenset[object] = frozenset()
        for number, pinned in enumerate(attempts):
            if number > _MOST_PINNED:
                break
            self._found = found = explore(pinned)
            self.is_trying = True
            try:
                first = self._first(found)
                found.each()
                found.refuse_dependence()
                if number and not wanted <= found.targets:
                    continue
                wanted = wanted or found.targets
                found.conditions()
                return found, first
            except BuildConflict:
                if not number:
                    raise
            except Ambiguity as error:
                problem = problem or two_versions(error)
                attempts += [
                    {**pinned, error.project: version}
                    for version in error.versions
                    if error.project not in pinned
                ]
            except Unresolved as error:
                problem = problem or not_resolved(error, found.failed)
        assert problem is not None, "the first attempt has one"
        raise problem

    def _first(self, found: Exploration) -> RequirementSet:
        try:
            return found.first()
        except BuildConflict:
            # A machine that lacks something may have no conflict.
            found.refuse_dependence()
            if found.pinned:
                raise
            self.is_trying = False
            return found.first()

    def _report_left_out(self, found: Exploration) -> None:
        for (variant, _), problem in found.failed.items():
            if variant in found.variants:
                continue
            name = reasons.build_name(found.releases[variant.project], variant.label)
            dropped = DroppedVariants(
                name,
                problem,
                f"Leaving {name} out of the lock file: {problem}",
                follows="locks the others",
                hints=[
                    "Name the variants to lock: --variant PACKAGE=LABEL, once for each"
                ],
            )
            self._run.reporter.report([dropped])
