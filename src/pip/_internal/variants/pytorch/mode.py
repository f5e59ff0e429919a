"""How a run differs that takes builds from PyTorch's index."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from pip._internal.variants.index.links import LocalVersionWheel, public
from pip._internal.variants.index.pins import pinned
from pip._internal.variants.pytorch.advice import for_tegra, newest_with_gpu_build
from pip._internal.variants.pytorch.agreement import one_backend
from pip._internal.variants.pytorch.local_version_index import LocalVersionIndex
from pip._internal.variants.pytorch.options import (
    BACKENDS,
    CHANNEL,
    CPUONLY,
    INDEX_URL,
)
from pip._internal.variants.pytorch.release import LocalVersionRelease, best_builds
from pip._internal.variants.pytorch.synthetic import backend_of
from pip._internal.variants.selection.run import Purpose

if TYPE_CHECKING:
    from pip._vendor.packaging.specifiers import SpecifierSet
    from pip._vendor.packaging.utils import NormalizedName
    from pip._vendor.packaging.version import Version

    from pip._internal.index.package_finder import PackageFinder
    from pip._internal.models.candidate import InstallationCandidate
    from pip._internal.models.link import Link
    from pip._internal.req.req_set import RequirementSet
    from pip._internal.resolution.resolvelib.found_candidates import IndexCandidateInfo
    from pip._internal.resolution.resolvelib.resolver import Resolver
    from pip._internal.variants.providers.chain import ProviderChain
    from pip._internal.variants.selection.installed_records import InstalledBuild
    from pip._internal.variants.selection.release import Release
    from pip._internal.variants.selection.run import Run

__all__ = ["PyTorch"]


class PyTorch(LocalVersionIndex):
    """The bridge in use: projects that an index of builds has come from there."""

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
        return partial(LocalVersionRelease, version_index=self, pinned=pinned)

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
        return for_tegra(self._run, release, link) or newest_with_gpu_build(
            self._run, finder, release, link
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
