"""Learn how many parallel requests a host supports.

A server or proxy that serves few connections refuses the others in any way that it likes:
with any status, by closing the connection, or by answering nothing as long as pip holds
another connection. So the first request to a host is made alone; then pip makes two, four
and more at a time, as long as the host answers. A refusal or failure counts only if the same
request ends in the same way without any other (:meth:`Host.judge`); this is found out once
for each status. If nothing arrives, pip closes idle connections and makes no more requests
at a time than were answered (:meth:`Host.stalled`).
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

#: Seconds that a request which pip waits for waits for prefetches.
_PATIENCE = 1.0


class Turn:
    """A request or download in progress.

    :ivar host: which it is sent to
    :ivar is_due: whether pip waits for the response
    :ivar level: how many there were to the host when it began, including this one; 0 if
        nothing can be learned from an answer
    :ivar peak: how many there have been at the same time since then
    :ivar is_answered: whether there was a good response
    """

    def __init__(self, host: Host, level: int, *, is_due: bool = False) -> None:
        self.host = host
        self.is_due = is_due
        self.level = self.peak = level
        self.is_answered = False


class Host:
    """The requests to one host, or to one proxy.

    :param most: how many there may be at the same time
    :ivar is_avoided: whether nothing more is prefetched from it
    :ivar accepted: credentials with which it has answered
    :ivar refused: credentials that it has refused
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._allowed = 1
        #: The most requests at the same time of which all were answered.
        self._proven = 0
        #: By status: at how many requests a refusal had nothing to do with the others.
        self._genuine: dict[int, int] = {}
        self._turns: list[Turn] = []
        self._changed = threading.Condition()
        #: Who waits to be alone, or is.
        self._alone: list[Turn] = []
        #: How many requests that pip waits for have not begun.
        self._waiting = 0
        #: How many connections may be open.
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
                # Not before it has ended: the next one would count it.
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
        """Wait for all other requests to end, and block new ones until the turn ends.

        :param seconds: how long to wait for requests that pip may never make
        :param close_connections: closes the connections that are kept open
        """
        with self._changed:
            self._alone.append(turn)
            # This may be what another one waits for.
            self._changed.notify_all()
            self._changed.wait_for(
                lambda: (
                    self._alone[0] is turn
                    and all(each in self._alone for each in self._due())
                )
            )
            # Nobody may need what hangs.
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

        :return: whether there are idle connections, to be closed now. The requests that
            are under way may be answered only because of that.
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

        :param status: of the first response
        :param is_same: whether it ended in the same way; this proves that the other
            requests were not the reason. Otherwise they were, and from here on, pip makes
            one request after the other.
        """
        with self._changed:
            if is_same:
                self._genuine[status] = max(self._genuine.get(status, 0), turn.peak)
                self._prove(turn.peak)
            else:
                self._allowed = self._most = 1

    def _prove(self, level: int) -> None:
        self._proven = max(self._proven, level)
        # Too many do no harm: what is refused is repeated alone.
        self._allowed = min(2 * self._allowed, self._most)
