"""What can go wrong, as people read it."""

from __future__ import annotations

__all__ = ["CarrierError"]


class CarrierError(Exception):
    """Something cannot be done; nothing has been changed unless the text says so.

    :param what: happened, and why, as sentences
    :param way_out: what to do or type next, as sentences
    """

    def __init__(self, what: str, way_out: str) -> None:
        super().__init__(what, way_out)
        self.what = what
        self.way_out = way_out

    def __str__(self) -> str:
        return f"{self.what}\nhint: {self.way_out}"
