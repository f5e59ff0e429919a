"""Whether an installed build gives way to another build of the same version.

Upstream takes whatever is installed in a fitting version for what is wanted. The same
holds here, unless the user asked for another build: by its label, or for the best one.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pip._vendor.packaging.requirements import Requirement
from pip._vendor.packaging.utils import canonicalize_name
from pip._vendor.wheel_variants.abi_dependency import requirements

from pip._internal.variants.index.links import LocalVersionWheel, label_of, public
from pip._internal.variants.providers.result import Source
from pip._internal.variants.selection.abi_requirements import unfit
from pip._internal.variants.selection.installed import installed_build, installed_label
from pip._internal.variants.selection.ranking import judge_installed
from pip._internal.variants.selection.settings import VARIANT_HOST

if TYPE_CHECKING:
    from pip._vendor.packaging.specifiers import SpecifierSet
    from pip._vendor.packaging.utils import NormalizedName
    from pip._vendor.packaging.version import Version

    from pip._internal.metadata import BaseDistribution
    from pip._internal.models.link import Link
    from pip._internal.req.req_install import InstallRequirement
    from pip._internal.resolution.resolvelib.base import Candidate
    from pip._internal.resolution.resolvelib.factory import Factory
    from pip._internal.resolution.resolvelib.found_candidates import IndexCandidateInfo
    from pip._internal.variants.selection.installed_records import InstalledBuild
    from pip._internal.variants.selection.ranking import Selection
    from pip._internal.variants.selection.release import Release
    from pip._internal.variants.selection.run import Run

__all__ = [
    "InstalledCandidate",
    "are_variants_found",
    "better_label",
    "installed_candidate",
    "is_other_build",
]


@dataclass(frozen=True, slots=True)
class InstalledCandidate:
    """An installed build that competes with the builds of its version on the index.

    :ivar keep: makes the candidate that leaves it installed.
    :ivar must_go: whether the user chose another label for just this project or excludes
        its device, or a mode or a lock file from which to install does.
    :ivar holds_back: whether it is for a version of what the user upgrades.
    """

    run: Run
    version: Version
    label: str | None
    keep: Callable[[], Candidate]
    must_go: bool
    holds_back: bool

    def stays(self, release: Release, link: Link) -> bool:
        """Return whether it stays if the choice among *release* would be *link*."""
        is_asked_for = self.must_go or self.holds_back
        if release.chosen_label is not None or self.run.settings.upgrade_variants:
            is_asked_for = True
        return not is_asked_for or label_of(link) == self.label

    def among(
        self, infos: Iterator[IndexCandidateInfo], *, first: bool
    ) -> Iterator[IndexCandidateInfo]:
        """Yield the candidates of the index, and this one behind those of its version.

        :param first: whether its version comes before newer ones, as upstream has it
            for what need not be upgraded.
        """
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
    project: NormalizedName,
    ireqs: Sequence[InstallRequirement],
    specifier: SpecifierSet,
) -> InstalledCandidate | None:
    """Return the installed build of *project* if another one of its version may win.

    Most of what is installed is kept without a look at the index.
    """
    if factory.force_reinstall or not run.enabled:
        return None
    dist = factory._installed_dists.get(project)
    if dist is None or not specifier.contains(dist.version, prereleases=True):
        return None
    build = installed_build(dist)
    version, label, unwanted = _as_modes_see(run, dist, specifier)
    unwanted = unwanted or _is_excluded(run, project, build)
    user_supplied = any(each.user_supplied for each in ireqs)
    named = run.overrides.label_for(project)
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


def _as_modes_see(
    run: Run, dist: BaseDistribution, specifier: SpecifierSet
) -> tuple[Version, str | None, bool]:
    """Return the version and the label of what is installed, and whether it shall go."""
    version, build, unwanted = dist.version, installed_build(dist), False
    label = None if build is None else build.label
    for mode in run.modes:
        version, label, refused = mode.installed(version, label, build, specifier)
        unwanted = unwanted or refused
    return version, label, unwanted


def _is_excluded(
    run: Run, project: NormalizedName, build: InstalledBuild | None
) -> bool:
    """Return whether a build needs a device that the target lacks, as the user said.

    A host that is configured counts for what is chosen, and not for what is installed.
    """
    said = {Source.DECLARED}
    if run.settings.is_typed(VARIANT_HOST.name):
        said.add(Source.HOST)
    if build is None or build.label is None:
        return False
    target = run.target.detected.without_plugins()
    selection = judge_installed(project, build, [build.label], target)
    return any(
        selection.answers[each.feature.namespace].source in said
        for each in selection.ranking.rejected.get(build.label, ())
    )


def _holds_back(run: Run, build: InstalledBuild) -> bool:
    """Return whether a build is for a version of what the user upgrades."""
    if build.label is None or not run.settings.upgrade:
        return False
    wanted = _required(build, build.label)
    return any(run.request.is_upgraded(canonicalize_name(each.name)) for each in wanted)


def _required(build: InstalledBuild, label: str) -> Iterator[Requirement]:
    """Return what a variant of an installed release requires of other packages."""
    return map(Requirement, requirements(build.manifest, label))


def _competes(run: Run, build: InstalledBuild | None, user_supplied: bool) -> bool:
    """Return whether a label for all projects, or the best variant, may be another one.

    What was installed as if there were no variants is looked up only if the user named
    it: a label in the configuration must not cost a request for each dependency.
    """
    labels = run.overrides.labels_for_all()
    if build is None:
        return user_supplied and (bool(labels) or run.settings.upgrade_variants)
    applying = run.overrides.applying_labels(None, build.labels)
    if applying:
        return applying[0] != build.label
    return run.settings.upgrade_variants or (user_supplied and bool(labels))


def is_other_build(installed: BaseDistribution, candidate: Candidate) -> bool:
    """Return whether a candidate is another build than the installed one.

    Both have the same version.
    """
    link = candidate.source_link
    if link is None or not link.is_wheel or isinstance(link, LocalVersionWheel):
        # The version tells the build, so one of the same version is the same.
        return False
    return label_of(link) != installed_label(installed)


def better_label(
    run: Run, dist: BaseDistribution, found: Mapping[NormalizedName, Version]
) -> tuple[str, Selection] | None:
    """Return the variant that certainly suits better than an installed build.

    Judged by what was recorded when it was installed: there is no request.

    :param found: the versions that this run comes to.
    :return: its label, and how all variants of its release were judged.
    """
    build = installed_build(dist)
    if build is None or build.by_hand or _is_of_other_mode(run, build):
        return None
    providers, name = run.target.providers.without_plugins(), dist.canonical_name
    selection = judge_installed(
        name, build, build.labels, providers, run.overrides.preferences
    )
    own, rejected = build.label, selection.ranking.rejected
    if own is not None and own in rejected and not selection.known_mismatches(own):
        # Only a plugin knows whether it runs.
        return None
    for label in selection.ranking.compatible:
        # A build that would replace another package unasked is no better, and switching
        # does not take it.
        if not any(unfit(run.request, _required(build, label), found)):
            return None if label == own else (label, selection)
    return None


def _is_of_other_mode(run: Run, build: InstalledBuild) -> bool:
    """Whether only options of a mode that the run is not in find its other builds."""
    return any(
        mode is None and mode_module.options_for(build)
        for mode_module, mode in run.mode_modules.items()
    )


def are_variants_found(run: Run, dist: BaseDistribution) -> bool:
    """Return whether variants of the installed version were looked at."""
    build, version = installed_build(dist), dist.version
    if build is not None and any(
        mode_module.options_for(build) for mode_module in run.mode_modules
    ):
        version = public(version)
    found = run.decisions.reached(dist.canonical_name)
    return any(each.version == version and each.labels for each in found)
