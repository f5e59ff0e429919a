"""The error that users see."""

from __future__ import annotations

__all__ = ["CarrierError"]


class CarrierError(Exception):
    """A failed command; nothing was changed unless the message states otherwise.

    :param what: the error and its reason, as sentences.
    :param way_out: a suggestion, as sentences.
    """

    def __init__(self, what: str, way_out: str) -> None:
        super().__init__(what, way_out)
        self.what = what
        self.way_out = way_out

    def __str__(self) -> str:
        return f"{self.what}\nhint: {self.way_out}"
