"""PyTorch's index and others like it in use: where each project comes from.

A project that such an index has comes from there and from nowhere else, so that nobody
can slip in a package of that name elsewhere. The exception is a project that the user pins
and that has no builds for single backends. All else comes from the user's own indexes.
"""

from __future__ import annotations

import itertools
import logging
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from pip._vendor.packaging.utils import canonicalize_name

from pip._internal.models.candidate import InstallationCandidate
from pip._internal.models.release_control import ReleaseControl
from pip._internal.utils.misc import redact_auth_from_url
from pip._internal.variants.index.links import LocalVersionWheel, public
from pip._internal.variants.index.pins import pinned, pinned_versions
from pip._internal.variants.output.invocation import is_typed
from pip._internal.variants.output.reasons import unanswered
from pip._internal.variants.pytorch.advice import for_tegra, newest_with_gpu_build
from pip._internal.variants.pytorch.agreement import one_backend
from pip._internal.variants.pytorch.backends import Backend, is_special_build
from pip._internal.variants.pytorch.index import BackendIndex, Page, as_build
from pip._internal.variants.pytorch.options import (
    BACKENDS,
    CHANNEL,
    CPUONLY,
    INDEX_URL,
)
from pip._internal.variants.pytorch.release import LocalVersionRelease, best_builds
from pip._internal.variants.pytorch.settings import NIGHTLY, PyTorchSettings
from pip._internal.variants.pytorch.synthetic import backend_of
from pip._internal.variants.pytorch.wanted import WantedBackends, suiting
from pip._internal.variants.selection.mode import Mode
from pip._internal.variants.selection.project_index import find_beside_indexes, index_of
from pip._internal.variants.selection.run import Purpose

if TYPE_CHECKING:
    from pip._vendor.packaging.specifiers import SpecifierSet
    from pip._vendor.packaging.utils import NormalizedName
    from pip._vendor.packaging.version import Version

    from pip._internal.index.package_finder import PackageFinder
    from pip._internal.models.link import Link
    from pip._internal.req.req_install import InstallRequirement
    from pip._internal.req.req_set import RequirementSet
    from pip._internal.resolution.resolvelib.found_candidates import IndexCandidateInfo
    from pip._internal.resolution.resolvelib.resolver import Resolver
    from pip._internal.variants.providers.chain import ProviderChain
    from pip._internal.variants.pytorch.description import IndexDescription
    from pip._internal.variants.selection.installed_records import InstalledBuild
    from pip._internal.variants.selection.release import Release
    from pip._internal.variants.selection.run import Run

__all__ = ["PyTorch"]

_Find = Callable[["PackageFinder", str], list[InstallationCandidate]]


class PyTorch(Mode):
    """What one run of pip finds on indexes of builds, and what elsewhere.

    :ivar indexes: of builds, in the order in which projects are looked up there.
    :ivar found: the candidates of each project that was looked up.
    """

    def __init__(
        self,
        run: Run,
        settings: PyTorchSettings,
        indexes: Sequence[BackendIndex] | None = None,
    ) -> None:
        """Make the bridge of a run.

        :param indexes: of another run, which has fetched some of their pages.
        """
        if indexes is None:
            indexes = [
                BackendIndex(
                    *(run, each, settings.base_url(each)),
                    backends=self._backends_in_question,
                )
                for each in settings.indexes
            ]
        self._run = run
        self.settings, self.wanted = settings, WantedBackends(run, settings)
        self.may_switch = bool(settings.backends)
        self.indexes = indexes
        self.found: dict[NormalizedName, list[InstallationCandidate]] = {}
        self._origins: dict[NormalizedName, str] = {}
        self._specifiers: Mapping[NormalizedName, Sequence[SpecifierSet]] = {}
        self._listed: dict[NormalizedName, list[Link]] = {}

    def _backends_in_question(self, description: IndexDescription) -> Sequence[Backend]:
        if self.settings.backends:
            return self.wanted.among(description.backends)
        selection = self.wanted.selection(description.backends)
        self._run.reporter.report(unanswered(f"what {description} has", selection))
        return suiting(selection)

    def note_roots(self, requirements: Iterable[InstallRequirement]) -> None:
        """Take note of what the user pins."""
        found: dict[NormalizedName, list[SpecifierSet]] = {}
        for each in requirements:
            if each.req is not None and (each.user_supplied or each.constraint):
                project = canonicalize_name(each.req.name)
                found.setdefault(project, []).append(each.req.specifier)
        self._specifiers = found

    def find_all_candidates(
        self, find: _Find, finder: PackageFinder, project_name: str
    ) -> list[InstallationCandidate]:
        """Return the candidates of a project from where it comes from.

        :param find: finds them as upstream does.
        """
        project = canonicalize_name(project_name)
        if project_name in finder._all_candidates or project in finder._locked_links:
            return find(finder, project_name)
        named = index_of(self._run, project)
        if named is not None:
            # The user said by name where it comes from.
            if any(each.description.probe_project == project for each in self.indexes):
                self._tell_without_effect(project, named)
            return find(finder, project_name)
        index, pages = self._offered(finder, project)
        own = there = None
        if index is None:
            own = find(finder, project_name)
        else:
            name, url = index.description, redact_auth_from_url(index.base_url)
            origin = f"{project} is looked up on {name} alone ({url})"
            is_shared = not index.have_builds(pages)
            if is_shared and self._pins_release(project):
                own = find(finder, project_name)
            if own:
                origin = (
                    f"{project} is looked up on your own index, since you pinned it; "
                    f"without that, on {name} ({url})"
                )
                self._say(
                    f"Looking for {project} in your own index, not in {name}, since you "
                    "pinned it"
                )
            else:
                own = find_beside_indexes(find, finder, project_name)
                there = self._there(finder, project_name, index, pages)
                if is_shared:
                    origin += (
                        ", since that has it; from your own index you get it with "
                        f"{project}==VERSION"
                    )
            self._origins[project] = origin
        found = [
            *(_relinked(each, self._own(finder, each.link)) for each in own),
            *(there or ()),
        ]
        self.found[project] = finder._all_candidates[project_name] = found
        return found

    def origins(self, projects: Iterable[NormalizedName]) -> Iterable[str]:
        """Return where projects come from, for which no solution was found."""
        return (self._origins[each] for each in projects if each in self._origins)

    def _tell_without_effect(self, project: NormalizedName, url: str) -> None:
        """Say that a backend was typed, and counts for nothing."""
        options = self._run.settings.options
        typed = (row.name for row in (BACKENDS, CPUONLY) if is_typed(options, row.name))
        option = next(typed, None)
        if option is None or is_typed(options, "--variant-index"):
            return
        retry = "pip variants setup --remove pytorch"
        self._run.reporter.say_once(
            logging.WARNING,
            f"{project} comes from {redact_auth_from_url(url)}, which variant-index "
            f"configures for it, so {option} has no effect on it. To take builds by "
            f"local version, take it out of there; what setup has written: {retry}",
        )

    def _pins_release(self, project: NormalizedName) -> bool:
        return any(
            "+" not in version
            for specifier in self._specifiers.get(project, ())
            for version in pinned(specifier)
        )

    def files(
        self, finder: PackageFinder, project: NormalizedName, links: Iterable[Link]
    ) -> Iterator[Link]:
        """Yield all files of a project that was looked up, as the builds that they are.

        :param links: those in the places that the user named.
        """
        yield from self._listed.get(project, ())
        for link in links:
            yield self._own(finder, link)

    def _own(self, finder: PackageFinder, link: Link) -> Link:
        # What the user's own indexes have is not for the bridge.
        on_indexes = tuple(finder.index_urls)
        if on_indexes and (link.comes_from or "").startswith(on_indexes):
            return link
        # With --no-index, PyTorch's has nothing to do with it.
        folders = " and ".join(map(redact_auth_from_url, finder.find_links))
        pytorch = self.settings.pytorch
        base_url = self.settings.base_url(pytorch)
        source = folders if finder.search_scope.no_index else base_url
        return as_build(link, source)

    def _offered(
        self, finder: PackageFinder, project: NormalizedName
    ) -> tuple[BackendIndex | None, list[Page]]:
        """Return the first index that has a project, and its pages there."""
        if finder.search_scope.no_index:
            return None, []
        why = None
        for index in self.indexes:
            if not index.description.may_have(project):
                continue
            versions = self._versions(index, project)
            pages = index.pages(project, versions)
            if pages:
                url = redact_auth_from_url(index.base_url)
                self._say(f"Looking in {index.description} first: {url}")
                return index, pages
            if not versions:
                why = (
                    f"{index.description} has builds by backend for one version at a time "
                    f"({project}==VERSION)"
                )
            elif index.description.is_by_version:
                why = f"{index.description} has no build of {versions[0]}"
        if why is not None:
            self._say(f"Looking for {project} in your own index: {why}")
        return None, []

    def _versions(self, index: BackendIndex, project: NormalizedName) -> Sequence[str]:
        """Return the versions for which an index has pages, one without meaning if all."""
        if not index.description.is_by_version:
            return [""]
        specifiers = self._specifiers.get(project, ())
        return list(dict.fromkeys(itertools.chain(*map(pinned_versions, specifiers))))

    def _say(self, message: str) -> None:
        # Listings go to where programs read them.
        level = logging.DEBUG if self._run.purpose.is_listing else logging.INFO
        self._run.reporter.say_once(level, message)

    def _there(
        self,
        finder: PackageFinder,
        project_name: str,
        index: BackendIndex,
        pages: Sequence[Page],
    ) -> list[InstallationCandidate]:
        project = canonicalize_name(project_name)
        evaluator = finder.make_link_evaluator(project_name)
        self._listed[project] = index.builds(pages)
        found = finder.evaluate_links(evaluator, self._listed[project])
        if not any(map(self._is_usable, found)):
            more = index.pages_by_backend(project, self._versions(index, project))
            self._listed[project] = index.builds([*pages, *more])
            found = finder.evaluate_links(evaluator, self._listed[project])
        if self.settings.channel == NIGHTLY:
            _allow_prereleases(finder, project)
        return found

    def _is_usable(self, candidate: InstallationCandidate) -> bool:
        link, backends = candidate.link, self.settings.backends
        if not backends or not isinstance(link, LocalVersionWheel):
            return True
        return Backend.parse(link.label) in backends

    def settles(self, project: NormalizedName) -> bool:
        """Tell whether a project has builds for single backends, which are versions."""
        found = self.found.get(project, ())
        return any(isinstance(each.link, LocalVersionWheel) for each in found)

    def needs_pin(self, project: NormalizedName) -> bool:
        """Tell whether an index has builds of a project for pinned versions alone."""
        return any(
            each.is_by_version and each.may_have(project)
            for each in self.settings.indexes
        )

    def special_versions(self, project: NormalizedName) -> set[Version]:
        """Return the versions that are builds with more than a backend to them."""
        if project not in self._listed:
            return set()
        return {
            candidate.version
            for candidate in self.found[project]
            if is_special_build(candidate.version.local or "")
        }

    def limited(self, target: ProviderChain) -> ProviderChain:
        """Leave out the devices that the backends of the user exclude."""
        return target.lacking(self.settings.lacking)

    def pins_build(self, specifier: SpecifierSet) -> bool:
        """Tell whether a requirement names a local version, and so the build."""
        return any("+" in version for version in pinned(specifier))

    def infos(
        self,
        infos: Callable[[], Iterator[IndexCandidateInfo]],
        project: NormalizedName,
        specifier: SpecifierSet,
    ) -> Iterator[IndexCandidateInfo]:
        """Yield the builds of one public version as one version."""
        pinned = self.pins_build(specifier)
        special: set[Version] | None = None
        for version, maker in infos():
            if special is None:
                # Only now has upstream looked for candidates.
                special = self.special_versions(project)
            assert isinstance(maker, partial)
            if isinstance(maker.keywords["link"], LocalVersionWheel):
                yield public(version), maker
            elif pinned or version not in special:
                yield version, maker

    def release_type(
        self, links: Sequence[Link], *, pinned: bool
    ) -> Callable[..., Release] | None:
        """Return what makes the release of all builds of one public version."""
        if not any(isinstance(link, LocalVersionWheel) for link in links):
            return None
        return partial(LocalVersionRelease, wanted=self.wanted, pinned=pinned)

    def installed(
        self,
        version: Version,
        label: str | None,
        build: InstalledBuild | None,
        specifier: SpecifierSet,
    ) -> tuple[Version, str | None, bool]:
        """Tell the public version, and the backend, which may be one not wanted."""
        backend = backend_of(version, build)
        if backend is None:
            return version, label, False
        choice = self.settings.backends
        excluded = bool(choice) and backend not in choice
        unwanted = excluded and not self.pins_build(specifier)
        return public(version), backend.label, unwanted

    def solve(
        self, resolve_once: Callable[[], RequirementSet], resolver: Resolver
    ) -> RequirementSet:
        """Resolve so that the builds are for one backend, if they can."""
        return one_backend(
            resolve_once, resolver, self._run, self.settings.backends.named
        )

    def explains_unused_accelerator(self, release: Release, link: Link) -> bool:
        """Tell whether it is for the reason that the machine is a Tegra."""
        return for_tegra(self._run, release, link) is not None

    def advice(self, finder: PackageFinder, release: Release, link: Link) -> str | None:
        """Say what to do where a build does not suit the GPU, or only seems to."""
        found = self.found.get(release.project, ())
        return for_tegra(self._run, release, link) or newest_with_gpu_build(
            *(self._run, finder, release, link, found)
        )

    def listed(
        self,
        finder: PackageFinder,
        project: NormalizedName,
        candidates: Sequence[InstallationCandidate],
    ) -> list[InstallationCandidate] | None:
        """Return of each version the build that would be installed."""
        if not self.settles(project):
            return None
        return best_builds(self._run, finder, project, candidates)

    def for_inner(self, run: Run) -> PyTorch | None:
        """Return the same bridge for what is installed to build something."""
        is_plugin = run.purpose is Purpose.PLUGIN
        return None if is_plugin else PyTorch(run, self.settings, self.indexes)

    def environ(self) -> Mapping[str, str]:
        """Return the environment variables that give a child of pip this bridge."""
        settings = self.settings
        variables = {
            BACKENDS.variable: str(settings.backends),
            CPUONLY.variable: "0",
            CHANNEL.variable: settings.channel,
        }
        if settings.index_url is not None:
            variables[INDEX_URL.variable] = settings.index_url
        return variables


def _relinked(candidate: InstallationCandidate, link: Link) -> InstallationCandidate:
    if link is candidate.link:
        return candidate
    return InstallationCandidate(candidate.name, str(candidate.version), link)


def _allow_prereleases(finder: PackageFinder, project: NormalizedName) -> None:
    control = finder.release_control
    if control is None:
        finder.set_release_control(ReleaseControl({project}))
    elif control.allows_prereleases(project) is None:
        control.all_releases.add(project)
