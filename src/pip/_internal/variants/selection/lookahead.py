"""What variants have a say in, of what pip prefetches for the resolver.

What a project has to offer is known once its page is here, and the file of a release that is
taken once its manifests are here. So the manifests are prefetched too (see
``fast.prefetch``). Nothing is decided here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pip._vendor.wheel_variants.manifest_parser import MAX_MANIFEST_SIZE

from pip._internal.fast.prefetch import Foresight, Prefetch
from pip._internal.fast.resolving import Resolving
from pip._internal.fast.session_requests import NotAnswered
from pip._internal.fast.slots import RESOLVING
from pip._internal.utils.hashes import Hashes
from pip._internal.variants.index.links import label_of
from pip._internal.variants.selection.project_index import index_of, pages_of
from pip._internal.variants.selection.releases import releases

if TYPE_CHECKING:
    from pip._vendor.packaging.utils import NormalizedName
    from pip._vendor.packaging.version import _BaseVersion

    from pip._internal.index.package_finder import PackageFinder
    from pip._internal.models.link import Link
    from pip._internal.variants.selection.release import Release
    from pip._internal.variants.selection.run import Run

__all__ = ["VariantLookahead"]


class VariantLookahead(Foresight):
    """What variants have a say in, in one run of the resolver."""

    def __init__(self, run: Run, finder: PackageFinder) -> None:
        self._run = run
        self._finder = finder
        #: The project that the resolver has reached.
        self._at: NormalizedName | None = None

    @property
    def _prefetch(self) -> Prefetch | None:
        resolving = RESOLVING.of(self._finder, Resolving)
        return None if resolving is None else resolving.prefetch

    def pages_of(self, project: NormalizedName, pages: Sequence[str]) -> Sequence[str]:
        """Return the URLs of the pages of a project, which may have its own index."""
        if index_of(self._run, project) is None:
            return pages
        return pages_of(self._run, self._finder, project)

    def choose(
        self,
        prefetch: Prefetch,
        project: NormalizedName,
        files: Sequence[tuple[_BaseVersion, Link]],
    ) -> Link | None:
        """Return the file that the resolver will take; prefetch the manifests that tell.

        :raises NotAnswered: if one is not here yet, or the resolver reads them right now.
        """
        if project == self._at:
            raise NotAnswered
        run = self._run
        run.overrides.settle(
            project, [(version, label_of(link)) for version, link in files]
        )
        for group in releases(run, self._finder, project, files, Hashes()):
            release = group.release
            if release is None or not release.labels:
                return group.links[0]
            if run.overrides.may_take_several:
                return None
            if release.lacks_label:
                continue
            _ask_for_manifests(prefetch, project, release)
            # Without a manifest the wheels are read, by requests not foreseen here.
            if len(release.manifest_links) < len(release.wheels):
                return None
            decision = release.fetch_decision()
            if decision.fails:
                return None
            if decision.ranked:
                return decision.ranked[0]
        return None

    def reached(self, project: NormalizedName) -> None:
        """Take note that the resolver has come to a release of a project."""
        self._at = project
        resolving = RESOLVING.of(self._finder, Resolving)
        if resolving is not None:
            # What is to be prefetched are manifests of older releases.
            prefetch = resolving.start()
            if prefetch is not None:
                prefetch.reached(project)

    def refused(self, older: Sequence[Release]) -> None:
        """Prefetch for older releases, since a newer one does not suit."""
        if self._prefetch is not None:
            for release in older:
                if not release.lacks_label:
                    _ask_for_manifests(self._prefetch, release.project, release)

    def wait_for_upstream(self) -> None:
        """Go on with what takes time only when the resolver needs it.

        :raises NotAnswered: ahead of it.
        """
        if self._prefetch is not None and self._prefetch.requests.is_ahead:
            raise NotAnswered


def _ask_for_manifests(
    prefetch: Prefetch, project: NormalizedName, release: Release
) -> None:
    # Plain packages need no manifests.
    from pip._internal.variants.index.sources import manifest_headers

    for link in release.manifest_links:
        url, headers = link.url_without_fragment, manifest_headers(link)
        prefetch.ask(project, url, headers, MAX_MANIFEST_SIZE)
