"""Early requests: their limits and their outcomes."""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Callable, Collection
from concurrent.futures import Future
from typing import TYPE_CHECKING, NamedTuple

from pip._internal.fast.early_answers import Answer, answer_of
from pip._internal.fast.early_hosts import FAILURES
from pip._internal.fast.held_records import emit, holding
from pip._internal.fast.sizes import SMALL
from pip._internal.fast.time_limits import TimeBudget, time_limit

if TYPE_CHECKING:
    import logging

    from pip._vendor.requests import PreparedRequest, Response

    from pip._internal.fast.held_bytes import Account, Room

__all__ = [
    "METADATA",
    "PAGE",
    "WHEEL",
    "Entry",
    "Kind",
    "say",
]


class Kind(NamedTuple):
    """The limits of one kind of early request.

    :ivar max_body: bytes, as sent; a longer body is left to the request that is due
    :ivar seconds: for the whole request; infinity if only the session's limits count
    :ivar gives_way: whether it is tried once and, unless all is well, left to the request
        that is due; then its host is asked no more of that kind
    """

    max_body: int
    seconds: float = math.inf
    gives_way: bool = False

    @property
    def is_dispensable(self) -> bool:
        """Tell whether pip would rather go on without it than wait."""
        return self.seconds < math.inf


PAGE = Kind(2 * 1024 * 1024, gives_way=True)
METADATA = Kind(1024 * 1024, gives_way=True)
WHEEL = Kind(SMALL, gives_way=True)


def say(records: deque[logging.LogRecord], *, plainly: bool) -> None:
    """Log now what a thread has logged of a request.

    :param plainly: whether to use this pip's own words in place of upstream's
    """
    if plainly:
        from pip._internal.fast.request_errors import reword

        emit(records, reword)
    else:
        emit(records)


class Entry:
    """An early request."""

    def __init__(self, kind: Kind) -> None:
        self.kind = kind
        self.future: Future[Answer] = Future()
        #: What the thread logs; shown when upstream would have logged it.
        self.records: deque[logging.LogRecord] = deque()
        self._room: Room | None = None
        self._began = self._ended = math.inf

    @property
    def took(self) -> float:
        """Return how many seconds the request has taken so far."""
        now = time.monotonic()
        return max(0.0, min(now, self._ended) - self._began)

    @property
    def good_answer(self) -> Answer | None:
        """Return the answer if it has arrived and is good."""
        future = self.future
        if not future.done() or future.cancelled() or future.exception() is not None:
            return None
        answer = future.result()
        return answer if answer.is_good else None

    @property
    def is_left(self) -> bool:
        """Tell whether it has ended so that the request that is due is made instead."""
        if not self.kind.gives_way:
            return False
        return self.future.exception() is not None or not self.future.result().is_final

    def is_try(self, statuses: Collection[int]) -> bool:
        """Tell whether it failed in a way in which upstream tries again.

        :param statuses: those after which it does
        """
        if not self.is_left:
            return False
        error = self.future.exception()
        if error is not None:
            return isinstance(error, FAILURES)
        return self.future.result().status in statuses

    def make(
        self, account: Account, send: Callable[[], tuple[Response, PreparedRequest]]
    ) -> None:
        """Make the request; called in a thread."""
        self._room = room = account.reserve(self.kind.max_body)
        if room is None or not self.future.set_running_or_notify_cancel():
            self.release()
            return
        self._began = time.monotonic()
        try:
            with holding(self.records.append):
                answer = self._answer(send, room)
        except BaseException as error:  # Upstream's thread waits for the future.
            self._ended = time.monotonic()
            self.release()
            self.future.set_exception(error.with_traceback(None))
        else:
            self._ended = time.monotonic()
            room.shrink(answer.size)
            self.future.set_result(answer)

    def _answer(
        self, send: Callable[[], tuple[Response, PreparedRequest]], room: Room
    ) -> Answer:
        budget = TimeBudget(self.kind.seconds) if self.kind.is_dispensable else None
        response, request = send()
        raw = response.raw
        try:
            with time_limit(raw, budget):
                return answer_of(response, request, room)
        except BaseException:
            raw.close()
            raise

    def say(self) -> None:
        """Log now what was logged on the way."""
        say(self.records, plainly=self.kind.is_dispensable)

    def release(self) -> None:
        """Free the room that is kept for its body."""
        if self._room is not None:
            self._room.release()
