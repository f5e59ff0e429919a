"""The builds of a project for commands that list versions."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from pip._internal.metadata import get_default_environment
from pip._internal.models.candidate import InstallationCandidate
from pip._internal.variants.choice.releases import release_of, weighed
from pip._internal.variants.wheels.links import BuildLink, label_of, public

if TYPE_CHECKING:
    from pip._vendor.packaging.utils import NormalizedName

    from pip._internal.index.package_finder import PackageFinder
    from pip._internal.variants.choice.context import Context
    from pip._internal.variants.choice.release import Release

__all__ = ["best_builds", "releases"]


def releases(
    context: Context,
    finder: PackageFinder,
    project: NormalizedName,
    candidates: Sequence[InstallationCandidate],
) -> Iterator[tuple[Release, list[InstallationCandidate]]]:
    """Give the releases that have builds for backends, newest first, with their files."""
    # As for the resolver: by platform tag and build tag, the best first.
    evaluator = finder.make_candidate_evaluator(project)
    ordered = sorted(candidates, key=evaluator._sort_key, reverse=True)
    ordered.sort(key=lambda each: public(each.version), reverse=True)
    for version, grouped in itertools.groupby(ordered, lambda c: public(c.version)):
        group = list(grouped)
        links = [each.link for each in group]
        if any(isinstance(link, BuildLink) for link in links):
            yield release_of(context, finder, project, version, links), group


def best_builds(
    context: Context,
    finder: PackageFinder,
    project: NormalizedName,
    candidates: Sequence[InstallationCandidate],
) -> list[InstallationCandidate]:
    """Leave of each version the build that would be installed.

    :raises InstallationError: if that leaves nothing, where all versions are listed.
    """
    left: list[InstallationCandidate] = []
    known = set()
    for release, group in releases(context, finder, project, candidates):
        known.update(group)
        if not release.ranked:
            continue
        label = label_of(release.ranked[0])
        best = [each for each in group if label_of(each.link) == label]
        if context.listing == "newest":
            left += [_as_installed(project, each) for each in best]
            if not group[0].version.is_prerelease:
                break
        else:
            left += best
    left += [each for each in candidates if each not in known]
    if candidates and not left and context.listing == "all":
        from pip._internal.variants.tell.refusals import nothing_left

        raise nothing_left(project, None, weighed(context).reached(project))
    return left


def _as_installed(
    project: NormalizedName, candidate: InstallationCandidate
) -> InstallationCandidate:
    """Give a candidate the version of what is installed if only the build differs.

    A build for something else is no newer version.
    """
    dist = get_default_environment().get_distribution(project)
    if dist is None or public(dist.version) != public(candidate.version):
        return candidate
    return InstallationCandidate(
        candidate.name, str(dist.version), candidate.link, candidate.locked
    )
