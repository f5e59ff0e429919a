"""What the files of a release are chosen by."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Protocol

    from pip._vendor.packaging.utils import NormalizedName

    from pip._internal.models.link import Link
    from pip._internal.variants.errors import DroppedVariants
    from pip._internal.variants.selection.catalogue import Catalogue
    from pip._internal.variants.selection.overrides import Overrides
    from pip._internal.variants.selection.ranking import Agreement, Selection
    from pip._internal.variants.selection.request import Request
    from pip._internal.variants.selection.settings import Settings
    from pip._internal.variants.selection.target import RunTarget

    class Reporter(Protocol):
        """What tells the user: see :class:`.output.reporter.Reporter`."""

        strict: bool

        def say_once(
            self, level: int, message: str, *, about: str | None = None
        ) -> None: ...

        def accelerator(self, project: str, message: str) -> None: ...

        def report(self, problems: Iterable[DroppedVariants | str]) -> None: ...

        def decided(self, release: Any, decision: Any) -> None: ...

        def problems(self, release: Any) -> None: ...

        def discarded(self, release: Any, label: str, reason: str) -> None: ...

        def refuse_unsupported(
            self, link: Link, label: str, selection: Selection
        ) -> None: ...

        def comparing(
            self, release: Any, labels: Sequence[str], missing: str
        ) -> None: ...


__all__ = ["Attempt", "Basis"]


class Attempt:
    """What one attempt at a solution goes by.

    :ivar agreement: what all builds are to have in common, if they can.
    :ivar kept: what is installed and stays, if a build of a release runs with it.
    :ivar is_trying: whether another solution is tried, so that a failure is no error.
    :ivar competing: of what is installed, what some build that was looked at would
        replace.
    """

    def __init__(self) -> None:
        self.agreement: Agreement | None = None
        self.kept: frozenset[NormalizedName] = frozenset()
        self.is_trying = False
        self.competing: set[NormalizedName] = set()


class Basis:
    """What the files of a release are chosen by: the part of a run that releases know."""

    settings: Settings
    request: Request
    overrides: Overrides
    catalogue: Catalogue
    target: RunTarget
    reporter: Reporter
    attempt: Attempt
