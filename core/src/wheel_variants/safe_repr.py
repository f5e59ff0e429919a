"""Format values of JSON and TOML documents for messages."""

from __future__ import annotations

__all__ = ["safe_repr"]


def safe_repr(value: object) -> str:
    """Return a short ASCII representation of *value*, safe to print on a terminal."""
    text = ascii(value)
    return text if len(text) <= 80 else f"{text[:77]}..."
