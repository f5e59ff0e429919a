"""Explain why pip skips newer versions for a requirement.

:mod:`.lookup` creates a :class:`LookupResult`, which never changes.
"""

from __future__ import annotations

import enum
import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pip._vendor.packaging.utils import parse_wheel_filename

from pip._internal.console.output import Line
from pip._internal.console.texts import shortened
from pip._internal.fast.pages import all_links
from pip._internal.index.package_finder import LinkType
from pip._internal.variants.index.links import label_of, renamed, version_of
from pip._internal.variants.output.reasons import lacks_label, rejections

if TYPE_CHECKING:
    from pip._vendor.packaging.specifiers import SpecifierSet
    from pip._vendor.packaging.utils import NormalizedName
    from pip._vendor.packaging.version import Version

    from pip._internal.exceptions import PipError
    from pip._internal.metadata import BaseDistribution
    from pip._internal.models.link import Link
    from pip._internal.variants.selection.release import Release
    from pip._internal.variants.selection.run import Run


#: The maximum number of versions in a line.
_SHOWN_VERSIONS = 6


class SkipCause(enum.Enum):
    """The cause of skipping a version or a file.

    :ivar word: the word in JSON output.
    :ivar clause: a phrase for messages; the version or file is its subject.
    """

    def __init__(self, word: str, clause: str) -> None:
        self.word, self.clause = word, clause

    #: The version does not satisfy the requirement or a constraint.
    REQUIREMENT = "requirement", "excluded by the requirement or a constraint"
    PRE_RELEASE = "pre-release", "pre-release; to allow pre-releases, add --pre"
    YANKED = "yanked", "yanked"
    #: No file of the version is for this version of Python.
    REQUIRES_PYTHON = "requires-python", "for other versions of Python"
    #: No wheel of the version is for this platform and interpreter.
    PLATFORM = "platform", "no wheel for this platform and Python"
    #: ``--only-binary`` or ``--no-binary`` excludes all files of the version.
    FORMAT = "format", "no file of an allowed kind"
    #: The version was uploaded too late for ``--uploaded-prior-to``.
    UPLOAD_TIME = "upload-time", "uploaded on or after the date of --uploaded-prior-to"
    #: No file of the version has an allowed hash.
    HASHES = "hashes", "no file with an allowed hash"
    #: The version has only variant wheels, and variants are off.
    VARIANTS_OFF = "variants-off", "variants are off"
    #: The version lacks the label that the user selected for the project.
    LABEL = "label", "no variant with the label chosen by --variant"
    #: The target cannot run the variants of the version, or pip cannot check them.
    VARIANTS = "variants", "no supported variant"
    #: Files of an older version are ranked first, as with ``--prefer-binary``.
    ORDER = "order", "files of an older version rank first"


@dataclass(frozen=True, slots=True)
class Offer:
    """A version that the resolver may select.

    :ivar version: the version.
    :ivar links: the files that suit platform, Python and options.
    :ivar release: the release, if some of the files are or may be variants.
    """

    version: Version
    links: Sequence[Link]
    release: Release | None = None

    def fetch_ranked(self) -> Sequence[Link]:
        """Return the installable files, best first; computed on first use.

        :raises UnsupportedVariant: if the target cannot run the variant with the user's label.
        """
        return self.links if self.release is None else self.release.fetch_ranked()

    @property
    def has_variants(self) -> bool:
        """Whether there is a variant wheel among the files."""
        return any(label_of(link) is not None for link in self.links)


@dataclass(frozen=True, slots=True)
class SkippedVersion:
    """A skipped version that is newer than the selected one.

    :ivar version: the version.
    :ivar cause: the cause.
    :ivar detail: more about the cause, for messages; may be empty.
    :ivar offer: the files of the version, if the resolver considered the version.
    """

    version: Version
    cause: SkipCause
    detail: str = ""
    offer: Offer | None = None


@dataclass(frozen=True, slots=True)
class LookupResult:
    """The file that pip would install for a single requirement.

    :ivar requirement: the requirement as written.
    :ivar project: the normalized name of the project.
    :ivar offers: the installable versions, in the resolver's order.
    :ivar chosen: the version that the resolver selected or failed at; None if there is none.
    :ivar link: the file that pip would install in a new environment.
    :ivar skipped_versions: the skipped versions that are newer than the selected version,
        newest first; all versions if no version is selected.
    :ivar files: all files of the project.
    :ivar problem: the error of the resolver, if any.
    :ivar installed: the installed distribution of the project.
    :ivar stays: whether the installed distribution satisfies the requirement.
    :ivar run: the run of the lookup.
    """

    requirement: str
    project: NormalizedName
    offers: Sequence[Offer]
    chosen: Offer | None
    link: Link | None
    skipped_versions: Sequence[SkippedVersion]
    files: Sequence[Link]
    problem: PipError | None
    installed: BaseDistribution | None
    stays: bool
    run: Run


#: The cause for each of upstream's reasons to skip a file.
_CAUSES = {
    LinkType.requires_python_mismatch: SkipCause.REQUIRES_PYTHON,
    LinkType.upload_too_late: SkipCause.UPLOAD_TIME,
    LinkType.format_unsupported: SkipCause.FORMAT,
    LinkType.platform_mismatch: SkipCause.PLATFORM,
}
#: If pip skips all files, the cause that is first here explains why.
_NEAREST = (
    *(SkipCause.LABEL, SkipCause.HASHES, SkipCause.VARIANTS_OFF, SkipCause.YANKED),
    *_CAUSES.values(),
)


def why(cause: SkipCause, detail: str) -> str:
    """Return why pip skips a version or file, as a phrase."""
    return cause.clause + (f" ({detail})" if detail else "")


def listed_files(run: Run, project: NormalizedName) -> list[Link]:
    """Return all listed files of a project; empty if pip recorded none.

    pip records the files if some are variants or none is suitable.
    """
    listed = itertools.chain.from_iterable(
        map(all_links, run.catalog.listed.get(project, ()))
    )
    # The links include the page of a project.
    return [e for e in map(renamed, listed) if version_of(e, project) is not None]


def cause_of_files(
    run: Run, project: NormalizedName, links: Sequence[Link]
) -> tuple[SkipCause, str]:
    """Return why pip skips all files of a version or variant.

    :return: the cause, and details for messages.
    """
    evaluator = run.finder.make_link_evaluator(project)
    chosen = run.overrides.label_for(project)
    if run.target.is_elsewhere:
        # Otherwise, the ban on building would hide other problems.
        evaluator._formats = frozenset({"binary", "source"})
    found: dict[SkipCause, str] = {}
    for link in links:
        result, detail = evaluator.evaluate_link(link)
        if result is not LinkType.candidate:
            cause = _CAUSES.get(result, SkipCause.FORMAT)
            if cause is SkipCause.PLATFORM:
                detail = _platforms(links)
        elif link.is_yanked:
            cause, detail = SkipCause.YANKED, link.yanked_reason or ""
        elif run.target.is_elsewhere and not link.is_wheel:
            cause = SkipCause.FORMAT
            detail = "pip cannot build the source distribution for another machine"
        elif label_of(link) is not None and not run.enabled:
            labels = dict.fromkeys(filter(None, map(label_of, links)))
            cause, detail = SkipCause.VARIANTS_OFF, f"available: {shortened([*labels])}"
        elif chosen not in (None, label_of(link)):
            cause, detail = SkipCause.LABEL, ""
        else:
            cause, detail = SkipCause.HASHES, ""
        found.setdefault(cause, detail)
    nearest = min(found, key=_NEAREST.index)
    return nearest, found[nearest]


def absent_variants(run: Run, release: Release) -> dict[str, str]:
    """Return the listed variants of a release that have no installable file.

    :return: the reasons, by label.
    """
    links: dict[str, list[Link]] = {}
    for link in listed_files(run, release.project):
        label = label_of(link)
        is_of_release = version_of(link, release.project) == release.version
        if label is not None and label not in release.labels and is_of_release:
            links.setdefault(label, []).append(link)
    return {
        label: why(*cause_of_files(run, release.project, files))
        for label, files in links.items()
    }


def obstacles(run: Run, release: Release) -> list[str]:
    """Return why no variant of a release can be installed."""
    absent = absent_variants(run, release).items()
    return [*rejections(release), *(f"{label}: {reason}" for label, reason in absent)]


def skipped_versions(
    run: Run,
    project: NormalizedName,
    specifier: SpecifierSet,
    links: Iterable[Link],
    offers: Sequence[Offer],
    chosen: Offer | None,
) -> list[SkippedVersion]:
    """Return the versions newer than *chosen* that pip skipped, with the causes.

    :param specifier: the specifier of requirement and constraints.
    :param links: all listed files.
    :param offers: the installable versions, in the resolver's order.
    :return: the skipped versions, newest first.
    """
    by_version: dict[Version, list[Link]] = {}
    for link in links:
        version = version_of(link, project)
        if version is not None and (chosen is None or version > chosen.version):
            by_version.setdefault(version, []).append(link)
    offered = {each.version: each for each in reversed(offers)}
    found = []
    for version in sorted(by_version, reverse=True):
        if not specifier.contains(version, prereleases=True):
            reason = SkippedVersion(version, SkipCause.REQUIREMENT)
        elif version in offered:
            reason = _reached(run, offered[version])
        else:
            cause, detail = cause_of_files(run, project, by_version[version])
            if cause is SkipCause.HASHES and version.is_prerelease:
                cause = SkipCause.PRE_RELEASE
            reason = SkippedVersion(version, cause, detail)
        found.append(reason)
    return found


def _reached(run: Run, offer: Offer) -> SkippedVersion:
    """Describe an installable version that pip skipped, and the cause."""
    release = offer.release
    if release is None or not release.reached:
        return SkippedVersion(offer.version, SkipCause.ORDER, offer=offer)
    lacking = lacks_label(release)
    if lacking is not None:
        label = release.chosen_label
        absent = absent_variants(run, release).get(label or "")
        detail = lacking if absent is None else f"{label}: {absent}"
        return SkippedVersion(offer.version, SkipCause.LABEL, detail, offer)
    return SkippedVersion(offer.version, SkipCause.VARIANTS, offer=offer)


def _platforms(links: Iterable[Link]) -> str:
    """Describe the Pythons and platforms of wheels."""
    tags = {
        f"{tag.interpreter} on {tag.platform}"
        for link in links
        if link.is_wheel
        for tag in parse_wheel_filename(link.filename)[3]
    }
    return f"available: {shortened(sorted(tags))}"


def explain_skipped_versions(
    passed: Sequence[SkippedVersion], project: str = ""
) -> Iterator[Line]:
    """Yield the reasons for skipped versions, in few lines.

    :param project: the name to show before each version; may be empty.
    """
    begin = f"{project} " if project else ""
    for (cause, detail), grouped in itertools.groupby(
        passed, lambda each: (each.cause, each.detail)
    ):
        group = list(grouped)
        if cause is SkipCause.VARIANTS:
            for each in group:
                yield Line(f"{begin}{each.version}: {cause.clause}", "red")
                if each.offer is not None and each.offer.release is not None:
                    for line in rejections(each.offer.release):
                        yield Line(f"  {line}")
            continue
        versions = [str(each.version) for each in group]
        shown = ", ".join(versions[:_SHOWN_VERSIONS])
        if len(versions) > _SHOWN_VERSIONS:
            shown += f" and {len(versions) - _SHOWN_VERSIONS} more"
        yield Line(f"{begin}{shown}: {why(cause, detail)}", "dim")
