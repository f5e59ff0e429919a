"""A mode: what a run does differently, wherever that is.

A mode is a room of its own, and the rooms below know none by name: they go through the
modes of the run, mostly none, and ask each in turn. So a room can be taken out, together
with the one line that registers it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
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
    from pip._internal.variants.providers.chain import ProviderChain
    from pip._internal.variants.selection.installed_records import InstalledBuild
    from pip._internal.variants.selection.release import Release

__all__ = ["Mode"]


class Mode:
    """Changes nothing; a mode overrides what it is about.

    Of several modes each gets what the one before it made of something. Where there is
    to be one answer, the first one that is not None counts.

    :ivar chosen_for: what builds are chosen for in place of the target; None for that.
    :ivar may_switch: whether the user asked for what may differ from an installed build.
    :ivar is_trying: whether something is tried just now, so that a failure is no error.
    """

    chosen_for: ProviderChain | None = None
    may_switch = False
    is_trying = False

    def limited(self, target: ProviderChain) -> ProviderChain:
        """Return what the target supports, less what the user excludes."""
        return target

    def for_inner(self, run: Any) -> Mode | None:
        """Return the mode of a run that installs build requirements or a plugin.

        :param run: that :class:`.Run`.
        """
        return None

    # What there is to choose from. In the order of the calls, for each project.

    def note_roots(self, requirements: Iterable[InstallRequirement]) -> None:
        """Take note of what the user asks for, constraints included; called first."""

    def find_all_candidates(
        self,
        find: Callable[[PackageFinder, str], list[InstallationCandidate]],
        finder: PackageFinder,
        project_name: str,
    ) -> list[InstallationCandidate]:
        """Return the candidates of a project; *find* finds them without the mode."""
        return find(finder, project_name)

    def index_of(self, project: NormalizedName) -> str | None:
        """Return the URL of the one index that the user named for a project."""
        return None

    def refuse_link(
        self,
        link: Link,
        project: NormalizedName | None,
        needed_by: InstallRequirement | None,
    ) -> None:
        """Check a path or URL that a requirement or constraint names, before any request.

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

    def pins_build(self, specifier: SpecifierSet) -> bool:
        """Tell whether requirements settle which build of a release is taken."""
        return False

    def infos(
        self,
        infos: Callable[[], Iterator[IndexCandidateInfo]],
        project: NormalizedName,
        specifier: SpecifierSet,
    ) -> Iterator[IndexCandidateInfo]:
        """Return versions for the resolver, best first, and what makes each candidate.

        :param infos: finds those that there are without the mode; not to be called
            before the first one is asked for.
        :param specifier: of requirements and constraints.
        """
        return infos()

    def release_type(
        self, links: Sequence[Link], *, pinned: bool
    ) -> Callable[..., Release] | None:
        """Return what makes the release of these files, if the mode has a kind of its own.

        It is called as :class:`Release` is.

        :param pinned: what :meth:`pins_build` told.
        """
        return None

    def installed(
        self,
        version: Version,
        label: str | None,
        build: InstalledBuild | None,
        specifier: SpecifierSet,
    ) -> tuple[Version, str | None, bool]:
        """Tell which build an installed one is, as the mode sees it.

        :param label: of the build.
        :param build: what was recorded when it was installed.
        :param specifier: of requirements and constraints.
        :return: the version, the label, and whether the user does not want it.
        """
        return version, label, False

    def needs_pin(self, project: NormalizedName) -> bool:
        """Tell whether builds of a project are found for pinned versions alone."""
        return False

    # How the run resolves

    def resolve(
        self, resolve_once: Callable[[], RequirementSet], resolver: Resolver
    ) -> RequirementSet | None:
        """Resolve in the mode's own way, in place of the usual one.

        :param resolve_once: resolves once, in the modes of the run.
        """
        return None

    def solve(
        self, resolve_once: Callable[[], RequirementSet], resolver: Resolver
    ) -> RequirementSet:
        """Resolve once; *resolve_once* does so without the mode."""
        return resolve_once()

    # What is told

    def settles(self, project: NormalizedName) -> bool:
        """Tell whether one build of a project is chosen even if all are wanted."""
        return False

    def explains_unused_accelerator(self, release: Release, link: Link) -> bool:
        """Tell whether the advice on a build says itself why a device stays idle."""
        return False

    def advice(self, finder: PackageFinder, release: Release, link: Link) -> str | None:
        """Say what else the user may want in place of a build that was chosen."""
        return None

    def origins(self, projects: Iterable[NormalizedName]) -> Iterable[str]:
        """Say where projects are looked up, of which the resolver found no solution."""
        return ()

    def listed(
        self,
        finder: PackageFinder,
        project: NormalizedName,
        candidates: Sequence[InstallationCandidate],
    ) -> list[InstallationCandidate] | None:
        """Return the candidates of a project that a command is to list.

        :raises InstallationError: if that leaves nothing, where all are listed.
        """
        return None

    def files(
        self, finder: PackageFinder, project: NormalizedName, links: Iterable[Link]
    ) -> Iterable[Link]:
        """Return all files of a project that was looked up.

        :param links: those in the places that the user named.
        """
        return links

    def special_versions(self, project: NormalizedName) -> Iterable[Version]:
        """Return the versions that only an exact pin takes."""
        return ()

    def environ(self) -> Mapping[str, str]:
        """Return the environment variables that put a child of pip in the mode."""
        return {}
