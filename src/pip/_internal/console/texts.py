"""Names and texts as they are shown."""

from __future__ import annotations

import re

__all__ = ["Hint", "capital", "counted", "with_label", "without_credentials"]

#: Between the scheme and the host of a URL; a password may have blanks.
_CREDENTIALS = re.compile(r"(?<=://)[^/?#]*(?=@\S)")


class Hint(str):
    """A sentence that ends in a command to type.

    :ivar said: the sentence, up to the command.
    :ivar command: in one line.
    """

    said: str
    command: str

    def __new__(cls, said: str, command: str) -> Hint:
        """Join the two; on a terminal they may stand in two lines."""
        hint = super().__new__(cls, f"{said} {command}")
        hint.said, hint.command = said, command
        return hint


def with_label(version: str, label: str | None) -> str:
    """Return the version of a build for messages; a local part may be its label."""
    if label is None or version.endswith(f"+{label}"):
        return version
    return f"{version} ({label})"


def without_credentials(text: str, instead: str = "****") -> str:
    """Return a text without the credentials in its URLs.

    :param instead: what stands in their place.
    """
    return _CREDENTIALS.sub(instead, text)


def capital(text: str) -> str:
    """Capitalise the first letter of *text*, for the beginning of a sentence.

    A name there, of a file for instance, stays as it is: a colon follows it, or it has
    more than letters in it.
    """
    is_word = text.partition(" ")[0].isalpha()
    return f"{text[:1].upper()}{text[1:]}" if is_word else text


def counted(number: int, noun: str) -> str:
    """Return a number of things in words; *noun* is the singular."""
    return f"{number} {noun}{'' if number == 1 else 's'}"
