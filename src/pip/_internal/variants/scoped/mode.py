"""The mode of runs with scoped indexes.

pip looks for a project with a scoped index only on that index, and in the folders that the user
named. Any failure of the index is an error: pip never falls back to another source. Conversely,
a scoped index supplies no other project, not even by a URL in the dependencies of its projects.
"""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from pip._vendor.packaging.utils import canonicalize_name

from pip._internal.cli.parser import ConfigOptionParser
from pip._internal.console.texts import Hint, shortened
from pip._internal.models.search_scope import SearchScope
from pip._internal.req.constructors import install_req_from_line
from pip._internal.utils.misc import redact_auth_from_url, remove_auth_from_url
from pip._internal.variants.errors import ContradictoryOptions, VariantError
from pip._internal.variants.index.pages import PageUnavailable, fetch_links
from pip._internal.variants.output.invocation import again
from pip._internal.variants.scoped.options import VARIANT_INDEX
from pip._internal.variants.selection.mode import Mode, find_beside_indexes, pages_of
from pip._internal.variants.selection.run import Purpose
from pip._internal.variants.selection.scoped_indexes import by_project, configured
from pip._internal.variants.slots import COMMAND_LINE

if TYPE_CHECKING:
    from pip._vendor.packaging.utils import NormalizedName

    from pip._internal.index.package_finder import PackageFinder
    from pip._internal.models.candidate import InstallationCandidate
    from pip._internal.models.link import Link
    from pip._internal.req.req_install import InstallRequirement
    from pip._internal.req.req_set import RequirementSet
    from pip._internal.variants.selection.mode import Find, ResolveOnce
    from pip._internal.variants.selection.run import Run
    from pip._internal.variants.selection.scoped_indexes import Indexes, ScopedIndex
    from pip._internal.variants.settings import Settings

#: Set for the pip that fills a build environment: the folders that the user named, since its
#: command line also has the folders of requirements files.
_INHERITED = "_PIP_VARIANT_INDEX_FIND_LINKS"


class VariantIndexUnavailable(VariantError):
    """The index of a project fails, or does not have the project."""

    reference = "variant-index-unavailable"


class DependencyByURL(VariantError):
    """A package names a URL that only the user may specify."""

    reference = "dependency-by-url"


def _typed(settings: Settings) -> list[ScopedIndex]:
    return [each.value for each in settings.typed if each.row is VARIANT_INDEX]


def scoped(run: Run) -> Mode | None:
    """Return the mode of a run; None if there are no scoped indexes.

    :raises ContradictoryOptions: if a project has two indexes, or if the command uses the
        legacy resolver.
    """
    settings = run.settings
    parser, _ = COMMAND_LINE.of(settings.options, tuple) or (None, ())
    assert isinstance(parser, ConfigOptionParser), "only a command has the option"
    indexes = by_project([*configured(parser.config, parser.name), _typed(settings)])
    if not indexes:
        return None
    links = list(settings.find_links)
    folders = SearchScope.create(links, index_urls=[], no_index=False).find_links
    inherited = os.environ.get(_INHERITED)
    if inherited:
        own = {remove_auth_from_url(each): each for each in folders}
        folders = [own.get(each, each) for each in json.loads(inherited)]
    elif settings.no_index:
        return TurnedOff(indexes)
    if settings.legacy_resolver:
        raise ContradictoryOptions(
            "--use-deprecated=legacy-resolver",
            VARIANT_INDEX.name,
            "The legacy resolver installs dependencies from any URL that a package "
            "names.",
        )
    return Scoped(run, indexes, folders)


class TurnedOff(Mode):
    """A run with ``--no-index``, which also disables scoped indexes."""

    def __init__(self, indexes: Indexes) -> None:
        self._indexes = indexes

    def origins(self, projects: Iterable[NormalizedName]) -> Iterable[str]:
        """Yield a message for each project whose scoped index pip did not use."""
        for project in projects:
            if project in self._indexes:
                yield (
                    f"--no-index also turns off the index of '{project}' "
                    f"({VARIANT_INDEX.name}): pip searched only --find-links"
                )


class Scoped(Mode):
    """The scoped indexes of one run."""

    def __init__(self, run: Run, indexes: Indexes, folders: Sequence[str]) -> None:
        """Create the mode of a run.

        :param folders: the folders of ``--find-links``, without those of requirements files.
        """
        self._run, self._indexes, self._folders = run, indexes, folders
        self._asked: set[str] = set()
        # The typed paths and URLs, each with its project if known
        self._typed: set[tuple[Link, NormalizedName | None]] = set()
        self._has_built = False

    def _authenticate(self) -> None:
        """Enable credentials for the scoped indexes.

        Requirements and constraints files reset the session's index URLs.
        """
        auth = self._run.catalog.session.auth
        urls = (each.url for each in self._indexes.values())
        auth.index_urls = list(dict.fromkeys([*(auth.index_urls or ()), *urls]))

    def note_roots(self, requirements: Iterable[InstallRequirement]) -> None:
        """Record the user's paths and URLs.

        Only the user's requirements, constraints and lock files contain such links. The roots
        of a build environment come from a project or its backend.
        """
        self._authenticate()
        if self._run.purpose is not Purpose.BUILD:
            self._typed.update(
                (each.link, canonicalize_name(each.name) if each.name else None)
                for each in requirements
                if each.link is not None
            )

    # Sources of projects

    def index_of(self, project: NormalizedName) -> str | None:
        """Return the scoped index of a project, or None."""
        index = self._indexes.get(project)
        return None if index is None else index.url

    def find_all_candidates(
        self, find: Find, finder: PackageFinder, project_name: str
    ) -> list[InstallationCandidate]:
        """Return the candidates of a project from its index.

        :raises VariantIndexUnavailable: if the index fails.
        """
        project = canonicalize_name(project_name)
        is_known = project_name in finder._all_candidates
        if project not in self._indexes or is_known or project in finder._locked_links:
            return find(finder, project_name)
        # First, since upstream caches its result, and this may raise NotAnswered.
        there = self._there(project)
        own = find_beside_indexes(find, finder, project_name, self._folders)
        found = finder._all_candidates[project_name] = [*own, *there]
        return found

    def _there(self, project: NormalizedName) -> list[InstallationCandidate]:
        """Return the candidates on the scoped index of a project."""
        finder = self._run.finder
        urls = pages_of(self._run.modes, finder, project)
        self._asked.add(project)
        text = f"Looking for '{project}' only on {self._redacted_url(project)}"
        if not urls:
            text = f"--no-index in a requirements file turns off the index of {project}"
        # Programs read the output of listings; the self check was not requested.
        purpose = self._run.purpose
        is_silent = purpose.is_listing or purpose is Purpose.SELF_CHECK
        level = logging.DEBUG if is_silent else logging.INFO
        self._run.reporter.log_once(level, f"{text} ({VARIANT_INDEX.name})")
        if not urls:
            return []
        self._authenticate()
        try:
            links = fetch_links(self._run.catalog.session, urls[0], project)
        except PageUnavailable as error:
            raise self._unavailable(project, error, finder.index_urls) from None
        return finder.evaluate_links(finder.make_link_evaluator(project), links)

    def _redacted_url(self, project: NormalizedName) -> str:
        """Return the URL of a project's index, without credentials."""
        return redact_auth_from_url(self._indexes[project].url)

    def _unavailable(
        self, project: NormalizedName, error: PageUnavailable, usual: Sequence[str]
    ) -> VariantIndexUnavailable:
        """Create the error for an unavailable page.

        :param usual: the URLs of the default indexes.
        """
        url = redact_auth_from_url(usual[0]).rstrip("/") if usual else "URL"
        return VariantIndexUnavailable(
            f"Cannot find '{project}' on {self._redacted_url(project)}, its only index "
            f"({VARIANT_INDEX.name}).",
            f"{str(error).rstrip('.')}.",
            [
                f"{error.hint}." if error.hint else "",
                Hint("To use another index:", self._instead(project, url)),
            ],
            "pip tries no other index, where anyone could publish that name.",
        )

    def _instead(self, project: NormalizedName, url: str) -> str:
        """Return the current command, with *url* as the index of a project."""
        words = []
        for index in _typed(self._run.settings):
            left = tuple(name for name in index.projects if name != project)
            if left:
                words += [VARIANT_INDEX.name, str(index._replace(projects=left))]
        words += [VARIANT_INDEX.name, f"{project}={url}"]
        return again(self._run.settings.options, *words)

    def refuse_link(
        self,
        link: Link,
        project: NormalizedName | None,
        needed_by: InstallRequirement | None,
    ) -> None:
        """Raise an error for a scoped project's URL that the user did not type.

        Also refuses URLs in the metadata of a scoped project, because these URLs would allow the
        index to supply another project.

        :raises DependencyByURL: if pip refuses the URL.
        """
        if (link, None) in self._typed and project is not None:
            # *project* is the project of a link that the user typed without a name.
            self._typed.add((link, project))
        if {(link, None), (link, project)}.isdisjoint(self._typed):
            is_built = self._run.purpose is Purpose.BUILD
            self._refuse(link, project, needed_by, is_built=is_built)

    def refuse_build_requirements(
        self, requirement: InstallRequirement, needed: Iterable[str]
    ) -> None:
        """Raise an error for refused URLs in build requirements.

        The pip that fills the build environment also refuses these URLs, but does not know
        their purpose.

        :raises DependencyByURL: if a build requirement has a refused URL.
        """
        self._has_built = True
        for text in needed:
            wanted = install_req_from_line(text)
            if wanted.link is not None and wanted.match_markers():
                project = canonicalize_name(wanted.name) if wanted.name else None
                self._refuse(wanted.link, project, requirement, is_built=True)

    def _refuse(
        self,
        link: Link,
        project: NormalizedName | None,
        needed_by: InstallRequirement | None,
        *,
        is_built: bool,
    ) -> None:
        name = "A build requirement"
        why = []
        if needed_by is not None and needed_by.name is not None:
            name = needed_by.name
            supplier = canonicalize_name(name)
            is_typed = any(supplier == typed for _, typed in self._typed)
            if supplier in self._indexes and not is_typed:
                why.append(
                    f"'{name}' comes from {self._redacted_url(supplier)} ({VARIANT_INDEX.name}). "
                    "That index must not supply any other project."
                )
        if project is not None and project in self._indexes:
            why.append(
                f"pip takes '{project}' only from {self._redacted_url(project)} "
                f"({VARIANT_INDEX.name}), or from a URL that you type."
            )
        if not why:
            return
        url = redact_auth_from_url(link.url)
        raise DependencyByURL(
            f"{name} requires {project or 'a package'} from {url}.",
            why,
            "To avoid the build, use --only-binary. To build with the installed "
            "packages, use --no-build-isolation."
            if is_built
            else f"To accept this URL, add the requirement '{project or 'NAME'} @ {url}'.",
        )

    # Output

    def solve(self, resolve_once: ResolveOnce) -> RequirementSet:
        """Resolve, and warn of typed indexes that were not used."""
        requirements = resolve_once()
        run = self._run
        if self._has_built or run.purpose in (Purpose.BUILD, Purpose.PLUGIN):
            # The requirements of a build are unknown here.
            return requirements
        # pip looks for its own releases; another run looks for plugins.
        needed: set[str | None] = {"pip", *self._asked}
        needed.update(each.project_name for each in run.solution)
        needed.update(run.settings.trusted_providers)
        for index in _typed(run.settings):
            if needed.isdisjoint(index.projects):
                run.reporter.warn(
                    f"pip did not use {VARIANT_INDEX.name} {index}, because nothing "
                    f"requires {shortened(index.projects, ' or ')}"
                )
        return requirements

    def origins(self, projects: Iterable[NormalizedName]) -> Iterable[str]:
        """Yield a hint for each project with a scoped index."""
        if self._run.finder.search_scope.no_index:
            yield from TurnedOff(self._indexes).origins(projects)
            return
        for project in projects:
            if project in self._indexes:
                yield Hint(
                    f"'{project}' can come only from {self._redacted_url(project)} "
                    f"({VARIANT_INDEX.name}). To use another index:",
                    self._instead(project, "URL"),
                )

    # Other runs

    def for_inner(self, run: Run) -> Scoped:
        """Return the same indexes for build environments and plugins."""
        return Scoped(run, self._indexes, self._folders)

    def environ(self) -> Mapping[str, str]:
        """Return the environment variables that pass the indexes to a child pip."""
        each = (one._replace(projects=(name,)) for name, one in self._indexes.items())
        folders = [remove_auth_from_url(folder) for folder in self._folders]
        return {
            VARIANT_INDEX.variable: " ".join(one.written for one in each),
            _INHERITED: json.dumps(folders),
        }
