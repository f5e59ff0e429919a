"""Explain why no file was found, if variants are the cause.

Upstream's error says only that pip found no version. Without variants, that error stays.
"""

from __future__ import annotations

from collections.abc import Container, Iterable
from typing import TYPE_CHECKING

from pip._vendor.packaging.specifiers import SpecifierSet
from pip._vendor.packaging.utils import canonicalize_name

from pip._internal import exceptions
from pip._internal.console.texts import Hint
from pip._internal.models.index import PyPI
from pip._internal.req.req_install import InstallRequirement
from pip._internal.resolution.resolvelib.candidates import REQUIRES_PYTHON_IDENTIFIER
from pip._internal.variants.errors import NothingToInstall, VariantError
from pip._internal.variants.index.links import label_of, searched
from pip._internal.variants.output.hosts import best_wheels
from pip._internal.variants.output.invocation import again, command
from pip._internal.variants.output.skipped_versions import (
    SkipCause,
    explain_skipped_versions,
    listed_files,
    skipped_versions,
)
from pip._internal.variants.selection import fork

if TYPE_CHECKING:
    from pip._vendor.packaging.utils import NormalizedName

    from pip._internal.exceptions import InstallationError
    from pip._internal.index.package_finder import PackageFinder
    from pip._internal.models.link import Link
    from pip._internal.resolution.resolvelib.base import Candidate, Requirement
    from pip._internal.variants.selection.run import Run

#: The number of versions in an error, newest first.
_SHOWN_VERSIONS = 5


def true_reason(
    run: Run, requirement: Requirement, dependent: Candidate | None
) -> InstallationError | None:
    """Create the error for a requirement without candidates.

    :param dependent: the candidate with the requirement; None for the user's requirement.
    :return: the error; None if stock pip's error is sufficient.
    """
    project = requirement.project_name
    if project == REQUIRES_PYTHON_IDENTIFIER:
        return None
    other = _not_locked(run.finder, requirement, dependent)
    other = other or _kept_to_fork(run, requirement)
    if other is not None:
        return other
    links = listed_files(run, project)
    may_be_why = (
        label_of(link) is not None or run.target.is_elsewhere for link in links
    )
    if any(may_be_why):
        return _no_suitable(run, requirement, links)
    return None if links else _not_listed(run, project, dependent)


def _not_listed(
    run: Run, project: NormalizedName, dependent: Candidate | None
) -> InstallationError | None:
    """Return the error for a missing dependency of a build, or None."""
    link = None if dependent is None else dependent.source_link
    parent = run.decisions.release_of(link)
    if parent is None or not parent.labels:
        return None
    if run.finder.find_all_candidates(project):
        return None
    # As one word, so that the user's own extra indexes are repeated.
    word = f"--extra-index-url={PyPI.simple_url}"
    typed = again(run.settings.options, word, without=("--no-index",))
    hint = Hint(
        "An index of variants may lack the dependencies of its packages. To search "
        "another index too:",
        typed,
    )
    where = searched(run.finder._link_collector)
    return NothingToInstall(
        f"'{parent}' depends on '{project}', but pip did not find this "
        f"dependency{where}.",
        hint=hint,
        note="If several indexes have a project, pip chooses the newest version.",
    )


def _not_locked(
    finder: PackageFinder, requirement: Requirement, dependent: Candidate | None
) -> InstallationError | None:
    """Return the error for a dependency that a lock file lacks, or None."""
    locked = finder._locked_links
    if dependent is None or dependent.project_name not in locked:
        return None
    if requirement.project_name in locked:
        return None
    what, who = requirement.format_for_error(), dependent.format_for_error()
    return NotLocked(what, who, finder)


def _kept_to_fork(run: Run, requirement: Requirement) -> InstallationError | None:
    """Return the error for finding only stock pip's releases, or None."""
    if requirement.project_name != "pip":
        return None
    newest = max(run.catalog.upstream_pips, default=None)
    if newest is None:
        return None
    return NothingToInstall(
        f"No release of this fork satisfies {requirement.format_for_error()}.",
        hint=Hint(
            "pip replaces this fork only with releases of the fork. To switch to stock "
            "pip:",
            command(run.settings.options, "install", fork.pin(newest), is_own=True),
        ),
    )


def _no_suitable(
    run: Run, requirement: Requirement, links: Iterable[Link]
) -> InstallationError | None:
    """Create the error that explains why all files of a project are unsuitable.

    :param links: the files of the project.
    :return: the error; None if the cause is unknown.
    """
    project, (_, ireq) = requirement.project_name, requirement.get_candidate_lookup()
    req = None if ireq is None else ireq.req
    wanted = SpecifierSet() if req is None else req.specifier
    passed = [
        each
        for each in skipped_versions(run, project, wanted, links, (), None)
        if each.cause is not SkipCause.REQUIREMENT
    ][:_SHOWN_VERSIONS]
    hints = _hints(run, project, {each.cause for each in passed})
    if not passed or not hints:
        return None
    return NothingToInstall(
        f"No listed file of '{requirement.format_for_error()}' can be installed.",
        (line.text for line in explain_skipped_versions(passed, str(project))),
        hints,
    )


def _hints(
    run: Run, project: NormalizedName, causes: Container[SkipCause]
) -> list[str]:
    """Return the hints for known causes."""
    hints = {
        SkipCause.VARIANTS_OFF: (
            "Remove --no-variants, PIP_NO_VARIANTS, or no-variants in a configuration "
            "or requirements file. The legacy resolver turns variants off too."
        ),
        SkipCause.PLATFORM: (
            f"pip accepts wheels for {best_wheels(run.finder.target_python)} and older. Use "
            "a Python and a platform that have wheels, or choose another version."
        ),
        SkipCause.REQUIRES_PYTHON: f"Use a Python version that '{project}' supports, or choose another version.",
        SkipCause.UPLOAD_TIME: (
            "Use a later date for --uploaded-prior-to, or choose another version."
        ),
        SkipCause.YANKED: f"To install a yanked version, pin it: {project}==VERSION.",
    }
    if run.target.is_elsewhere:
        hints[SkipCause.FORMAT] = (
            "pip cannot build here for another kind of machine. Build a wheel on such a "
            "machine (pip wheel -w DIR), copy DIR here and add --find-links DIR, or "
            "choose another version."
        )
    return [hint for cause, hint in hints.items() if cause in causes]


class NotLocked(VariantError, exceptions.DistributionNotFound):
    """A locked package needs a package that is not in the lock file."""

    reference = "not-in-the-lock-file"
    form = "The lock file does not contain '{}'."
    usual_hint = (
        "The lock file may be for another machine or another Python; even the patch "
        "release matters. To make a lock file for this machine, run pip lock here, or "
        "elsewhere with --variant-host."
    )

    def __init__(self, what: str, who: str, finder: PackageFinder) -> None:
        files = sorted({str(each.comes_from) for each in finder._locked_links.values()})
        super().__init__(what, f"{who} requires this package, in {', '.join(files)}.")


def not_locked(finder: PackageFinder, error: exceptions.HashError) -> NotLocked | None:
    """Return the error for a package that a lock file lacks, or None.

    :param error: stock pip's error, which only reports the missing hash of that package.
    """
    req = error.req
    if req is None or not isinstance(
        error, (exceptions.HashMissing, exceptions.HashUnpinned)
    ):
        return None
    dependent = req.comes_from
    if not isinstance(dependent, InstallRequirement) or dependent.name is None:
        return None
    if canonicalize_name(dependent.name) not in finder._locked_links:
        return None
    return NotLocked(str(req.req), str(dependent.req), finder)
