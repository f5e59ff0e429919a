"""Where each project comes from: PyTorch's index, or the user's own places.

A project that PyTorch's index has comes from there and from nowhere else, so that nobody
can slip in a package of that name elsewhere. The exception is a project that the user pins
and that has no builds for single backends. All else comes from the user's own indexes.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from pip._vendor.packaging.utils import canonicalize_name

from pip._internal.models.candidate import InstallationCandidate
from pip._internal.models.release_control import ReleaseControl
from pip._internal.utils.misc import redact_auth_from_url
from pip._internal.variants.choice.mode import Mode
from pip._internal.variants.choice.places import find_beside_indexes, index_of
from pip._internal.variants.choice.reasons import tell_unanswered
from pip._internal.variants.choice.selection import select
from pip._internal.variants.core.pins import pinned
from pip._internal.variants.pytorch.backends import (
    Backend,
    Group,
    is_special_build,
    newest_first,
)
from pip._internal.variants.pytorch.devices import NAMESPACES
from pip._internal.variants.pytorch.index import (
    PUBLISHED,
    PyTorchIndex,
    as_build,
    have_builds,
)
from pip._internal.variants.pytorch.settings import Channel, Settings
from pip._internal.variants.pytorch.synthetic import Machine, manifest_for
from pip._internal.variants.wheels.links import BuildLink

if TYPE_CHECKING:
    from pip._vendor.packaging.specifiers import SpecifierSet
    from pip._vendor.packaging.utils import NormalizedName
    from pip._vendor.packaging.version import Version

    from pip._internal.index.package_finder import PackageFinder
    from pip._internal.models.link import Link
    from pip._internal.req.req_install import InstallRequirement
    from pip._internal.variants.choice.context import Context
    from pip._internal.variants.choice.selection import Selection
    from pip._internal.variants.core.answer import Answer

__all__ = ["Bridge"]

_Find = Callable[["PackageFinder", str], list[InstallationCandidate]]


class Bridge(Mode):
    """What one run of pip finds on PyTorch's index, and what elsewhere.

    :ivar index: PyTorch's.
    :ivar found: the candidates of each project that was looked up.
    :ivar looked_up: the projects that come from PyTorch's index.
    :ivar shared: projects on PyTorch's index without builds for single backends.
    :ivar left_alone: those of that kind that come from the user's index.
    """

    def __init__(
        self, context: Context, settings: Settings, index: PyTorchIndex | None = None
    ) -> None:
        """Make the bridge of a run.

        :param index: of another run, which has fetched some of it.
        """
        if index is None:
            index = PyTorchIndex(context, settings.base_url, self._backends_in_question)
        self._context = context
        self.settings = settings
        self.may_switch = bool(settings.backends)
        self.index = index
        self.found: dict[NormalizedName, list[InstallationCandidate]] = {}
        self.looked_up: set[NormalizedName] = set()
        self.shared: set[NormalizedName] = set()
        self.left_alone: set[NormalizedName] = set()
        self._pinned: frozenset[NormalizedName] = frozenset()
        self._listed: dict[NormalizedName, list[Link]] = {}

    def machine(self) -> Machine:
        """Return what the manifests of builds have to take into account."""
        answer = self.nvidia()
        # A driver that was asked tells what GPU it has; a user may leave that open.
        told = {feature.name for feature in answer.features}
        system = self._context.detected.environment["sys_platform"]
        return Machine(
            answer.driver,
            "windows" if system == "win32" else "linux",
            has_capability="sm_arch" in told or answer.driver is not None,
            is_tegra=self._context.detected.tegra() is not None,
        )

    def nvidia(self) -> Answer:
        """Return what the target supports of the namespace ``nvidia``."""
        probe = manifest_for(Machine(), [Backend.parse("cu128")])
        return self._context.detected.ask(probe, ["nvidia"])["nvidia"]

    def _backends_in_question(self) -> Sequence[Backend]:
        if self.settings.backends:
            return self.wanted(PUBLISHED)
        selection = self._selection(PUBLISHED)
        tell_unanswered(self._context, "what PyTorch's index has", selection)
        return _suiting(selection)

    def wanted(self, backends: Iterable[Backend]) -> list[Backend]:
        """Return what the user wants, most preferred first.

        Backends that are named are wanted whatever there is, and no machine is asked. Of
        a group those are wanted that suit the target; all of them, if it has no device
        of theirs, as where an image for other machines is built.

        :param backends: which there are.
        """
        choice = self.settings.backends
        offered = list(backends)
        found: dict[Backend, None] = {}
        for item in choice.items:
            if isinstance(item, Group):
                found |= dict.fromkeys(self._of_group(item, offered))
            else:
                found[item] = None
        return list(found)

    def _of_group(self, group: Group, offered: Iterable[Backend]) -> list[Backend]:
        members = [each for each in offered if each.kind in group.kinds]
        if not members:
            return []
        selection = self._selection(members)
        devices = (selection.answers.get(NAMESPACES[kind]) for kind in group.kinds)
        if any(answer is not None and answer.features for answer in devices):
            return _suiting(selection)
        return newest_first(members)

    def _selection(self, backends: Iterable[Backend]) -> Selection:
        manifest = manifest_for(self.machine(), backends)
        return select("", manifest, manifest.variants, self._context.detected, ())

    def note_roots(self, requirements: Iterable[InstallRequirement]) -> None:
        """Take note of what the user pins."""
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
        """Return the candidates of a project from where it comes from.

        :param find: finds them as upstream does.
        """
        project = canonicalize_name(project_name)
        if project_name in finder._all_candidates or project in finder._locked_links:
            return find(finder, project_name)
        if index_of(self._context, project) is not None:
            # The user said by name where it comes from.
            return find(finder, project_name)
        links = self._offered(finder, project)
        there: list[InstallationCandidate] = []
        if links is None:
            own = find(finder, project_name)
        elif (
            project in self._pinned
            and not have_builds(links)
            and (own := find(finder, project_name))
        ):
            self.left_alone.add(project)
            self._say(
                f"Looking for {project} in your own index, not in PyTorch's, since you "
                "pinned it"
            )
        else:
            own = find_beside_indexes(find, finder, project_name)
            there = self._there(finder, project_name, links)
            self.looked_up.add(project)
            if not have_builds(links):
                self.shared.add(project)
        found = [
            *(_relinked(each, self._own(finder, each.link)) for each in own),
            *there,
        ]
        self.found[project] = finder._all_candidates[project_name] = found
        return found

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
        source = folders if finder.search_scope.no_index else self.index.base_url
        return as_build(link, source, by_place=False)

    def _offered(
        self, finder: PackageFinder, project: NormalizedName
    ) -> list[Link] | None:
        if finder.search_scope.no_index:
            return None
        links = self.index.links(project)
        if links is not None:
            url = redact_auth_from_url(self.index.base_url)
            self._say(f"Looking in PyTorch's index first: {url}")
        return links

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
        by_place = have_builds(links)
        source = self.index.base_url
        builds = [as_build(each, source, by_place=by_place) for each in links]
        self._listed[canonicalize_name(project_name)] = builds
        evaluator = finder.make_link_evaluator(project_name)
        return finder.evaluate_links(evaluator, builds)

    def _is_usable(self, candidate: InstallationCandidate) -> bool:
        link = candidate.link
        if not isinstance(link, BuildLink) or not self.settings.backends:
            return True
        return Backend.parse(link.label) in self.settings.backends

    def settles(self, project: NormalizedName) -> bool:
        """Tell whether a project has builds for single backends, which are versions."""
        found = self.found.get(project, ())
        return any(isinstance(each.link, BuildLink) for each in found)

    def special_versions(self, project: NormalizedName) -> set[Version]:
        """Return the versions that are builds with more than a backend to them."""
        if project not in self._listed:
            return set()
        return {
            candidate.version
            for candidate in self.found[project]
            if is_special_build(candidate.version.local or "")
        }


def _suiting(selection: Selection) -> list[Backend]:
    return [Backend.parse(label) for label in selection.ranking.compatible]


def _relinked(candidate: InstallationCandidate, link: Link) -> InstallationCandidate:
    if link is candidate.link:
        return candidate
    return InstallationCandidate(candidate.name, str(candidate.version), link)


def _pins_release(specifier: SpecifierSet) -> bool:
    return any("+" not in version for version in pinned(specifier))


def _allow_prereleases(finder: PackageFinder, project: NormalizedName) -> None:
    control = finder.release_control
    if control is None:
        finder.set_release_control(ReleaseControl({project}))
    elif control.allows_prereleases(project) is None:
        control.all_releases.add(project)
