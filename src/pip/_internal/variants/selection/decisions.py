"""What one run has decided."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pip._vendor.packaging.utils import NormalizedName

    from pip._internal.models.link import Link
    from pip._internal.variants.selection.ranking import Selection
    from pip._internal.variants.selection.release import Release

__all__ = ["Decisions"]


class Decisions:
    """What one run has weighed for variants.

    :ivar direct: the decisions about wheels named by path or URL, each on its own.
    """

    def __init__(self) -> None:
        self.direct: dict[Link, Selection] = {}
        self._releases: dict[object, Release] = {}
        self._release_of_link: dict[Link, Release] = {}

    def release(self, key: object, make: Callable[[], Release]) -> Release:
        """Return the release of *key*, made on first use."""
        release = self._releases.get(key)
        if release is None:
            release = self._releases[key] = make()
            for link in release.links:
                self._release_of_link[link] = release
        return release

    def release_of(self, link: Link | None) -> Release | None:
        """Return the release with the file at *link* if it was weighed for variants."""
        return None if link is None else self._release_of_link.get(link)

    def fetch_selection_of(self, link: Link) -> Selection | None:
        """Return the decision that the variant wheel at *link* is part of, if any."""
        if link in self.direct:
            return self.direct[link]
        release = self.release_of(link)
        return None if release is None else release.fetch_selection_of(link)

    def decided(self) -> Iterator[Selection]:
        """Yield the decisions that were made so far; this makes none."""
        yield from self.direct.values()
        for release in self._releases.values():
            yield from release.decided

    def reached(self, project: NormalizedName) -> list[Release]:
        """Return the releases of a project that were weighed, newest first."""
        found = [
            release
            for release in self._releases.values()
            if release.project == project and release.reached
        ]
        return sorted(found, key=lambda release: release.version, reverse=True)

    def refused(self) -> dict[NormalizedName, Release]:
        """Return the newest release of each project of which nothing can be taken."""
        found: dict[NormalizedName, Release] = {}
        for release in self._releases.values():
            if release.reached and not release.fetch_decision().ranked:
                other = found.get(release.project)
                if other is None or other.version < release.version:
                    found[release.project] = release
        return found
