"""The error that ends the making of a release."""

from __future__ import annotations

__all__ = ["ReleaseError"]


class ReleaseError(Exception):
    """A release cannot be made; the message says why, and what to do."""
