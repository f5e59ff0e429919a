"""Say why nothing could be chosen: what was refused, and what to do about it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pip._internal.variants.context import Context, context_of
from pip._internal.variants.installed import installed_build
from pip._internal.variants.links import label_of
from pip._internal.variants.output import get_logger

if TYPE_CHECKING:
    from pip._vendor.packaging.utils import NormalizedName

    from pip._internal.exceptions import InstallationError
    from pip._internal.metadata import BaseDistribution
    from pip._internal.resolution.resolvelib.factory import Factory
    from pip._internal.variants.installed_records import InstalledBuild
    from pip._internal.variants.release import Release

__all__ = [
    "installation_error",
    "nothing_left",
    "refuse_unknown_labels",
    "tell_unknown_labels",
]

logger = get_logger(__name__)

#: So many releases of a project are told of in an error, newest first.
_SHOWN_RELEASES = 10


def refuse_unknown_labels(
    context: Context, releases: Sequence[Release], kept: Sequence[BaseDistribution] = ()
) -> None:
    """Refuse a label that was chosen for whatever has it if nothing has it.

    :raises VariantLabelNotFound: then.
    """
    for label in _labels_of_no_build(context, map(installed_build, kept)):
        if not any(release.has_label(label) for release in releases):
            from pip._internal.variants.errors import VariantLabelNotFound

            raise VariantLabelNotFound(
                label,
                map(_labels_line, releases),
                "Choose one of these with --variant LABEL or --variant PACKAGE=LABEL, "
                "leave it to pip, or describe another machine with --variant-host "
                "FILE.",
            )


def tell_unknown_labels(context: Context, kept: Sequence[BaseDistribution]) -> None:
    """Warn of a label for whatever has it where all stays installed and nothing has it.

    It may stand in a configuration, for something else.
    """
    builds = {dist: installed_build(dist) for dist in kept}
    known = "; ".join(
        f"{dist.raw_name} {dist.version} has {', '.join(build.labels)}"
        for dist, build in builds.items()
        if build is not None
    )
    for label in _labels_of_no_build(context, builds.values()):
        logger.warning(
            "Nothing of what stays installed has a variant that is labelled %s: %s.",
            *(label, known),
        )


def _labels_of_no_build(
    context: Context, builds: Iterable[InstalledBuild | None]
) -> list[str]:
    """Give the labels for whatever has them that no installed build has or could have."""
    known = {label for build in builds if build is not None for label in build.labels}
    return [label for label in context.labels_for_all() if label not in known]


def _labels_line(release: Release, *, judge: bool = True) -> str:
    """List the labels of a release; only if it is to be judged, which ones run."""
    labels = release.labels
    if judge:
        runs = {
            label
            for selection in release.selections.values()
            for label in selection.ranking.compatible
        }
        labels = [
            label if label in runs else f"{label} (not supported here)"
            for label in labels
        ]
    return f"{release} has {', '.join(labels)}"


def installation_error(
    fn: Callable[..., InstallationError],
    factory: Factory,
    error: Any,
    constraints: Mapping[str, Any],
) -> InstallationError:
    """Say which variants were refused, if that is why nothing is left."""
    context = context_of(factory._finder)
    if context is not None and context.locking is not None:
        conflict = context.locking.conflict(error.causes)
        if conflict is not None:
            return conflict
    if context is not None and len(error.causes) == 1:
        from pip._internal.variants.unsuitable import true_reason

        reason = true_reason(context, factory._finder, error.causes[0])
        if reason is not None:
            return reason
    if context is None or not context.enabled:
        return fn(factory, error, constraints)
    parents = (cause.parent for cause in error.causes if cause.parent is not None)
    for release in dict.fromkeys(
        context.release_of(parent.source_link) for parent in parents
    ):
        if release is not None and release.labels and release.has_alternatives:
            from pip._internal.variants import explain

            logger.critical("%s", explain.alternatives(release))
    named = (cause.requirement.get_candidate_lookup()[0] for cause in error.causes)
    links = {candidate.source_link for candidate in named if candidate is not None}
    wheels = [link for link in links if link is not None and link.is_wheel]
    if any(label_of(link) for link in wheels):
        from pip._internal.variants import explain

        for line in explain.several_builds(sorted(wheels), context.options):
            logger.critical("%s", line)
    if context.pytorch is not None:
        from pip._internal.variants.pytorch.advice import origins

        projects = {cause.requirement.project_name for cause in error.causes}
        for line in origins(context.pytorch, sorted(projects)):
            logger.critical("%s", line)
    causes: dict[NormalizedName, str] = {
        cause.requirement.project_name: cause.requirement.format_for_error()
        for cause in error.causes
    }
    refused = {
        project: releases
        for project in causes
        if (releases := context.reached_releases(project))
        and not any(release.ranked for release in releases)
    }
    if len(causes) == 1 and refused:
        ((project, releases),) = refused.items()
        hashed = project in constraints and bool(constraints[project].hashes)
        for cause in error.causes:
            ireq = cause.requirement.get_candidate_lookup()[1]
            hashed |= ireq is not None and ireq.has_hash_options
        label = context.label_for(project)
        fn(factory, error, constraints)
        return nothing_left(causes[project], label, releases, hashed=hashed)
    # Among several causes the variants are one: the usual error tells the rest.
    for releases in refused.values():
        for line in _refusals(releases):
            logger.critical("%s", line)
    return fn(factory, error, constraints)


def _refusals(releases: list[Release]) -> list[str]:
    from pip._internal.variants import explain

    lines = []
    for release in releases[:_SHOWN_RELEASES]:
        lines.append(f"{release}:")
        lines.extend(f"  {reason}" for reason in explain.rejections(release))
    if len(releases) > _SHOWN_RELEASES:
        lines.append(f"and {len(releases) - _SHOWN_RELEASES} older releases likewise")
    return lines


def nothing_left(
    requirement: str,
    label: str | None,
    releases: list[Release],
    *,
    hashed: bool = False,
) -> InstallationError:
    """Make the error that says why none of *releases* could be taken.

    :param label: the label that the user chose for this project, if any.
    :param releases: those that were reached, newest first.
    :param hashed: whether hashes leave only some of their files.
    """
    from pip._internal.variants import explain
    from pip._internal.variants.errors import NoCompatibleVariant, VariantLabelNotFound
    from pip._internal.variants.invocation import command
    from pip._internal.variants.texts import Hint

    if label is not None:
        labelled = [release for release in releases if release.labels]
        # Judging takes a request each; the newest release is the one that matters.
        lines = [
            _labels_line(release, judge=release is labelled[0])
            for release in labelled[:_SHOWN_RELEASES]
        ] or [
            f"{releases[0].project} has no variant wheels for this platform and Python"
        ]
        return VariantLabelNotFound(
            label,
            lines,
            f"Choose another one with --variant {releases[0].project}=LABEL, or leave "
            "that option out; for another machine, describe it with --variant-host "
            "FILE.",
        )
    hints = [message for each in releases for _, message in explain.untrusted(each)]
    selections = [each for release in releases for each in release.selections.values()]
    judged = any(selection.manifest is not None for selection in selections)
    if any(selection.manifest is None for selection in selections):
        hints.append(explain.WITHOUT_MANIFEST)
    if hashed:
        hints.append(
            "The given hashes leave no other build: add the hash of one that runs."
        )
    choices = [each.hint for each in releases if each.hint is not None]
    if choices:
        hints.append(choices[0])
    elif judged:
        options, project = releases[0].options, releases[0].project
        hints += (
            Hint("What the target supports:", command(options, "variants", "host")),
            Hint("Why not:", command(options, "variants", "explain", project)),
            "For another machine, describe it with --variant-host FILE.",
        )
    return NoCompatibleVariant(
        requirement, _refusals(releases), dict.fromkeys(hints), judged=judged
    )
