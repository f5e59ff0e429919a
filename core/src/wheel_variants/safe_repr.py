"""Show values of JSON and TOML documents."""

from __future__ import annotations

__all__ = ["safe_repr"]


def safe_repr(value: object) -> str:
    """Return a value as short text that no terminal obeys."""
    text = ascii(value)
    return text if len(text) <= 80 else f"{text[:77]}..."
