"""Parts of messages."""

from __future__ import annotations

import re

__all__ = ["capital", "counted", "said", "without_credentials"]

#: Between the scheme and the host of a URL; a password may have blanks.
_CREDENTIALS = re.compile(r"(?<=://)[^/?#]*(?=@\S)")


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
