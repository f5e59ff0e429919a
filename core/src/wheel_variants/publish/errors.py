"""What goes wrong when variants are published."""

from __future__ import annotations

from collections.abc import Iterable

from wheel_variants.publish.texts import said

__all__ = [
    "CannotBuild",
    "CannotIndex",
    "CannotWrite",
    "InvalidProjectTable",
    "NothingFound",
    "PublishError",
    "UsageError",
]


class PublishError(Exception):
    """A command cannot do what was asked.

    :ivar message: what happened and why, without a final period.
    :ivar details: further lines, if there are several reasons.
    :ivar hints: what to do, one sentence each, without a final period.
    """

    def __init__(self, message: str, *hints: str, details: Iterable[str] = ()) -> None:
        super().__init__(message)
        self.message = message
        self.hints = hints
        self.details = list(details)


class UsageError(PublishError):
    """The arguments are wrong or contradict each other; the exit status is 2."""


class InvalidProjectTable(PublishError):
    """The ``[variant]`` table of a ``pyproject.toml`` cannot be used."""

    def __init__(self, path: str, problem: str, hint: str) -> None:
        super().__init__(f"Cannot use the variants in {path}: {problem}", hint)


class CannotBuild(PublishError):
    """A wheel cannot be made into the one that was asked for."""

    def __init__(self, wheel: str, problems: Iterable[str], *hints: str) -> None:
        first, *others = problems
        message = f"Cannot build a variant from {wheel}: {first}"
        super().__init__(message, *hints, details=others)


class CannotIndex(PublishError):
    """The files of a folder do not make an index."""

    def __init__(self, folder: str, problems: Iterable[str]) -> None:
        hint = "Fix or remove these files; 'wheel-variants check' shows each rule"
        message = f"Cannot make an index of {folder}; nothing was written"
        super().__init__(message, hint, details=problems)


class CannotWrite(PublishError):
    """The result cannot be written.

    :param option: the option that names another folder.
    """

    def __init__(self, what: str, error: OSError, option: str) -> None:
        where = "" if error.filename is None else f"{error.filename}: "
        super().__init__(
            f"Cannot write {what}: {where}{said(error)}",
            f"Name another folder with {option}",
        )


class NothingFound(PublishError):
    """There is nothing to publish or to check at a path or URL."""

    def __init__(self, target: str, problem: str, hint: str) -> None:
        super().__init__(f"Cannot use {target}: {problem}", hint)
