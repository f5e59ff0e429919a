"""Why nothing could be chosen: what was refused, and what to do about it."""

from __future__ import annotations

import itertools
import logging
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pip._internal.console.output import get_logger
from pip._internal.console.texts import Hint, capital
from pip._internal.variants.errors import (
    BuildConflict,
    NoCompatibleVariant,
    VariantLabelNotFound,
    VariantNotInstallable,
)
from pip._internal.variants.index.links import label_of
from pip._internal.variants.output import reasons, sentences
from pip._internal.variants.output.invocation import command
from pip._internal.variants.output.skipped_versions import absent_variants
from pip._internal.variants.output.unknown_names import nearest_label
from pip._internal.variants.selection.installed import installed_build
from pip._internal.variants.selection.run import Run, run_of

if TYPE_CHECKING:
    from pip._vendor.packaging.utils import NormalizedName

    from pip._internal.exceptions import InstallationError
    from pip._internal.index.package_finder import PackageFinder
    from pip._internal.metadata import BaseDistribution
    from pip._internal.req.req_install import InstallRequirement
    from pip._internal.resolution.resolvelib.factory import Factory
    from pip._internal.variants.selection.installed_records import InstalledBuild
    from pip._internal.variants.selection.release import Release

__all__ = ["nothing_left", "refusal", "refuse_unknown_labels"]

logger = get_logger(__name__)

#: How many releases of a project an error tells of, newest first.
_SHOWN_RELEASES = 10


def refuse_unknown_labels(
    run: Run,
    finder: PackageFinder,
    releases: Sequence[Release],
    kept: Sequence[BaseDistribution] = (),
) -> None:
    """Refuse a label that was typed for all projects if none has it.

    A label from the configuration may be for other runs: that is a warning.

    :param releases: those that were chosen.
    :param kept: builds that stay installed and were chosen among variants.
    :raises VariantLabelNotFound: no project has a label that was typed.
    """
    if not run.overrides.labels_for_all():
        return
    builds = [(dist, build) for dist in kept if (build := installed_build(dist))]
    known = _known_labels(run).union(
        *(build.labels for _, build in builds),
        *(release.labels for release in releases),
    )
    missing = [label for label in run.overrides.labels_for_all() if label not in known]
    if missing:
        _tell_missing(run, finder, missing, known, releases, builds)


def _tell_missing(
    run: Run,
    finder: PackageFinder,
    missing: Iterable[str],
    known: Collection[str],
    releases: Sequence[Release],
    builds: Sequence[tuple[BaseDistribution, InstalledBuild]],
) -> None:
    from pip._internal.variants.selection.contradictions import typed_for_all

    lines = [_labels_line(each) for each in releases if each.labels]
    for dist, build in builds:
        installed = f"{dist.raw_name} {dist.version}, which is installed,"
        lines.append(_has(installed, build.labels))
    told = {str(release) for release in releases}
    told |= {f"{dist.canonical_name} {dist.version}" for dist, _ in builds}
    typed = {choice.label for choice in typed_for_all(run.overrides.choices)}
    for label in missing:
        if label in typed:
            absent = _absent(finder, label, releases)
            if absent is not None:
                raise absent
            others = _others(run, told)
            named = run.request.named
            raise _label_not_found(label, [*lines, *others], known, named)
        if lines:
            # If nothing was chosen, this is no news.
            logger.log(
                logging.WARNING if releases else logging.INFO,
                "Nothing has a variant that is labelled %s, as the configuration or "
                "PIP_VARIANT has it: %s",
                *(label, "; ".join(lines)),
            )


def _known_labels(run: Run) -> set[str]:
    """Return the labels of what the user named: by path or URL, or as a project."""
    known = {label for link in run.decisions.direct if (label := label_of(link))}
    # If a named project has the label, a stronger choice came before it.
    for offered in run.overrides.offered.values():
        known.update(*offered.values())
    return known


def _label_not_found(
    label: str,
    lines: Sequence[str],
    known: Collection[str],
    named: Collection[NormalizedName],
    package: str = "",
) -> InstallationError:
    """Make the error for a label that nothing has.

    :param lines: which labels there are.
    :param named: the projects that the user named.
    :param package: what stands before the label in the option.
    """
    meant = nearest_label(label, known)
    if meant is not None:
        hint = f"Did you mean '{meant}'? --variant {package}{meant}"
    elif package:
        hint = (
            f"Choose another one with --variant {package}LABEL, or leave that option "
            "out; for another machine, describe it with --variant-host FILE."
        )
    elif lines:
        hint = (
            "Choose one of these with --variant LABEL or --variant PACKAGE=LABEL, "
            "leave it to pip, or describe another machine with --variant-host FILE."
        )
    else:
        hint = (
            "Leave --variant out, name the package that is meant, or an index with "
            "variants: --index-url URL."
        )
    without = (
        f"{project} has no variant wheels for this platform and Python"
        for project in sorted(named)
    )
    return VariantLabelNotFound(label, lines or without, hint)


def _others(run: Run, told: Collection[str]) -> Iterator[str]:
    """List the labels of what could have been chosen instead, newest first.

    :param told: releases whose labels are told already.
    """
    for project, offered in run.overrides.offered.items():
        for version, labels in itertools.islice(offered.items(), _SHOWN_RELEASES):
            if f"{project} {version}" not in told:
                yield _has(f"{project} {version}", labels)


def _has(what: object, labels: Iterable[str]) -> str:
    return f"{what} has {', '.join(labels)}"


def _labels_line(release: Release, *, judge: bool = True) -> str:
    """List the labels of a release, and if it is to be judged, which ones run."""
    labels = release.labels
    if judge:
        selections = release.fetch_selections().values()
        runs = {label for each in selections for label in each.ranking.compatible}
        labels = [
            label if label in runs else f"{label} (not supported here)"
            for label in labels
        ]
    return _has(release, labels)


def refusal(
    usual: Callable[[], InstallationError],
    factory: Factory,
    causes: Sequence[Any],
    constraints: Mapping[str, Any],
) -> InstallationError:
    """Return which variants were refused, if that is why nothing is left.

    :param usual: makes upstream's error, and logs what upstream logs.
    :param causes: the requirements that cannot be met, and what has each.
    """
    run = run_of(factory._finder)
    if run is None:
        return usual()
    if run.is_trying:
        return _build_conflict(causes)
    reason = _plain_reason(run, factory, causes, constraints)
    projects = dict.fromkeys(cause.requirement.project_name for cause in causes)
    reason = reason or _missing_label(run, factory._finder, projects)
    if reason is not None:
        return reason
    if not run.enabled:
        return usual()
    for line in _background(run, causes):
        logger.critical("%s", line)
    return _refused(usual, run, factory, causes, constraints)


def _refused(
    usual: Callable[[], InstallationError],
    run: Run,
    factory: Factory,
    causes: Sequence[Any],
    constraints: Mapping[str, Any],
) -> InstallationError:
    """Make the error where variants are judged; say of several causes which they are."""
    requirements = [cause.requirement for cause in causes]
    wanted: dict[NormalizedName, str] = {
        each.project_name: each.format_for_error() for each in requirements
    }
    reached = {project: run.decisions.reached(project) for project in wanted}
    refused = {
        project: releases
        for project, releases in reached.items()
        if releases and not any(release.fetch_ranked() for release in releases)
    }
    if len(wanted) == 1 and refused:
        ((project, releases),) = refused.items()
        hashed = _hashed(project, causes, constraints)
        usual()
        return nothing_left(
            wanted[project], releases, finder=factory._finder, hashed=hashed
        )
    # Variants are one cause among several: the usual error tells the others.
    for project, releases in reached.items():
        if run.overrides.label_for(project) is not None:
            _tell_lacking(releases)
    for line in itertools.chain(*map(_refusals, refused.values())):
        logger.critical("%s", line)
    return usual()


def _missing_label(
    run: Run, finder: PackageFinder, projects: Iterable[NormalizedName]
) -> InstallationError | None:
    """Make the error if no release of a project has the label chosen for it."""
    for project in projects:
        label, releases = (
            run.overrides.label_for(project),
            run.decisions.reached(project),
        )
        if label is not None and releases and all(e.lacks_label for e in releases):
            absent = _absent(finder, label, releases)
            return absent or _none_labelled(label, releases)
    return None


def _absent(
    finder: PackageFinder, label: str, releases: Iterable[Release]
) -> InstallationError | None:
    """Make the error if a release lists a label but has no file of it to install."""
    for release in releases:
        reason = absent_variants(finder, release).get(label)
        if reason is not None:
            others = [_labels_line(release)] if release.labels else []
            lines = [f"{capital(reason)}.", *others]
            return VariantNotInstallable(str(release), label, lines)
    return None


def _plain_reason(
    run: Run,
    factory: Factory,
    causes: Sequence[Any],
    constraints: Mapping[str, Any],
) -> InstallationError | None:
    """Make the error if one thing says it all, whatever was refused."""
    if run.enabled:
        for cause in causes:
            mistaken = _label_in_version(factory, cause, constraints)
            if mistaken is not None:
                return mistaken
    if len(causes) != 1:
        return None
    from pip._internal.variants.output.no_match import true_reason

    (cause,) = causes
    return true_reason(run, factory._finder, cause.requirement, cause.parent)


def _hashed(
    project: NormalizedName, causes: Sequence[Any], constraints: Mapping[str, Any]
) -> bool:
    """Return whether hashes leave only some of a project's files."""
    if project in constraints and constraints[project].hashes:
        return True
    return any(ireq.has_hash_options for ireq in map(_ireq, causes) if ireq)


def _background(run: Run, causes: Sequence[Any]) -> Iterator[str]:
    """Yield what bears on a conflict: other builds, several builds, other indexes."""
    yield from _alternatives(run, causes)
    named = (cause.requirement.get_candidate_lookup()[0] for cause in causes)
    links = {candidate.source_link for candidate in named if candidate is not None}
    wheels = [link for link in links if link is not None and link.is_wheel]
    if any(map(label_of, wheels)):
        yield from sentences.several_builds(sorted(wheels), run.settings.options)
    projects = {cause.requirement.project_name for cause in causes}
    for mode in run.modes:
        yield from mode.origins(sorted(projects))


def _alternatives(run: Run, causes: Sequence[Any]) -> Iterator[str]:
    parents = (cause.parent for cause in causes if cause.parent is not None)
    for release in dict.fromkeys(
        run.decisions.release_of(parent.source_link) for parent in parents
    ):
        if release is not None and release.labels and release.fetch_has_alternatives():
            yield sentences.alternatives(release)


def _ireq(cause: Any) -> InstallRequirement | None:
    ireq: InstallRequirement | None = cause.requirement.get_candidate_lookup()[1]
    return ireq


def _build_conflict(causes: Sequence[Any]) -> InstallationError:
    """Say which requirements conflict; builds are only tried, so nothing is logged."""
    lines = dict.fromkeys(
        f"{cause.parent or 'the user'} wants {cause.requirement.format_for_error()}"
        for cause in causes
    )
    return BuildConflict(reasons.shortened(list(lines), "; "))


def _tell_lacking(releases: Iterable[Release]) -> None:
    """Name the newest release that lacks the label chosen by hand."""
    for release in releases:
        lacking = sentences.lacks_label(release)
        if lacking is not None:
            logger.critical("%s %s", release, lacking)
            return


def _label_in_version(
    factory: Factory, cause: Any, constraints: Mapping[str, Any]
) -> InstallationError | None:
    """Return the error for a label that was written into a version, if one was."""
    project, written = cause.requirement.project_name, []
    if project in constraints:
        written.append(constraints[project].specifier)
    ireq = _ireq(cause)
    if cause.parent is None and ireq is not None and ireq.req is not None:
        written.append(ireq.req.specifier)
    for specifier in written:
        if any("+" in each.version for each in specifier):
            from pip._internal.variants.output.unknown_names import label_in_version

            return label_in_version(factory._finder, project, specifier)
    return None


def _refusals(
    releases: list[Release], finder: PackageFinder | None = None
) -> list[str]:
    lines = []
    for release in releases[:_SHOWN_RELEASES]:
        lines.append(f"{release}:")
        lines.extend(f"  {reason}" for reason in sentences.rejections(release))
        if finder is not None:
            absent = absent_variants(finder, release)
            lines.extend(f"  {label}: {reason}" for label, reason in absent.items())
    if len(releases) > _SHOWN_RELEASES:
        lines.append(f"and {len(releases) - _SHOWN_RELEASES} older releases likewise")
    return lines


def nothing_left(
    requirement: str,
    releases: list[Release],
    label: str | None = None,
    *,
    finder: PackageFinder | None = None,
    hashed: bool = False,
) -> InstallationError:
    """Make the error that says why none of *releases* could be taken.

    :param label: the label that the user chose for this project, if any.
    :param releases: those that were reached, newest first.
    :param finder: that found them; None to leave out what it passed over.
    :param hashed: whether hashes leave only some of their files.
    """
    if label is not None:
        return _none_labelled(label, releases)
    selections = [
        each for release in releases for each in release.fetch_selections().values()
    ]
    hints = [
        hint
        for selection in selections
        for problem in reasons.unanswered(requirement, selection)
        for hint in getattr(problem, "hints", ())
    ]
    judged = any(selection.manifest is not None for selection in selections)
    if any(selection.manifest is None for selection in selections):
        hints.append(f"{reasons.WITHOUT_MANIFEST}.")
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
        requirement, _refusals(releases, finder), dict.fromkeys(hints), judged=judged
    )


def _none_labelled(label: str, releases: Sequence[Release]) -> InstallationError:
    labelled = [release for release in releases if release.labels]
    # Judging takes a request each; the newest release is the one that matters.
    lines = [
        _labels_line(release, judge=release is labelled[0])
        for release in labelled[:_SHOWN_RELEASES]
    ]
    project, known = releases[0].project, {x for each in labelled for x in each.labels}
    return _label_not_found(label, lines, known, [project], f"{project}=")
