"""The budget of bytes: its sum is never exceeded, and nobody waits for nothing."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from pip._internal.fast.memory_budget import MemoryBudget


def test_memory_is_freed() -> None:
    budget = MemoryBudget(10)
    room = budget.reserve(6)
    assert room is not None
    room.shrink(4)
    assert (room.size, budget.reserved) == (4, 4)
    # A body that came to more than was reserved never is.
    room.shrink(5)
    assert budget.reserved == 4
    for _ in range(2):
        room.release()
        assert budget.reserved == 0


def test_whoever_wants_more_waits_for_it() -> None:
    budget = MemoryBudget(10)
    first = budget.reserve(10)
    assert first is not None
    with ThreadPoolExecutor() as pool:
        waiting = pool.submit(budget.reserve, 4)
        first.shrink(7)
        assert not waiting.done()
        first.shrink(6)
        second = waiting.result(timeout=20)
    assert second is not None
    assert budget.reserved == 10


def test_nobody_waits_for_a_budget_that_is_closed() -> None:
    budget = MemoryBudget(1)
    assert budget.reserve(1) is not None
    with ThreadPoolExecutor() as pool:
        waiting = pool.submit(budget.reserve, 1)
        budget.close()
        assert waiting.result(timeout=20) is None
    assert budget.is_closed
    assert budget.reserve(0) is None


def test_what_never_fits_is_a_mistake() -> None:
    with pytest.raises(AssertionError, match="never memory for 2 bytes"):
        MemoryBudget(1).reserve(2)
