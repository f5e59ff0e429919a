"""Learn how many parallel requests a host supports.

A server or proxy with a low limit may refuse further connections in any way: with any
status, by closing the connection, or by answering nothing while pip keeps another
connection open. So pip sends the first request to a host alone. Then pip sends two, four
and more requests at a time, as long as the host answers. After a refusal or failure, pip
repeats the request alone. If the result is the same, other requests were not the reason
(:meth:`Host.judge`); pip tests each status once. If no response arrives, pip closes idle
connections, and limits parallel requests to the number that the host has answered
(:meth:`Host.stalled`).
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

#: Seconds that a request of pip waits for prefetches to end.
_PATIENCE = 1.0


class Turn:
    """A request or download in progress.

    :ivar host: the host that receives the request.
    :ivar is_due: whether pip waits for the response.
    :ivar level: the number of requests to the host when this request began, including this
        request; 0 if pip can learn nothing from the response.
    :ivar peak: the maximum number of simultaneous requests since this request began.
    :ivar is_answered: whether the host sent a successful response.
    """

    def __init__(self, host: Host, level: int, *, is_due: bool = False) -> None:
        self.host = host
        self.is_due = is_due
        self.level = self.peak = level
        self.is_answered = False


class Host:
    """The requests to one host, or to one proxy.

    :param most: the maximum number of simultaneous requests.
    :ivar is_avoided: whether pip prefetches nothing more from the host.
    :ivar accepted: the credentials that the host has accepted.
    :ivar refused: the credentials that the host has refused.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._allowed = 1
        #: The maximum number of simultaneous requests that were all answered.
        self._proven = 0
        #: By status: the number of simultaneous requests that did not cause a refusal.
        self._genuine: dict[int, int] = {}
        self._turns: list[Turn] = []
        self._changed = threading.Condition()
        #: The turns that wait to be alone, or are alone.
        self._alone: list[Turn] = []
        #: The number of requests that pip waits for and that have not begun.
        self._waiting = 0
        #: The maximum number of open connections.
        self._open = 0
        self.is_avoided = False
        self.accepted: set[str] = set()
        self.refused: set[str] = set()

    @contextmanager
    def turn(self, *, is_due: bool) -> Iterator[Turn]:
        """Wait until another request is allowed, and count it.

        :param is_due: whether pip waits for the response; such a request goes first.
        """
        with self._changed:
            if is_due:
                self._waiting += 1
                if not self._changed.wait_for(self._has_room, _PATIENCE):
                    # Prefetches that hang leave no room.
                    self._changed.wait_for(lambda: self._has_room(self._due()))
                self._waiting -= 1
            else:
                self._changed.wait_for(lambda: not self._waiting and self._has_room())
            turn = Turn(self, len(self._turns) + 1, is_due=is_due)
            self._turns.append(turn)
            self._open = max(self._open, turn.level)
            for each in self._turns:
                each.peak = max(each.peak, turn.level)
        try:
            yield turn
        finally:
            with self._changed:
                self._turns.remove(turn)
                if turn in self._alone:
                    self._alone.remove(turn)
                # Raise the limit only after the request has ended, so that the next one is
                # not too early.
                if turn.is_answered:
                    self._prove(turn.level)
                self._changed.notify_all()

    def _has_room(self, turns: list[Turn] | None = None) -> bool:
        """Return whether the limit allows one request more than *turns*."""
        turns = self._turns if turns is None else turns
        return len(turns) < self._allowed and not self._alone

    def _due(self) -> list[Turn]:
        return [each for each in self._turns if each.is_due]

    def be_alone(
        self, turn: Turn, close_connections: Callable[[], None], seconds: float
    ) -> None:
        """Wait for all other requests to end, and block new requests until *turn* ends.

        :param close_connections: a function that closes the idle connections.
        :param seconds: the time limit for requests that pip may never need.
        """
        with self._changed:
            self._alone.append(turn)
            # Another turn may wait for this one.
            self._changed.notify_all()
            self._changed.wait_for(
                lambda: (
                    self._alone[0] is turn
                    and all(each in self._alone for each in self._due())
                )
            )
            # pip may not need the requests that hang.
            self._changed.wait_for(
                lambda: all(each in self._alone for each in self._turns), seconds
            )
        close_connections()
        self._open = 1

    def is_alone(self, turn: Turn) -> bool:
        """Return whether pip has no other connection to the host, active or idle."""
        return turn.peak == self._open == 1

    @property
    def has_connections(self) -> bool:
        """Whether there are connections to the host, active or idle."""
        return self._open > 1 or bool(self._turns)

    def keeps_open(self) -> None:
        """Count a connection that stays in use after its turn."""
        self._open = max(self._open, 2)

    def is_genuine(self, turn: Turn, status: int) -> bool:
        """Return whether a refusal is independent of parallel requests."""
        return turn.peak <= self._genuine.get(status, 0)

    def stalled(self) -> bool:
        """Limit parallel requests to the number that the host answered.

        :return: whether the caller must close idle connections now. The host may answer the
            requests in progress only after that.
        """
        with self._changed:
            has_idle = 0 < len(self._turns) < self._open
            if has_idle:
                self._allowed = self._most = max(1, self._proven)
                self._open = len(self._turns)
                for each in self._turns:
                    each.level = 0
        return has_idle

    def judge(self, turn: Turn, status: int, *, is_same: bool) -> None:
        """Adjust the limit after a request was repeated alone.

        :param status: the status of the first response.
        :param is_same: whether both requests had the same result. If so, the other requests
            were not the reason. Otherwise, pip sends one request at a time from now on.
        """
        with self._changed:
            if is_same:
                self._genuine[status] = max(self._genuine.get(status, 0), turn.peak)
                self._prove(turn.peak)
            else:
                self._allowed = self._most = 1

    def _prove(self, level: int) -> None:
        self._proven = max(self._proven, level)
        # A limit that is too high does no harm: pip repeats each refused request alone.
        self._allowed = min(2 * self._allowed, self._most)
