"""What pip says of its own: whole words, folded to the terminal, which obeys nothing."""

from __future__ import annotations

__all__ = ["printable"]


def printable(text: str) -> str:
    """Give what others wrote with escapes in place of what is not to be shown as it is.

    A terminal obeys some characters, others end a line or cannot be written.
    """
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else ascii(char)[1:-1] for char in text)
