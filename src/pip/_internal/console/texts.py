"""Format names and texts for messages."""

from __future__ import annotations

import re
from collections.abc import Sequence

#: The part between the scheme and the host of a URL; a password may contain spaces.
_CREDENTIALS = re.compile(r"(?<=://)[^/?#]*(?=@\S)")


#: The maximum number of values to show; the others are only counted.
_SHOWN = 8


class Hint(str):
    """A sentence that ends with a command.

    :ivar sentence: the sentence, up to the command.
    :ivar command: the command in one line.
    """

    sentence: str
    command: str

    def __new__(cls, sentence: str, command: str) -> Hint:
        """Join the sentence and the command; a terminal may show them on two lines."""
        hint = super().__new__(cls, f"{sentence} {command}")
        hint.sentence, hint.command = sentence, command
        return hint


def with_label(version: str, label: str | None) -> str:
    """Return the version of a wheel for messages, with its label."""
    if label is None or version.endswith(f"+{label}"):
        return version
    return f"{version} ({label})"


def without_credentials(text: str, instead: str = "****") -> str:
    """Return a text without the credentials in its URLs.

    :param instead: the replacement for the credentials.
    """
    return _CREDENTIALS.sub(instead, text)


def capital(text: str) -> str:
    """Capitalize the first letter of *text*.

    A name at the start, such as a file name, stays unchanged: a colon follows a name, or
    the name contains characters other than letters.
    """
    is_word = text.partition(" ")[0].isalpha()
    return f"{text[:1].upper()}{text[1:]}" if is_word else text


def counted(number: int, noun: str) -> str:
    """Return a number with its noun, such as ``2 files``; *noun* is the singular."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def shortened(values: Sequence[str], separator: str = ", ") -> str:
    """Join *values*; if there are too many values, only count the last values."""
    if len(values) <= _SHOWN:
        return separator.join(values)
    shown = separator.join(values[: _SHOWN - 1])
    return f"{shown}{separator}{len(values) - _SHOWN + 1} more"
