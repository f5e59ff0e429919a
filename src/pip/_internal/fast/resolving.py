"""Where upstream's resolver tells how far it is, so that requests can be made early.

Most of what looks ahead is loaded once there is something to foresee: a second
requirement of the user, or the first dependency.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from pip._internal.fast.resolution import Resolving
from pip._internal.fast.slots import RESOLVING
from pip._internal.fast.switches import may_look_ahead

if TYPE_CHECKING:
    import optparse

    from pip._vendor.resolvelib.resolvers import Resolver as RLResolver

    from pip._internal.index.package_finder import PackageFinder
    from pip._internal.operations.prepare import RequirementPreparer
    from pip._internal.resolution.base import BaseResolver
    from pip._internal.resolution.resolvelib.base import Candidate, Requirement
    from pip._internal.resolution.resolvelib.factory import (
        CollectedRootRequirements,
        Factory,
    )
    from pip._internal.resolution.resolvelib.resolver import Resolver

__all__ = ["look_ahead", "best_candidate", "resolver_made", "watched"]

_T = TypeVar("_T")


def look_ahead(resolving: Resolving) -> None:
    """Look ahead from here on, now that there is something to foresee."""
    if resolving.listener is not None or resolving.effort.is_stopped:
        return
    with resolving.effort:
        from pip._internal.fast.lookahead import Lookahead

        resolving.listener = Lookahead(resolving)
        resolving.has_looked_ahead = True


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
            self._resolving.parent = parent
            look_ahead(self._resolving)
            self._resolving.went_on()

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


class _Watched:
    """Upstream's solver, of the library that it vendors, and who listens to it."""

    def __init__(self, solver: Any, resolving: Resolving, roots: Any) -> None:
        self._solver = solver
        self._resolving = resolving
        self._roots = roots

    def resolve(self, *args: Any, **kwargs: Any) -> Any:
        """Solve, and look ahead meanwhile."""
        resolving, solver = self._resolving, self._solver
        solver.reporter = _Reporter(solver.reporter, resolving)
        try:
            resolving.begin(solver.provider, self._roots)
            if len(resolving.roots) > 1:
                look_ahead(resolving)
            return solver.resolve(*args, **kwargs)
        finally:
            resolving.end()


def watched(
    resolver: Resolver,
    solver: RLResolver[Requirement, Candidate, str],
    collected: CollectedRootRequirements,
) -> RLResolver[Requirement, Candidate, str] | _Watched:
    """Let the requests of upstream's resolver be made early, if they may be."""
    resolving = RESOLVING.of(resolver.factory._finder, Resolving)
    if resolving is None or not resolving.is_allowed:
        return solver
    if resolving.factory is not resolver.factory:
        # What is needed to build something is resolved meanwhile, by the same finder.
        return solver
    return _Watched(solver, resolving, collected.requirements)


def best_candidate(
    fn: Callable[..., _T],
    finder: PackageFinder,
    project_name: str,
    *args: Any,
    **kw: Any,
) -> _T:
    """Say what was not said yet of a project, now that upstream looks at it."""
    resolving = RESOLVING.of(finder, Resolving)
    if resolving is not None and resolving.listener is not None:
        resolving.listener.looked_up(project_name)
    return fn(finder, project_name, *args, **kw)
