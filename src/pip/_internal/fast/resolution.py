"""How far upstream's resolver is, for whoever looks ahead of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pip._internal.fast.best_effort import BestEffort

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Protocol

    from pip._vendor.resolvelib.resolvers.resolution import State

    from pip._internal.resolution.resolvelib.base import Candidate, Requirement
    from pip._internal.resolution.resolvelib.factory import Factory
    from pip._internal.resolution.resolvelib.provider import PipProvider

    class Listener(Protocol):
        """What looks ahead of the resolver, and is told how far that is."""

        @property
        def is_ahead(self) -> bool:
            """Tell whether something is done now that upstream has not come to."""

        def upstream_went_on(self) -> None:
            """Take note that more may be foreseen than before."""

        def looked_up(self, project_name: str) -> None:
            """Take note that upstream looks at a project now."""

        def close(self) -> None:
            """Stop; what upstream has not asked for by now is forgotten."""


__all__ = ["Resolving"]


class Resolving:
    """How far upstream's resolver is.

    :ivar factory: what it makes candidates with
    :ivar provider: how it decides; None before it begins
    :ivar roots: what the user requires
    :ivar state: of the resolver at the end of its last round; None in its first one,
        in which it adds the roots
    :ivar parent: the candidate whose dependencies it adds, if it has come to one
    :ivar has_conflicted: whether it has gone back on a candidate
    :ivar effort: looking ahead, which the first error stops
    :ivar listener: what looks ahead of it, once there is something to foresee
    :ivar is_allowed: whether something may look ahead
    :ivar foresee: returns who has a say in what is looked up, if anybody has
    :ivar has_looked_ahead: whether anything did, in any of its runs
    """

    def __init__(self, factory: Factory) -> None:
        self.factory = factory
        self.effort = BestEffort("looking ahead")
        self.listener: Listener | None = None
        self.has_looked_ahead = False
        self.is_allowed = True
        self.foresee: Callable[[], object] | None = None
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

    def went_on(self) -> None:
        """Tell the listener that upstream went on."""
        if self.listener is not None:
            self.listener.upstream_went_on()

    def end(self) -> None:
        """Stop; what upstream has not asked for by now is forgotten."""
        if self.listener is not None:
            self.listener.close()
        self._forget()
        self.provider = self.listener = None
