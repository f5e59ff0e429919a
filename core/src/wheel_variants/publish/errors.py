"""What goes wrong when variants are published."""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["PublishError", "UsageError"]


class PublishError(Exception):
    """A command cannot do what was asked.

    :ivar message: what happened, without a final period.
    :ivar details: further lines, if there is more than one reason.
    :ivar hints: what to do, one sentence each.
    """

    def __init__(self, message: str, *hints: str, details: Iterable[str] = ()) -> None:
        super().__init__(message)
        self.message = message
        self.hints = hints
        self.details = list(details)


class UsageError(PublishError):
    """The arguments contradict each other; the exit status is 2."""
