"""How many requests a host gets at the same time follows from what it answers."""

from __future__ import annotations

import functools
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager

import pytest

from pip._internal.fast.hosts import Host, Turn


@contextmanager
def running(host: Host, count: int) -> Iterator[list[Turn]]:
    """Start so many requests."""
    with ExitStack() as stack:
        yield [stack.enter_context(host.turn(is_due=False)) for _ in range(count)]


def grown(level: int, most: int = 6) -> Host:
    """Return a host that has answered *level* requests at the same time."""
    host = Host(most)
    for each in range(1, level + 1):
        with running(host, each) as turns:
            turns[-1].is_answered = True
    return host


def allowed(host: Host) -> int:
    """Return how many requests may be under way."""
    with ExitStack() as stack:
        count = 0
        while host._has_room():
            stack.enter_context(host.turn(is_due=False))
            count += 1
    return count


@pytest.mark.parametrize(
    ("answered", "most", "expected"),
    [(0, 6, 1), (1, 6, 2), (2, 6, 4), (3, 6, 6), (6, 6, 6), (3, 7, 7), (1, 1, 1)],
)
def test_more_as_long_as_it_answers(answered: int, most: int, expected: int) -> None:
    assert allowed(grown(answered, most)) == expected


def test_an_answer_proves_only_what_there_was_when_it_began() -> None:
    """A host that serves one connection answers the first of two."""
    host = grown(1)
    with running(host, 2) as (first, second):
        first.is_answered = True
        assert (first.level, first.peak, second.level) == (1, 2, 2)


def test_a_different_result_alone_makes_it_serial() -> None:
    host = grown(2)
    with running(host, 3) as turns:
        assert not host.is_genuine(turns[-1], 404)
        host.judge(turns[-1], 404, is_same=False)
    assert allowed(host) == 1
    with running(host, 1) as turns:
        turns[0].is_answered = True
    assert allowed(host) == 1, "it stays so"


def test_the_same_result_alone_is_proof() -> None:
    host = grown(1)
    with running(host, 2) as turns:
        host.judge(turns[-1], 404, is_same=True)
        assert host.is_genuine(turns[-1], 404)
        assert not host.is_genuine(turns[-1], 403)
    assert allowed(host) == 4
    with running(host, 3) as turns:
        assert not host.is_genuine(turns[-1], 404)


def test_alone() -> None:
    """Who is alone waits for others to end; meanwhile, no other begins."""
    host = grown(4)
    waits, ended = threading.Event(), threading.Event()
    happened: list[str] = []

    def be_first() -> None:
        with host.turn(is_due=False):
            waits.set()
            ended.wait(20)
            happened.append("first ends")

    def be_alone() -> None:
        close = functools.partial(happened.append, "connections close")
        with host.turn(is_due=False) as turn:
            host.be_alone(turn, close, 20)
            assert host.is_alone(Turn(host, 1))
            happened.append("alone")

    def be_last() -> None:
        with host.turn(is_due=False):
            happened.append("last begins")

    with ThreadPoolExecutor() as pool:
        futures = [pool.submit(be_first)]
        assert waits.wait(20)
        futures.append(pool.submit(be_alone))
        while not host._alone:
            threading.Event().wait(0.001)
        futures.append(pool.submit(be_last))
        ended.set()
        for each in futures:
            each.result(timeout=20)
    assert happened == ["first ends", "connections close", "alone", "last begins"]


def test_one_after_the_other_is_alone() -> None:
    host = grown(2)
    begun = threading.Barrier(2)

    def be_alone() -> None:
        with host.turn(is_due=True) as turn:
            begun.wait(20)
            host.be_alone(turn, lambda: None, 20)

    # No pool: leaving it would wait for a thread that waits forever.
    threads = [threading.Thread(target=be_alone, daemon=True) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert not any(thread.is_alive() for thread in threads)
    assert allowed(host) == 4


def test_the_next_request_does_not_count_one_that_is_answered() -> None:
    host = grown(1)
    with running(host, 2) as turns:
        turns[-1].is_answered = True
        assert allowed(host) == 0
    assert allowed(host) == 4


def test_what_pip_waits_for_goes_first() -> None:
    host = Host(1)
    happened: list[bool] = []

    def begin(is_due: bool) -> None:
        with host.turn(is_due=is_due):
            happened.append(is_due)

    with ThreadPoolExecutor() as pool:
        with running(host, 1):
            ahead = pool.submit(begin, False)
            due = pool.submit(begin, True)
            while not host._waiting:
                threading.Event().wait(0.001)
        due.result(timeout=20)
        ahead.result(timeout=20)
    assert happened == [True, False]


def test_idle_connections_may_keep_a_server_from_answering() -> None:
    host = grown(2)
    with running(host, 1):
        # Another connection was open, and may be idle now.
        host.stalled()
    assert allowed(host) == 2
    with running(host, 2) as turns:
        host.stalled()
        turns[-1].is_answered = True
    # Nothing was idle.
    assert allowed(host) == 2


def test_an_answer_after_that_proves_nothing() -> None:
    host = grown(1)
    with running(host, 2):
        pass
    with running(host, 1) as turns:
        host.stalled()
        turns[0].is_answered = True
        assert turns[0].level == 0
    assert allowed(host) == 1
