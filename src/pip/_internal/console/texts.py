"""Names and texts as they are shown."""

from __future__ import annotations

__all__ = ["Hint", "capital", "counted", "with_label"]


class Hint(str):
    """A sentence with a command at its end that one may type.

    :ivar said: the sentence, up to the command.
    :ivar command: in one line.
    """

    said: str
    command: str

    def __new__(cls, said: str, command: str) -> Hint:
        """Put the two together; where there is a terminal, they stand in two lines."""
        hint = super().__new__(cls, f"{said} {command}")
        hint.said, hint.command = said, command
        return hint


def with_label(version: str, label: str | None) -> str:
    """Give the version of a build as messages show it; a local part may be its label."""
    if label is None or version.endswith(f"+{label}"):
        return version
    return f"{version} ({label})"


def capital(text: str) -> str:
    """Begin a sentence with *text*, the rest of which stays as it is.

    So does a name at its beginning, of a file for instance: it has a colon behind it,
    or more than letters in it.
    """
    is_word = text.partition(" ")[0].isalpha()
    return f"{text[:1].upper()}{text[1:]}" if is_word else text


def counted(number: int, noun: str) -> str:
    """Give a number of things; *noun* is what one is called."""
    return f"{number} {noun}{'' if number == 1 else 's'}"
