"""Small matters of wording."""

from __future__ import annotations

__all__ = ["capital", "counted"]


def capital(text: str) -> str:
    """Begin a sentence with *text*, the rest of which stays as it is."""
    return f"{text[:1].upper()}{text[1:]}"


def counted(number: int, noun: str) -> str:
    """Give a number of things; *noun* is what one is called."""
    return f"{number} {noun}{'' if number == 1 else 's'}"
