"""Tell the time as it would pass if nobody else used the machine."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Clock", "Usage", "processes_of_session"]

#: Seconds between two looks at which processes there are.
_SCANNED_AGAIN = 0.1
#: Who used or wanted the processor for less of the time has slept.
_AWAKE = 0.5


@dataclass(frozen=True, slots=True)
class Usage:
    """What a process has had of the processors, in seconds.

    :ivar ran: on one of them.
    :ivar waited: for one of them, being able to run.
    """

    ran: float = 0.0
    waited: float = 0.0

    @classmethod
    def of(cls, process: int) -> Usage:
        """Read it of a process; nothing of one that is no more."""
        try:
            content = Path(f"/proc/{process}/schedstat").read_bytes()
        except OSError:
            return cls()
        ran, waited, _ = content.split()
        return cls(int(ran) / 1e9, int(waited) / 1e9)


class Clock:
    """A clock that stands still while a program waits for a processor.

    On a machine that others use too, an upgrade takes two seconds or six; by this clock it
    takes the same each time. Waiting for a disk counts, and so does waiting for a child,
    but for what the child waits for a processor.

    :param session: the leader of a session, whose processes are the program
    """

    def __init__(
        self,
        session: int,
        *,
        wall: Callable[[], float] = time.perf_counter,
        usage: Callable[[int], Usage] = Usage.of,
        processes: Callable[[int], list[int]] | None = None,
    ) -> None:
        self._session = session
        self._wall, self._usage = wall, usage
        self._processes = processes or processes_of_session
        self._lost = 0.0
        self._at = self._scanned = wall()
        self._seen: dict[int, Usage] = {session: usage(session)}

    def now(self) -> float:
        """Return seconds since some moment; they may go back a little."""
        wall = self._wall()
        if wall - self._scanned >= _SCANNED_AGAIN:
            self._scanned = wall
            for process in self._processes(self._session):
                self._seen.setdefault(process, self._usage(process))
        waited: dict[int, float] = {}
        is_awake = False
        for process, before in self._seen.items():
            after = self._usage(process)
            if after.ran < before.ran:
                continue
            self._seen[process] = after
            waited[process] = after.waited - before.waited
            if process == self._session:
                used = after.ran - before.ran + waited[process]
                is_awake = used > _AWAKE * (wall - self._at)
        own = waited.pop(self._session, 0.0)
        self._lost += own
        if not is_awake:
            self._lost += max(waited.values(), default=0.0)
        self._at = wall
        return wall - self._lost


def processes_of_session(session: int) -> list[int]:
    """Return the processes of a session that have not ended."""
    return list(_processes(session))


def _processes(session: int) -> Iterator[int]:
    for entry in Path("/proc").glob("[0-9]*/stat"):
        try:
            content = entry.read_text(encoding="utf-8", errors="replace")
        except OSError:
            # It ended just now.
            continue
        # The name before may hold anything.
        state, _, _, its_session = content.rpartition(")")[2].split()[:4]
        if int(its_session) == session and state not in "ZX":
            yield int(entry.parent.name)
