"""The policy for prefetching with variants.

The page of a project lists its files, but pip needs the manifests of a release to know which
file the resolver will choose. So this policy also prefetches manifests (see
``fast.prefetch``). It makes no decision for the resolver.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from pip._vendor.wheel_variants.manifest_parser import MAX_MANIFEST_SIZE

from pip._internal.fast.optional_work import BestEffort
from pip._internal.fast.prefetch import LookaheadPolicy, Prefetch
from pip._internal.utils.hashes import Hashes
from pip._internal.variants.index.links import label_of
from pip._internal.variants.selection.mode import index_of, pages_of
from pip._internal.variants.selection.releases import releases

if TYPE_CHECKING:
    from pip._vendor.packaging.utils import NormalizedName

    from pip._internal.fast.prefetch import Files
    from pip._internal.models.link import Link
    from pip._internal.variants.selection.release import Release
    from pip._internal.variants.selection.run import Run

#: The number of releases whose manifests pip requests at the same time.
_RELEASES_AHEAD = 10


class VariantLookahead(LookaheadPolicy):
    """The prefetching policy of one resolver run."""

    def __init__(self, run: Run) -> None:
        self._run = run

    def pages_of(self, project: NormalizedName, pages: Sequence[str]) -> Sequence[str]:
        """Return the page URLs of a project, which may have a scoped index."""
        if index_of(self._run.modes, project) is None:
            return pages
        return pages_of(self._run.modes, self._run.finder, project)

    def choose(
        self, prefetch: Prefetch, project: NormalizedName, files: Files
    ) -> Link | None:
        """Return the file that the resolver will choose; prefetch manifests.

        :raises NotAnswered: if a manifest has not arrived, or the resolver is reading it.
        """
        run = self._run
        run.catalog.is_ahead = True
        try:
            run.overrides.settle_labels(
                project, [(version, label_of(link)) for version, link in files]
            )
            for _, links, release in releases(run, project, files, Hashes()):
                if release is None or not release.labels:
                    return links[0]
                if run.overrides.may_take_several:
                    return None
                if release.lacks_label:
                    continue
                _prefetch_manifests(prefetch, release)
                # Without a manifest, pip reads the wheels; no prefetch predicts those requests.
                if len(release.manifest_links) < len(release.wheels):
                    return None
                decision = release.fetch_decision()
                if decision.unsupported is not None:
                    return None
                if decision.ranked:
                    return decision.ranked[0]
            return None
        finally:
            run.catalog.is_ahead = False


def prefetch_older(prefetch: Prefetch, older: Iterable[Release | None]) -> None:
    """Prefetch manifests of older releases, because a newer one has no suitable build."""
    for release in itertools.islice(older, _RELEASES_AHEAD):
        if release is not None and not release.lacks_label:
            with BestEffort("prefetching manifests"):
                _prefetch_manifests(prefetch, release)


def _prefetch_manifests(prefetch: Prefetch, release: Release) -> None:
    # Plain packages need no manifests.
    from pip._internal.variants.index.sources import manifest_headers

    for link in () if release.prefetched else release.manifest_links:
        url, headers = link.url_without_fragment, manifest_headers(link)
        prefetch.ask(release.project, url, headers, MAX_MANIFEST_SIZE)
    release.prefetched = True
