"""Download files in a few threads, and show how far they are."""

from __future__ import annotations

import operator
import queue
import threading
import time
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from pip._vendor.urllib3.exceptions import ReadTimeoutError

from pip._internal.console.output import get_logger
from pip._internal.exceptions import ConnectionTimeoutError, IncompleteDownloadError
from pip._internal.fast.downloads.fetch import Fetch, Stopped
from pip._internal.fast.held_records import emit, holding
from pip._internal.fast.space import space_for
from pip._internal.fast.threads import Workers

if TYPE_CHECKING:
    from pip._internal.fast.downloads.progress import CombinedProgress
    from pip._internal.fast.sending import Sending
    from pip._internal.network.download import Downloader

__all__ = ["Pool"]

logger = get_logger(__name__)

#: Bytes; a few files of this size use up most lines. More of them at once would only all
#: be complete later, and unpacked later.
_LARGE = 10_000_000
_LARGE_AT_ONCE = 3
#: Seconds between two looks at how far the downloads are.
_TICK = 0.1
#: Seconds that the threads have to end after their connections were closed.
_PATIENCE = 0.2

#: What a server that sends nothing more ends in, also after some attempts to resume.
_TIMED_OUT = (ConnectionTimeoutError, ReadTimeoutError, IncompleteDownloadError)

_listed_size = operator.attrgetter("listed_size")


class Pool:
    """Downloads several files at a time; those known to be large come first.

    Once a download has failed, no other begins: pip downloads what is left as stock pip
    does, one file after the other.

    :param sending: sends the requests of the session
    :param most: how many threads there may be
    :param downloader: downloads one file as stock pip does
    """

    def __init__(
        self,
        sending: Sending,
        most: int,
        downloader: Downloader,
        fetches: Sequence[Fetch],
        progress: CombinedProgress,
    ) -> None:
        self._downloader = downloader
        self._sending = sending
        self._fetches = fetches
        self._progress = progress
        # What takes longest to unpack should arrive soon.
        self._waiting = deque(sorted(fetches, key=_listed_size, reverse=True))
        self._running: set[Fetch] = set()
        self._lock = threading.Lock()
        self._workers = Workers(self._work, most, self._next)
        #: Gets an item whenever a download ends.
        self._news: queue.SimpleQueue[None] = queue.SimpleQueue()

    def start(self) -> None:
        """Begin, unless there can be no threads."""
        try:
            self._workers.grow(len(self._fetches))
        except RuntimeError as error:
            logger.debug("No thread for a download: %s", error)
        if not self._workers:
            self._begin_no_other()

    def stop(self) -> None:
        """Stop what has not ended, and wait for the threads to notice."""
        self._begin_no_other()
        for fetch in self._fetches:
            if not fetch.is_over:
                fetch.stop()
        self._workers.join(_PATIENCE)

    def _begin_no_other(self) -> None:
        with self._lock:
            for fetch in self._waiting:
                fetch.error = Stopped()
            self._waiting.clear()

    def finish(self, fetch: Fetch) -> tuple[str, str]:
        """Wait for a download, and show the progress of all meanwhile.

        A download that failed is tried once more, when all others have ended.

        :return: its result
        """
        while not fetch.is_over:
            self._wait()
            emit(fetch.records)
        if fetch.result is None:
            while not (self._is_final(fetch) or all(e.is_over for e in self._fetches)):
                self._wait()
            self._retry(fetch)
        emit(fetch.records)
        assert fetch.result is not None, "a failure was raised"
        return fetch.result

    def _retry(self, fetch: Fetch) -> None:
        """Try a download that failed once more, alone, or raise its error."""
        self._progress.close()
        with space_for(fetch.size or fetch.listed_size, fetch.folder):
            if fetch.error is not None and self._is_final(fetch):
                emit(fetch.records)
                raise fetch.error
            logger.debug("Downloading %s again, alone: %r", fetch.link, fetch.error)
            fetch.records.clear()
            fetch.result = self._downloader(fetch.link, fetch.folder)
            fetch.error = None

    def _is_final(self, fetch: Fetch) -> bool:
        """Whether another attempt at a download that failed would end in the same way.

        It would if pip waited for the file in vain while no other download went on.
        """
        if not isinstance(fetch.error, _TIMED_OUT):
            return False
        others = (each.went_on_at() for each in self._fetches if each is not fetch)
        patience = self._downloader._session.timeout or 0
        return fetch.went_on_at() - max(others) >= patience

    def _wait(self) -> None:
        """Wait a little for what goes on in the threads; deal with a refusal at once."""
        for fetch in self._fetches:
            if fetch.is_refused:
                # The server may refuse several requests at a time: go on one by one.
                self.stop()
                self._retry(fetch)
        went_on_at = max(each.went_on_at() for each in self._fetches)
        if time.monotonic() - went_on_at > self._sending.patience:
            self._sending.stalled()
        with suppress(queue.Empty):
            self._news.get(timeout=_TICK)
        self._progress.update()

    def _work(self, fetches: Iterator[Fetch]) -> None:
        for fetch in fetches:
            url = fetch.link.url_without_fragment
            with holding(fetch.log), self._sending.turn(url) as turn:
                fetch.run()
                if fetch.error is not None:
                    self._begin_no_other()
                    if turn.peak > 1:
                        # One after the other may go better.
                        turn.host.judge(turn, 0, is_same=False)
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
