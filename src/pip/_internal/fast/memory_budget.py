"""A limit on the memory for responses that nobody has taken yet."""

from __future__ import annotations

import threading

__all__ = ["MemoryBudget", "Reservation"]


class MemoryBudget:
    """A limit on the bytes that all threads hold.

    Memory is reserved before the first byte arrives, so the total is never exceeded.

    :param total: bytes
    :ivar reserved: bytes that are held or may be held soon
    :ivar is_closed: whether nobody needs the responses anymore
    """

    def __init__(self, total: int) -> None:
        self._total = total
        self.reserved = 0
        self.is_closed = False
        self._changed = threading.Condition()

    def reserve(self, size: int) -> Reservation | None:
        """Wait until enough memory is free.

        :param size: bytes, at most the total
        :return: None if the budget was closed
        """
        assert size <= self._total, f"there is never memory for {size} bytes"
        with self._changed:
            self._changed.wait_for(
                lambda: self.is_closed or self.reserved + size <= self._total
            )
            if self.is_closed:
                return None
            self.reserved += size
        return Reservation(self, size)

    def close(self) -> None:
        """Refuse all further reservations, including those that wait."""
        with self._changed:
            self.is_closed = True
            self._changed.notify_all()

    def give_back(self, size: int) -> None:
        """Free *size* bytes for others."""
        with self._changed:
            self.reserved -= size
            self._changed.notify_all()


class Reservation:
    """A part of a memory budget.

    :ivar size: bytes; 0 once it is released
    """

    def __init__(self, budget: MemoryBudget, size: int) -> None:
        self.budget = budget
        self.size = size

    def shrink(self, size: int) -> None:
        """Keep *size* bytes, at most what is reserved, and free the others."""
        freed, self.size = self.size - min(self.size, size), min(self.size, size)
        self.budget.give_back(freed)

    def release(self) -> None:
        """Free all of it; this may be done twice."""
        self.shrink(0)
