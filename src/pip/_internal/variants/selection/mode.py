"""The interface of modes, which change the behavior of a run.

Each mode is a separate package. The packages below know no mode by name: they call the modes
of the run (usually none) in turn. So a mode can be removed with the line that registers it.
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
    from pip._internal.variants.selection.installed_records import InstalledBuild
    from pip._internal.variants.selection.release import Release

    #: The candidates that the finder found for a project.
    Candidates = Sequence[InstallationCandidate]
    #: Finds the candidates of a project by name, without the mode.
    Find = Callable[[PackageFinder, str], list[InstallationCandidate]]
    #: Returns versions for the resolver, best first, each with a factory of its candidate.
    Infos = Callable[[], Iterator[IndexCandidateInfo]]
    #: Resolves the requirements once.
    ResolveOnce = Callable[[], RequirementSet]


class Mode:
    """A mode without effect; subclasses override some methods.

    Each mode gets the result of the previous mode. If there can be only one answer, the first
    answer that is not None counts. When a mode is created, it sets values for the whole run, such
    as devices that the user excludes.
    """

    def for_inner(self, run: Any) -> Mode | None:
        """Return the mode for installing build requirements or a plugin.

        :param run: the :class:`.Run` for that installation.
        """
        return None

    # Candidates. In the order of the calls, for each project.

    def note_roots(self, requirements: Iterable[InstallRequirement]) -> None:
        """Record the user's requirements and constraints, before all other calls."""

    def find_all_candidates(
        self, find: Find, finder: PackageFinder, project_name: str
    ) -> list[InstallationCandidate]:
        """Return the candidates of a project; by default, those that *find* returns."""
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

        :param project: the project; None if not yet known.
        :param needed_by: the requirement that depends on *link*; None for a direct request.
        :raises PipError: if pip must not use *link*.
        """

    def refuse_build_requirements(
        self, requirement: InstallRequirement, needed: Iterable[str]
    ) -> None:
        """Check the requirements of a build environment.

        :param requirement: the requirement to build.
        :param needed: requirements from ``build-system.requires`` or from the backend.
        :raises PipError: if pip must not use one of *needed*.
        """

    def infos(
        self, infos: Infos, project: NormalizedName, specifier: SpecifierSet
    ) -> Iterator[IndexCandidateInfo]:
        """Return versions, best first, with factories of candidates.

        :param infos: a function that finds versions without the mode; to be called only
            when the first version is needed.
        :param specifier: the specifier of requirements and constraints.
        """
        return infos()

    def release_type(
        self, links: Sequence[Link], *, pinned: bool
    ) -> Callable[..., Release] | None:
        """Return the release type for these files, or None.

        The type is called like :class:`Release`.

        :param pinned: whether a requirement pins the local version of the files.
        """
        return None

    def installed(
        self, version: Version, build: InstalledBuild | None, specifier: SpecifierSet
    ) -> tuple[Version, str, bool] | None:
        """Identify an installed build, if the mode knows more than the build's record.

        :param build: the record of the installation.
        :param specifier: the specifier of requirements and constraints.
        :return: the version, the label, and whether the user excludes the build.
        """
        return None

    def needs_pin(self, project: NormalizedName) -> bool:
        """Return whether pip finds builds of a project only for pinned versions."""
        return False

    # How the run resolves

    def resolve(self, resolve_once: ResolveOnce) -> RequirementSet | None:
        """Replace the default resolution, or return None to keep the default.

        :param resolve_once: a function that resolves once, in the modes of the run.
        """
        return None

    def solve(self, resolve_once: ResolveOnce) -> RequirementSet:
        """Resolve once; by default, call *resolve_once*."""
        return resolve_once()

    # Output

    def explains_unused_accelerator(self, release: Release, link: Link) -> bool:
        """Return whether the advice explains why an accelerator is unused."""
        return False

    def advice(self, release: Release, link: Link) -> str | None:
        """Return advice about a selected build."""
        return None

    def origins(self, projects: Iterable[NormalizedName]) -> Iterable[str]:
        """Return the sources of projects without a solution."""
        return ()

    def listed(
        self, project: NormalizedName, candidates: Candidates
    ) -> list[InstallationCandidate] | None:
        """Return the candidates of a project for listing, or None for the default."""
        return None

    def files(self, project: NormalizedName, links: Iterable[Link]) -> Iterable[Link]:
        """Return all files of a project.

        :param links: the files from the sources that the user named.
        """
        return links

    def environ(self) -> Mapping[str, str]:
        """Return the environment variables that pass the mode to a child pip."""
        return {}


# The indexes and folders of a project


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

    :param find: a function that finds candidates like upstream, on indexes too.
    :param folders: the folders to search; None for all folders of ``--find-links``.
    """
    scope = finder.search_scope
    links = scope.find_links if folders is None else list(folders)
    finder.search_scope = replace(scope, find_links=links, index_urls=[])
    try:
        return find(finder, project_name)
    finally:
        finder.search_scope = scope
