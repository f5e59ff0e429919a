"""The builds of one release as the candidates that upstream's resolver walks through."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, cast

from pip._vendor.packaging.version import Version

from pip._internal.exceptions import MetadataInvalid

if TYPE_CHECKING:
    from pip._internal.models.link import Link
    from pip._internal.resolution.resolvelib.base import Candidate
    from pip._internal.resolution.resolvelib.factory import Factory
    from pip._internal.resolution.resolvelib.found_candidates import IndexCandidateInfo
    from pip._internal.variants.selection.release import Release
    from pip._internal.variants.selection.switching import InstalledCandidate

__all__ = ["VariantCandidates", "offer"]


class VariantCandidates:
    """One walk through the builds of a release, best first.

    Upstream's resolver takes one candidate of a version, and goes on to an older version
    if that one does not fit. The same holds here, except for a release whose variants are
    for certain versions of other packages: all of its builds are tried.
    """

    def __init__(
        self,
        release: Release,
        makers: Mapping[Link, Callable[[], Candidate | None]],
        competing: InstalledCandidate | None,
        *,
        is_installed: bool,
        refused: Callable[[], None],
    ) -> None:
        """Prepare the walk; nothing is ranked before the first candidate is made.

        :param makers: makes the candidate of each link of the release.
        :param competing: the installed build of this version, if it competes.
        :param refused: called if no build of the release suits.
        :param is_installed: whether upstream offers an installed build of this version
            in place of the first one.
        """
        self.release = release
        self._makers = makers
        self._competing = competing
        self._is_installed = is_installed
        self._refused = refused
        self._given: set[Link] = set()
        self._told = False

    def __iter__(self) -> Iterator[IndexCandidateInfo]:
        """Yield versions, each with what makes its candidate."""
        version = self.release.version
        yield version, functools.partial(self._make, 0)
        for place in range(len(self.release.links)):
            yield (
                _RepeatedVersion(str(version)),
                functools.partial(self._make_another, place),
            )

    def _make_another(self, place: int) -> Candidate | None:
        has_one = bool(self._given) or self._is_installed
        if has_one and not self.release.fetch_has_alternatives():
            return None
        return self._make(place)

    def _make(self, place: int) -> Candidate | None:
        ranked = self.release.fetch_ranked()
        if not ranked and place == 0 and not self._told:
            self._told = True
            self._refused()
        if place >= len(ranked) or ranked[place] in self._given:
            return None
        link = ranked[place]
        if self._competing is not None and self._competing.stays(self.release, link):
            candidate: Candidate | None = self._competing.keep()
        else:
            candidate = self._made(link)
        if candidate is not None:
            self._given.add(link)
        return candidate

    def _made(self, link: Link) -> Candidate | None:
        """Return the candidate of a link, None if upstream discards it.

        :raises VariantLost: instead, if it is a variant and the user is strict.
        """
        maker = self._makers[link]
        assert isinstance(maker, functools.partial), "upstream makes it so"
        try:
            candidate: Candidate | None = maker()
        except MetadataInvalid as error:
            # Upstream passes over the version then.
            self.release.discarded(link, str(error))
            raise
        if candidate is None:
            factory: Factory = cast("Any", maker.func).__self__
            self.release.discarded(link, str(factory._build_failures[link]))
        return candidate


def offer(info: IndexCandidateInfo) -> Release | Link:
    """Return what the resolver may take: one of the files of a release, or this file.

    Nothing is made or chosen by that, and what is installed is left out.
    """
    maker = info[1]
    assert isinstance(maker, functools.partial)
    builds = getattr(maker.func, "__self__", None)
    if isinstance(builds, VariantCandidates):
        return builds.release
    link: Link = maker.keywords["link"]
    return link


class _RepeatedVersion(Version):
    """A version that upstream takes for a new one, since it drops repeated ones."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return self is other

    def __hash__(self) -> int:
        return id(self)
