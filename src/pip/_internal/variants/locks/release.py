"""Releases and lock files: one build is chosen from a lock file, or all are locked."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from pip._vendor.wheel_variants.manifest import InvalidManifest, Manifest

from pip._internal.utils.misc import redact_auth_from_url
from pip._internal.variants.index.links import label_of
from pip._internal.variants.index.sources import ManifestUnavailable
from pip._internal.variants.locks.conditions import LockedVariant
from pip._internal.variants.locks.documents import read_inlined
from pip._internal.variants.selection.ranking import Origin, OriginKind
from pip._internal.variants.selection.release import Release

if TYPE_CHECKING:
    from pip._internal.models.link import Link
    from pip._internal.variants.providers.chain import ProviderChain

__all__ = ["LockedRelease", "LockingRelease", "RelockedRelease"]


class LockedRelease(Release):
    """A release in a lock file, of which one build is chosen for the target.

    It is chosen for this one even to be locked once more: a lock file offers many
    packages, and nobody asked for the rest of them.
    """

    def __init__(
        self,
        *args: Any,
        variants_json: object,
        hashes: Mapping[Link, Mapping[str, str]],
    ) -> None:
        """Make the release; its one source is the lock file.

        :param variants_json: its ``[packages.variants-json]``, None if it has none.
        :param hashes: that the file has for each link, by algorithm.
        """
        super().__init__(*args)
        self._variants_json = variants_json
        self._hashes = hashes
        #: The file that was chosen; it stays so whatever else comes up.
        self.chosen: Link | None = None

    def fetch_ranked(self) -> list[Link]:
        """Return the links that may be installed, best first; the one that was chosen."""
        return super().fetch_ranked() if self.chosen is None else [self.chosen]

    @property
    def _checked_path(self) -> Callable[[Link], str] | None:
        settings = self._run.settings
        return None if settings.no_require_hashes else self._fetched

    def _fetched(self, link: Link) -> str:
        # Only for lock files without manifests, which this pip does not write.
        from pip._internal.network.download import Downloader
        from pip._internal.req.constructors import install_req_from_line
        from pip._internal.utils.hashes import Hashes
        from pip._internal.variants.index.checked_wheels import checked_path

        run = self._run
        download = Downloader(run.catalogue.session, run.settings.progress_bar)
        hashes = Hashes({name: [each] for name, each in self._hashes[link].items()})
        requirement = install_req_from_line(f"{self.project}=={self.version}")
        return checked_path(download, link, hashes, requirement)

    def _manifest(
        self, source: str, wheels: Mapping[str, Link]
    ) -> tuple[Manifest, Origin]:
        where = redact_auth_from_url(source)
        if self._variants_json is None:
            missing = f"{where} has no variants-json for it"
            manifest = self._manifest_of_wheels(wheels, missing)
            return manifest, Origin(OriginKind.WHEELS, where, missing)
        try:
            manifest = read_inlined(self._variants_json)
            return manifest, Origin(OriginKind.LOCK, where)
        except InvalidManifest as error:
            raise ManifestUnavailable(
                f"its variants-json in {where} cannot be used: {error}"
            ) from None


class LockingRelease(Release):
    """A release of which all builds are locked, one after the other."""

    builds_in_turn = True
    is_for_any = True

    def __init__(self, *args: Any, selected: Mapping[str, LockedVariant]) -> None:
        """Make the release.

        :param selected: the variants to take just now; of other packages, the least
            demanding one.
        """
        super().__init__(*args)
        self._selected = selected

    @property
    def _providers(self) -> ProviderChain:
        return (
            self._run.target.providers if self.is_for_any else self._run.target.detected
        )

    @cached_property
    def source(self) -> str | None:
        """Return the source whose variants are locked: the first that has any."""
        for source, selection in self.fetch_selections().items():
            if selection.ranking.compatible:
                return source
        return None

    @cached_property
    def builds(self) -> tuple[LockedVariant, ...]:
        """Return the builds to lock, the least demanding one last; none without variants.

        Labels chosen by hand narrow them.
        """
        if self.source is None:
            return ()
        selection = self.fetch_selections()[self.source]
        ordered = sorted(
            selection.ranking.compatible,
            key=lambda label: (not selection.properties(label), label),
        )
        labels: Sequence[str | None] = ordered
        wanted = self._run.overrides.applying_labels(self.project, self.labels)
        if not set(wanted) <= set(ordered):
            return ()
        if wanted:
            labels = [label for label in ordered if label in wanted]
        elif any(map(_is_plain_wheel, self.links)):
            labels = [*ordered, None]
        return tuple(LockedVariant(self.project, label) for label in labels)

    def fetch_ranked(self) -> list[Link]:
        """Return the links of the build that this run is about; of any if it has none."""
        self.reached = True
        self._run.reporter.problems(self)
        if self.source is None:
            chosen = self.chosen_label is not None
            return [link for link in self.links if not chosen and not label_of(link)]
        build = self._selected.get(self.project)
        builds = [build] if build in self.builds else reversed(self.builds)
        return [link for each in builds for link in self.links_of(each)]

    def links_of(self, build: LockedVariant) -> list[Link]:
        """Return the wheels of a build, the best for this platform first."""
        if build.label is None:
            return list(filter(_is_plain_wheel, self.links))
        assert self.source is not None, "it has variants"
        wheels = self.wheels[self.source]
        return [link for link in wheels if label_of(link) == build.label]


class RelockedRelease(LockingRelease):
    """The build that was chosen from a lock file, to be locked once more."""

    is_for_any = False

    def __init__(
        self, chosen: LockedRelease, link: Link, selected: Mapping[str, LockedVariant]
    ) -> None:
        super().__init__(
            *(chosen._run, chosen.project, chosen.version, [link], chosen._sources),
            selected=selected,
        )
        self._chosen = chosen

    def _manifest(
        self, source: str, wheels: Mapping[str, Link]
    ) -> tuple[Manifest, Origin]:
        return self._chosen._manifest(source, wheels)


def _is_plain_wheel(link: Link) -> bool:
    return link.is_wheel and label_of(link) is None
