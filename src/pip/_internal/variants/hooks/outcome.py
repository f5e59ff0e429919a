"""What the resolver came to: say what was chosen, or why nothing was."""

from __future__ import annotations

import functools
import logging
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from pip._vendor.packaging.utils import canonicalize_name

from pip._internal.console.output import get_logger, write
from pip._internal.exceptions import InstallationError, PipError
from pip._internal.utils._log import VERBOSE
from pip._internal.variants.choice.context import Context, context_of
from pip._internal.variants.choice.installed import installed_build
from pip._internal.variants.choice.releases import modes, weighed
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
    from pip._internal.variants.choice.lookahead import Lookahead
    from pip._internal.variants.choice.release import Release

__all__ = ["installation_error", "is_other_build", "resolved"]

logger = get_logger(__name__)


def resolved(
    fn: Callable[..., RequirementSet],
    resolver: Resolver,
    root_reqs: list[InstallRequirement],
    check_supported_wheels: bool,
) -> RequirementSet:
    """Announce the chosen variants before anything more is downloaded.

    :raises VariantLabelNotFound: if a label that was typed for whatever has it is one
        that nothing has.
    """
    context = context_of(resolver.factory._finder)
    if context is None:
        return fn(resolver, root_reqs, check_supported_wheels)
    context.named = _named(root_reqs)

    def solve(constraints: Sequence[InstallRequirement] = ()) -> RequirementSet:
        roots = [*root_reqs, *constraints]
        run = functools.partial(fn, resolver, roots, check_supported_wheels)
        for mode in modes(context):
            run = functools.partial(mode.solve, run, resolver)
        return run()

    if not (context.choices or context.settings.typed):
        return _resolved(solve, resolver, root_reqs, context)
    try:
        requirements = _resolved(solve, resolver, root_reqs, context)
    except PipError:
        # A mistyped name may be why, and the error must not give way to it.
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

    :param solve: resolves once, with further constraints if it is given some.
    """
    finder, run = resolver.factory._finder, solve
    for mode in modes(context):
        mode.note_roots(root_reqs)
    for mode in modes(context):
        resolved = mode.resolve(run, resolver)
        if resolved is not None:
            chosen = _chosen_builds(context, resolved)
            _announce(context, finder, [*_settled(context, chosen)])
            return resolved
    if not context.enabled:
        return run()
    with _lookahead(context, resolver.factory, root_reqs):
        requirements = run()
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
        chosen = _chosen_builds(context, requirements)
    if tell_kept is not None:
        tell_kept(requirements)
    if context.labels_for_all():
        from pip._internal.variants.tell.refusals import refuse_unknown_labels

        refuse_unknown_labels(context, [release for release, _ in chosen], kept)
    _announce(context, finder, chosen)
    if any(root.extras for root in root_reqs) and (chosen or kept):
        from pip._internal.variants.choice.unknown_names import labels_as_extras

        assert resolver._result is not None, "it has resolved"
        for line in labels_as_extras(context, resolver._result.mapping.values()):
            context.say_once(logging.WARNING, line)
    if kept and not context.settings.upgrade_variants:
        from pip._internal.variants.choice.switching import better_build

        assert resolver._result is not None, "it has resolved"
        candidates = resolver._result.mapping.values()
        versions = {each.project_name: each.version for each in candidates}
        for dist in kept:
            hint = better_build(context, dist, versions)
            if hint is not None:
                # What is installed now may need what the installed one lacks.
                logger.log(logging.WARNING if chosen else logging.INFO, "%s", hint)
    elif kept:
        from pip._internal.variants.choice.switching import no_other_build

        for dist in kept:
            hint = no_other_build(context, dist)
            if hint is not None:
                logger.info("%s", hint)
    return requirements


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
        found = resolver._result.mapping.values()
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
    """Give the projects that the user named, in a requirements file too."""
    return frozenset(
        canonicalize_name(root.name)
        for root in roots
        if root.user_supplied and not root.constraint and root.name
    )


@contextmanager
def _lookahead(
    context: Context, factory: Factory, roots: list[InstallRequirement]
) -> Iterator[None]:
    """Let the context look ahead of the resolver if it meets variants."""

    def foresee() -> Lookahead:
        from pip._internal.variants.choice.lookahead import Lookahead

        return Lookahead(context, factory, roots)

    if context.may_look_ahead:
        context.foresee = foresee
    try:
        yield
    finally:
        context.foresee = None
        if context.lookahead is not None:
            context.lookahead.close()
            context.lookahead = None


def _chosen_builds(
    context: Context, requirements: RequirementSet
) -> list[tuple[Release, Link]]:
    """Give what was chosen of each release that has variants.

    A wheel that was built of a file stands for that file.
    """
    return [
        (release, link)
        for req in requirements.requirements.values()
        for link in (req.source_link,)
        if link is not None
        for release in (weighed(context).release_of(link),)
        if release is not None and release.labels
    ]


def _kept_builds(resolver: Resolver) -> list[BaseDistribution]:
    """Give what stays installed and was chosen among variants."""
    assert resolver._result is not None, "it has resolved"
    kept = []
    for candidate in resolver._result.mapping.values():
        dist = vars(candidate).get("dist") if candidate.is_installed else None
        if dist is not None and installed_build(dist) is not None:
            kept.append(dist)
    return kept


def _settled(
    context: Context, chosen: Iterable[tuple[Release, Link]]
) -> Iterator[tuple[Release, Link]]:
    """Give what stands for no other build, though all builds were asked for."""
    for release, link in chosen:
        if any(mode.settles(release.project) for mode in modes(context)):
            yield release, link


def _announce(
    context: Context, finder: PackageFinder, chosen: Sequence[tuple[Release, Link]]
) -> None:
    """Say what was chosen, and what else the user may want."""
    for release, link in chosen:
        _announce_one(context, release, link)
    for mode in modes(context):
        for release, link in chosen:
            if _is_agreed(context, release, label_of(link)):
                continue
            advice = mode.advice(finder, release, link)
            if advice is not None:
                context.say_once(logging.WARNING, advice)


def _announce_one(context: Context, release: Release, link: Link) -> None:
    from pip._internal.console.styled import Line, shown_width, write_styled
    from pip._internal.variants.choice import reasons
    from pip._internal.variants.tell import sentences

    label = label_of(link)
    _warn_of_refused_newer(context, release)
    if label is None:
        labels = reasons.shortened(release.labels)
        if any(each.manifest is not None for each in release.selections.values()):
            why = f"none of its variants ({labels}) is supported here"
        else:
            why = f"its variants ({labels}) are ignored"
        logger.info("Using a plain build of %s, since %s", release, why)
    else:
        selection = release.selection_of(link)
        assert selection is not None, "a labelled link belongs to a selection"
        properties = selection.properties(label)
        option = None
        if release.chosen_by is not None:
            option = f"chosen with {release.chosen_by}"
        elif selection.is_swayed:
            option = "preferred with --prefer-variant"
        said = sentences.chosen_line(release, label, properties, option)
        chosen = {r"(?<=^Using the variant )\S+": "bold green"}
        write_styled([Line(said, highlights=chosen)])
        several = sentences.several_sources(release, selection, label)
        if several is not None:
            context.say_once(logging.WARNING, several)
        if context.settings.dry_run or logger.isEnabledFor(VERBOSE):
            write(
                sentences.block(
                    release.project,
                    release.version,
                    label,
                    selection.declared(label),
                    shown_width(),
                )
            )
    if logger.isEnabledFor(VERBOSE):
        for refused in sentences.rejections(release):
            logger.verbose("%s: %s", release, refused)
    if release.chosen_by is None and not _is_agreed(context, release, label):
        missed = sentences.missed_accelerator(release, label)
        if missed is not None:
            context.say_once(logging.WARNING, missed)


def _is_agreed(context: Context, release: Release, label: str | None) -> bool:
    """Tell whether a build was taken since it agrees with others."""
    if context.agreement is None:
        return False
    compatible = (each.ranking.compatible for each in release.selections.values())
    return label not in {labels[0] for labels in compatible if labels}


def _warn_of_refused_newer(context: Context, chosen: Release) -> None:
    from pip._internal.variants.tell import sentences

    for release in weighed(context).reached(chosen.project):
        if release.version > chosen.version and not release.ranked:
            why = sentences.lacks_label(release)
            if why is not None:
                why = f"which {why}"
            else:
                refused = "; ".join(sentences.rejections(release))
                why = f"of which no variant is supported here: {refused}"
            context.say_once(
                logging.WARNING,
                f"{chosen} was chosen instead of {release.version}, {why}",
            )
            return


def installation_error(
    fn: Callable[..., InstallationError],
    factory: Factory,
    error: Any,
    constraints: Mapping[str, Any],
) -> InstallationError:
    """Say which variants were refused, if that is why nothing is left."""
    from pip._internal.variants.tell.refusals import refusal

    usual = functools.partial(fn, factory, error, constraints)
    return refusal(usual, factory, error, constraints)


def is_other_build(installed: BaseDistribution, candidate: Candidate) -> bool:
    """Tell whether a candidate is another build of the installed version."""
    from pip._internal.variants.choice import switching

    return switching.is_other_build(installed, candidate)
