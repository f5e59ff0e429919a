"""The account of bytes: its sum is never exceeded, and nobody waits for nothing."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from pip._internal.fast.held_bytes import Account


def test_room_is_given_back() -> None:
    account = Account(10)
    room = account.reserve(6)
    assert room is not None
    room.shrink(4)
    assert (room.size, account.reserved) == (4, 4)
    # A body that came to more than was reserved never is.
    room.shrink(5)
    assert account.reserved == 4
    for _ in range(2):
        room.release()
        assert account.reserved == 0


def test_whoever_wants_more_waits_for_it() -> None:
    account = Account(10)
    first = account.reserve(10)
    assert first is not None
    with ThreadPoolExecutor() as pool:
        waiting = pool.submit(account.reserve, 4)
        first.shrink(7)
        assert not waiting.done()
        first.shrink(6)
        second = waiting.result(timeout=20)
    assert second is not None
    assert account.reserved == 10


def test_nobody_waits_for_an_account_that_is_closed() -> None:
    account = Account(1)
    assert account.reserve(1) is not None
    with ThreadPoolExecutor() as pool:
        waiting = pool.submit(account.reserve, 1)
        account.close()
        assert waiting.result(timeout=20) is None
    assert account.is_closed
    assert account.reserve(0) is None


def test_what_never_fits_is_a_mistake() -> None:
    with pytest.raises(AssertionError, match="never room for 2 bytes"):
        Account(1).reserve(2)
