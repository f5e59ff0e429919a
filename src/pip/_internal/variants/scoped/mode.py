"""How a run differs that has indexes for certain projects.

Such a project is looked up on its index, and in the folders that the user named, and
nowhere else. Whatever fails there is an error: what might be there is not taken from another
place. The other way round, nothing that such an index has decides what is taken of another
project, not even by a URL among the dependencies of what it supplies.
"""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from pip._vendor.packaging.utils import canonicalize_name

from pip._internal.cli.parser import ConfigOptionParser
from pip._internal.console.texts import Hint
from pip._internal.models.search_scope import SearchScope
from pip._internal.req.constructors import install_req_from_line
from pip._internal.utils.misc import redact_auth_from_url, remove_auth_from_url
from pip._internal.variants.errors import ContradictoryOptions
from pip._internal.variants.index.pages import PageUnavailable, fetch_page, links_of
from pip._internal.variants.output.invocation import again
from pip._internal.variants.output.reasons import shortened
from pip._internal.variants.scoped.errors import (
    DependencyByURL,
    VariantIndexUnavailable,
    instead,
)
from pip._internal.variants.scoped.options import VARIANT_INDEX
from pip._internal.variants.selection.fork import carrier_name
from pip._internal.variants.selection.mode import Mode
from pip._internal.variants.selection.option_values import OptionSource
from pip._internal.variants.selection.project_index import (
    find_beside_indexes,
    pages_of,
)
from pip._internal.variants.selection.run import Purpose
from pip._internal.variants.selection.scoped_indexes import (
    added_up,
    by_project,
    configured,
)
from pip._internal.variants.slots import COMMAND_LINE

if TYPE_CHECKING:
    from pip._vendor.packaging.utils import NormalizedName

    from pip._internal.index.collector import IndexContent
    from pip._internal.index.package_finder import PackageFinder
    from pip._internal.models.candidate import InstallationCandidate
    from pip._internal.models.link import Link
    from pip._internal.req.req_install import InstallRequirement
    from pip._internal.req.req_set import RequirementSet
    from pip._internal.resolution.resolvelib.resolver import Resolver
    from pip._internal.variants.selection.run import Run
    from pip._internal.variants.selection.scoped_indexes import ScopedIndex

__all__ = ["Scoped", "scoped"]

#: Set for the pip that fills a build environment: the folders that the user named, since
#: those of requirements files are on its command line too.
_INHERITED = "_PIP_VARIANT_INDEX_FIND_LINKS"


def scoped(run: Run, given: Sequence[ScopedIndex]) -> Mode | None:
    """Return the mode of a run; None if no project has its own index.

    :param given: what was typed, and what the strongest place of the configuration says.
    :raises ContradictoryOptions: if a project has two indexes, or this cannot be kept to.
    """
    parser, _ = COMMAND_LINE.of(run.settings.options, tuple) or (None, ())
    levels = [[each for each in given if each.place is OptionSource.CONFIGURATION]]
    if isinstance(parser, ConfigOptionParser):
        ours = {"global", parser.name}
        places = configured(parser.config)
        levels = added_up(each for each in places if each.section in ours)
    levels.append([each for each in given if each.place is OptionSource.LINE])
    indexes = by_project(levels)
    if not indexes:
        return None
    links = list(run.settings.find_links)
    folders = SearchScope.create(links, index_urls=[], no_index=False).find_links
    inherited = os.environ.get(_INHERITED)
    if inherited:
        own = {remove_auth_from_url(each): each for each in folders}
        folders = [own.get(each, each) for each in json.loads(inherited)]
    elif run.settings.no_index:
        return TurnedOff(indexes)
    if run.settings.legacy_resolver:
        raise ContradictoryOptions(
            "--use-deprecated=legacy-resolver",
            VARIANT_INDEX.name,
            "The old resolver takes dependencies from any URL that a package names.",
        )
    return Scoped(run, indexes, folders)


class TurnedOff(Mode):
    """A run with ``--no-index``, which turns these indexes off as it does the others."""

    def __init__(self, indexes: Mapping[NormalizedName, ScopedIndex]) -> None:
        self._indexes = indexes

    def origins(self, projects: Iterable[NormalizedName]) -> Iterable[str]:
        """Report which projects have an index that pip did not ask."""
        for project in projects:
            if project in self._indexes:
                yield (
                    f"--no-index also turns off the index of {project} "
                    f"({VARIANT_INDEX.name}): only --find-links places were searched"
                )


class Scoped(Mode):
    """The indexes of one run that are for certain projects."""

    def __init__(
        self,
        run: Run,
        indexes: Mapping[NormalizedName, ScopedIndex],
        folders: Sequence[str],
    ) -> None:
        """Make the mode of a run.

        :param folders: where the user has files looked for besides; those that a
            requirements file names are not for these projects.
        """
        self._run, self._indexes, self._folders = run, indexes, folders
        self._pages: dict[NormalizedName, IndexContent] = {}
        self._barred: set[NormalizedName] = set()
        # The paths and URLs that the user typed, each with its project if that is known.
        self._typed: set[tuple[Link, NormalizedName | None]] = set()
        self._has_built = False
        self._authenticate()

    def _authenticate(self) -> None:
        """Have credentials looked for by these indexes too, as by the usual ones."""
        auth = self._run.catalogue.session.auth
        urls = dict.fromkeys(each.url for each in self._indexes.values())
        known = auth.index_urls or []
        auth.index_urls = [*known, *(url for url in urls if url not in known)]

    def note_roots(self, requirements: Iterable[InstallRequirement]) -> None:
        """Note the paths and URLs that the user typed.

        Only the user's requirements, constraints and lock files have any. The roots of a
        build environment come from a project or its backend.
        """
        # Requirements files have set the indexes again.
        self._authenticate()
        if self._run.purpose is not Purpose.BUILD:
            self._typed.update(
                (each.link, canonicalize_name(each.name) if each.name else None)
                for each in requirements
                if each.link is not None
            )

    # Where projects come from

    def index_of(self, project: NormalizedName) -> str | None:
        """Return the index of a project, None if it is one of the others."""
        index = self._indexes.get(project)
        return None if index is None else index.url

    def find_all_candidates(
        self,
        find: Callable[[PackageFinder, str], list[InstallationCandidate]],
        finder: PackageFinder,
        project_name: str,
    ) -> list[InstallationCandidate]:
        """Return the candidates of a project from where it comes from.

        :raises VariantIndexUnavailable: if its index fails.
        """
        project = canonicalize_name(project_name)
        is_known = project_name in finder._all_candidates
        if project not in self._indexes or is_known or project in finder._locked_links:
            return find(finder, project_name)
        # First, since upstream keeps what it finds, and this may have to wait.
        there = self._there(finder, project)
        own = find_beside_indexes(find, finder, project_name, self._folders)
        found = finder._all_candidates[project_name] = [*own, *there]
        return found

    def _there(
        self, finder: PackageFinder, project: NormalizedName
    ) -> list[InstallationCandidate]:
        """Return the candidates on the index of a project."""
        urls = pages_of(self._run, finder, project)
        if not urls:
            # A requirements file may say so, and names no other place.
            self._barred.add(project)
            return []
        index = self._indexes[project]
        self._say(
            f"Looking in {redact_auth_from_url(index.url)} for "
            f"{shortened(self._own(index))}, and for nothing else"
        )
        # Files of constraints may have set the indexes anew.
        self._authenticate()
        page = self._pages.get(project)
        try:
            if page is None:
                page = fetch_page(self._run.catalogue.session, urls[0], project)
            links = links_of(page)
        except PageUnavailable as error:
            raise VariantIndexUnavailable(
                project, index, error, self._run, finder.index_urls
            ) from None
        self._pages[project] = page
        return finder.evaluate_links(finder.make_link_evaluator(project), links)

    def _own(self, index: ScopedIndex) -> list[str]:
        """Return the projects that come from an index, not those typed for another."""
        return [each for each in index.projects if self._indexes[each] == index]

    def _say(self, message: str) -> None:
        # Listings go to where programs read them, and a newer pip is looked for unasked.
        run = self._run
        is_silent = run.purpose.is_listing or run.purpose is Purpose.SELF_CHECK
        run.reporter.say_once(logging.DEBUG if is_silent else logging.INFO, message)

    @property
    def _is_for_user(self) -> bool:
        """Tell whether the run is for what the user named, not for a build or a plugin."""
        return self._run.purpose not in (Purpose.BUILD, Purpose.PLUGIN)

    def refuse_link(
        self,
        link: Link,
        project: NormalizedName | None,
        needed_by: InstallRequirement | None,
    ) -> None:
        """Refuse a URL for a scoped project unless the user typed that URL for it.

        Also refuse each URL that the metadata of a project from such an index names: the
        index would supply another project in this way.

        :raises DependencyByURL: in both cases.
        """
        if (link, None) in self._typed and project is not None:
            # It is the project of what the user typed without a name.
            self._typed.add((link, project))
        if {(link, None), (link, project)}.isdisjoint(self._typed):
            self._refuse(
                link, project, needed_by, is_built=self._run.purpose is Purpose.BUILD
            )

    def refuse_build_requirements(
        self, requirement: InstallRequirement, needed: Iterable[str]
    ) -> None:
        """Refuse such URLs among the requirements of a build environment.

        The pip that fills it refuses them too, but does not know what they are for.

        :raises DependencyByURL: then.
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
        index = None if project is None else self._indexes.get(project)
        supplier = None
        if needed_by is not None and needed_by.name is not None:
            name = canonicalize_name(needed_by.name)
            if all(name != typed for _, typed in self._typed):
                supplier = self._indexes.get(name)
        if index or supplier:
            raise DependencyByURL(
                *(link, project, needed_by, index, supplier), is_built=is_built
            )

    # What is said

    def solve(
        self, resolve_once: Callable[[], RequirementSet], resolver: Resolver
    ) -> RequirementSet:
        """Resolve, and warn of indexes that were typed for nothing: a name may be wrong."""
        requirements = resolve_once()
        assert resolver._result is not None, "it has resolved"
        if not self._is_for_user or self._has_built:
            # Nobody here knows all that a build needs.
            return requirements
        found: set[str | None] = {
            each.project_name for each in resolver._result.mapping.values()
        }
        # Pip looks for releases of its own, and plugins are looked up apart.
        found.update(
            self._pages, {"pip", carrier_name()}, self._run.settings.trusted_providers
        )
        for index in dict.fromkeys(self._indexes.values()):
            if index.place is OptionSource.LINE and found.isdisjoint(index.projects):
                self._run.reporter.say_once(
                    logging.WARNING,
                    f"{VARIANT_INDEX.name} {index} was not asked, since nothing needs "
                    f"{shortened(index.projects, ' or ')}",
                )
        return requirements

    def origins(self, projects: Iterable[NormalizedName]) -> Iterable[str]:
        """Say which projects come from an index of their own."""
        for project in projects:
            index = self._indexes.get(project)
            if index is None:
                continue
            url = redact_auth_from_url(index.url)
            if project in self._barred:
                yield (
                    f"{project} comes from {url} alone, which --no-index in a requirements "
                    f"file rules out; {VARIANT_INDEX.name} names that index"
                )
            else:
                yield Hint(
                    f"{project} is looked up on {url} alone, which {VARIANT_INDEX.name} "
                    "names for it; where another index has more:",
                    again(
                        self._run.settings.options,
                        *instead(self._run.settings, project, "URL"),
                    ),
                )

    # Other runs

    def for_inner(self, run: Run) -> Scoped:
        """Return the same indexes for what builds something, or makes up a plugin."""
        return Scoped(run, self._indexes, self._folders)

    def environ(self) -> Mapping[str, str]:
        """Return the environment variables that give a child of pip these indexes."""
        each = (one._replace(projects=(name,)) for name, one in self._indexes.items())
        folders = [remove_auth_from_url(folder) for folder in self._folders]
        return {
            VARIANT_INDEX.variable: " ".join(one.written for one in each),
            _INHERITED: json.dumps(folders),
        }
