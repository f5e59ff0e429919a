"""Errors of the commands, and helpers for messages."""

from __future__ import annotations

import errno
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
    "os_reason",
    "without_credentials",
]

#: The part between the scheme and the host of a URL; a password may contain spaces.
_CREDENTIALS = re.compile(r"(?<=://)[^/?#]*(?=@\S)")


class PublishError(Exception):
    """A command failed.

    :ivar message: the error and its reason, without a final period.
    :ivar details: more lines, if there are several reasons.
    :ivar hints: the suggestions, one sentence each, without a final period.
    """

    def __init__(self, message: str, *hints: str, details: Iterable[str] = ()) -> None:
        super().__init__(message)
        self.message = message
        self.hints = hints
        self.details = list(details)


class UsageError(PublishError):
    """The arguments are invalid or contradict each other; the exit status is 2."""


class InvalidProjectTable(PublishError):
    """The ``[variant]`` table of a ``pyproject.toml`` is invalid."""

    def __init__(self, path: str, problem: str, hint: str) -> None:
        super().__init__(f"Cannot use [variant] in {path}: {problem}", hint)


class CannotBuild(PublishError):
    """The requested wheel cannot be built."""

    def __init__(self, wheel: str, problems: Iterable[str], *hints: str) -> None:
        first, *others = problems
        message = f"Cannot build a variant from {wheel}: {first}"
        super().__init__(message, *hints, details=others)


class CannotWrite(PublishError):
    """The result cannot be written.

    :param option: the option that names another folder.
    """

    def __init__(self, what: str, error: OSError, option: str) -> None:
        hint = f"Specify another folder with {option}"
        if error.errno == errno.ENAMETOOLONG:
            hint = "Use a shorter name, such as a shorter label"
        where = "" if error.filename is None else f"{error.filename}: "
        super().__init__(f"Cannot write {what}: {where}{os_reason(error)}", hint)


class NothingFound(PublishError):
    """A path or URL has nothing to publish or to check."""

    def __init__(self, target: str, problem: str, hint: str) -> None:
        super().__init__(f"Cannot use {target}: {problem}", hint)


def capital(text: str) -> str:
    """Return *text* with a capital first letter, unless it starts with a name."""
    is_word = text.partition(" ")[0].isalpha()
    return f"{text[:1].upper()}{text[1:]}" if is_word else text


def counted(number: int, noun: str) -> str:
    """Return a number with its noun, such as ``2 files``; *noun* is the singular."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def os_reason(error: OSError) -> str:
    """Return the reason for an operating system error."""
    return error.strerror or str(error)


def without_credentials(text: str) -> str:
    """Return *text* with the credentials in URLs replaced by ``****``."""
    return _CREDENTIALS.sub("****", text)
