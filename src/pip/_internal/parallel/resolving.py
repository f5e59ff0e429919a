"""Where upstream's resolver tells how far it is, so that requests can be made early.

Most of what looks ahead is loaded once there is something to foresee: a second
requirement of the user, or the first dependency.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from pip._internal.parallel.slots import RESOLVING
from pip._internal.parallel.switches import may_look_ahead

if TYPE_CHECKING:
    import optparse
    from collections.abc import Iterable, Sequence

    from pip._vendor.resolvelib.resolvers import Resolver as RLResolver
    from pip._vendor.resolvelib.resolvers.resolution import State

    from pip._internal.index.package_finder import PackageFinder
    from pip._internal.operations.prepare import RequirementPreparer
    from pip._internal.parallel.lookahead import Foresight, Lookahead
    from pip._internal.req.req_install import InstallRequirement
    from pip._internal.resolution.base import BaseResolver
    from pip._internal.resolution.resolvelib.base import Candidate, Requirement
    from pip._internal.resolution.resolvelib.factory import (
        CollectedRootRequirements,
        Factory,
    )
    from pip._internal.resolution.resolvelib.provider import PipProvider
    from pip._internal.resolution.resolvelib.resolver import Resolver

__all__ = ["Resolving", "best_candidate", "resolver_made", "solved", "wheels_due"]

_T = TypeVar("_T")


class Resolving:
    """How far upstream's resolver is.

    :ivar factory: what it makes candidates with
    :ivar provider: how it decides; None before it begins
    :ivar roots: what the user requires
    :ivar state: of the resolver at the end of its last round; None in its first one,
        in which it adds the roots
    :ivar parent: the candidate whose dependencies it adds, if it has come to one
    :ivar has_conflicted: whether it has gone back on a candidate
    :ivar lookahead: what looks ahead of it, once there is something to foresee
    :ivar is_allowed: whether something may look ahead
    :ivar foresee: returns who has a say in what is looked up, if anybody has
    :ivar has_looked_ahead: whether anything did, in any of its runs
    """

    def __init__(self, factory: Factory) -> None:
        self.factory = factory
        self.lookahead: Lookahead | None = None
        self.has_looked_ahead = False
        self.is_allowed = True
        self.foresee: Callable[[], Foresight] | None = None
        self.provider: PipProvider | None = None
        self._forget()

    def _forget(self) -> None:
        self.roots: Sequence[Requirement] = ()
        self.state: State[Requirement, Candidate, str] | None = None
        self.parent: Candidate | None = None
        self.has_conflicted = False

    def begin(self, provider: PipProvider, roots: Sequence[Requirement]) -> None:
        """Begin to watch a run of the resolver."""
        self._forget()
        self.provider, self.roots = provider, roots
        if len(roots) > 1:
            self.look_ahead()

    def end(self) -> None:
        """Stop; what upstream has not asked for by now is forgotten."""
        if self.lookahead is not None:
            self.lookahead.close()
        self._forget()
        self.provider = self.lookahead = None

    def adds_dependency_of(self, parent: Candidate) -> None:
        """Take note that upstream adds what a candidate requires."""
        self.parent = parent
        self.look_ahead().upstream_went_on()

    def look_ahead(self) -> Lookahead:
        """Begin to look ahead, now that there is something to foresee."""
        if self.lookahead is None:
            from pip._internal.parallel.lookahead import Lookahead

            self.lookahead = Lookahead(self)
            self.has_looked_ahead = True
        return self.lookahead


class _Reporter:
    """Upstream's reporter, with somebody who listens.

    What is not listened to goes to upstream's alone.
    """

    def __init__(self, upstreams: Any, resolving: Resolving) -> None:
        self._upstreams = upstreams
        self._resolving = resolving

    def __getattr__(self, name: str) -> Any:
        return getattr(self._upstreams, name)

    def adding_requirement(
        self, requirement: Requirement, parent: Candidate | None
    ) -> None:
        self._upstreams.adding_requirement(requirement=requirement, parent=parent)
        # Every candidate may require a Python, which takes no request.
        if parent is not None and requirement.name[0] != "<":
            self._resolving.adds_dependency_of(parent)

    def rejecting_candidate(self, criterion: Any, candidate: Candidate) -> None:
        self._upstreams.rejecting_candidate(criterion, candidate)
        self._resolving.has_conflicted = True

    def ending_round(self, index: int, state: Any) -> None:
        self._upstreams.ending_round(index=index, state=state)
        self._resolving.state, self._resolving.parent = state, None


def resolver_made(
    fn: Callable[..., BaseResolver],
    cls: type[Any],
    preparer: RequirementPreparer,
    finder: PackageFinder,
    options: optparse.Values,
    **kwargs: Any,
) -> BaseResolver:
    """Watch a new resolver if its requests may be made early.

    Not where it asks for nothing, and not where hashes are required: then upstream reads
    only what is verified, and stops at the first thing that is not.
    """
    resolver = fn(cls, preparer, finder, options, **kwargs)
    factory: Factory | None = getattr(resolver, "factory", None)
    is_same = not preparer.require_hashes and finder.search_scope.index_urls
    if factory is not None and is_same and may_look_ahead(options):
        RESOLVING.set(finder, Resolving(factory))
    return resolver


def solved(
    resolver: Resolver,
    solver: RLResolver[Requirement, Candidate, str],
    collected: CollectedRootRequirements,
    solve: Callable[[], _T],
) -> _T:
    """Let upstream's resolver solve, and look ahead of it.

    :param solver: what does it, of the library that upstream vendors
    """
    resolving = RESOLVING.of(resolver.factory._finder, Resolving)
    if resolving is None or not resolving.is_allowed:
        return solve()
    solver.reporter = _Reporter(solver.reporter, resolving)  # type: ignore[assignment]
    try:
        resolving.begin(solver.provider, collected.requirements)  # type: ignore[arg-type]
        return solve()
    finally:
        resolving.end()


def best_candidate(
    fn: Callable[..., _T],
    finder: PackageFinder,
    project_name: str,
    *args: Any,
    **kw: Any,
) -> _T:
    """Say what was not said yet of a project, now that upstream looks at it."""
    resolving = RESOLVING.of(finder, Resolving)
    if resolving is not None and resolving.lookahead is not None:
        resolving.lookahead.looked_up(project_name)
    return fn(finder, project_name, *args, **kw)


def wheels_due(
    fn: Callable[..., None],
    preparer: RequirementPreparer,
    reqs: Iterable[InstallRequirement],
    *args: Any,
    **kwargs: Any,
) -> None:
    """Fetch small wheels together if requests were made ahead of the resolver."""
    resolving = RESOLVING.of(preparer.finder, Resolving)
    if resolving is None or not resolving.has_looked_ahead:
        return fn(preparer, reqs, *args, **kwargs)
    from pip._internal.parallel.together import asked_together

    reqs = list(reqs)
    with asked_together(preparer, reqs):
        return fn(preparer, reqs, *args, **kwargs)
