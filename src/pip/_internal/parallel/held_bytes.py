"""An account of the bytes that are held before anybody has asked for them."""

from __future__ import annotations

import threading

__all__ = ["Account", "Room"]


class Account:
    """What may be held in all; whoever wants to hold more waits.

    Room is reserved before a byte of it is there, so that the sum is never exceeded.

    :ivar total: bytes
    :ivar reserved: bytes
    :ivar is_closed: whether nobody asks any more for what is held
    """

    def __init__(self, total: int) -> None:
        self.total = total
        self.reserved = 0
        self.is_closed = False
        self._changed = threading.Condition()

    def reserve(self, size: int) -> Room | None:
        """Wait until there is room.

        :param size: in bytes, at most :attr:`total`
        :return: None if the account was closed instead
        """
        assert size <= self.total, f"there is never room for {size} bytes"
        with self._changed:
            self._changed.wait_for(
                lambda: self.is_closed or self.reserved + size <= self.total
            )
            if self.is_closed:
                return None
            self.reserved += size
        return Room(self, size)

    def close(self) -> None:
        """Let nobody wait, and nobody hold anything more."""
        with self._changed:
            self.is_closed = True
            self._changed.notify_all()

    def _give_back(self, size: int) -> None:
        with self._changed:
            self.reserved -= size
            self._changed.notify_all()


class Room:
    """A part of an account.

    :ivar size: in bytes; 0 once it was given back
    """

    def __init__(self, account: Account, size: int) -> None:
        self.account = account
        self.size = size

    def shrink(self, size: int) -> None:
        """Give back what is not needed of it.

        :param size: what is, in bytes
        """
        left, self.size = self.size, min(self.size, size)
        self.account._give_back(left - self.size)

    def release(self) -> None:
        """Give all of it back; once more does no harm."""
        self.shrink(0)
