"""Why there is nothing to choose from, if variants have to do with it.

Upstream only says that it found no version. Where no variant is in sight, that error
stays.
"""

from __future__ import annotations

from collections.abc import Container
from typing import TYPE_CHECKING

from pip._vendor.packaging.specifiers import SpecifierSet

from pip._internal.console.texts import Hint
from pip._internal.models.index import PyPI
from pip._internal.resolution.resolvelib.candidates import REQUIRES_PYTHON_IDENTIFIER
from pip._internal.variants.errors import (
    DependencyNotListed,
    KeepsToFork,
    NoSuitableFile,
)
from pip._internal.variants.index.links import label_of, searched
from pip._internal.variants.output.explain import explain_skipped_versions
from pip._internal.variants.output.invocation import again, command
from pip._internal.variants.output.missing_from_lock import NotLocked
from pip._internal.variants.output.sentences import best_wheels
from pip._internal.variants.output.skipped_versions import (
    listed_files,
    skipped_versions,
)
from pip._internal.variants.selection import fork
from pip._internal.variants.selection.lookup_result import Cause

if TYPE_CHECKING:
    from pip._vendor.packaging.utils import NormalizedName

    from pip._internal.exceptions import InstallationError
    from pip._internal.index.package_finder import PackageFinder
    from pip._internal.resolution.resolvelib.base import Candidate, Requirement
    from pip._internal.variants.selection.release import Release
    from pip._internal.variants.selection.run import Run

__all__ = ["no_suitable", "true_reason"]

#: What stands before the command that installs upstream's pip.
_FOR_UPSTREAM = "This pip is a fork and keeps to its own releases; for upstream:"
#: How many versions an error tells of, newest first.
_SHOWN_VERSIONS = 5


def true_reason(
    run: Run,
    finder: PackageFinder,
    requirement: Requirement,
    dependent: Candidate | None = None,
) -> InstallationError | None:
    """Make the error for a requirement for which nothing was found.

    :param dependent: whose requirement it is; None for the user's.
    :return: None if upstream's error says it all.
    """
    project = requirement.project_name
    if project == REQUIRES_PYTHON_IDENTIFIER:
        return None
    other = _not_locked(finder, requirement, dependent)
    other = other or _kept_to_fork(run, requirement)
    if other is not None:
        return other
    links = listed_files(run, project)
    may_be_why = (
        label_of(link) is not None or run.target.is_elsewhere for link in links
    )
    if any(may_be_why):
        _, ireq = requirement.get_candidate_lookup()
        asked = None if ireq is None or ireq.req is None else ireq.req.specifier
        shown = requirement.format_for_error()
        return no_suitable(run, finder, project, shown, asked)
    return None if links else _not_listed(run, finder, project, dependent)


def _not_listed(
    run: Run,
    finder: PackageFinder,
    project: NormalizedName,
    dependent: Candidate | None,
) -> InstallationError | None:
    """Make the error if nobody lists what a build needs."""
    link = None if dependent is None else dependent.source_link
    parent = run.decisions.release_of(link)
    if parent is None or not parent.labels:
        return None
    if finder.find_all_candidates(project):
        return None
    hint = Hint(
        "An index of variants may lack what they depend on. To look elsewhere too:",
        again(run.settings.options, "--extra-index-url", PyPI.simple_url),
    )
    if not finder.index_urls:
        hint = _where_there_is_an_index(run, dependent, parent)
    return DependencyNotListed(
        project, str(parent), searched(finder._link_collector), hint
    )


def _not_locked(
    finder: PackageFinder, requirement: Requirement, dependent: Candidate | None
) -> InstallationError | None:
    """Make the error if what a lock file has needs something that it does not have."""
    locked = finder._locked_links
    if dependent is None or dependent.project_name not in locked:
        return None
    if requirement.project_name in locked:
        return None
    what, who = requirement.format_for_error(), dependent.format_for_error()
    return NotLocked(what, who, finder)


def _kept_to_fork(run: Run, requirement: Requirement) -> InstallationError | None:
    """Make the error if only upstream's releases of pip are there."""
    if requirement.project_name != "pip":
        return None
    newest = fork.newest_upstream(run.catalogue.upstream_pips)
    if not newest:
        return None
    return KeepsToFork(
        requirement.format_for_error(),
        hint=Hint(
            _FOR_UPSTREAM,
            command(run.settings.options, "install", newest, is_own=True),
        ),
    )


def _where_there_is_an_index(
    run: Run, dependent: Candidate | None, parent: Release
) -> Hint:
    # Another build may be on the indexes that the user wants left out.
    extras = ",".join(sorted(vars(dependent).get("extras", ())))
    which = f"{parent.project}{f'[{extras}]' if extras else ''}=={parent.version}"
    return Hint(
        "No index is searched. Where one can be, to fetch it with all that it needs:",
        command(run.settings.options, "download", which, without=("--no-index",)),
    )


def no_suitable(
    run: Run,
    finder: PackageFinder,
    project: NormalizedName,
    shown: str,
    asked: SpecifierSet | None = None,
) -> InstallationError | None:
    """Return why none of the files of a project suits.

    :param shown: what was asked for, for people.
    :param asked: the versions that were; None for any.
    :return: None if nothing here tells why.
    """
    wanted, links = asked or SpecifierSet(), listed_files(run, project)
    passed = [
        each
        for each in skipped_versions(finder, project, wanted, links, (), None)
        if each.cause is not Cause.REQUIREMENT
    ][:_SHOWN_VERSIONS]
    hints = _hints(run, finder, project, {each.cause for each in passed})
    if not passed or not hints:
        return None
    return NoSuitableFile(
        shown,
        (line.text for line in explain_skipped_versions(passed, str(project))),
        hints,
    )


def _hints(
    run: Run, finder: PackageFinder, project: NormalizedName, causes: Container[Cause]
) -> list[str]:
    """Return what helps against the causes that pip knows a remedy for."""
    hints: list[str] = []
    if Cause.VARIANTS_OFF in causes:
        if run.settings.is_typed("--no-variants"):
            retry = again(run.settings.options, without=("--no-variants",))
            hints.append(Hint("With variants:", retry))
        else:
            hints.append(
                "PIP_NO_VARIANTS, no-variants in a configuration file, --no-variants in "
                "a requirements file, or the legacy resolver turns them off."
            )
    if Cause.PLATFORM in causes:
        hints.append(
            f"The target takes wheels for {best_wheels(finder.target_python)}, and older ones that it can "
            "run: use a Python and a platform that there are wheels for, or another "
            "version."
        )
    if Cause.FORMAT in causes and run.target.is_elsewhere:
        hints.append(
            "Nothing is built here for another kind of machine. Build a wheel on such a "
            "machine (pip wheel), and name its folder with --find-links, or take another "
            "version."
        )
    if Cause.REQUIRES_PYTHON in causes:
        hints.append("Use a Python that they are for, or another version.")
    if Cause.UPLOAD_TIME in causes:
        hints.append("Use a later date for --uploaded-prior-to, or another version.")
    if Cause.YANKED in causes:
        hints.append(f"To install a yanked version, pin it: {project}==VERSION.")
    return hints
