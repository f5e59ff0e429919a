"""An account of the bytes that are held ahead of need."""

from __future__ import annotations

import threading

__all__ = ["Account", "Room"]


class Account:
    """A limit on what all threads hold; whoever wants more waits.

    Room is reserved before the first byte arrives, so that the total is never exceeded.

    :ivar total: bytes that may be held
    :ivar reserved: bytes that are held or may be before long
    :ivar is_closed: whether nobody needs what is held any more
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
        """Refuse all further room, also to those who wait for it."""
        with self._changed:
            self.is_closed = True
            self._changed.notify_all()

    def _give_back(self, size: int) -> None:
        with self._changed:
            self.reserved -= size
            self._changed.notify_all()


class Room:
    """A part of an account.

    :ivar size: in bytes; 0 once it is released
    """

    def __init__(self, account: Account, size: int) -> None:
        self.account = account
        self.size = size

    def shrink(self, size: int) -> None:
        """Release the part that is not needed.

        :param size: bytes that are needed
        """
        left, self.size = self.size, min(self.size, size)
        self.account._give_back(left - self.size)

    def release(self) -> None:
        """Release all of it; doing so twice does no harm."""
        self.shrink(0)
