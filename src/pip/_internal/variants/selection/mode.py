"""The interface of modes, which change the behavior of a run.

A mode is a separate package, and the packages below know none by name: they go through the
modes of the run, mostly none, and call each in turn. So a mode can be taken out, together
with the one line that registers it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pip._vendor.packaging.specifiers import SpecifierSet
    from pip._vendor.packaging.utils import NormalizedName
    from pip._vendor.packaging.version import Version

    from pip._internal.index.package_finder import PackageFinder
    from pip._internal.models.candidate import InstallationCandidate
    from pip._internal.models.link import Link
    from pip._internal.req.req_install import InstallRequirement
    from pip._internal.req.req_set import RequirementSet
    from pip._internal.resolution.resolvelib.found_candidates import IndexCandidateInfo
    from pip._internal.resolution.resolvelib.resolver import Resolver
    from pip._internal.variants.selection.installed_records import InstalledBuild
    from pip._internal.variants.selection.release import Release

    #: What the finder has found of a project.
    Candidates = Sequence[InstallationCandidate]
    #: Finds the candidates of a project, by its name, without the mode.
    Find = Callable[[PackageFinder, str], list[InstallationCandidate]]
    #: Returns versions for the resolver, best first, and what makes each candidate.
    Infos = Callable[[], Iterator[IndexCandidateInfo]]
    #: Resolves once.
    ResolveOnce = Callable[[], RequirementSet]


class Mode:
    """A mode without effect; subclasses override some methods.

    Of several modes each gets what the one before it made of something. Where there is
    to be one answer, the first one that is not None counts. What is one value for the
    whole run, such as devices that the user excludes, a mode sets on the run when it is
    made.
    """

    def for_inner(self, run: Any) -> Mode | None:
        """Return the mode for installing build requirements or a plugin.

        :param run: that :class:`.Run`.
        """
        return None

    # What there is to choose from. In the order of the calls, for each project.

    def note_roots(self, requirements: Iterable[InstallRequirement]) -> None:
        """Record the user's requirements and constraints; called first."""

    def find_all_candidates(
        self, find: Find, finder: PackageFinder, project_name: str
    ) -> list[InstallationCandidate]:
        """Return the candidates of a project; *find* is the default."""
        return find(finder, project_name)

    def index_of(self, project: NormalizedName) -> str | None:
        """Return the URL of the scoped index of a project, or None."""
        return None

    def refuse_link(
        self,
        link: Link,
        project: NormalizedName | None,
        needed_by: InstallRequirement | None,
    ) -> None:
        """Check the path or URL of a requirement before any request.

        :param project: None if it is not known yet.
        :param needed_by: what depends on it; None for what is asked for first.
        :raises PipError: if the link must not be used.
        """

    def refuse_build_requirements(
        self, requirement: InstallRequirement, needed: Iterable[str]
    ) -> None:
        """Check the requirements of a build environment.

        :param requirement: what is to be built.
        :param needed: as ``build-system.requires`` or a backend names them.
        :raises PipError: if one must not be used.
        """

    def infos(
        self, infos: Infos, project: NormalizedName, specifier: SpecifierSet
    ) -> Iterator[IndexCandidateInfo]:
        """Return versions, best first, with factories of candidates.

        :param infos: finds those that there are without the mode; not to be called
            before the first one is asked for.
        :param specifier: of requirements and constraints.
        """
        return infos()

    def release_type(
        self, links: Sequence[Link], *, pinned: bool
    ) -> Callable[..., Release] | None:
        """Return the release type for these files, or None.

        It is called as :class:`Release` is.

        :param pinned: whether a requirement names their local version.
        """
        return None

    def installed(
        self, version: Version, build: InstalledBuild | None, specifier: SpecifierSet
    ) -> tuple[Version, str, bool] | None:
        """Return which build an installed one is, if the mode knows more than its record.

        :param build: what was recorded when it was installed.
        :param specifier: of requirements and constraints.
        :return: the version, the label, and whether the user does not want it.
        """
        return None

    def needs_pin(self, project: NormalizedName) -> bool:
        """Return whether builds of a project are found for pinned versions only."""
        return False

    # How the run resolves

    def resolve(
        self, resolve_once: ResolveOnce, resolver: Resolver
    ) -> RequirementSet | None:
        """Replace the default resolution.

        :param resolve_once: resolves once, in the modes of the run.
        """
        return None

    def solve(self, resolve_once: ResolveOnce, resolver: Resolver) -> RequirementSet:
        """Resolve once; *resolve_once* is the default."""
        return resolve_once()

    # What is told

    def explains_unused_accelerator(self, release: Release, link: Link) -> bool:
        """Return whether the advice explains why a device stays idle."""
        return False

    def advice(self, finder: PackageFinder, release: Release, link: Link) -> str | None:
        """Return advice about a selected build."""
        return None

    def origins(self, projects: Iterable[NormalizedName]) -> Iterable[str]:
        """Return the sources of projects without a solution."""
        return ()

    def listed(
        self, finder: PackageFinder, project: NormalizedName, candidates: Candidates
    ) -> list[InstallationCandidate] | None:
        """Return the candidates of a project for listing."""
        return None

    def files(
        self, finder: PackageFinder, project: NormalizedName, links: Iterable[Link]
    ) -> Iterable[Link]:
        """Return all files of a project.

        :param links: those in the places that the user named.
        """
        return links

    def environ(self) -> Mapping[str, str]:
        """Return the environment variables that pass the mode to a child pip."""
        return {}


# Where the files of a project are looked for, if not where all are


def index_of(modes: Iterable[Mode], project: NormalizedName) -> str | None:
    """Return the scoped index of a project, or None."""
    found = (mode.index_of(project) for mode in modes)
    return next((each for each in found if each is not None), None)


def pages_of(
    modes: Iterable[Mode], finder: PackageFinder, project: NormalizedName
) -> list[str]:
    """Return the URLs of the pages to search for a project."""
    scope, own = finder.search_scope, index_of(modes, project)
    if own is not None:
        scope = replace(scope, index_urls=[] if scope.no_index else [own])
    return scope.get_index_urls_locations(project)


def find_beside_indexes(
    find: Find,
    finder: PackageFinder,
    project_name: str,
    folders: Sequence[str] | None = None,
) -> list[InstallationCandidate]:
    """Find the candidates of a project from ``--find-links`` only.

    :param find: finds them as upstream does, on indexes too.
    :param folders: those to look in; None for all that are named.
    """
    scope = finder.search_scope
    links = scope.find_links if folders is None else list(folders)
    finder.search_scope = replace(scope, find_links=links, index_urls=[])
    try:
        return find(finder, project_name)
    finally:
        finder.search_scope = scope
