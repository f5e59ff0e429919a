"""The mode of the bridge: take projects from PyTorch's and similar indexes.

A project on such an index comes only from there, so that a package of the same name on another
index cannot replace it. The exception is a pinned project without builds for single backends.
All other projects come from the user's own indexes.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING

from pip._vendor.packaging.utils import canonicalize_name

from pip._internal.models.candidate import InstallationCandidate
from pip._internal.models.release_control import ReleaseControl
from pip._internal.utils.misc import redact_auth_from_url, remove_auth_from_url
from pip._internal.variants.index.links import (
    LocalVersionWheel,
    names_local_version,
    pinned,
    pinned_versions,
    public,
)
from pip._internal.variants.pytorch import options
from pip._internal.variants.pytorch.advice import for_tegra, newest_with_gpu_build
from pip._internal.variants.pytorch.agreement import one_backend
from pip._internal.variants.pytorch.index import BackendIndex, Page, as_build
from pip._internal.variants.pytorch.release import (
    LocalVersionRelease,
    WantedBackends,
    best_builds,
)
from pip._internal.variants.pytorch.settings import NIGHTLY, PyTorchSettings
from pip._internal.variants.pytorch.synthetic import backend_of
from pip._internal.variants.selection import mode
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
    from pip._internal.variants.selection.installed_records import InstalledBuild
    from pip._internal.variants.selection.mode import Candidates, ResolveOnce
    from pip._internal.variants.selection.release import Release
    from pip._internal.variants.selection.run import Run


class PyTorch(mode.Mode):
    """The bridge of one run.

    :ivar settings: the settings of the bridge.
    :ivar wanted: the user's backends.
    :ivar indexes: the indexes of builds, in the order of lookups.
    """

    def __init__(
        self,
        run: Run,
        settings: PyTorchSettings,
        indexes: Sequence[BackendIndex] | None = None,
    ) -> None:
        """Create the bridge of a run.

        :param indexes: the indexes of another run, with fetched pages.
        """
        if indexes is None:
            indexes = [
                BackendIndex(run, x, settings.base_url(x)) for x in settings.indexes
            ]
        self._run = run
        self.settings, self.wanted = settings, WantedBackends(run, settings)
        run.target.absent_devices = settings.absent_devices
        run.request.may_switch = bool(settings.backends)
        self.indexes = indexes
        self._origins: dict[NormalizedName, str] = {}
        self._specifiers: Mapping[NormalizedName, Sequence[SpecifierSet]] = {}
        self._listed: dict[NormalizedName, list[Link]] = {}

    def note_roots(self, requirements: Iterable[InstallRequirement]) -> None:
        """Record the user's pins."""
        found: dict[NormalizedName, list[SpecifierSet]] = {}
        for each in requirements:
            if each.req is not None and (each.user_supplied or each.constraint):
                project = canonicalize_name(each.req.name)
                found.setdefault(project, []).append(each.req.specifier)
        self._specifiers = found

    def find_all_candidates(
        self, find: mode.Find, finder: PackageFinder, project_name: str
    ) -> list[InstallationCandidate]:
        """Return the candidates of a project from its index.

        :param find: a function that finds candidates like upstream.
        """
        if not self._run.enabled:
            # A requirements file has turned variants off.
            self._run.reporter.warn(options.VARIANTS_OFF)
            return find(finder, project_name)
        project = canonicalize_name(project_name)
        if project_name in finder._all_candidates or project in finder._locked_links:
            return find(finder, project_name)
        named = mode.index_of(self._run.modes, project)
        if named is not None:
            # The user named the index of this project.
            self._warn_without_effect(project, named)
            return find(finder, project_name)
        found = self._found(find, finder, project_name)
        found = [_relinked(each, self._own(each.link)) for each in found]
        finder._all_candidates[project_name] = found
        return found

    def _found(
        self, find: mode.Find, finder: PackageFinder, project_name: str
    ) -> list[InstallationCandidate]:
        """Return the candidates on the first index of builds, or else on the user's indexes."""
        project = canonicalize_name(project_name)
        index, pages = self._offered(project)
        if index is None:
            return find(finder, project_name)
        name, url = index.description, redact_auth_from_url(index.base_url)
        is_shared = not index.has_builds(pages)
        if is_shared and self._pins_release(project):
            own = find(finder, project_name)
            if own:
                text = (
                    f"Looking for '{project}' in your index, not in {name}, because you "
                    "pinned the version"
                )
                self._origins[project] = text
                self._log(text)
                return own
        self._origins[project] = f"pip looks for '{project}' only in {name} ({url})"
        if is_shared:
            self._origins[project] += (
                f"; to use your index instead, pin the version: {project}==VERSION"
            )
        evaluator = finder.make_link_evaluator(project_name)
        specifiers = self._specifiers.get(project, ())
        may_be_special = any(map(names_local_version, specifiers))
        self._listed[project] = index.builds(pages, may_be_special=may_be_special)
        if self.settings.channel == NIGHTLY:
            _allow_prereleases(finder, project)
        return [
            *mode.find_beside_indexes(find, finder, project_name),
            *finder.evaluate_links(evaluator, self._listed[project]),
        ]

    def origins(self, projects: Iterable[NormalizedName]) -> Iterable[str]:
        """Return the sources of projects without a solution."""
        return (self._origins[each] for each in projects if each in self._origins)

    def _warn_without_effect(self, project: NormalizedName, url: str) -> None:
        """Warn of a typed backend that has no effect on torch."""
        option = self.settings.origin
        is_typed = option is not None and self._run.settings.is_typed(option)
        if is_typed and project == self.settings.pytorch.probe_project:
            self._run.reporter.warn(
                f"'{project}' comes from {redact_auth_from_url(url)} (--variant-index), "
                f"so {option} does not affect this package. To remove the index configured "
                "by setup: pip variants setup --remove pytorch"
            )

    def _pins_release(self, project: NormalizedName) -> bool:
        return any(
            "+" not in version
            for specifier in self._specifiers.get(project, ())
            for version in pinned(specifier)
        )

    def files(self, project: NormalizedName, links: Iterable[Link]) -> Iterator[Link]:
        """Yield all files of a project, as variants where possible.

        :param links: the files from the sources that the user named.
        """
        yield from self._listed.get(project, ())
        for link in links:
            yield self._own(link)

    def _own(self, link: Link) -> Link:
        # Wheels on the user's own indexes are not for the bridge.
        finder = self._run.finder
        own = tuple(map(remove_auth_from_url, finder.index_urls))
        if (link.comes_from or "").startswith(own):
            return link
        # With --no-index, the wheels do not come from PyTorch's index.
        source = self.settings.base_url(self.settings.pytorch)
        if finder.search_scope.no_index:
            source = " and ".join(map(redact_auth_from_url, finder.find_links))
        return as_build(link, source)

    def _offered(
        self, project: NormalizedName
    ) -> tuple[BackendIndex | None, list[Page]]:
        """Return the first index that has a project, and the pages of the project there."""
        if self._run.finder.search_scope.no_index:
            return None, []
        why = None
        for index in self.indexes:
            if not index.description.may_have(project):
                continue
            versions = self._versions(index, project)
            pages = index.fetch_pages(project, versions)
            if pages:
                url = redact_auth_from_url(index.base_url)
                self._log(f"Looking in {index.description} first: {url}")
                return index, pages
            if index.description.is_by_version:
                lacks = (
                    f"has no wheel of version {versions[0]}"
                    if versions
                    else f"lists wheels by version; to use it, pin {project}==VERSION"
                )
                why = f"{index.description} {lacks}"
        if why is not None:
            self._log(f"Looking for '{project}' in your index: {why}")
        return None, []

    def _versions(self, index: BackendIndex, project: NormalizedName) -> Sequence[str]:
        """Return the versions with separate pages, or one placeholder."""
        if not index.description.is_by_version:
            return [""]
        pins = map(pinned_versions, self._specifiers.get(project, ()))
        return list(dict.fromkeys(chain.from_iterable(pins)))

    def _log(self, message: str) -> None:
        # Programs read the output of listings.
        level = logging.DEBUG if self._run.purpose.is_listing else logging.INFO
        self._run.reporter.log_once(level, message)

    def needs_pin(self, project: NormalizedName) -> bool:
        """Return whether pip finds builds of a project only for pinned versions."""
        return any(
            x.is_by_version and x.may_have(project) for x in self.settings.indexes
        )

    def infos(
        self, infos: mode.Infos, project: NormalizedName, specifier: SpecifierSet
    ) -> Iterator[IndexCandidateInfo]:
        """Yield all builds of a public version as one version."""
        for version, maker in infos():
            assert isinstance(maker, partial)
            is_build = isinstance(maker.keywords["link"], LocalVersionWheel)
            yield public(version) if is_build else version, maker

    def release_type(
        self, links: Sequence[Link], *, pinned: bool
    ) -> Callable[..., Release] | None:
        """Return the release type for all builds of a public version."""
        if not any(isinstance(link, LocalVersionWheel) for link in links):
            return None
        return partial(LocalVersionRelease, wanted=self.wanted, pinned=pinned)

    def installed(
        self, version: Version, build: InstalledBuild | None, specifier: SpecifierSet
    ) -> tuple[Version, str, bool] | None:
        """Return an installed build's public version, its backend, and whether to replace it."""
        backend = backend_of(version, build)
        if backend is None:
            return None
        choice = self.settings.backends
        is_wanted = not choice or backend in choice or names_local_version(specifier)
        return public(version), backend.label, not is_wanted

    def solve(self, resolve_once: ResolveOnce) -> RequirementSet:
        """Resolve with builds for one backend, if possible."""
        return one_backend(resolve_once, self._run, self.settings.backends.named)

    def explains_unused_accelerator(self, release: Release, link: Link) -> bool:
        """Return whether a GPU is unused because the target is a Tegra."""
        return for_tegra(self._run, release, link) is not None

    def advice(self, release: Release, link: Link) -> str | None:
        """Return advice about a build that may not suit the GPU."""
        advice = for_tegra(self._run, release, link)
        return advice or newest_with_gpu_build(self._run, release, link)

    def listed(
        self, project: NormalizedName, candidates: Candidates
    ) -> list[InstallationCandidate] | None:
        """Return, for each version, the build that pip would install; None without such builds."""
        if not any(isinstance(each.link, LocalVersionWheel) for each in candidates):
            return None
        return best_builds(self._run, project, candidates)

    def for_inner(self, run: Run) -> PyTorch | None:
        """Return the same bridge for build environments, or None for plugins."""
        is_plugin = run.purpose is Purpose.PLUGIN
        return None if is_plugin else PyTorch(run, self.settings, self.indexes)

    def environ(self) -> Mapping[str, str]:
        """Return the environment variables that pass this bridge to a child pip."""
        settings = self.settings
        variables = {
            options.BACKENDS.variable: str(settings.backends),
            options.CPUONLY.variable: "0",
            options.CHANNEL.variable: settings.channel,
        }
        if settings.index_url is not None:
            variables[options.INDEX_URL.variable] = settings.index_url
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
