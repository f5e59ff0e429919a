"""Releases with one build per local version."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from pip._internal.metadata import get_default_environment
from pip._internal.models.candidate import InstallationCandidate
from pip._internal.utils.misc import redact_auth_from_url
from pip._internal.variants.index.links import LocalVersionWheel, label_of, public
from pip._internal.variants.pytorch.backends import (
    DEVICES,
    Backend,
    BackendGroup,
    newest_first,
)
from pip._internal.variants.pytorch.options import ANY_BACKEND, BACKENDS
from pip._internal.variants.pytorch.synthetic import manifest_for, manifest_of_choice
from pip._internal.variants.selection.accelerators import present
from pip._internal.variants.selection.ranking import Origin, OriginKind, select
from pip._internal.variants.selection.release import Release
from pip._internal.variants.selection.releases import release_of
from pip._internal.variants.selection.run import Purpose

if TYPE_CHECKING:
    from pip._vendor.packaging.utils import NormalizedName
    from pip._vendor.wheel_variants.manifest import Manifest

    from pip._internal.models.link import Link
    from pip._internal.variants.providers.result import ProviderResult
    from pip._internal.variants.pytorch.settings import PyTorchSettings
    from pip._internal.variants.selection.mode import Candidates
    from pip._internal.variants.selection.run import Run


class WantedBackends:
    """The user's backends, for the target of a run.

    :ivar choice: the user's backends; empty for any backend that suits the target.
    """

    def __init__(self, run: Run, settings: PyTorchSettings) -> None:
        self._run, self.settings = run, settings
        self.choice = settings.backends

    def manifest(self, backends: Sequence[Backend], *, pinned: bool) -> Manifest:
        """Return the manifest of a release that has builds for *backends*.

        :param pinned: whether a requirement pins the local version of a build.
        """
        if pinned:
            return manifest_of_choice(backends, backends)
        if self.choice:
            return manifest_of_choice(self.allowed_of(backends), backends)
        return self._manifest_for_target(backends)

    def _manifest_for_target(self, backends: Iterable[Backend]) -> Manifest:
        detected, gpus = self._run.target.detected, self.settings.gpus
        answer = self.nvidia()
        # A driver reports its GPUs; a user may describe only the driver.
        if answer.driver is None and not answer.values("sm_arch"):
            gpus = replace(gpus, cuda={})
        is_tegra = detected.tegra() is not None
        return manifest_for(backends, gpus, is_tegra=is_tegra)

    def nvidia(self) -> ProviderResult:
        """Return the target's features in the namespace ``nvidia``."""
        return self._supported([Backend.parse("cu128")], ["nvidia"])["nvidia"]

    def _supported(
        self, backends: Iterable[Backend], namespaces: Iterable[str]
    ) -> Mapping[str, ProviderResult]:
        probe = manifest_for(backends, self.settings.gpus)
        return self._run.target.detected.query(probe, namespaces)

    def allowed_of(self, offered: Sequence[Backend]) -> list[Backend]:
        """Return the wanted backends, most preferred first.

        Individually named backends are always wanted, without detection. If the user named a
        group, its backends that suit the target are wanted. If the target has no device for the
        group, for example to build an image for other machines, all its backends are wanted.

        :param offered: the available backends.
        """
        found: dict[Backend, None] = {}
        for item in self.choice.items:
            if isinstance(item, BackendGroup):
                members = newest_first(each for each in offered if each in item)
                if members and self._has_device:
                    manifest = self._manifest_for_target(members)
                    target = self._run.target.detected
                    selection = select("", manifest, manifest.variants, target, ())
                    members = list(map(Backend.parse, selection.ranking.compatible))
                found |= dict.fromkeys(members)
            else:
                found[item] = None
        return list(found)

    @cached_property
    def _has_device(self) -> bool:
        """Whether the target has a device for one of the user's groups."""
        kinds = sorted({kind for each in self.choice.groups for kind in each.value})
        known = self.settings.pytorch.backends
        backends = [each for each in known if each.kind in kinds]
        return bool(present(self._supported(backends, [DEVICES[x][0] for x in kinds])))


class LocalVersionRelease(Release):
    """All builds of one public version.

    pip lock selects one build for the target: a lock file has one version of a package, and
    these builds are different versions.
    """

    def __init__(self, *args: Any, wanted: WantedBackends, pinned: bool) -> None:
        """Create the release.

        :param wanted: the user's backends.
        :param pinned: whether a requirement pins the local version.
        """
        super().__init__(*args)
        self.wanted = wanted
        self.pinned = pinned

    @property
    def chosen_by(self) -> str | None:
        """The option or pin that selects the build; None if pip selects the build."""
        if self.pinned:
            return "its local version"
        if self.chosen_label is None and self.wanted.choice:
            return self.wanted.settings.origin
        return super().chosen_by

    @property
    def is_explicit(self) -> bool:
        """Whether the user selected one specific build."""
        choice = self.wanted.choice
        is_named = len(choice.items) == len(choice.named) == 1
        return self.pinned or self.chosen_label is not None or is_named

    @property
    def refusal(self) -> str | None:
        """The reason for rejecting all builds (none is for the user's backends), or None."""
        if not self.wanted.choice or self.pinned:
            return None
        backends = [each for each in map(Backend.find, self.labels) if each is not None]
        if not set(backends).isdisjoint(self.wanted.allowed_of(backends)):
            return None
        return (
            f"no supported wheel for {self.wanted.choice}; available: "
            f"{', '.join(self.labels)}"
        )

    @property
    def hint(self) -> str | None:
        """A hint for choosing among the available backends, or None."""
        if not self.wanted.choice or self.pinned:
            return None
        return (
            f"{self} has wheels for {', '.join(self.labels)}. Choose a backend with "
            f"{BACKENDS.name}, or let pip choose with {'='.join(ANY_BACKEND)}."
        )

    def _manifest(
        self, source: str, wheels: Mapping[str, Link]
    ) -> tuple[Manifest, Origin]:
        if not all(isinstance(link, LocalVersionWheel) for link in wheels.values()):
            return super()._manifest(source, wheels)
        backends = [Backend.parse(label) for label in wheels]
        manifest = self.wanted.manifest(backends, pinned=self.pinned)
        return manifest, Origin(OriginKind.VERSIONS, redact_auth_from_url(source))


def releases(
    run: Run, project: NormalizedName, candidates: Candidates
) -> Iterator[tuple[Release, list[InstallationCandidate]]]:
    """Yield releases with builds for backends, newest first, with their files."""
    # In the resolver's order: by platform tag and build tag, best first.
    evaluator = run.finder.make_candidate_evaluator(project)
    ordered = sorted(candidates, key=evaluator._sort_key, reverse=True)
    ordered.sort(key=lambda each: public(each.version), reverse=True)
    for version, grouped in itertools.groupby(ordered, lambda c: public(c.version)):
        group = list(grouped)
        links = [each.link for each in group]
        if any(isinstance(link, LocalVersionWheel) for link in links):
            yield release_of(run, project, version, links), group


def best_builds(
    run: Run, project: NormalizedName, candidates: Candidates
) -> list[InstallationCandidate]:
    """Return, for each version, the build that pip would install."""
    left: list[InstallationCandidate] = []
    known = set()
    for release, group in releases(run, project, candidates):
        known.update(group)
        for best in release.fetch_ranked()[:1]:
            label = label_of(best)
            left += [each for each in group if label_of(each.link) == label]
    if run.purpose is Purpose.LIST_NEWEST:
        left = [_as_installed(project, each) for each in left]
    return left + [each for each in candidates if each not in known]


def _as_installed(
    project: NormalizedName, candidate: InstallationCandidate
) -> InstallationCandidate:
    """Return *candidate*, with the installed version if only the build differs.

    A build for another backend is not a newer version.
    """
    dist = get_default_environment().get_distribution(project)
    if dist is None or public(dist.version) != public(candidate.version):
        return candidate
    return InstallationCandidate(
        candidate.name, str(dist.version), candidate.link, candidate.locked
    )
