"""What pip itself says: folded between words, with nothing that terminals obey."""

from __future__ import annotations

__all__ = ["printable"]


def printable(text: str) -> str:
    """Return what others wrote, with escapes for characters that must not be shown.

    Terminals obey some of these; others end a line, or cannot be written.
    """
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else ascii(char)[1:-1] for char in text)
