"""Names and texts as they are shown."""

from __future__ import annotations

__all__ = ["printable", "with_label"]


def printable(text: str) -> str:
    """Give what others wrote with escapes in place of what is not to be shown as it is.

    A terminal obeys some characters, others end a line or cannot be written.
    """
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else ascii(char)[1:-1] for char in text)


def with_label(version: str, label: str | None) -> str:
    """Give the version of a build as messages show it; a local part may be its label."""
    if label is None or version.endswith(f"+{label}"):
        return version
    return f"{version} ({label})"
