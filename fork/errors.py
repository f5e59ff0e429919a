"""Errors that a person can act on."""

from __future__ import annotations

__all__ = ["ForkError"]


class ForkError(Exception):
    """Say that the fork cannot be assembled: what is wrong, where, and what to do.

    Shown without a traceback, by the command line and by the build hook alike.
    """
