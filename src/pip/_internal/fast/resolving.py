"""Connect the resolver to prefetching.

Most of the code is loaded at the first chance to prefetch: a second requirement of the
user, or the first dependency.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

from pip._internal.fast.optional_work import BestEffort
from pip._internal.fast.slots import RESOLVING

if TYPE_CHECKING:
    from pip._vendor.packaging.utils import NormalizedName

    from pip._internal.fast.prefetch import LookaheadPolicy, Prefetch
    from pip._internal.index.package_finder import PackageFinder
    from pip._internal.metadata import BaseDistribution
    from pip._internal.network.session import PipSession
    from pip._internal.req.req_install import InstallRequirement
    from pip._internal.resolution.resolvelib.base import Candidate
    from pip._internal.resolution.resolvelib.resolver import Resolver

_T = TypeVar("_T")


class Resolving:
    """A run of the resolver for which pip may prefetch.

    :param make: a function that creates the :class:`Prefetch`.
    :ivar prefetch: the prefetcher, or None if pip has not started to prefetch.
    """

    def __init__(self, make: Callable[[], Prefetch]) -> None:
        self._make: Callable[[], Prefetch] | None = make
        self.prefetch: Prefetch | None = None

    def start(self) -> Prefetch | None:
        """Start prefetching on the first call, and return the prefetcher, or None."""
        make, self._make = self._make, None
        if make is not None:
            with BestEffort("prefetching"):
                self.prefetch = make()
        return self.prefetch


@contextmanager
def prefetching(
    resolver: Resolver,
    session: PipSession,
    roots: Sequence[InstallRequirement],
    most: int,
    make_policy: Callable[[], LookaheadPolicy] | None,
) -> Iterator[None]:
    """Enable prefetching for a resolver run.

    pip does not prefetch without an index, or if hashes are required: then stock pip reads
    only verified files, and stops at the first unverified file.

    :param most: the maximum number of simultaneous requests to a host.
    :param make_policy: a function that returns the policy for prefetching.
    """
    finder = resolver.factory.preparer.finder
    is_allowed = (
        most > 1
        and finder.search_scope.index_urls
        and not resolver.factory.preparer.require_hashes
        # The same finder resolves the requirements of a build.
        and RESOLVING.of(finder, Resolving) is None
    )
    if not is_allowed:
        yield
        return

    def make() -> Prefetch:
        from pip._internal.fast.prefetch import LookaheadPolicy, Prefetch
        from pip._internal.fast.session_requests import requests_of

        policy = LookaheadPolicy() if make_policy is None else make_policy()
        return Prefetch(resolver, roots, requests_of(session, most), policy)

    resolving = Resolving(make)
    RESOLVING.set(finder, resolving)
    try:
        if len(roots) > 1 and (prefetch := resolving.start()) is not None:
            prefetch.require(prefetch.roots)
        yield
    finally:
        if resolving.prefetch is not None:
            resolving.prefetch.requests.close()
        RESOLVING.set(finder, None)


def dependencies_known(finder: PackageFinder, candidate: Candidate) -> None:
    """Prefetch pages and metadata for the dependencies of a candidate."""
    resolving = RESOLVING.of(finder, Resolving)
    base = getattr(candidate, "base", candidate)
    dist: BaseDistribution | None = vars(base).get("dist")
    if resolving is None or dist is None:
        return
    with BestEffort("prefetching dependencies"):
        required = list(dist.iter_dependencies(getattr(candidate, "extras", ())))
        if required and (prefetch := resolving.start()) is not None:
            prefetch.require(required)


def start_prefetching(finder: PackageFinder) -> Prefetch | None:
    """Start prefetching before the first dependency is known, and return the prefetcher."""
    resolving = RESOLVING.of(finder, Resolving)
    return None if resolving is None else resolving.start()


def reached(
    infos: Callable[[], _T], finder: PackageFinder, project: NormalizedName
) -> _T:
    """Emit the stored log records of a project, and return its candidates."""
    resolving = RESOLVING.of(finder, Resolving)
    if resolving is not None and resolving.prefetch is not None:
        resolving.prefetch.reached(project)
    return infos()
