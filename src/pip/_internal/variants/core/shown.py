"""How values of JSON and TOML documents are shown."""

from __future__ import annotations

__all__ = ["shown"]


def shown(value: object) -> str:
    """Write a value so that no terminal obeys it, and not at any length."""
    text = ascii(value)
    return text if len(text) <= 80 else f"{text[:77]}..."
