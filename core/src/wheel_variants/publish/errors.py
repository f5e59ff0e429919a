"""Errors of the commands, and parts of their messages."""

from __future__ import annotations

import re
from collections.abc import Iterable

__all__ = [
    "CannotBuild",
    "CannotWrite",
    "InvalidProjectTable",
    "NothingFound",
    "PublishError",
    "UsageError",
    "capital",
    "counted",
    "said",
    "without_credentials",
]

#: Between the scheme and the host of a URL; a password may have blanks.
_CREDENTIALS = re.compile(r"(?<=://)[^/?#]*(?=@\S)")


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


def capital(text: str) -> str:
    """Return *text* as the beginning of a sentence; a name there stays as it is."""
    is_word = text.partition(" ")[0].isalpha()
    return f"{text[:1].upper()}{text[1:]}" if is_word else text


def counted(number: int, noun: str) -> str:
    """Return a number of things in words; *noun* is the singular."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def said(error: OSError) -> str:
    """Return the reason for an error of the system."""
    return error.strerror or str(error)


def without_credentials(text: str) -> str:
    """Return *text* with ``****`` for the credentials in its URLs."""
    return _CREDENTIALS.sub("****", text)
