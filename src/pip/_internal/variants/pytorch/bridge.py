"""Where each project comes from, and what the builds on PyTorch's index become.

A project that PyTorch's index has comes from there and from nowhere else, so that nobody
can slip in a package of that name elsewhere. The exception is what the user pins and
has no builds for single backends. All else comes from the user's own indexes.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from pip._vendor.packaging.utils import canonicalize_name
from pip._vendor.packaging.version import Version

from pip._internal.models.candidate import InstallationCandidate
from pip._internal.models.release_control import ReleaseControl
from pip._internal.utils.misc import redact_auth_from_url
from pip._internal.variants.links import BuildLink, public
from pip._internal.variants.pytorch import wheels
from pip._internal.variants.pytorch.backends import AUTO, Backend
from pip._internal.variants.pytorch.index import PUBLISHED, PyTorchIndex
from pip._internal.variants.pytorch.settings import Channel, Settings
from pip._internal.variants.pytorch.synthetic import Machine, manifest_for
from pip._internal.variants.selection import select

if TYPE_CHECKING:
    from pip._vendor.packaging.specifiers import SpecifierSet
    from pip._vendor.packaging.utils import NormalizedName

    from pip._internal.index.package_finder import PackageFinder
    from pip._internal.models.link import Link
    from pip._internal.req.req_install import InstallRequirement
    from pip._internal.resolution.resolvelib.found_candidates import IndexCandidateInfo
    from pip._internal.variants.context import Context
    from pip._internal.variants.providers.chain import Providers

__all__ = ["Bridge", "pins_build"]

_Find = Callable[["PackageFinder", str], list[InstallationCandidate]]


class Bridge:
    """PyTorch's index in one run of pip.

    :ivar found: the candidates of each project that PyTorch's index has.
    :ivar shared: those of these projects that have no builds for single backends.
    :ivar left_alone: projects that it has, and that come from the user's index.
    """

    def __init__(
        self, context: Context, settings: Settings, index: PyTorchIndex | None = None
    ) -> None:
        self._context = context
        self.settings = settings
        self.index = index or PyTorchIndex(
            context.session, settings.base_url, self._backends_in_question
        )
        self.found: dict[NormalizedName, list[InstallationCandidate]] = {}
        self.shared: set[NormalizedName] = set()
        self.left_alone: set[NormalizedName] = set()
        self._pinned: frozenset[NormalizedName] = frozenset()
        self._listed: dict[NormalizedName, list[Link]] = {}

    def for_build(self, context: Context) -> Bridge:
        """Give the same bridge for what is installed to build something."""
        return Bridge(context, self.settings, self.index)

    def environ(self) -> Mapping[str, str]:
        """Give the variables under which a pip in a child process has this bridge."""
        base, channel = self.settings.index_url, self.settings.channel
        return {
            "PIP_PYTORCH_COMPUTATION_BACKEND": ",".join(
                map(str, self.settings.backends or [AUTO])
            ),
            "PIP_CPUONLY": "0",
            "PIP_PYTORCH_CHANNEL": channel.value,
            "PIP_PYTORCH_INDEX_URL": base,
        }

    # What the target is

    def machine(self, providers: Providers) -> Machine:
        """Give what the manifests of builds have to take into account."""
        probe = manifest_for(Machine(), [Backend.parse("cu128")])
        answer = providers.ask(probe, ["nvidia"])["nvidia"]
        # A driver that was asked tells what GPU it has; a user may leave that open.
        told = {feature.name for feature in answer.features}
        return Machine(
            answer.driver,
            "windows" if sys.platform == "win32" else "linux",
            has_capability="sm_arch" in told or answer.driver is not None,
        )

    def _backends_in_question(self) -> Sequence[Backend]:
        if self.settings.backends:
            return self.settings.backends
        providers = self._context.detected
        manifest = manifest_for(self.machine(providers), PUBLISHED)
        ranking = select("", manifest, manifest.variants, providers, ()).ranking
        return [Backend.parse(label) for label in ranking.compatible]

    # Where a project comes from

    def note_roots(self, requirements: Iterable[InstallRequirement]) -> None:
        """Take down what the user pins."""
        self._pinned = frozenset(
            canonicalize_name(each.req.name)
            for each in requirements
            if each.req is not None
            and (each.user_supplied or each.constraint)
            and _pins_release(each.req.specifier)
        )

    def find_all_candidates(
        self, find: _Find, finder: PackageFinder, project_name: str
    ) -> list[InstallationCandidate]:
        """Give the candidates of a project from where it comes from.

        :param find: finds them in the way of upstream.
        """
        project = canonicalize_name(project_name)
        if project_name in finder._all_candidates or project in finder._locked_links:
            return find(finder, project_name)
        links = self._links(finder, project)
        there: list[InstallationCandidate] = []
        if links is None:
            own = find(finder, project_name)
        elif self._may_leave_alone(project, links) and (
            own := find(finder, project_name)
        ):
            self.left_alone.add(project)
            self._say(
                f"Looking for {project} in your own index, not in PyTorch's, since you "
                "pinned it"
            )
        else:
            scope = finder.search_scope
            finder.search_scope = replace(scope, index_urls=[])
            try:
                own = find(finder, project_name)
            finally:
                finder.search_scope = scope
            there = self._there(finder, project_name, links)
            if not wheels.have_builds(links):
                self.shared.add(project)
        found = [
            *(_relinked(each, self._own(finder, each.link)) for each in own),
            *there,
        ]
        self.found[project] = finder._all_candidates[project_name] = found
        return found

    def files(
        self, finder: PackageFinder, project: NormalizedName, own: Iterable[Link]
    ) -> Iterator[Link]:
        """Give all files of a project that was looked up, as the builds that they are.

        :param own: those in the places that the user named.
        """
        yield from self._listed.get(project, ())
        for link in own:
            yield self._own(finder, link)

    def _own(self, finder: PackageFinder, link: Link) -> Link:
        # What an index of the user's has is not for the bridge.
        on_indexes = tuple(finder.index_urls)
        if on_indexes and (link.comes_from or "").startswith(on_indexes):
            return link
        return wheels.as_build(link, self.index.base_url, by_place=False)

    def _links(
        self, finder: PackageFinder, project: NormalizedName
    ) -> list[Link] | None:
        if finder.search_scope.no_index:
            return None
        links = self.index.links(project)
        if links is not None:
            url = redact_auth_from_url(self.index.base_url)
            self._say(f"Looking in PyTorch's index first: {url}")
        return links

    def _may_leave_alone(self, project: NormalizedName, links: Iterable[Link]) -> bool:
        """Tell whether a project may come from where the user has it."""
        return project in self._pinned and not wheels.have_builds(links)

    def _say(self, message: str) -> None:
        # Listings go to where programs read them.
        level = logging.INFO if self._context.listing is None else logging.DEBUG
        self._context.say_once(level, message)

    def _there(
        self, finder: PackageFinder, project_name: str, links: Sequence[Link]
    ) -> list[InstallationCandidate]:
        project = canonicalize_name(project_name)
        found = self._evaluated(finder, project_name, links)
        if not any(map(self._is_usable, found)):
            more = self.index.links_by_backend(project)
            if more:
                found = self._evaluated(finder, project_name, [*links, *more])
        if self.settings.channel is Channel.NIGHTLY:
            _allow_prereleases(finder, project)
        return found

    def _evaluated(
        self, finder: PackageFinder, project_name: str, links: Sequence[Link]
    ) -> list[InstallationCandidate]:
        by_place = wheels.have_builds(links)
        source = self.index.base_url
        builds = [wheels.as_build(each, source, by_place=by_place) for each in links]
        self._listed[canonicalize_name(project_name)] = builds
        evaluator = finder.make_link_evaluator(project_name)
        return finder.evaluate_links(evaluator, builds)

    def _is_usable(self, candidate: InstallationCandidate) -> bool:
        link = candidate.link
        if not isinstance(link, BuildLink) or not self.settings.backends:
            return True
        return Backend.parse(link.label) in self.settings.backends

    # What its builds become

    def installed(
        self, version: Version, label: str | None, wanted: SpecifierSet
    ) -> tuple[Version, str | None, bool]:
        """Tell of an installed build which release it is of, as the bridge sees it.

        :param label: that was recorded when it was installed.
        :param wanted: what the requirements say of its version.
        :return: the version, the label, and whether its backend is one that the user
            does not want.
        """
        backend = Backend.find(version.local)
        if backend is None:
            return version, label, False
        choice = self.settings.backends
        unwanted = bool(choice) and backend not in choice and not pins_build(wanted)
        return public(version), backend.label, unwanted

    def has_builds(self, project: NormalizedName) -> bool:
        """Tell whether there are builds of a project for single backends."""
        found = self.found.get(project, ())
        return any(isinstance(each.link, BuildLink) for each in found)

    def special_versions(self, project: NormalizedName) -> set[Version]:
        """Give the versions that are builds with more than a backend to them."""
        if project not in self._listed:
            return set()
        return {
            candidate.version
            for candidate in self.found[project]
            if wheels.is_special(candidate)
        }

    def infos(
        self,
        infos: Callable[[], Iterator[IndexCandidateInfo]],
        project: NormalizedName,
        *,
        pinned: bool,
    ) -> Iterator[IndexCandidateInfo]:
        """Give the builds of one public version as one version.

        :param pinned: whether a requirement names a local version.
        """
        special: set[Version] | None = None
        for version, maker in infos():
            if special is None:
                # Only now upstream has looked for candidates.
                special = self.special_versions(project)
            assert isinstance(maker, partial)
            if isinstance(maker.keywords["link"], BuildLink):
                yield public(version), maker
            elif pinned or version not in special:
                yield version, maker


def pins_build(specifier: SpecifierSet) -> bool:
    """Tell whether a requirement names a local version, and so the build."""
    return any(
        each.operator in ("==", "===") and "+" in each.version for each in specifier
    )


def _relinked(candidate: InstallationCandidate, link: Link) -> InstallationCandidate:
    if link is candidate.link:
        return candidate
    return InstallationCandidate(candidate.name, str(candidate.version), link)


def _pins_release(specifier: SpecifierSet) -> bool:
    return any(
        each.operator in ("==", "===")
        and "+" not in each.version
        and not each.version.endswith(".*")
        for each in specifier
    )


def _allow_prereleases(finder: PackageFinder, project: NormalizedName) -> None:
    control = finder.release_control
    if control is None:
        finder.set_release_control(ReleaseControl({project}))
    elif control.allows_prereleases(project) is None:
        control.all_releases.add(project)
