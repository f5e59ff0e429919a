"""Where each project comes from: an index of builds, or the user's own places.

A project that such an index has comes from there and from nowhere else, so that nobody
can slip in a package of that name elsewhere. The exception is a project that the user pins
and that has no builds for single backends. All else comes from the user's own indexes.
"""

from __future__ import annotations

import itertools
import logging
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from pip._vendor.packaging.utils import canonicalize_name

from pip._internal.models.candidate import InstallationCandidate
from pip._internal.models.release_control import ReleaseControl
from pip._internal.utils.misc import redact_auth_from_url
from pip._internal.variants.index.links import LocalVersionWheel
from pip._internal.variants.index.pins import pinned, pinned_versions
from pip._internal.variants.output.invocation import is_typed
from pip._internal.variants.output.reasons import unanswered
from pip._internal.variants.pytorch.backends import (
    Backend,
    BackendGroup,
    is_special_build,
    newest_first,
)
from pip._internal.variants.pytorch.drivers import NAMESPACES
from pip._internal.variants.pytorch.index import BackendIndex, Page, as_build
from pip._internal.variants.pytorch.options import BACKENDS, CPUONLY
from pip._internal.variants.pytorch.settings import NIGHTLY, PyTorchSettings
from pip._internal.variants.pytorch.synthetic import Machine, manifest_for
from pip._internal.variants.selection.mode import Mode
from pip._internal.variants.selection.project_index import find_beside_indexes, index_of
from pip._internal.variants.selection.ranking import select

if TYPE_CHECKING:
    from pip._vendor.packaging.specifiers import SpecifierSet
    from pip._vendor.packaging.utils import NormalizedName
    from pip._vendor.packaging.version import Version

    from pip._internal.index.package_finder import PackageFinder
    from pip._internal.models.link import Link
    from pip._internal.req.req_install import InstallRequirement
    from pip._internal.variants.providers.result import ProviderResult
    from pip._internal.variants.pytorch.description import IndexDescription
    from pip._internal.variants.selection.ranking import Selection
    from pip._internal.variants.selection.run import Run

__all__ = ["LocalVersionIndex"]

_Find = Callable[["PackageFinder", str], list[InstallationCandidate]]


class LocalVersionIndex(Mode):
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
        self.settings = settings
        self.may_switch = bool(settings.backends)
        self.indexes = indexes
        self.found: dict[NormalizedName, list[InstallationCandidate]] = {}
        self._origins: dict[NormalizedName, str] = {}
        self._specifiers: Mapping[NormalizedName, Sequence[SpecifierSet]] = {}
        self._listed: dict[NormalizedName, list[Link]] = {}

    def machine(self) -> Machine:
        """Return what the manifests of builds have to take into account."""
        answer = self.nvidia()
        # A driver that was asked tells what GPU it has; a user may leave that open.
        told = {feature.name for feature in answer.features}
        system = self._run.target.detected.environment["sys_platform"]
        return Machine(
            answer.driver,
            "windows" if system == "win32" else "linux",
            has_capability="sm_arch" in told or answer.driver is not None,
            is_tegra=self._run.target.detected.tegra() is not None,
        )

    def nvidia(self) -> ProviderResult:
        """Return what the target supports of the namespace ``nvidia``."""
        cuda = Backend.parse("cu128")
        probe = manifest_for(Machine(), [cuda], self.settings.gpus)
        return self._run.target.detected.query(probe, ["nvidia"])["nvidia"]

    def _backends_in_question(self, description: IndexDescription) -> Sequence[Backend]:
        if self.settings.backends:
            return self.wanted(description.backends)
        selection = self._selection(description.backends)
        self._run.reporter.report(unanswered(f"what {description} has", selection))
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
            if isinstance(item, BackendGroup):
                found |= dict.fromkeys(self._of_group(item, offered))
            else:
                found[item] = None
        return list(found)

    def _of_group(
        self, group: BackendGroup, offered: Iterable[Backend]
    ) -> list[Backend]:
        members = [each for each in offered if each in group]
        if members and self._has_device:
            return _suiting(self._selection(members))
        return newest_first(members)

    @cached_property
    def _has_device(self) -> bool:
        """Tell whether the target has a device that a group of the user's is for."""
        items = self.settings.backends.items
        groups = (each for each in items if isinstance(each, BackendGroup))
        kinds = {kind for each in groups for kind in each.kinds}
        probe = manifest_for(
            Machine(),
            [each for each in self.settings.pytorch.backends if each.kind in kinds],
            self.settings.gpus,
        )
        namespaces = [NAMESPACES[kind] for kind in sorted(kinds)]
        answers = self._run.target.detected.query(probe, namespaces)
        # A ROCm that is installed is no GPU.
        names = (each.name for found in answers.values() for each in found.features)
        return any(name != "rocm_version" for name in names)

    def _selection(self, backends: Iterable[Backend]) -> Selection:
        manifest = manifest_for(self.machine(), backends, self.settings.gpus)
        return select("", manifest, manifest.variants, self._run.target.detected, ())

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
        is_for_one = isinstance(link, LocalVersionWheel) and bool(backends)
        return not is_for_one or Backend.parse(link.label) in backends

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


def _suiting(selection: Selection) -> list[Backend]:
    return [Backend.parse(label) for label in selection.ranking.compatible]


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
