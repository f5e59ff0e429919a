"""The error that users see."""

from __future__ import annotations

__all__ = ["TRY_AGAIN", "CarrierError"]

#: The hint for an error of the system.
TRY_AGAIN = "Free disk space or fix the permissions, then run this command again."


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
