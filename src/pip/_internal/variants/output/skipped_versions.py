"""Why newer versions than the one that would be installed are passed over."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from pip._vendor.packaging.utils import parse_wheel_filename

from pip._internal.fast.pages import all_links
from pip._internal.index.package_finder import LinkType
from pip._internal.variants.index.links import (
    LocalVersionWheel,
    label_of,
    public,
    version_of,
)
from pip._internal.variants.output.reasons import shortened
from pip._internal.variants.output.sentences import lacks_label
from pip._internal.variants.selection.lookup_result import Cause, Offer, SkippedVersion
from pip._internal.variants.selection.run import run_of

if TYPE_CHECKING:
    from pip._vendor.packaging.specifiers import SpecifierSet
    from pip._vendor.packaging.utils import NormalizedName
    from pip._vendor.packaging.version import Version

    from pip._internal.index.package_finder import LinkEvaluator, PackageFinder
    from pip._internal.models.link import Link
    from pip._internal.variants.selection.release import Release
    from pip._internal.variants.selection.run import Run

__all__ = [
    "CAUSES",
    "absent_variants",
    "cause_of_file",
    "evaluator_of",
    "listed_files",
    "skipped_versions",
    "why",
]

#: Why a version, or a file, is not taken.
CAUSES = {
    Cause.REQUIREMENT: "the requirement or a constraint excludes it",
    Cause.PRE_RELEASE: "it is a pre-release; --pre would allow it",
    Cause.YANKED: "it was yanked",
    Cause.REQUIRES_PYTHON: "it is for other versions of Python",
    Cause.PLATFORM: "no wheel is for this platform and Python",
    Cause.FORMAT: "no file of a kind that may be used",
    Cause.UPLOAD_TIME: "it was uploaded too late for --uploaded-prior-to",
    Cause.HASHES: "no file has a hash that is allowed",
    Cause.VARIANTS_OFF: "there are variant wheels alone, and variants are off",
    Cause.LABEL: "it lacks the label that was chosen with --variant",
    Cause.VARIANTS: "none of its variants can be used here",
    Cause.SPECIAL_BUILD: "a special build, taken only if pinned exactly",
    Cause.ORDER: "files of an older version come first",
}

#: Why a file is of no use; the cause that says most about the version comes first.
_CAUSES = {
    LinkType.requires_python_mismatch: Cause.REQUIRES_PYTHON,
    LinkType.upload_too_late: Cause.UPLOAD_TIME,
    LinkType.format_unsupported: Cause.FORMAT,
    LinkType.platform_mismatch: Cause.PLATFORM,
}


def why(cause: Cause, detail: str) -> str:
    """Return why a version, or a file, is not taken, as a clause."""
    return CAUSES[cause] + (f" ({detail})" if detail else "")


def listed_files(run: Run, project: NormalizedName) -> list[Link]:
    """Return all files that were listed for a project, if there was any trouble."""
    listed = itertools.chain.from_iterable(
        map(all_links, run.catalogue.listed.get(project, ()))
    )
    # The page of a project is among the links.
    return [each for each in listed if version_of(each, project) is not None]


def cause_of_file(evaluator: LinkEvaluator, link: Link) -> tuple[Cause, str]:
    """Return why pip does not take a file of a version that it may take.

    :return: and what more there is to say, for people.
    """
    result, detail = evaluator.evaluate_link(link)
    if result is not LinkType.candidate:
        cause = _CAUSES.get(result, Cause.FORMAT)
        is_said = cause in (Cause.REQUIRES_PYTHON, Cause.UPLOAD_TIME)
        return cause, detail if is_said else ""
    if link.is_yanked:
        return Cause.YANKED, link.yanked_reason or ""
    return Cause.HASHES, ""


def absent_variants(finder: PackageFinder, release: Release) -> dict[str, str]:
    """Return the variants that are listed for a release, but have no file to install.

    :return: by label, why.
    """
    links: dict[str, list[Link]] = {}
    run = run_of(finder)
    for link in () if run is None else listed_files(run, release.project):
        label = label_of(link)
        if label is None or label in release.labels:
            continue
        if version_of(link, release.project) == release.version:
            links.setdefault(label, []).append(link)
    evaluator, found = evaluator_of(finder, release.project), {}
    for label, files in links.items():
        cause, detail = cause_of_file(evaluator, files[0])
        if cause is Cause.PLATFORM:
            detail = _platforms(files)
        found[label] = why(cause, detail)
    return found


def skipped_versions(
    finder: PackageFinder,
    project: NormalizedName,
    specifier: SpecifierSet,
    links: Iterable[Link],
    offers: Sequence[Offer],
    chosen: Offer | None,
) -> list[SkippedVersion]:
    """Return why each version that is newer than the chosen one was not taken.

    :param specifier: of requirement and constraints together.
    :param links: all files that were listed.
    :param offers: the versions that the resolver may come to, in its order.
    :return: newest first.
    """
    by_version: dict[Version, list[Link]] = {}
    for link in links:
        version = version_of(link, project)
        if version is not None and (chosen is None or version > chosen.version):
            by_version.setdefault(version, []).append(link)
    evaluator = evaluator_of(finder, project)
    suitable: dict[Version, list[Link]] = {}
    for candidate in finder.find_all_candidates(project):
        link, version = candidate.link, candidate.version
        is_build = isinstance(link, LocalVersionWheel)
        suitable.setdefault(public(version) if is_build else version, []).append(link)
    run = run_of(finder)
    special: set[Version] = set()
    for mode in () if run is None else run.modes:
        special.update(mode.special_versions(project))
    offered = {each.version: each for each in reversed(offers)}
    found = []
    for version in sorted(by_version, reverse=True):
        if not specifier.contains(version, prereleases=True):
            reason = SkippedVersion(version, Cause.REQUIREMENT)
        elif version in offered:
            reason = _reached(finder, offered[version])
        elif version in special:
            reason = SkippedVersion(version, Cause.SPECIAL_BUILD)
        elif version in suitable:
            reason = _filtered(version, suitable[version])
        else:
            reason = _unsuitable(version, by_version[version], evaluator)
        found.append(reason)
    return found


def evaluator_of(finder: PackageFinder, project: NormalizedName) -> LinkEvaluator:
    """Return what judges files, as upstream does."""
    evaluator, run = finder.make_link_evaluator(project), run_of(finder)
    if run is not None and run.target.is_elsewhere:
        # That nothing is built there hides what else is wrong.
        evaluator._formats = frozenset({"binary", "source"})
    return evaluator


def _reached(finder: PackageFinder, offer: Offer) -> SkippedVersion:
    """Return why a version that may be installed was not."""
    release = offer.release
    if release is None or not release.reached:
        return SkippedVersion(offer.version, Cause.ORDER, offer=offer)
    lacking = lacks_label(release)
    if lacking is not None:
        label = release.chosen_label
        absent = absent_variants(finder, release).get(label or "")
        said = f"it {lacking}" if absent is None else f"{label}: {absent}"
        return SkippedVersion(offer.version, Cause.LABEL, said, offer)
    return SkippedVersion(offer.version, Cause.VARIANTS, offer=offer)


def _filtered(version: Version, links: Sequence[Link]) -> SkippedVersion:
    """Return why a version was left out although it has suitable files."""
    if all(link.is_yanked for link in links):
        reasons = filter(None, (link.yanked_reason for link in links))
        return SkippedVersion(version, Cause.YANKED, next(reasons, ""))
    if version.is_prerelease:
        return SkippedVersion(version, Cause.PRE_RELEASE)
    return SkippedVersion(version, Cause.HASHES)


def _unsuitable(
    version: Version, links: Sequence[Link], evaluator: LinkEvaluator
) -> SkippedVersion:
    """Return why no file of a version suits the target and the options."""
    results = [evaluator.evaluate_link(link) for link in links]
    taken = [
        link
        for link, (result, _) in zip(links, results, strict=True)
        if result is LinkType.candidate
    ]
    if not all(link.is_wheel for link in taken):
        detail = "its source would have to be built on such a machine"
        return SkippedVersion(version, Cause.FORMAT, detail)
    if taken:
        # Upstream's evaluator, which does not look at labels, accepts it.
        labels = dict.fromkeys(filter(None, map(label_of, links)))
        return SkippedVersion(version, Cause.VARIANTS_OFF, shortened([*labels]))
    details = dict(reversed(results))
    for result, cause in _CAUSES.items():
        if result in details:
            is_platform = cause is Cause.PLATFORM
            detail = _platforms(links) if is_platform else details[result]
            return SkippedVersion(version, cause, detail)
    return SkippedVersion(version, Cause.FORMAT, results[0][1])


def _platforms(links: Iterable[Link]) -> str:
    """Return which Pythons and platforms wheels are for."""
    tags = {
        f"{tag.interpreter} on {tag.platform}"
        for link in links
        if link.is_wheel
        for tag in parse_wheel_filename(link.filename)[3]
    }
    return f"they are for {shortened(sorted(tags))}"
