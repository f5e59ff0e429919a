"""A release as a lock file lists it: some of its builds, and their manifest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from pip._internal.utils.misc import redact_auth_from_url
from pip._internal.variants.choice.release import Release
from pip._internal.variants.choice.selection import Origin, OriginKind
from pip._internal.variants.core.manifest import InvalidManifest, Manifest
from pip._internal.variants.locks.documents import read_inlined
from pip._internal.variants.locks.locking import Locking, LockingRelease
from pip._internal.variants.wheels.sources import ManifestUnavailable

if TYPE_CHECKING:
    from pip._vendor.packaging.utils import NormalizedName
    from pip._vendor.packaging.version import Version

    from pip._internal.models.link import Link
    from pip._internal.variants.choice.context import Context
    from pip._internal.variants.machine.chain import Providers

__all__ = ["LockedRelease", "RelockedRelease"]


class LockedRelease(Release):
    """A release in a lock file, of which one build is chosen for the target.

    Even where that is locked once more, it is chosen for this one: a lock file is the
    choice among many packages, of which the rest was not asked for.
    """

    def __init__(
        self,
        context: Context,
        project: NormalizedName,
        version: Version,
        links: Sequence[Link],
        path_or_url: str,
        variants_json: object,
    ) -> None:
        """Make the release.

        :param path_or_url: the lock file.
        :param variants_json: its ``[packages.variants-json]``, None if it has none.
        """
        super().__init__(context, project, version, links, [path_or_url])
        self._variants_json = variants_json
        #: The file that was chosen; it stays so whatever else comes up.
        self.chosen: Link | None = None

    @property
    def _providers(self) -> Providers:
        return self._context.detected

    @property
    def ranked(self) -> list[Link]:
        """Give the links that may be installed, best first; the one that was chosen."""
        return super().ranked if self.chosen is None else [self.chosen]

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


class RelockedRelease(LockingRelease):
    """The build that was chosen from a lock file, to be locked once more."""

    def __init__(
        self, chosen: LockedRelease, link: Link, source: str, locking: Locking
    ) -> None:
        super().__init__(
            *(chosen._context, chosen.project, chosen.version, [link], [source]),
            locking,
        )
        self._chosen = chosen

    def _manifest(
        self, source: str, wheels: Mapping[str, Link]
    ) -> tuple[Manifest, Origin]:
        return self._chosen._manifest(source, wheels)
