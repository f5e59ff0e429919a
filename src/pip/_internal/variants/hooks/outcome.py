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
from pip._internal.variants.choice.context import Context, context_of, noting_host
from pip._internal.variants.choice.installed import installed_build
from pip._internal.variants.choice.releases import modes, weighed
from pip._internal.variants.slots import ENVIRONMENT
from pip._internal.variants.wheels.links import label_of

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
    from pip._internal.variants.choice.foresight import VariantForesight
    from pip._internal.variants.choice.release import Release


def resolved(
    fn: Callable[..., RequirementSet],
    resolver: Resolver,
    root_reqs: list[InstallRequirement],
    check_supported_wheels: bool,
) -> RequirementSet:
    """Announce the chosen variants before anything more is downloaded.

    :raises VariantLabelNotFound: no project has a label that was typed for all.
    """
    context = context_of(resolver.factory._finder)
    if context is None:
        return fn(resolver, root_reqs, check_supported_wheels)
    context.named = _named(root_reqs)
    if any(root.name is None or "pip" in root.name.lower() for root in root_reqs):
        from pip._internal.variants.choice.fork import leaves_fork

        context.leaves_fork = leaves_fork(root_reqs)

    def solve(constraints: Sequence[InstallRequirement] = ()) -> RequirementSet:
        roots = [*root_reqs, *constraints]
        run = functools.partial(fn, resolver, roots, check_supported_wheels)
        for mode in modes(context):
            run = functools.partial(mode.solve, run, resolver)
        if context.target is None:
            return run()
        from pip._internal.variants.choice import elsewhere

        with (
            noting_host(context.settings),
            elsewhere.during(context.target, resolver.factory),
        ):
            found = run()
        for requirement in found.requirements.values():
            ENVIRONMENT.set(requirement, context.target.environment)
        return found

    if not (context.choices or context.settings.asks_for_something):
        return _resolved(solve, resolver, root_reqs, context)
    try:
        requirements = _resolved(solve, resolver, root_reqs, context)
    except PipError:
        # A mistyped name may be why; the error stays the resolver's.
        context.strict = False
        _warn_of_unknown_names(context, resolver, root_reqs, has_failed=True)
        raise
    _warn_of_unknown_names(context, resolver, root_reqs, has_failed=False)
    return requirements


def _resolved(
    solve: Callable[..., RequirementSet],
    resolver: Resolver,
    root_reqs: list[InstallRequirement],
    context: Context,
) -> RequirementSet:
    """Resolve, and announce what was chosen.

    :param solve: resolves once, with the constraints that it is given.
    """
    finder = resolver.factory._finder
    for mode in modes(context):
        mode.note_roots(root_reqs)
    with _prefetching(context, resolver, root_reqs), _told_of_locks(finder):
        found = (mode.resolve(solve, resolver) for mode in modes(context))
        resolved = next((each for each in found if each is not None), None)
        requirements = solve() if resolved is None else resolved
    if resolved is not None:
        # All builds were asked for, so few were chosen over others.
        _announce(context, finder, _settled(context, resolved))
    elif context.enabled:
        requirements = _concluded(solve, resolver, root_reqs, context, requirements)
    if context.enabled and not context.settings.ignore_dependencies:
        _warn_of_device_extras(context, resolver, root_reqs)
    return requirements


@contextmanager
def _told_of_locks(finder: PackageFinder) -> Iterator[None]:
    """Say it where a lock file lacks something, rather than that there is no hash.

    :raises NotLocked: in place of what upstream says of hashes.
    """
    try:
        yield
    except HashError as error:
        from pip._internal.variants.tell.unlocked import not_locked

        raise not_locked(finder, error) or error from None


def _concluded(
    solve: Callable[..., RequirementSet],
    resolver: Resolver,
    root_reqs: list[InstallRequirement],
    context: Context,
    requirements: RequirementSet,
) -> RequirementSet:
    """Settle what was resolved, and announce it."""
    finder = resolver.factory._finder
    requirements, kept = _settle(solve, resolver, root_reqs, context, requirements)
    chosen = _chosen_builds(context, requirements)
    if context.labels_for_all():
        from pip._internal.variants.tell.refusals import refuse_unknown_labels

        refuse_unknown_labels(context, [release for release, _ in chosen], kept)
    _announce(context, finder, chosen)
    if any(root.extras for root in root_reqs) and (chosen or kept):
        from pip._internal.variants.choice.unknown_names import labels_as_extras

        for line in labels_as_extras(context, _found(resolver)):
            context.say_once(logging.WARNING, line)
    if kept:
        from pip._internal.variants.tell.announcing import tell_of_kept

        tell_of_kept(context, kept, _found(resolver), is_all=not chosen)
    return requirements


def _settle(
    solve: Callable[..., RequirementSet],
    resolver: Resolver,
    root_reqs: list[InstallRequirement],
    context: Context,
    requirements: RequirementSet,
) -> tuple[RequirementSet, list[BaseDistribution]]:
    """Resolve again if what is installed may stay, or to make builds agree.

    :return: the result, and the builds of variants that stay installed.
    """
    run = solve
    chosen = _chosen_builds(context, requirements)
    tell_kept: Callable[[RequirementSet], None] | None = None
    if context.installed_dists and any(each.has_alternatives for each, _ in chosen):
        from pip._internal.variants.choice.keeping import keep_installed

        requirements, constraints, tell_kept = keep_installed(
            solve, resolver, context, requirements, root_reqs
        )
        run = functools.partial(solve, constraints)
        chosen = _chosen_builds(context, requirements)
    kept = _kept_builds(resolver)
    if chosen and len(chosen) + len(kept) > 1:
        from pip._internal.variants.choice.agreement import agreeing

        requirements = agreeing(run, resolver, context, requirements, kept)
    if tell_kept is not None:
        tell_kept(requirements)
    return requirements, kept


def _warn_of_unknown_names(
    context: Context,
    resolver: Resolver,
    roots: Iterable[InstallRequirement],
    *,
    has_failed: bool,
) -> None:
    if not context.enabled:
        return
    from pip._internal.variants.choice.unknown_names import warn_of_unknown_names

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
    warn_of_unknown_names(
        context,
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
    context: Context, resolver: Resolver, root_reqs: list[InstallRequirement]
) -> Iterator[None]:
    """Prefetch what the resolver needs, manifests included."""

    @functools.cache
    def foresee() -> VariantForesight:
        from pip._internal.variants.choice.foresight import VariantForesight

        context.foresight = VariantForesight(context, resolver.factory._finder)
        return context.foresight

    context.foresee = foresee if context.enabled else None
    try:
        with prefetching(
            resolver,
            context.session,
            root_reqs,
            context.parallel_downloads,
            context.foresee,
        ):
            yield
    finally:
        # Whoever resolves again has nearly all of it.
        context.foresight = context.foresee = None


def _chosen_builds(
    context: Context, requirements: RequirementSet
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
        for release in (weighed(context).release_of(link),)
        if release is not None and release.labels
    ]


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


def _settled(
    context: Context, requirements: RequirementSet
) -> list[tuple[Release, Link]]:
    """Return the releases of which one build was chosen, although all were asked for."""
    return [
        (release, link)
        for release, link in _chosen_builds(context, requirements)
        if any(mode.settles(release.project) for mode in modes(context))
    ]


def _warn_of_device_extras(
    context: Context, resolver: Resolver, roots: Iterable[InstallRequirement]
) -> None:
    """Warn if the code for the target's GPUs is in extras that nothing requests."""
    factory, found = resolver.factory, list(_found(resolver))
    if context.may_take_several:
        # The lock file has other wheels of these versions too.
        locked = {(each.project_name, each.version) for each in found}
        others = factory._link_candidate_cache.values()
        found += [
            each for each in others if (each.project_name, each.version) in locked
        ]
    if context.in_build or not any(map(_has_device_extra, found)):
        return
    from pip._internal.variants.tell.device_extras import warn_of_device_extras

    requested = _named(root for root in roots if any(map(_is_for_device, root.extras)))
    warn_of_device_extras(context, found, requested, factory._finder._locked_links)


def _has_device_extra(candidate: Candidate) -> bool:
    """Whether the metadata of a candidate has an extra for a device; few have one."""
    dist: BaseDistribution | None = vars(candidate).get("dist")
    return dist is not None and any(map(_is_for_device, dist.iter_provided_extras()))


def _is_for_device(extra: str) -> bool:
    return canonicalize_name(extra).startswith("device-")


def _announce(
    context: Context, finder: PackageFinder, chosen: list[tuple[Release, Link]]
) -> None:
    if chosen:
        from pip._internal.variants.tell.announcing import announce

        announce(context, finder, chosen)


def installation_error(
    fn: Callable[..., InstallationError],
    factory: Factory,
    error: Any,
    constraints: Mapping[str, Any],
) -> InstallationError:
    """Say which variants were refused, if that is why nothing is left."""
    from pip._internal.variants.tell.refusals import refusal

    usual = functools.partial(fn, factory, error, constraints)
    return refusal(usual, factory, error.causes, constraints)


def is_other_build(installed: BaseDistribution, candidate: Candidate) -> bool:
    """Tell whether a candidate is another build of the installed version."""
    from pip._internal.variants.choice import switching

    return switching.is_other_build(installed, candidate)
