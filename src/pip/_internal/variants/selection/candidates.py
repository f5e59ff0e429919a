"""Offer builds as candidates to the resolver.

A release offers its builds best first. Stock pip keeps an installed package if its version
fits. The fork does the same, unless the user requests another build of that version: a label,
or the best build.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from pip._vendor.packaging.requirements import Requirement
from pip._vendor.packaging.utils import canonicalize_name
from pip._vendor.packaging.version import Version
from pip._vendor.wheel_variants.abi_dependency import requirements

from pip._internal.exceptions import HashMismatch, MetadataInvalid
from pip._internal.variants.index.links import LocalVersionWheel, label_of
from pip._internal.variants.selection.installed import installed_build, installed_label
from pip._internal.variants.selection.ranking import judge_installed
from pip._internal.variants.selection.run import Run, options_for
from pip._internal.variants.settings import VARIANT_HOST

if TYPE_CHECKING:
    from pip._vendor.packaging.specifiers import SpecifierSet
    from pip._vendor.packaging.utils import NormalizedName

    from pip._internal.metadata import BaseDistribution
    from pip._internal.models.link import Link
    from pip._internal.req.req_install import InstallRequirement
    from pip._internal.resolution.resolvelib.base import Candidate
    from pip._internal.resolution.resolvelib.factory import Factory
    from pip._internal.resolution.resolvelib.found_candidates import IndexCandidateInfo
    from pip._internal.variants.selection.installed_records import InstalledBuild
    from pip._internal.variants.selection.mode import Infos
    from pip._internal.variants.selection.ranking import Selection
    from pip._internal.variants.selection.release import Release

    #: The function that creates the candidate of each link, as upstream stores it.
    Makers = Mapping[Link, functools.partial[Candidate | None]]


class VariantCandidates:
    """An iterable of the builds of a release, best first.

    The resolver gets one candidate of a version, and continues with an older version if that
    candidate does not fit. If no version fits, it gets the other builds. A release whose
    variants require certain versions of other packages offers all of its builds at once.
    """

    def __init__(
        self,
        release: Release,
        makers: Makers,
        competing: InstalledCandidate | None,
        *,
        installed: bool,
    ) -> None:
        """Create the iterable, which ranks builds only on first use.

        :param makers: the function that creates the candidate of each link.
        :param competing: the installed build of this version, if it competes.
        :param installed: whether upstream offers an installed build of this version
            instead of the first candidate.
        """
        self.release = release
        self._makers = makers
        self._competing = competing
        self._is_installed = installed
        self._given: set[Link] = set()

    def __iter__(self) -> Iterator[IndexCandidateInfo]:
        """Yield versions, each with a function that creates a candidate."""
        yield self.release.version, functools.partial(self._make, 0)
        yield from self._repeated(self._make_another)

    def others(self) -> Iterator[IndexCandidateInfo]:
        """Yield the builds that the resolver did not get, if no build is installed."""
        return iter(()) if self._is_installed else self._repeated(self._make)

    def _repeated(self, make: Callable[..., Any]) -> Iterator[IndexCandidateInfo]:
        for place in range(len(self.release.links)):
            version = _RepeatedVersion(str(self.release.version))
            yield version, functools.partial(make, place)

    def _make_another(self, place: int) -> Candidate | None:
        has_one = bool(self._given) or self._is_installed
        if has_one and not self.release.fetch_has_alternatives():
            return None
        return self._make(place)

    def _make(self, place: int) -> Candidate | None:
        ranked = self.release.fetch_ranked()
        if place >= len(ranked) or ranked[place] in self._given:
            return None
        link = ranked[place]
        if self._competing is not None and self._competing.stays(self.release, link):
            candidate: Candidate | None = self._competing.keep()
        else:
            try:
                candidate = self._made(link)
            except HashMismatch:
                # If a page lists no hashes, another wheel may be the pinned one.
                if link.has_hash or not self.release.drop(link):
                    raise
                return self._make(place)
        if candidate is not None:
            self._given.add(link)
        return candidate

    def _made(self, link: Link) -> Candidate | None:
        """Return the candidate for a link; None if stock pip discards it.

        :raises VariantLost: if the file is a variant, in strict mode.
        """
        maker = self._makers[link]
        try:
            candidate: Candidate | None = maker()
        except MetadataInvalid as error:
            # Upstream then skips the version.
            self.release.discarded(link, str(error))
            raise
        if candidate is None:
            factory: Factory = cast("Any", maker.func).__self__
            self.release.discarded(link, str(factory._build_failures[link]))
        return candidate


def offer(info: IndexCandidateInfo) -> Release | Link:
    """Return the files of a release, or a single file, for the resolver.

    Selects nothing and creates no candidate; ignores installed packages.
    """
    maker = info[1]
    assert isinstance(maker, functools.partial)
    builds = getattr(maker.func, "__self__", None)
    if isinstance(builds, VariantCandidates):
        return builds.release
    link: Link = maker.keywords["link"]
    return link


class _RepeatedVersion(Version):
    """A version that never compares equal, because stock pip drops duplicates."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return self is other

    def __hash__(self) -> int:
        return id(self)


@dataclass(frozen=True, slots=True)
class InstalledCandidate:
    """An installed build that competes with the builds of its version on the index.

    :ivar keep: a function that creates the candidate for the installed build.
    :ivar must_go: whether the user selected another label for this project, the user excluded
        the device of the build, or a mode or lock file rules the build out.
    :ivar holds_back: whether the build requires an old version of an upgraded package.
    """

    run: Run
    version: Version
    label: str | None
    keep: Callable[[], Candidate]
    must_go: bool
    holds_back: bool

    def stays(self, release: Release, link: Link) -> bool:
        """Return whether pip keeps this build if *link* is the best of *release*."""
        is_asked_for = self.must_go or self.holds_back
        if release.chosen_label is not None or self.run.settings.upgrade_variants:
            is_asked_for = True
        return not is_asked_for or label_of(link) == self.label

    def merged_with(self, find: Infos, *, first: bool) -> Iterator[IndexCandidateInfo]:
        """Yield the candidates of the index, and this build last among those of its version.

        Omit this build if it must go.

        :param find: a function that yields the candidates of the index.
        :param first: whether the version of this build precedes all other versions, even newer
            ones; true if pip need not upgrade the package.
        """
        infos = find()
        if first:
            infos = iter(sorted(infos, key=lambda info: info[0] != self.version))
        offered = self.must_go
        for info in infos:
            passed = info[0] < self.version or (first and info[0] != self.version)
            if not offered and passed:
                yield self.version, self.keep
                offered = True
            yield info
        if not offered:
            yield self.version, self.keep


def installed_candidate(
    run: Run,
    factory: Factory,
    dist: BaseDistribution,
    ireqs: Sequence[InstallRequirement],
    specifier: SpecifierSet,
) -> InstalledCandidate | None:
    """Return an installed build if another build of its version may win, or None.

    pip keeps most installed packages without a request to the index.
    """
    is_wanted = specifier.contains(dist.version, prereleases=True)
    if factory.force_reinstall or not is_wanted:
        return None
    project, build = dist.canonical_name, installed_build(dist)
    version, label, unwanted = dist.version, installed_label(dist), False
    for mode in run.modes:
        seen = mode.installed(dist.version, build, specifier)
        if seen is not None:
            version, label, unwanted = seen
    unwanted = unwanted or _is_excluded(run, project, build)
    user_supplied = any(each.user_supplied for each in ireqs)
    named = run.overrides.label_for(project, build.labels if build else ())
    must_go = named is not None or project in run.request.locked_labels or unwanted
    holds_back = build is not None and _holds_back(run, build)
    if must_go:
        competes = run.request.locked_labels.get(project, named) != label
    else:
        competes = _competes(run, build, user_supplied)
    if not competes and not holds_back:
        return None
    extras = frozenset[str]().union(*(each.extras for each in ireqs))
    keep = functools.partial(factory._make_candidate_from_dist, dist, extras, ireqs[0])
    return InstalledCandidate(run, version, label, keep, must_go, holds_back)


def _is_excluded(
    run: Run, project: NormalizedName, build: InstalledBuild | None
) -> bool:
    """Return whether the target that the user requested cannot run a build.

    A configured host affects selection, not installed builds.
    """
    is_asked = run.request.may_switch or run.settings.is_typed(VARIANT_HOST.name)
    if build is None or build.label is None or not is_asked:
        return False
    target = run.target.detected.without_plugins()
    selection = judge_installed(project, build, [build.label], target)
    return bool(selection.known_mismatches(build.label))


def _holds_back(run: Run, build: InstalledBuild) -> bool:
    """Return whether a build needs an old version of an upgraded package."""
    if build.label is None or not run.settings.upgrade:
        return False
    wanted = map(Requirement, requirements(build.manifest, build.label))
    return any(run.request.is_upgraded(canonicalize_name(each.name)) for each in wanted)


def _competes(run: Run, build: InstalledBuild | None, user_supplied: bool) -> bool:
    """Return whether another variant of the installed version may be better.

    pip checks packages that were installed without variants only if the user named them.
    Otherwise a configured label would require a request for each dependency.
    """
    labels = run.overrides.labels_for_all()
    if build is None:
        return user_supplied and (bool(labels) or run.settings.upgrade_variants)
    applying = run.overrides.applying_labels(None, build.labels)
    if applying:
        return applying[0] != build.label
    return run.settings.upgrade_variants or (user_supplied and bool(labels))


def is_other_build(installed: BaseDistribution, candidate: Candidate) -> bool:
    """Return whether a candidate is a different build of the installed version.

    The candidate must have the installed version.
    """
    link = candidate.source_link
    if link is None or not link.is_wheel or isinstance(link, LocalVersionWheel):
        # The version identifies the build.
        return False
    return label_of(link) != installed_label(installed)


def better_label(
    run: Run, dist: BaseDistribution, found: Mapping[NormalizedName, Version]
) -> tuple[str, Selection] | None:
    """Return a variant that is certainly better than an installed build, or None.

    Uses the record of the installation and sends no request.

    :param found: the versions of the solution.
    :return: the label, and the decision about all variants of the release.
    """
    build = installed_build(dist)
    # The options of an inactive mode may be needed to find other builds.
    others = (module for module, mode in run.mode_modules.items() if mode is None)
    if build is None or build.user_chosen or options_for(others, build):
        return None
    providers, name = run.target.providers.without_plugins(), dist.canonical_name
    selection = judge_installed(
        name, build, build.labels, providers, run.overrides.preferences
    )
    own, rejected = build.label, selection.ranking.rejected
    if own is not None and own in rejected and not selection.known_mismatches(own):
        # Only a plugin can check the installed variant.
        return None
    for label in selection.ranking.compatible:
        # Skip a build that would replace another package unasked; --upgrade-variants skips it
        # too.
        if not any(run.request.conflicts(selection.required(label), found)):
            return None if label == own else (label, selection)
    return None
