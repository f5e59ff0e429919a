"""The error that stops a release."""

from __future__ import annotations

__all__ = ["ReleaseError"]


class ReleaseError(Exception):
    """A failed release; the message contains the reason and a remedy."""
