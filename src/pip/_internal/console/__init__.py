"""Output of pip: lines folded between words, with control characters escaped."""

from __future__ import annotations


def printable(text: str) -> str:
    """Return *text* with escapes for characters that a terminal must not receive.

    Terminals obey some of these characters; others end a line, or cannot be written.
    """
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else ascii(char)[1:-1] for char in text)
