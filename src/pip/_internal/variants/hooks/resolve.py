"""Resolve, then say what was chosen, or why nothing could be."""

from __future__ import annotations

import functools
import logging
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from pip._vendor.packaging.utils import canonicalize_name

from pip._internal.exceptions import HashError, InstallationError, PipError
from pip._internal.fast.resolving import prefetching
from pip._internal.variants.index.links import label_of, source_of, version_of
from pip._internal.variants.selection.installed import installed_build
from pip._internal.variants.selection.run import Purpose, Run, noting_host, run_of
from pip._internal.variants.slots import ENVIRONMENT

if TYPE_CHECKING:
    from pip._vendor.packaging.utils import NormalizedName

    from pip._internal.index.package_finder import PackageFinder
    from pip._internal.metadata import BaseDistribution
    from pip._internal.models.link import Link
    from pip._internal.req.req_install import InstallRequirement
    from pip._internal.req.req_set import RequirementSet
    from pip._internal.resolution.resolvelib.base import Candidate
    from pip._internal.resolution.resolvelib.factory import Factory
    from pip._internal.resolution.resolvelib.resolver import Resolver
    from pip._internal.variants.selection.installed_first import Kept
    from pip._internal.variants.selection.lookahead import VariantLookahead
    from pip._internal.variants.selection.release import Release


def resolved(
    fn: Callable[..., RequirementSet],
    resolver: Resolver,
    root_reqs: list[InstallRequirement],
    check_supported_wheels: bool,
) -> RequirementSet:
    """Announce the chosen variants before anything more is downloaded.

    :raises VariantLabelNotFound: no project has a label that was typed for all.
    """
    run = run_of(resolver.factory._finder)
    if run is None:
        return fn(resolver, root_reqs, check_supported_wheels)
    run.request.named = _named(root_reqs)
    if run.purpose is not Purpose.BUILD:
        for root in root_reqs:
            if root.markers is not None and "variant_" in str(root.markers):
                from pip._internal.variants.output.sentences import marker_elsewhere

                bare, _, _ = str(root.req).partition(";")
                what = f"{bare.strip()}; {root.markers}"
                said = marker_elsewhere(what, _place(root))
                run.reporter.say_once(logging.WARNING, said)
    if any(root.name is None or "pip" in root.name.lower() for root in root_reqs):
        from pip._internal.variants.selection.fork import leaves_fork

        run.request.leaves_fork = leaves_fork(root_reqs)

    def solve() -> RequirementSet:
        resolve_once = functools.partial(
            fn, resolver, root_reqs, check_supported_wheels
        )
        for mode in run.modes:
            resolve_once = functools.partial(mode.solve, resolve_once, resolver)
        if run.target.described is None:
            return resolve_once()
        from pip._internal.variants.selection import target_options

        with (
            noting_host(run.settings),
            target_options.during(run.target.described, resolver.factory),
        ):
            found = resolve_once()
        for requirement in found.requirements.values():
            ENVIRONMENT.set(requirement, run.target.described.environment)
        return found

    try:
        return _resolved(solve, resolver, root_reqs, run)
    except PipError as error:
        from pip._internal.variants.errors import UnknownPackage, VariantLost

        if isinstance(error, UnknownPackage | VariantLost):
            raise
        # A mistyped name may be why; the error stays the resolver's.
        run.reporter.strict = False
        _report_unknown_names(run, resolver, root_reqs, has_failed=True)
        raise


def _place(root: InstallRequirement) -> str:
    """Return the file that a requirement of the user stands in; empty if there is none."""
    source = root.comes_from
    return source.partition(" ")[2] if isinstance(source, str) else ""


def _resolved(
    solve: Callable[[], RequirementSet],
    resolver: Resolver,
    root_reqs: list[InstallRequirement],
    run: Run,
) -> RequirementSet:
    """Resolve, and announce what was chosen.

    :param solve: resolves once.
    """
    finder = resolver.factory._finder
    for mode in run.modes:
        mode.note_roots(root_reqs)
    with _prefetching(run, resolver, root_reqs), _told_of_locks(finder):
        found = (mode.resolve(solve, resolver) for mode in run.modes)
        resolved = next((each for each in found if each is not None), None)
        requirements = solve() if resolved is None else resolved
    _report_unknown_names(run, resolver, root_reqs, has_failed=False)
    if resolved is not None:
        _check_accelerators(run, resolver)
        # All builds were asked for, so few were chosen over others.
        _announce(run, finder, _settled(run, resolved))
    elif run.enabled:
        requirements = _concluded(solve, resolver, root_reqs, run, requirements)
    else:
        _check_accelerators(run, resolver)
    if run.enabled and not run.settings.ignore_dependencies:
        _warn_of_device_extras(run, resolver, root_reqs)
    return requirements


@contextmanager
def _told_of_locks(finder: PackageFinder) -> Iterator[None]:
    """Say it where a lock file lacks something, rather than that there is no hash.

    :raises NotLocked: in place of what upstream says of hashes.
    """
    try:
        yield
    except HashError as error:
        from pip._internal.variants.output.missing_from_lock import not_locked

        raise not_locked(finder, error) or error from None


def _concluded(
    solve: Callable[[], RequirementSet],
    resolver: Resolver,
    root_reqs: list[InstallRequirement],
    run: Run,
    requirements: RequirementSet,
) -> RequirementSet:
    """Settle what was resolved, and announce it."""
    finder = resolver.factory._finder
    requirements, kept = _settle(solve, resolver, root_reqs, run, requirements)
    chosen = _chosen_builds(run, requirements)
    if run.overrides.labels_for_all():
        from pip._internal.variants.output.refusals import refuse_unknown_labels

        releases = [release for release, _ in chosen]
        refuse_unknown_labels(run, finder, releases, kept)
    _check_accelerators(run, resolver)
    refused = run.decisions.refused()
    if refused:
        from pip._internal.variants.output.announcing import warn_of_older_releases

        warn_of_older_releases(run, finder, _found(resolver), refused)
    _announce(run, finder, chosen)
    unselected = _unselected_builds(run, requirements) if run.catalogue.listed else []
    if unselected:
        from pip._internal.variants.output.announcing import report_idle

        report_idle(run, finder, unselected)
    if any(root.extras for root in root_reqs) and (chosen or kept):
        from pip._internal.variants.output.unknown_names import labels_as_extras

        for line in labels_as_extras(run, _found(resolver)):
            run.reporter.say_once(logging.WARNING, line)
    told: Collection[NormalizedName] = ()
    if kept:
        from pip._internal.variants.output.announcing import tell_of_kept

        told = tell_of_kept(run, finder, kept, _found(resolver), is_all=not chosen)
    if chosen or _has_variants(run):
        from pip._internal.variants.output.announcing import report_contradictions

        report_contradictions(run, list(_found(resolver)), told)
    return requirements


def _settle(
    solve: Callable[[], RequirementSet],
    resolver: Resolver,
    root_reqs: list[InstallRequirement],
    run: Run,
    requirements: RequirementSet,
) -> tuple[RequirementSet, list[BaseDistribution]]:
    """Resolve again if what is installed may stay, or to make builds agree.

    :return: the result, and the builds of variants that stay installed.
    """
    chosen = _chosen_builds(run, requirements)
    staying: Sequence[Kept] = ()
    if run.request.dists and any(each.fetch_has_alternatives() for each, _ in chosen):
        from pip._internal.variants.selection.installed_first import keep_installed

        solution = keep_installed(solve, resolver, run, requirements, root_reqs)
        requirements, staying = solution.found, solution.kept
        if solution.replaced:
            from pip._internal.variants.output.announcing import report_replaced

            for each in solution.replaced:
                report_replaced(each)
        chosen = _chosen_builds(run, requirements)
    kept = _kept_builds(resolver)
    if chosen:
        from pip._internal.variants.output.announcing import report_agreement
        from pip._internal.variants.selection.agreement import agreeing

        requirements, agreed = agreeing(solve, resolver, run, requirements)
        report_agreement(run, agreed)
    for each in staying:
        from pip._internal.variants.output.announcing import report_kept

        report_kept(each, requirements, run)
    return requirements, kept


def _has_variants(run: Run) -> bool:
    """Whether a variant is installed where packages are to be."""
    return any(installed_build(each) is not None for each in run.request.dists.values())


def _report_lost(run: Run, resolver: Resolver) -> None:
    """Report installed variants that give way to packages without an accelerator."""
    dists, found = resolver.factory._installed_dists, _found(resolver)
    if run.settings.changes_this_environment and any(
        not each.is_installed
        and each.project_name in dists
        and installed_build(dists[each.project_name]) is not None
        for each in found
    ):
        from pip._internal.variants.output.lost_accelerators import report_lost

        report_lost(run, resolver, dists)


def _check_accelerators(run: Run, resolver: Resolver) -> None:
    """Refuse or report, before anything is announced, what uses no accelerator."""
    _report_lost(run, resolver)
    if run.settings.required_accelerators and run.purpose is Purpose.INSTALL:
        from pip._internal.variants.output.required_accelerators import (
            require_accelerators,
        )

        require_accelerators(run, list(_found(resolver)))


def _report_unknown_names(
    run: Run,
    resolver: Resolver,
    roots: Iterable[InstallRequirement],
    *,
    has_failed: bool,
) -> None:
    asks = run.overrides.choices or run.settings.asks_for_something
    if not (run.enabled and asks):
        return
    from pip._internal.variants.output.unknown_names import report_unknown_names

    names = {
        *(root.name for root in roots if root.name),
        *resolver.factory._finder._all_candidates,
    }
    kept, has_built = [], False
    if resolver._result is not None:
        found = _found(resolver)
        names |= {candidate.project_name for candidate in found}
        links = (candidate.source_link for candidate in found)
        has_built = any(link is not None and not link.is_wheel for link in links)
        kept = _kept_builds(resolver)
    report_unknown_names(
        run,
        {canonicalize_name(name) for name in names},
        kept,
        are_all=not has_failed,
        are_all_manifests=not (has_failed or has_built),
    )


def _named(roots: Iterable[InstallRequirement]) -> frozenset[NormalizedName]:
    """Return the projects that the user named, here or in requirements files."""
    return frozenset(
        canonicalize_name(root.name)
        for root in roots
        if root.user_supplied and not root.constraint and root.name
    )


@contextmanager
def _prefetching(
    run: Run, resolver: Resolver, root_reqs: list[InstallRequirement]
) -> Iterator[None]:
    """Prefetch what the resolver needs, manifests included."""

    @functools.cache
    def make_lookahead() -> VariantLookahead:
        from pip._internal.variants.selection.lookahead import VariantLookahead

        run.catalogue.lookahead = VariantLookahead(run, resolver.factory._finder)
        return run.catalogue.lookahead

    run.catalogue.make_lookahead = make_lookahead if run.enabled else None
    try:
        with prefetching(
            resolver,
            run.catalogue.session,
            root_reqs,
            run.catalogue.parallel_downloads,
            run.catalogue.make_lookahead,
        ):
            yield
    finally:
        # Whoever resolves again has nearly all of it.
        run.catalogue.lookahead = run.catalogue.make_lookahead = None


def _chosen_builds(
    run: Run, requirements: RequirementSet
) -> list[tuple[Release, Link]]:
    """Return the chosen build of each release that has variants.

    A wheel that was built from a file stands for that file. A plain one that somebody
    named by its URL was not chosen.
    """
    return [
        (release, link)
        for req in requirements.requirements.values()
        for link in (req.source_link,)
        if link is not None and not (req.is_direct and label_of(link) is None)
        for release in (run.decisions.release_of(link),)
        if release is not None and release.labels
    ]


def _unselected_builds(
    run: Run, requirements: RequirementSet
) -> list[tuple[Release, Link]]:
    """Return plain builds of releases whose listed variants are all unsuitable files.

    They were no candidates, for instance because they are for another Python.
    """
    if run.purpose is Purpose.BUILD:
        return []
    found = []
    for req in requirements.requirements.values():
        link, dist = req.source_link, req.name and canonicalize_name(req.name)
        if link is None or req.is_direct or not dist:
            continue
        release = run.decisions.release_of(link)
        pages = run.catalogue.listed.get(dist, ())
        if (release is None or not release.labels) and any(
            label_of(each) is not None for page in pages for each in page
        ):
            version = version_of(link, dist)
            if version is not None:
                from pip._internal.variants.selection.release import Release

                source = source_of(link)
                found.append((Release(run, dist, version, [link], [source]), link))
    return found


def _found(resolver: Resolver) -> Collection[Candidate]:
    """Return all that the resolver came to."""
    assert resolver._result is not None, "it has resolved"
    return resolver._result.mapping.values()


def _kept_builds(resolver: Resolver) -> list[BaseDistribution]:
    """Return the builds that stay installed and were chosen among variants."""
    kept = []
    for candidate in _found(resolver):
        dist = vars(candidate).get("dist") if candidate.is_installed else None
        if dist is not None and installed_build(dist) is not None:
            kept.append(dist)
    return kept


def _settled(run: Run, requirements: RequirementSet) -> list[tuple[Release, Link]]:
    """Return the releases of which one build was chosen, although all were asked for."""
    return [
        (release, link)
        for release, link in _chosen_builds(run, requirements)
        if any(mode.settles(release.project) for mode in run.modes)
    ]


def _warn_of_device_extras(
    run: Run, resolver: Resolver, roots: Iterable[InstallRequirement]
) -> None:
    """Warn if the code for the target's GPUs is in extras that nothing requests."""
    factory, found = resolver.factory, list(_found(resolver))
    if run.overrides.may_take_several:
        # The lock file has other wheels of these versions too.
        locked = {(each.project_name, each.version) for each in found}
        others = factory._link_candidate_cache.values()
        found += [
            each for each in others if (each.project_name, each.version) in locked
        ]
    if run.purpose is Purpose.BUILD or not any(map(_may_have_device_extra, found)):
        return
    from pip._internal.variants.output.device_extras import warn_of_device_extras
    from pip._internal.variants.providers.amd import is_device_extra

    requested = _named(root for root in roots if any(map(is_device_extra, root.extras)))
    warn_of_device_extras(run, found, requested, factory._finder._locked_links)


def _may_have_device_extra(candidate: Candidate) -> bool:
    """Return False for almost all candidates, which need no module for such extras."""
    dist: BaseDistribution | None = vars(candidate).get("dist")
    provided = () if dist is None else dist.iter_provided_extras()
    return any(each.startswith("device") for each in provided)


def _announce(
    run: Run, finder: PackageFinder, chosen: list[tuple[Release, Link]]
) -> None:
    if chosen:
        from pip._internal.variants.output.announcing import announce

        announce(run, finder, chosen)


def installation_error(
    fn: Callable[..., InstallationError],
    factory: Factory,
    error: Any,
    constraints: Mapping[str, Any],
) -> InstallationError:
    """Say which variants were refused, if that is why nothing is left."""
    from pip._internal.variants.output.refusals import refusal

    usual = functools.partial(fn, factory, error, constraints)
    return refusal(usual, factory, error.causes, constraints)


def is_other_build(installed: BaseDistribution, candidate: Candidate) -> bool:
    """Tell whether a candidate is another build of the installed version."""
    from pip._internal.variants.selection import switching

    return switching.is_other_build(installed, candidate)
