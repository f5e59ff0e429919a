"""A few threads that download files."""

from __future__ import annotations

import operator
import queue
import threading
from collections import deque
from collections.abc import Iterator, Sequence
from http import HTTPStatus
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from pip._internal.console.output import get_logger
from pip._internal.parallel.connections import without_questions
from pip._internal.parallel.downloads.fetch import Fetch, Stopped
from pip._internal.parallel.held_records import HeldRecords
from pip._internal.parallel.threads import Workers

if TYPE_CHECKING:
    from pip._internal.network.session import PipSession

__all__ = ["Pool"]

logger = get_logger(__name__)

#: At so many at once, neither a server nor this machine minds.
_WORKERS = 8
#: Bytes; a few files of this size fill most lines, and more of them at once only come
#: later, each of them, to where they can be unpacked.
_LARGE = 10_000_000
_LARGE_AT_ONCE = 3
#: Seconds for all threads to end, once they are told to.
_PATIENCE = 2.0

_listed_size = operator.attrgetter("listed_size")


class Pool:
    """Downloads files, several at a time, those first that are known to be large.

    :ivar news: gets an item whenever a download is over
    """

    def __init__(
        self, session: PipSession, fetches: Sequence[Fetch], held: HeldRecords
    ) -> None:
        self.news: queue.SimpleQueue[None] = queue.SimpleQueue()
        self._session = without_questions(session, _WORKERS)
        self._held = held
        # What takes longest to unpack had better be there soon.
        self._waiting = deque(sorted(fetches, key=_listed_size, reverse=True))
        self._running: set[Fetch] = set()
        self._lock = threading.Lock()
        self._workers = Workers(self._work, _WORKERS, self._next)
        #: Whose credentials only the user knows.
        self._asking: set[str] = set()

    def start(self) -> bool:
        """Begin; tell whether there are threads for it."""
        try:
            self._workers.grow(len(self._waiting))
        except RuntimeError as error:
            logger.debug("No thread for a download: %s", error)
        return bool(self._workers)

    def stop(self) -> None:
        """Give up what is not over, and wait for the threads to see it."""
        with self._lock:
            self._waiting.clear()
            running = list(self._running)
        for fetch in running:
            fetch.stop()
        self._workers.join(_PATIENCE)

    def _work(self, fetches: Iterator[Fetch]) -> None:
        for fetch in fetches:
            host = urlsplit(fetch.link.url_without_fragment).netloc
            if host in self._asking:
                fetch.error = Stopped()
            else:
                with self._held.of_this_thread(fetch.log):
                    fetch.run(self._session)
                if fetch.refusal == HTTPStatus.UNAUTHORIZED:
                    self._asking.add(host)
            with self._lock:
                self._running.discard(fetch)
            self.news.put(None)

    def _next(self) -> Fetch | None:
        """Take what is to be downloaded next, unless others should do the rest."""
        with self._lock:
            large = sum(fetch.listed_size > _LARGE for fetch in self._running)
            for fetch in self._waiting:
                if large < _LARGE_AT_ONCE or fetch.listed_size <= _LARGE:
                    self._waiting.remove(fetch)
                    self._running.add(fetch)
                    return fetch
            return None
