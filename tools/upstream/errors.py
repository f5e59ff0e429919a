"""What a person can mend: a wrong checkout, a list that is out of date."""

from __future__ import annotations

__all__ = ["UpstreamError"]


class UpstreamError(Exception):
    """Say why the tests cannot be run or compared, and what to do."""
