"""What indexes and folders list for one run, and how it is fetched."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from typing import Protocol

    from pip._vendor.packaging.utils import NormalizedName
    from pip._vendor.packaging.version import Version, _BaseVersion

    from pip._internal.models.candidate import InstallationCandidate
    from pip._internal.models.link import Link
    from pip._internal.network.session import PipSession

    # Making a protocol takes long, and each run of pip that installs loads this module.

    class LookaheadPolicy(Protocol):
        """What looks ahead of the resolver, and is told how far that is."""

        def reached(self, project: NormalizedName) -> None:
            """Note that the resolver has come to a release of a project."""

        def refused(self, older: Sequence[Any]) -> None:
            """Note that a release does not suit, and that these older ones follow."""

        def wait_for_upstream(self) -> None:
            """Go on only in upstream's turn with what takes time.

            :raises NotAnswered: ahead of it.
            """

    #: A project, a version, and the page or folder that lists it.
    ReleaseKey = tuple[NormalizedName, _BaseVersion, str]

__all__ = ["Catalogue"]


class Catalogue:
    """What indexes and folders list, as far as one run has seen it.

    :ivar manifests: where manifests are.
    :ivar skipped_manifests: why manifests that are listed do not count.
    :ivar listed: the files of a project, page by page, where some are for variants, or
        none suited.
    :ivar checked_paths: by project, a function that returns the path of a wheel whose hash
        was checked. It has the projects of a resolution that requires hashes, no others.
    :ivar pips: what there is of pip and its carrier, if that is all that is looked for.
    :ivar upstream_pips: releases of upstream's pip that may not replace this one unasked.
    :ivar parallel_downloads: how many requests a server may get at the same time.
    :ivar make_lookahead: makes what has a say in what is prefetched; None without it.
    :ivar lookahead: what was made.
    """

    def __init__(self, session: PipSession, parallel_downloads: int) -> None:
        self.session = session
        self.parallel_downloads = parallel_downloads
        self.manifests: dict[ReleaseKey, Link] = {}
        self.skipped_manifests: dict[ReleaseKey, str] = {}
        self.listed: dict[NormalizedName, list[list[Link]]] = {}
        self.checked_paths: dict[NormalizedName, Callable[[Link], str]] = {}
        self.pips: list[InstallationCandidate] = []
        self.upstream_pips: set[Version] = set()
        self.make_lookahead: Callable[[], LookaheadPolicy] | None = None
        self.lookahead: LookaheadPolicy | None = None

    def reached(self, project: NormalizedName) -> None:
        """Note that the resolver has reached a release of *project* with variants."""
        if self.make_lookahead is not None:
            self.make_lookahead().reached(project)

    def wait_for_upstream(self) -> None:
        """Go on only in the resolver's turn, and not ahead of it.

        :raises NotAnswered: ahead of it.
        """
        if self.lookahead is not None:
            self.lookahead.wait_for_upstream()
