"""A release whose builds are told apart by their local versions."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pip._internal.metadata import get_default_environment
from pip._internal.models.candidate import InstallationCandidate
from pip._internal.utils.misc import redact_auth_from_url
from pip._internal.variants.index.links import LocalVersionWheel, label_of, public
from pip._internal.variants.pytorch.backends import AUTO, Backend
from pip._internal.variants.pytorch.options import BACKENDS
from pip._internal.variants.selection.ranking import Origin, OriginKind
from pip._internal.variants.selection.release import Release
from pip._internal.variants.selection.releases import release_of
from pip._internal.variants.selection.run import Purpose

if TYPE_CHECKING:
    from pip._vendor.packaging.utils import NormalizedName
    from pip._vendor.wheel_variants.manifest import Manifest

    from pip._internal.index.package_finder import PackageFinder
    from pip._internal.models.link import Link
    from pip._internal.variants.pytorch.wanted import WantedBackends
    from pip._internal.variants.selection.run import Run

__all__ = ["LocalVersionRelease", "best_builds", "releases"]


class LocalVersionRelease(Release):
    """All builds of one public version.

    The one to be locked is chosen for the target: a lock file has one version of a
    package, and for it these builds are versions.
    """

    def __init__(self, *args: Any, wanted: WantedBackends, pinned: bool) -> None:
        """Make the release.

        :param pinned: whether a requirement names the local version, which settles it.
        """
        super().__init__(*args)
        self.wanted = wanted
        self.pinned = pinned

    @property
    def chosen_by(self) -> str | None:
        """Return what the user chose the build with; None if it is up to pip."""
        if self.pinned:
            return "its local version"
        if self.chosen_label is None and self.wanted.choice:
            return self.wanted.settings.origin
        return super().chosen_by

    @property
    def refusal(self) -> str | None:
        """Say so if there is no build for the backends that the user named."""
        choice = self.wanted.choice
        if not choice or self.pinned:
            return None
        backends = [each for each in map(Backend.find, self.labels) if each is not None]
        if not set(backends).isdisjoint(self.wanted.among(backends)):
            return None
        suits = any(each in choice for each in backends)
        wanted = " or ".join(map(str, choice.items))
        return (
            f"it has builds for {', '.join(self.labels)}, and none for {wanted}"
            f"{' that suits the target machine' if suits else ''}"
        )

    @property
    def hint(self) -> str | None:
        """Say which builds there are where the user named backends."""
        if not self.wanted.choice or self.pinned:
            return None
        return (
            f"{self} has builds for {', '.join(self.labels)}: name one of them with "
            f"{BACKENDS.name}, or leave it to pip with {BACKENDS.name}={AUTO}."
        )

    def _manifest(
        self, source: str, wheels: Mapping[str, Link]
    ) -> tuple[Manifest, Origin]:
        if not all(isinstance(link, LocalVersionWheel) for link in wheels.values()):
            return super()._manifest(source, wheels)
        backends = [Backend.parse(label) for label in wheels]
        manifest = self.wanted.manifest(backends, pinned=self.pinned)
        where = redact_auth_from_url(source)
        return manifest, Origin(OriginKind.VERSIONS, where)


def releases(
    run: Run,
    finder: PackageFinder,
    project: NormalizedName,
    candidates: Sequence[InstallationCandidate],
) -> Iterator[tuple[Release, list[InstallationCandidate]]]:
    """Yield the releases that have builds for backends, newest first, with their files."""
    # As for the resolver: by platform tag and build tag, the best first.
    evaluator = finder.make_candidate_evaluator(project)
    ordered = sorted(candidates, key=evaluator._sort_key, reverse=True)
    ordered.sort(key=lambda each: public(each.version), reverse=True)
    for version, grouped in itertools.groupby(ordered, lambda c: public(c.version)):
        group = list(grouped)
        links = [each.link for each in group]
        if any(isinstance(link, LocalVersionWheel) for link in links):
            yield release_of(run, finder, project, version, links), group


def best_builds(
    run: Run,
    finder: PackageFinder,
    project: NormalizedName,
    candidates: Sequence[InstallationCandidate],
) -> list[InstallationCandidate]:
    """Return of each version the build that would be installed.

    :raises InstallationError: if that leaves nothing, where all versions are listed.
    """
    left: list[InstallationCandidate] = []
    known = set()
    for release, group in releases(run, finder, project, candidates):
        known.update(group)
        if not release.fetch_ranked():
            continue
        label = label_of(release.fetch_ranked()[0])
        best = [each for each in group if label_of(each.link) == label]
        if run.purpose is Purpose.LIST_NEWEST:
            left += [_as_installed(project, each) for each in best]
            if not group[0].version.is_prerelease:
                break
        else:
            left += best
    left += [each for each in candidates if each not in known]
    if candidates and not left and run.purpose is Purpose.LIST_ALL:
        from pip._internal.variants.output.refusals import nothing_left

        raise nothing_left(project, run.decisions.reached(project))
    return left


def _as_installed(
    project: NormalizedName, candidate: InstallationCandidate
) -> InstallationCandidate:
    """Return a candidate with the version that is installed if only the build differs.

    A build for something else is no newer version.
    """
    dist = get_default_environment().get_distribution(project)
    if dist is None or public(dist.version) != public(candidate.version):
        return candidate
    return InstallationCandidate(
        candidate.name, str(dist.version), candidate.link, candidate.locked
    )
