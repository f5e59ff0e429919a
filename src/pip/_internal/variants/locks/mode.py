"""How a run differs that locks all builds of each release, one after the other."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from pip._vendor.wheel_variants import abi_dependency
from pip._vendor.wheel_variants.manifest import ABI_DEPENDENCY, Manifest
from pip._vendor.wheel_variants.properties import SupportedFeature

from pip._internal.console.output import get_logger
from pip._internal.variants.errors import BuildConflict, DroppedVariants
from pip._internal.variants.index.links import LocalVersionWheel
from pip._internal.variants.locks.conditions import (
    Ambiguity,
    Locked,
    LockedVariant,
    Resolution,
    project_of,
)
from pip._internal.variants.locks.machine_classes import Properties
from pip._internal.variants.locks.machines import Machines
from pip._internal.variants.locks.plan import Plan, make_plan, two_versions
from pip._internal.variants.locks.release import LockingRelease
from pip._internal.variants.output import reasons
from pip._internal.variants.output.refusals import refuse_unknown_labels
from pip._internal.variants.providers.chain import ProviderChain
from pip._internal.variants.providers.result import ProviderResult
from pip._internal.variants.selection.mode import Mode
from pip._internal.variants.slots import LOCK_ENVIRONMENT, LOCK_PLAN

if TYPE_CHECKING:
    from pip._vendor.packaging.specifiers import SpecifierSet
    from pip._vendor.packaging.utils import NormalizedName
    from pip._vendor.packaging.version import _BaseVersion

    from pip._internal.models.link import Link
    from pip._internal.req.req_install import InstallRequirement
    from pip._internal.req.req_set import RequirementSet
    from pip._internal.resolution.resolvelib.found_candidates import IndexCandidateInfo
    from pip._internal.resolution.resolvelib.resolver import Resolver
    from pip._internal.variants.selection.release import Release
    from pip._internal.variants.selection.run import Run

__all__ = ["Locks"]

logger = get_logger(__name__)

#: The builds to take, by project, and what the machine lacks.
_Choice = tuple[Mapping[str, LockedVariant], Properties]
#: A build, and the node of a run that it stands for: its project, maybe with extras.
_Target = tuple[LockedVariant, str]
#: How many ways to try of having one version for all.
_MOST_PINNED = 8
#: With how many machines of a kind to try whether a build can be had there.
_ATTEMPTS = 4


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


class Locks(Mode):
    """``pip lock``: the builds are for any machine, and all of them are wanted.

    :ivar choice: the builds to take just now; of other packages, the least demanding one.
    """

    may_take_several = True

    def __init__(self, run: Run) -> None:
        self._run = run
        self.chosen_for = _AnyMachine()
        self.choice: dict[str, LockedVariant] = {}
        #: What was found so far.
        self._resolutions: list[Resolution] = []
        self._requirements: dict[Locked, InstallRequirement] = {}
        self._releases: dict[str, LockingRelease] = {}
        self._versions: dict[str, dict[_BaseVersion, None]] = {}
        #: What could not be had, and why.
        self._failed: dict[_Target, str] = {}
        #: Projects of which all machines get one version.
        self._pinned: dict[str, str] = {}

    def infos(
        self,
        infos: Callable[[], Iterator[IndexCandidateInfo]],
        project: NormalizedName,
        specifier: SpecifierSet,
    ) -> Iterator[IndexCandidateInfo]:
        """Put versions first that an earlier run took: the fewer versions, the better.

        A package with variants keeps to its one version.
        """
        seen = self._versions.get(project, {})
        if project in self._pinned:
            pinned = self._pinned[project]
            return (info for info in infos() if str(info[0]) == pinned)
        if project in self._releases:
            return (info for info in infos() if info[0] in seen)
        return _these_first([*seen], infos) if seen else infos()

    def release_type(
        self, links: Sequence[Link], *, pinned: bool
    ) -> Callable[..., Release] | None:
        """Return what makes a release of which all builds are locked."""
        if any(isinstance(link, LocalVersionWheel) for link in links):
            # These builds are versions, and a lock file has one of a package.
            return None
        return partial(LockingRelease, choice=self.choice)

    def resolve(
        self, resolve_once: Callable[[], RequirementSet], resolver: Resolver
    ) -> RequirementSet:
        """Resolve with each build of each package that any run comes to.

        A build of which the machine decides what it needs counts once for each kind of
        machines.

        :return: what the first run found; each requirement knows the plan of the lock.

        :raises InstallationError: if not even the least demanding builds can be had.
        :raises TooManyConditions: if a release tells too many machines apart.
        :raises LockConflict: if what depends on the builds cannot be written down.
        :raises VariantLabelNotFound: if a label was chosen by hand that nothing has.
        """
        machines = Machines(self._run.decisions, resolver, resolve_once)
        first = self._explored(machines)
        try:
            first, plan = self._planned(first, machines)
        except Ambiguity as error:
            found = self._in_one_version(error, machines)
            if found is None:
                raise two_versions(error) from None
            first, plan = found
        self._tell_left_out()
        finder = resolver.factory._finder
        refuse_unknown_labels(self._run, finder, list(self._releases.values()))
        if plan is not None:
            for requirement in first.requirements.values():
                # Upstream hands nothing else on to what writes the lock file.
                LOCK_PLAN.set(requirement, plan)
        if (target := self._run.target.described) is not None and target.telling:
            for requirement in first.requirements.values():
                LOCK_ENVIRONMENT.set(requirement, target.telling)
        return first

    def _explored(self, machines: Machines) -> RequirementSet:
        """Resolve with each build; return what the first run found."""
        first = self._first(machines)
        # From here on, a failure concerns just the builds that are chosen.
        self.is_trying = True
        while (target := self._untaken(machines)) is not None:
            wanted, origin = target
            problem = self._try(machines, wanted, self._choices(wanted[0], origin))
            if problem is not None:
                logger.debug("%s is not locked: %s", wanted[0], problem)
                self._failed[wanted] = problem
        return first

    def _planned(
        self, first: RequirementSet, machines: Machines
    ) -> tuple[RequirementSet, Plan | None]:
        """Plan the lock file; there is no plan without variants.

        :raises Ambiguity: if nothing tells when which version is needed.
        """
        if not self._releases:
            return first, None
        arguments = self._releases, self._requirements, machines.factory
        try:
            return first, make_plan(self._resolutions, *arguments)
        except Ambiguity:
            # Runs that took several builds at once may leave open which one it was.
            self._try_each_alone(machines)
            return first, make_plan(self._resolutions, *arguments)

    def _in_one_version(
        self, error: Ambiguity, machines: Machines
    ) -> tuple[RequirementSet, Plan | None] | None:
        """Resolve anew so that all machines get one version of what was ambiguous.

        :return: None if not all builds can be had so; then all is as it was.
        """
        before = dict(vars(self))
        wanted = set[_Target]().union(*map(_targets, self._resolutions))
        attempts = [{error.project: version} for version in error.versions]
        for number, pinned in enumerate(attempts):
            if number == _MOST_PINNED:
                break
            self._resolutions, self._requirements, self._releases = [], {}, {}
            self._versions, self._failed, self._pinned = {}, {}, pinned
            try:
                first = self._explored(machines)
                if wanted <= set().union(*map(_targets, self._resolutions)):
                    return self._planned(first, machines)
            except BuildConflict as conflict:
                logger.debug("No solution with %s: %s", pinned, conflict)
            except Ambiguity as other:
                attempts += [
                    {**pinned, other.project: version}
                    for version in other.versions
                    if other.project not in pinned
                ]
        vars(self).update(before)
        return None

    def _try(
        self, machines: Machines, wanted: _Target, choices: Iterable[_Choice]
    ) -> str | None:
        """Resolve with one choice after the other until a build is taken.

        :return: why it is not, if that fails.
        """
        problem = "nothing that is locked needs it then"
        for choice, lacking in choices:
            self.choice.clear()
            self.choice.update(choice)
            try:
                found = machines.resolved(lacking)
            except BuildConflict as error:
                problem = str(error)
                continue
            taken = _targets(self._observe(found, machines))
            if wanted in taken | {(build.on_any, node) for build, node in taken}:
                return None
        return problem

    def _try_each_alone(self, machines: Machines) -> None:
        """Resolve with each build in place of the one that was taken first."""
        found = set[_Target]().union(*map(_targets, self._resolutions))
        for build, node in sorted(found, key=lambda each: (str(each[0]), each[1])):
            origin = next(each for each in self._resolutions if node in each.versions)
            if build not in origin.builds:
                self._try(machines, (build, node), _alone(build, origin))

    def _first(self, machines: Machines) -> RequirementSet:
        """Resolve with the least demanding builds.

        The machine supports all that they declare, unless what they need conflicts there.
        """
        self.is_trying = True
        self.choice.clear()
        lacking: Properties = frozenset()
        tried = {lacking}
        while True:
            try:
                first = machines.resolved(lacking)
                break
            except BuildConflict:
                others = machines.known() - tried
                if not others:
                    if self._pinned:
                        raise
                    self.is_trying = False
                    first = machines.resolved(frozenset())
                    break
            lacking = min(others, key=lambda each: (len(each), sorted(each)))
            tried.add(lacking)
        self._observe(first, machines)
        return first

    def _observe(self, found: RequirementSet, machines: Machines) -> Resolution:
        """Take down what a run found."""
        result = machines.result
        versions: dict[str, str] = {}
        taken: dict[str, LockedVariant] = {}
        for node, candidate in result.mapping.items():
            project, link = candidate.project_name, candidate.source_link
            if link is None:
                # The interpreter, which is no package.
                continue
            versions[node] = str(candidate.version)
            self._versions.setdefault(project, {})[candidate.version] = None
            release = self._run.decisions.release_of(link)
            if isinstance(release, LockingRelease) and release.builds:
                taken[project] = machines.build_of(link, release)
                self._releases[project] = release
        for project, requirement in found.requirements.items():
            version = str(result.mapping[project].version)
            self._requirements.setdefault((project, version), requirement)
        children = {
            parent: frozenset(versions.keys() & set(result.graph.iter_children(parent)))
            for parent in (None, *versions)
        }
        resolution = Resolution(versions, taken, children, machines.lacking)
        self._resolutions.append(resolution)
        return resolution

    def _left_out(self) -> dict[LockedVariant, str]:
        """Return the builds that no run has taken, whatever the machine, and why."""
        taken = {
            build.on_any
            for resolution in self._resolutions
            for build in resolution.builds
        }
        problems: dict[LockedVariant, str] = {}
        for (build, _), problem in self._failed.items():
            if build.on_any not in taken:
                problems.setdefault(build.on_any, problem)
        return problems

    def _tell_left_out(self) -> None:
        for build, problem in self._left_out().items():
            name = reasons.build_name(self._releases[build.project], build.label)
            dropped = DroppedVariants(
                name,
                problem,
                f"Leaving {name} out of the lock file: {problem}",
                follows="locks the others",
                hints=[
                    "Name the builds to lock: --variant PACKAGE=LABEL, once for each"
                ],
            )
            self._run.reporter.report([dropped])

    def _untaken(self, machines: Machines) -> tuple[_Target, Resolution] | None:
        """Return a build that no run has taken yet, and a run that could have."""
        done = self._failed.keys() | set().union(*map(_targets, self._resolutions))
        for resolution in self._resolutions:
            for _, node in sorted(_targets(resolution), key=lambda each: each[1]):
                for build in self._releases[project_of(node)].builds:
                    for each in machines.on_each(build):
                        if (each, node) not in done:
                            return (each, node), resolution
        return None

    def _choices(self, wanted: LockedVariant, origin: Resolution) -> Iterator[_Choice]:
        """Yield what to try so that a build is taken.

        First with others that no run has taken yet, then with those of its label, at last
        alone.
        """
        taken = {build.project: build.on_any for build in origin.builds}
        failed = {build.on_any for build, _ in self._failed}
        done = failed.union(
            each.on_any
            for resolution in self._resolutions
            for each in resolution.builds
        )
        others: dict[str, LockedVariant] = {}
        alike: dict[str, LockedVariant] = {}
        for project in taken:
            for build in self._releases[project].builds:
                if build not in done:
                    others.setdefault(project, build)
                if build.label == wanted.label and build not in failed:
                    alike[project] = build
        own = {wanted.project: wanted.on_any}
        with_others = {**taken, **others, **alike, **own}
        for alone, lacking in _alone(wanted, origin):
            choices = [with_others, {**taken, **alike, **own}, alone]
            for number, choice in enumerate(choices):
                if choice not in choices[:number]:
                    yield choice, lacking


def _targets(resolution: Resolution) -> set[_Target]:
    """Return the builds that a run took, once for each node."""
    found = ((resolution.build(node), node) for node in resolution.versions)
    return {(build, node) for build, node in found if build is not None}


def _these_first(
    versions: Iterable[_BaseVersion], infos: Callable[[], Iterator[IndexCandidateInfo]]
) -> Iterator[IndexCandidateInfo]:
    """Yield some versions before all others, and look at no more than is asked for."""
    left = infos()
    for version in versions:
        passed = []
        for info in left:
            if info[0] == version:
                yield info
            else:
                passed.append(info)
        left = iter(passed)
    yield from left


def _alone(wanted: LockedVariant, origin: Resolution) -> list[_Choice]:
    """Return how to take a build with others as they were taken before."""
    taken = {build.project: build.on_any for build in origin.builds}
    machines = [origin.lacking]
    if wanted.machine_class is not None:
        machines = wanted.machine_class.nearest(origin.lacking)[:_ATTEMPTS]
    choice = {**taken, wanted.project: wanted.on_any}
    return [(choice, lacking) for lacking in machines]
