"""Run the resolver, then announce the selection or explain the failure."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from pip._vendor.packaging._variants import on_target
from pip._vendor.packaging.utils import canonicalize_name

from pip._internal.exceptions import HashError, InstallationError, PipError
from pip._internal.fast.resolving import prefetching
from pip._internal.metadata import get_environment
from pip._internal.req.constructors import install_req_from_req_string
from pip._internal.variants.index.links import label_of, renamed, source_of, version_of
from pip._internal.variants.selection.installed import installed_build, installed_label
from pip._internal.variants.selection.run import Purpose, Run, noting_host, run_of
from pip._internal.variants.slots import ENVIRONMENT, RUN

if TYPE_CHECKING:
    from pip._vendor.packaging.utils import NormalizedName

    from pip._internal.metadata import BaseDistribution
    from pip._internal.req.req_install import InstallRequirement
    from pip._internal.req.req_set import RequirementSet
    from pip._internal.resolution.resolvelib.base import Candidate
    from pip._internal.resolution.resolvelib.factory import Factory
    from pip._internal.resolution.resolvelib.resolver import Resolver
    from pip._internal.variants.selection.lookahead import VariantLookahead
    from pip._internal.variants.selection.mode import ResolveOnce
    from pip._internal.variants.selection.release import Taken


def resolved(
    fn: Callable[..., RequirementSet],
    resolver: Resolver,
    root_reqs: list[InstallRequirement],
    check_supported_wheels: bool,
) -> RequirementSet:
    """Run the resolver, and announce the selected variants before further downloads.

    :raises NothingToInstall: if no project has a label that was typed for all projects.
    :raises NotLocked: if a lock file lacks a package.
    """
    run = run_of(resolver.factory._finder)
    if run is None:
        return fn(resolver, root_reqs, check_supported_wheels)
    run.finder, run.resolver = resolver.factory._finder, resolver
    run.request.named = _named(root_reqs)
    cache = resolver.factory._wheel_cache
    if cache is not None and run.enabled:
        RUN.set(cache._wheel_cache, run)
    if run.purpose is not Purpose.BUILD:
        _warn_of_markers(run, root_reqs)
    if any(root.name is None or "pip" in root.name.lower() for root in root_reqs):
        from pip._internal.variants.selection.fork import leaves_fork

        run.request.leaves_fork = leaves_fork(root_reqs)

    resolve_once = functools.partial(fn, resolver, root_reqs, check_supported_wheels)
    for mode in run.modes:
        resolve_once = functools.partial(mode.solve, resolve_once)
    resolution = _Resolution(run, root_reqs, resolve_once)
    try:
        with on_target(run.target.environment):
            return resolution.resolve()
    except PipError as error:
        from pip._internal.variants.errors import UnknownPackage, VariantLost

        if isinstance(error, UnknownPackage | VariantLost):
            raise
        # A mistyped name may be the reason, but the resolver's error stays.
        run.reporter.strict = False
        resolution.report_unknown_names(has_failed=True)
        if not isinstance(error, HashError):
            raise
        from pip._internal.variants.output.no_match import not_locked

        # A package that a lock file lacks has no hash either.
        raise not_locked(run.finder, error) or error from None


def _warn_of_markers(run: Run, roots: Iterable[InstallRequirement]) -> None:
    """Warn of variant markers outside the metadata of wheels."""
    for root in roots:
        if root.markers is not None and "variant_" in str(root.markers):
            from pip._internal.variants.output.reasons import marker_elsewhere

            bare, _, _ = str(root.req).partition(";")
            what, source = f"{bare.strip()}; {root.markers}", root.comes_from
            # The file of the requirement, if any
            place = source.partition(" ")[2] if isinstance(source, str) else ""
            run.reporter.warn(marker_elsewhere(what, place))


class _Resolution:
    """The resolution of a command, in one or more attempts.

    :ivar roots: the user's requirements, with the extras that a switch needs.
    """

    def __init__(
        self, run: Run, roots: list[InstallRequirement], resolve_once: ResolveOnce
    ) -> None:
        self.run, self.resolver, self.roots = run, run.resolver, roots
        self._resolve_once = resolve_once

    def solve(self) -> RequirementSet:
        """Resolve once, for the target."""
        run = self.run
        with noting_host(run.settings):
            run.target.prepare(self.resolver.factory)
            found = self._resolve_once()
        for requirement in found.requirements.values():
            ENVIRONMENT.set(requirement, run.target.environment)
        return found

    def resolve(self) -> RequirementSet:
        """Resolve, and announce the selection."""
        run, resolver, roots = self.run, self.resolver, self.roots
        with_dependencies = run.enabled and not run.settings.ignore_dependencies
        for mode in run.modes:
            mode.note_roots(roots)
        run.attempt.replaceable = self._replaceable()
        with prefetching(
            *(resolver, run.catalog.session, roots),
            *(run.catalog.parallel_downloads, self._lookahead if run.enabled else None),
        ):
            found = (mode.resolve(self.solve) for mode in run.modes)
            resolved = next(filter(None, found), None)
            requirements = self.solve() if resolved is None else resolved
            if with_dependencies and (extras := self._requested_extras()):
                roots += extras
                requirements = self.solve()
        self.report_unknown_names(has_failed=False)
        if resolved is None and run.enabled:
            requirements = self._conclude(requirements)
        else:
            self._check_accelerators()
        if resolved is not None:
            from pip._internal.variants.output.announcing import announce

            # The user requested all builds, so pip selected few of them.
            chosen = self._chosen_builds(resolved)
            announce(run, [each for each in chosen if not each[0].is_for_any])
        if with_dependencies:
            self._warn_of_device_extras()
        return requirements

    def _lookahead(self) -> VariantLookahead:
        """Return the policy for prefetching manifests."""
        from pip._internal.variants.selection.lookahead import VariantLookahead

        return VariantLookahead(self.run)

    def _requested_extras(self) -> list[InstallRequirement]:
        """Return further requirements, so that a switch to another variant installs extras, too.

        If an installed package requires extras of another package, upstream resolves these extras
        only together with the installed package. Without further requirements, the new variant
        may therefore lack the requirements of these extras.
        """
        installed = self.resolver.factory._installed_dists
        names = self._projects_to_install()
        # As with stock pip, another version may lack them.
        switched = {
            name
            for each in self.run.solution
            if (name := each.project_name) in names & installed.keys()
            and (link := each.source_link) is not None
            and (label_of(link) or installed_label(installed[name])) is not None
            and each.version == installed[name].version
        }
        if not switched:
            return []
        from pip._internal.variants.selection.agreement import requirements_of

        return [
            install_req_from_req_string(f"{project}[{','.join(requirement.extras)}]")
            for name, dist in installed.items()
            if name not in names
            for requirement in requirements_of(dist)
            if requirement.extras
            and (project := canonicalize_name(requirement.name)) in switched
        ]

    def _replaceable(self) -> frozenset[NormalizedName]:
        """Return the installed packages that pip may replace."""
        factory = self.resolver.factory
        installed = factory._installed_dists
        if factory.force_reinstall:
            return frozenset(installed)
        asked = (root.req for root in self.roots if root.req is not None)
        return frozenset(
            name
            for req in asked
            if (name := canonicalize_name(req.name)) in installed
            and not req.specifier.contains(installed[name].raw_version, True)
        )

    def _conclude(self, requirements: RequirementSet) -> RequirementSet:
        """Complete the resolution, and announce the selection."""
        run = self.run
        requirements, kept = self._settle(requirements)
        chosen = self._chosen_builds(requirements)
        if run.overrides.labels_for_all():
            from pip._internal.variants.output.refusals import refuse_unknown_labels

            releases = [release for release, _ in chosen]
            refuse_unknown_labels(run, releases, kept)
        self._check_accelerators()
        refused = run.decisions.refused()
        listed = run.catalog.listed
        unselected = self._unselected_builds(requirements) if listed else []
        # Whether the target folder or environment has variants.
        has_variants = any(map(installed_build, run.request.dists.values()))
        if chosen or refused or unselected or kept or has_variants:
            from pip._internal.variants.output import announcing

            announcing.warn_of_older_releases(run, refused)
            announcing.announce(run, chosen)
            announcing.report_unused_accelerators(run, unselected)
            reported = announcing.report_better_variants(run, kept, is_all=not chosen)
            if chosen or has_variants:
                announcing.report_contradictions(run, reported)
        return requirements

    def _settle(
        self, requirements: RequirementSet
    ) -> tuple[RequirementSet, list[BaseDistribution]]:
        """Resolve again to keep installed builds, or to make builds agree.

        :return: the result, and the installed variants that pip keeps.
        """
        run = self.run
        chosen = self._chosen_builds(requirements)
        if not chosen:
            return requirements, self._kept_builds()
        from pip._internal.variants.output import announcing
        from pip._internal.variants.selection.agreement import agreeing

        are_apart = any(each.fetch_has_alternatives() for each, _ in chosen)
        if are_apart and run.request.dists:
            requirements = self._keep_installed(requirements)
        kept = self._kept_builds()
        requirements, agreed = agreeing(self.solve, run, requirements)
        announcing.report_agreement(agreed)
        if are_apart and run.request.dists:
            chosen = self._chosen_builds(requirements)
            announcing.report_replaced(run, chosen, self.roots)
        return requirements, kept

    def _keep_installed(self, requirements: RequirementSet) -> RequirementSet:
        """Resolve again while pip skips a file to keep a package that the solution replaces."""
        run = self.run
        while True:
            ruled_out = {
                dist.canonical_name
                for release, link in self._chosen_builds(requirements)
                if (better := release.fetch_skipped_file(label_of(link))) is not None
                for dist, _ in release.replaced(better)
            }
            going = self._projects_to_install()
            gone = (going & ruled_out) - run.attempt.replaceable
            if not gone:
                return requirements
            run.attempt.replaceable |= gone
            requirements = self.solve()

    def _check_accelerators(self) -> None:
        """Check for unused accelerators before announcing the selection.

        Includes packages that replace installed variants.
        """
        run, dists = self.run, self.resolver.factory._installed_dists
        if folders := run.settings.overwritten_folders:
            overwritten = get_environment(folders).iter_all_distributions()
            dists = {dist.canonical_name: dist for dist in overwritten}
        if run.purpose is Purpose.INSTALL and any(
            installed_build(dists[name]) is not None
            for name in self._projects_to_install() & dists.keys()
        ):
            from pip._internal.variants.output.accelerators import report_lost

            report_lost(run, dists)
        is_for_user = run.purpose in (Purpose.INSTALL, Purpose.LOOKUP)
        if run.settings.required_accelerators and is_for_user:
            from pip._internal.variants.output.accelerators import require_accelerators

            require_accelerators(run)

    def report_unknown_names(self, *, has_failed: bool) -> None:
        """Report unknown names in the user's options."""
        settings = self.run.settings
        asks = settings.needs_checks or settings.required_accelerators
        if self.run.overrides.choices or asks:
            from pip._internal.variants.output.refusals import report_unknown_names

            named = [root.name for root in self.roots if root.name]
            report_unknown_names(self.run, named, has_failed=has_failed)

    def _chosen_builds(self, requirements: RequirementSet) -> list[Taken]:
        """Return the selected build of each release with variants.

        A wheel that pip built from a file stands for that file. A plain wheel or sdist that the
        user named by URL was not selected.
        """
        return [
            (release, link)
            for req in requirements.requirements.values()
            for link in (req.source_link,)
            if link is not None and not (req.is_direct and label_of(link) is None)
            for release in (self.run.decisions.release_of(link),)
            if release is not None and release.labels
        ]

    def _unselected_builds(self, requirements: RequirementSet) -> list[Taken]:
        """Return plain builds of releases that have only unsuitable variants.

        The variants were not candidates, for instance because they are for another Python.
        """
        run, found = self.run, []
        if run.purpose is Purpose.BUILD:
            return []
        for req in requirements.requirements.values():
            link, dist = req.source_link, req.name and canonicalize_name(req.name)
            if link is None or req.is_direct or not dist:
                continue
            release = run.decisions.release_of(link)
            listed = map(renamed, itertools.chain(*run.catalog.listed.get(dist, ())))
            if (release is None or not release.labels) and any(map(label_of, listed)):
                version = version_of(link, dist)
                if version is not None:
                    from pip._internal.variants.selection.release import Release

                    source = source_of(link)
                    found.append((Release(run, dist, version, [link], [source]), link))
        return found

    def _projects_to_install(self) -> set[NormalizedName]:
        """Return the projects to install."""
        return {
            each.project_name for each in self.run.solution if not each.is_installed
        }

    def _kept_builds(self) -> list[BaseDistribution]:
        """Return the kept packages that have a record of a build."""
        installed = (each for each in self.run.solution if each.is_installed)
        dists = (vars(candidate).get("dist") for candidate in installed)
        return [dist for dist in dists if dist is not None and installed_build(dist)]

    def _warn_of_device_extras(self) -> None:
        """Warn if no requested extra has code for the target's GPUs."""
        run, found = self.run, self.run.solution
        if run.overrides.may_take_several:
            # The lock file also has other wheels of these versions.
            locked = {(each.project_name, each.version) for each in found}
            others = self.resolver.factory._link_candidate_cache.values()
            found += [
                each for each in others if (each.project_name, each.version) in locked
            ]
        if run.purpose is Purpose.BUILD or not any(map(_may_have_device_extra, found)):
            return
        from pip._internal.variants.output.accelerators import warn_of_device_extras
        from pip._internal.variants.providers.amd import is_device_extra

        requested = _named(
            root for root in self.roots if any(map(is_device_extra, root.extras))
        )
        warn_of_device_extras(run, found, requested)


def _named(roots: Iterable[InstallRequirement]) -> frozenset[NormalizedName]:
    """Return the projects in the arguments and requirements files."""
    return frozenset(
        canonicalize_name(root.name)
        for root in roots
        if root.user_supplied and not root.constraint and root.name
    )


def _may_have_device_extra(candidate: Candidate) -> bool:
    """Return whether a candidate may have extras for devices."""
    dist: BaseDistribution | None = vars(candidate).get("dist")
    provided = () if dist is None else dist.iter_provided_extras()
    return any(each.startswith("device") for each in provided)


def installation_error(
    fn: Callable[..., InstallationError],
    factory: Factory,
    error: Any,
    constraints: Mapping[str, Any],
) -> InstallationError:
    """Return an error that explains rejected variants, or else upstream's error."""
    from pip._internal.variants.output.refusals import refusal

    usual = functools.partial(fn, factory, error, constraints)
    return refusal(usual, factory, error.causes, constraints)
