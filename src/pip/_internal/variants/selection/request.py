"""What the user asks the resolver for, and what is installed or locked already."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pip._vendor.packaging.utils import NormalizedName
    from pip._vendor.packaging.version import Version

    from pip._internal.metadata import BaseDistribution
    from pip._internal.variants.selection.settings import Settings

__all__ = ["Request"]


# No dataclass: each run of pip that installs loads this module.
class Request:
    """What one resolution is about, and the versions that it may keep.

    :ivar named: the projects that the user named.
    :ivar leaves_fork: whether the user names one pip, which may then replace this one.
    :ivar dists: what is installed, by normalized name, as the resolver sees it.
    :ivar locked_versions: of what a lock file has in one version, that version.
    :ivar locked_labels: what was chosen from lock files: by project the label, None for a
        plain build.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self.named: Collection[NormalizedName] = ()
        self.leaves_fork = False
        self.dists: Mapping[NormalizedName, BaseDistribution] = {}
        self.locked_versions: Mapping[NormalizedName, Version] = {}
        self.locked_labels: dict[NormalizedName, str | None] = {}

    def installed(self, project: NormalizedName) -> Version | None:
        """Return the version that is locked, or installed and not to be upgraded."""
        if project in self.locked_versions:
            return self.locked_versions[project]
        dist = self.dists.get(project)
        return None if dist is None or self.is_upgraded(project) else dist.version

    def fixed_reason(self, project: NormalizedName) -> str | None:
        """Return why ``--no-deps`` fixes the version of *project*, or None."""
        if not self._settings.ignore_dependencies:
            return None
        if project in self.named or project in self.locked_versions:
            return None
        dist = self.dists.get(project)
        what = f"{project} is not" if dist is None else f"{project} {dist.version} is"
        return f"{what} installed, and --no-deps leaves it at that"

    def is_upgraded(self, project: NormalizedName) -> bool:
        """Return whether the user asked for the newest version of *project*."""
        settings = self._settings
        return settings.upgrade and (settings.is_eager or project in self.named)
