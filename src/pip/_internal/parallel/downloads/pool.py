"""Download files in a few threads, and show how far they are."""

from __future__ import annotations

import operator
import queue
import threading
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import suppress
from http import HTTPStatus
from typing import TYPE_CHECKING, NoReturn
from urllib.parse import urlsplit

from pip._internal.console.output import get_logger
from pip._internal.parallel.connections import without_questions
from pip._internal.parallel.downloads.fetch import Fetch, Stopped
from pip._internal.parallel.held_records import emit, holding
from pip._internal.parallel.space import space_for
from pip._internal.parallel.threads import Workers

if TYPE_CHECKING:
    from pip._internal.network.session import PipSession
    from pip._internal.parallel.downloads.progress import CombinedProgress

__all__ = ["Pool"]

logger = get_logger(__name__)

#: So many connections to a host browsers have too.
_WORKERS = 6
#: Bytes; a few files of this size use up most lines. More of them at once would only all
#: be complete later, and unpacked later.
_LARGE = 10_000_000
_LARGE_AT_ONCE = 3
#: Seconds between two looks at how far the downloads are.
_TICK = 0.1
#: Seconds that the threads have to end.
_PATIENCE = 2.0

_listed_size = operator.attrgetter("listed_size")


class Pool:
    """Downloads several files at a time; those known to be large come first."""

    def __init__(
        self, session: PipSession, fetches: Sequence[Fetch], progress: CombinedProgress
    ) -> None:
        self._session = without_questions(session, _WORKERS)
        self._fetches = fetches
        self._progress = progress
        # What takes longest to unpack should arrive soon.
        self._waiting = deque(sorted(fetches, key=_listed_size, reverse=True))
        self._running: set[Fetch] = set()
        self._lock = threading.Lock()
        self._workers = Workers(self._work, _WORKERS, self._next)
        #: Gets an item whenever a download ends.
        self._news: queue.SimpleQueue[None] = queue.SimpleQueue()
        #: Hosts for which the user has to be asked for credentials.
        self._asking: set[str] = set()

    def start(self) -> bool:
        """Begin; return whether there are threads."""
        try:
            self._workers.grow(len(self._fetches))
        except RuntimeError as error:
            logger.debug("No thread for a download: %s", error)
        return bool(self._workers)

    def stop(self) -> None:
        """Stop what has not ended, and wait for the threads to notice."""
        with self._lock:
            self._waiting.clear()
            running = list(self._running)
        for fetch in running:
            fetch.stop()
        self._workers.join(_PATIENCE)

    def finish(self, fetch: Fetch) -> tuple[str, str] | None:
        """Wait for a download, and show the progress of all meanwhile.

        :return: its result; None if it should be tried again alone. Then all others have
            ended.
        """
        while not fetch.is_over:
            self._wait()
            emit(fetch.records)
        if fetch.result is None and self._should_be_alone(fetch):
            while not all(each.is_over for each in self._fetches):
                self._wait()
            self._progress.close()
            return None
        if fetch.error is not None:
            self._fail(fetch)
        emit(fetch.records)
        return fetch.result

    def _should_be_alone(self, fetch: Fetch) -> bool:
        """Tell whether to try a download that failed once more when nothing else runs.

        Not if it was waited for while no other went on: nobody was in its way.
        """
        if not fetch.is_timed_out:
            return fetch.may_need_to_be_alone()
        others = (each.went_on_at for each in self._fetches if each is not fetch)
        return fetch.went_on_at - max(others) < (self._session.timeout or 0)

    def _wait(self) -> None:
        """Wait a little, unless a download has failed for good."""
        failed = self._first_failed()
        if failed is not None:
            self._fail(failed)
        with suppress(queue.Empty):
            self._news.get(timeout=_TICK)
        self._progress.update()

    def _first_failed(self) -> Fetch | None:
        """Return the download that failed for good; of several, upstream's first.

        Whether one before it fails is known when a server has answered.
        """
        with self._lock:
            unknown = {each for each in self._running if not each.has_responded}
        for fetch in self._fetches:
            if fetch in unknown:
                return None
            if fetch.error is not None and not self._should_be_alone(fetch):
                return fetch
        return None

    def _fail(self, failed: Fetch) -> NoReturn:
        """Raise the error of one, after what upstream would have said before."""
        assert failed.error is not None
        for fetch in self._fetches[: self._fetches.index(failed)]:
            emit(fetch.records)
        self._progress.close()
        emit(failed.records)
        emit(failed.last_words)
        with space_for(failed.size or failed.listed_size, failed.folder):
            raise failed.error

    def _work(self, fetches: Iterator[Fetch]) -> None:
        for fetch in fetches:
            host = urlsplit(fetch.link.url_without_fragment).netloc
            if host in self._asking:
                fetch.error = Stopped()
            else:
                with holding(fetch.log):
                    fetch.run(self._session)
                if fetch.refusal == HTTPStatus.UNAUTHORIZED:
                    self._asking.add(host)
            with self._lock:
                self._running.discard(fetch)
            self._news.put(None)

    def _next(self) -> Fetch | None:
        """Take the next file; None if the rest is for other threads."""
        with self._lock:
            large = sum(fetch.listed_size > _LARGE for fetch in self._running)
            for fetch in self._waiting:
                if large < _LARGE_AT_ONCE or fetch.listed_size <= _LARGE:
                    self._waiting.remove(fetch)
                    self._running.add(fetch)
                    return fetch
            return None
