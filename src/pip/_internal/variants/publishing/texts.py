"""Small matters of wording."""

from __future__ import annotations

from pip._internal.variants.texts import capital, counted

__all__ = ["capital", "counted"]
