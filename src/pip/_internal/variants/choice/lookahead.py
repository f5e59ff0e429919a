"""Foresee which manifests the resolver will ask for, and which build it will take.

What a project has to offer is known once its page is here; which build of a release is
taken, once its manifests are. So these are asked for as soon as they are known, all at
once (see ``fast.lookahead``). Nothing is decided here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pip._internal.fast.early_requests import NotAnswered
from pip._internal.fast.lookahead import Foresight, Lookahead
from pip._internal.fast.resolution import Resolving
from pip._internal.fast.resolving import look_ahead
from pip._internal.fast.slots import RESOLVING
from pip._internal.variants.choice.places import index_of, pages_of
from pip._internal.variants.choice.releases import releases
from pip._internal.variants.wheels.links import label_of

if TYPE_CHECKING:
    from pip._vendor.packaging.utils import NormalizedName
    from pip._vendor.packaging.version import _BaseVersion

    from pip._internal.index.package_finder import PackageFinder
    from pip._internal.models.link import Link
    from pip._internal.utils.hashes import Hashes
    from pip._internal.variants.choice.context import Context
    from pip._internal.variants.choice.release import Release

__all__ = ["VariantForesight"]


class VariantForesight(Foresight):
    """What variants have a say in, of what one resolution will ask for."""

    def __init__(self, context: Context, finder: PackageFinder) -> None:
        self._context = context
        self._finder = finder
        self._older: set[Release] = set()
        #: Where upstream is right now.
        self._at: NormalizedName | None = None

    def begin(self) -> None:
        """Begin to look ahead, if it is allowed: there is a variant."""
        resolving = RESOLVING.of(self._finder, Resolving)
        if resolving is not None and resolving.provider is not None:
            look_ahead(resolving)

    @property
    def _lookahead(self) -> Lookahead | None:
        resolving = RESOLVING.of(self._finder, Resolving)
        listener = None if resolving is None else resolving.listener
        return listener if isinstance(listener, Lookahead) else None

    def pages_of(self, project: NormalizedName, pages: Sequence[str]) -> Sequence[str]:
        """Return the URLs of the pages of a project, which may have its own index."""
        if index_of(self._context, project) is None:
            return pages
        return pages_of(self._context, self._finder, project)

    def choose(
        self,
        lookahead: Lookahead,
        project: NormalizedName,
        files: Sequence[tuple[_BaseVersion, Link]],
        hashes: Hashes,
    ) -> Link | None:
        """Return the build that will be taken, and ask for the manifests that tell.

        :raises NotAnswered: if one is not here yet, or upstream weighs them right now.
        """
        if project == self._at:
            raise NotAnswered(None)
        context = self._context
        context.settle(project, [(version, label_of(link)) for version, link in files])
        for group in releases(context, self._finder, project, files, hashes):
            release = group.release
            if release is None or not release.labels:
                return group.links[0]
            if context.may_take_several:
                return None
            if release.lacks_label:
                continue
            self._ask_for_manifests(lookahead, release)
            # Without a manifest the wheels are read, by requests not foreseen here.
            if len(release.manifest_links) < len(release.wheels):
                return None
            decision = release.decide()
            if decision.error is not None:
                return None
            if decision.ranked:
                return decision.ranked[0]
        return None

    def reached(self, project: NormalizedName) -> None:
        """Take note that the resolver has come to a release of a project."""
        self._at = project
        if self._lookahead is not None:
            self._lookahead.looked_up(project)

    def refused(self, older: Sequence[Release]) -> None:
        """Foresee that older releases are weighed where a newer one does not suit."""
        lookahead = self._lookahead
        if lookahead is None or lookahead.effort.is_stopped:
            return
        with lookahead.effort:
            for release in older:
                if release not in self._older and not release.lacks_label:
                    self._older.add(release)
                    self._ask_for_manifests(lookahead, release)

    def wait_for_upstream(self) -> None:
        """Go on only in upstream's turn with what takes time.

        :raises NotAnswered: ahead of it.
        """
        if self._lookahead is not None and self._lookahead.is_ahead:
            raise NotAnswered(None)

    def _ask_for_manifests(self, lookahead: Lookahead, release: Release) -> None:
        # Plain packages need no manifests.
        from pip._internal.variants.wheels.sources import MANIFEST, manifest_headers

        for link in release.manifest_links:
            lookahead.watch(
                lookahead.early.ask(
                    link.url_without_fragment, manifest_headers(link), MANIFEST
                )
            )
