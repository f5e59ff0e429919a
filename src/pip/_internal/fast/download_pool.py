"""Download files in several threads, and show the progress."""

from __future__ import annotations

import logging
import os
import queue
import threading
import time
import traceback
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from pip._vendor.urllib3.exceptions import ReadTimeoutError

from pip._internal.console.output import get_logger
from pip._internal.exceptions import (
    ConnectionTimeoutError,
    IncompleteDownloadError,
    NetworkConnectionError,
)
from pip._internal.fast.digests import read_sha256, register
from pip._internal.fast.download_progress import CombinedProgress
from pip._internal.fast.install_command import unpacking_for
from pip._internal.fast.optional_work import diverting_logs, emit
from pip._internal.fast.pages import listed_size
from pip._internal.fast.session_requests import requests_of, without_questions
from pip._internal.fast.space import is_full, space_for
from pip._internal.fast.threads import Workers
from pip._internal.network.cache import is_from_cache
from pip._internal.network.download import Downloader
from pip._internal.network.utils import HEADERS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pip._vendor.requests import Response

    from pip._internal.fast.unpacked_wheels import Unpacking
    from pip._internal.models.link import Link
    from pip._internal.network.download import _FileDownload
    from pip._internal.network.session import PipSession

logger = get_logger(__name__)

#: Bytes; upstream shows the progress of larger downloads.
SMALL = 512 * 1024
#: Bytes. A few files of this size use up most connections. More of them at once would all
#: finish later, and be unpacked later.
_LARGE = 10_000_000
_LARGE_AT_ONCE = 3
#: Seconds between two updates of the progress.
_TICK = 0.1
#: Seconds for the threads to end after their connections were closed.
_PATIENCE = 0.2
#: pip notices bytes a little after they arrive, so this part of the timeout is enough.
_NEARLY = 0.9

#: The possible errors when a server sends nothing more, even after attempts to resume.
_TIMED_OUT = (ConnectionTimeoutError, ReadTimeoutError, IncompleteDownloadError)


class Stopped(Exception):
    """A download was stopped because pip no longer needs the file."""


class Fetch(Downloader):
    """A download whose progress other code shows.

    :param unpacking: the unpacker for the downloaded file, or None.
    :ivar folder: a folder for this file alone.
    :ivar listed_size: the size in bytes according to the index; 0 if unknown.
    :ivar size: the size in bytes according to the server; None if unknown or from the
        cache.
    :ivar records: the log records of the download.
    :ivar is_shown: whether stock pip would show the progress.
    :ivar result: the path and content type of the downloaded file, or None.
    :ivar error: the reason why the download failed, or None.
    :ivar ended_at: the time when a failed download ended, in seconds on a monotonic clock.
    """

    def __init__(
        self, session: PipSession, link: Link, folder: str, unpacking: Unpacking | None
    ) -> None:
        super().__init__(session, "off")
        self.link = link
        self.folder = folder
        self.listed_size = listed_size(link) or 0
        self.size: int | None = None
        self.records: deque[logging.LogRecord] = deque()
        self.is_shown = False
        self.result: tuple[str, str] | None = None
        self.error: BaseException | None = None
        self.ended_at = 0.0
        self.unpacking = unpacking
        self._download: _FileDownload | None = None
        self._response: Response | None = None
        self._stop = threading.Event()

    @property
    def received(self) -> int:
        """The number of bytes received so far; 0 if the file is in the cache."""
        return 0 if self._download is None else self._download.bytes_received

    @property
    def is_over(self) -> bool:
        """Whether the download has ended, successfully or not."""
        return self.result is not None or self.error is not None

    @property
    def is_refused(self) -> bool:
        """Whether the server responded with an error."""
        error = self.error
        return isinstance(error, NetworkConnectionError) and error.response is not None

    def run(self) -> None:
        """Download the file; store an error instead of raising it."""
        try:
            path, content_type = self(self.link, self.folder)
            self._check(path)
            self.result = path, content_type
        except BaseException as error:
            # A reference to the response would keep a temporary file of the cache open.
            traceback.clear_frames(error.__traceback__)
            for response in (self._response, getattr(error, "response", None)):
                if response is not None:
                    response.close()
            self.ended_at = time.monotonic()
            self.error = error
        self._response = None

    def _check(self, path: str) -> None:
        """Unpack the file if it has the sha256 that the index states.

        pip checks the registered hash again, without computing it, and reports a mismatch.
        """
        hashes = self.link.as_hashes()
        if hashes and hashes.is_hash_allowed("sha256", sha256 := read_sha256(path)):
            register(path, sha256)
            if self.unpacking is not None:
                self.unpacking.add(path, hashes, self.link)

    def stop(self) -> None:
        """Stop the download soon, without a result."""
        self._stop.set()
        response = self._response
        if response is not None:
            # A response from the cache or a file has no connection, and is read quickly.
            with suppress(AttributeError, ValueError, RuntimeError, OSError):
                response.raw.shutdown()

    def log(self, record: logging.LogRecord) -> None:
        """Store a log record, except errors and the records of a stopped download.

        Errors occur again when pip downloads the file alone.
        """
        if not self._stop.is_set() and record.levelno < logging.ERROR:
            self.records.append(record)

    def _http_get(self, link: Link, headers: Mapping[str, str] = HEADERS) -> Response:
        if not self._stop.is_set():
            self._response = super()._http_get(link, headers)
        if self._stop.is_set() or self._response is None:
            raise Stopped
        return self._response

    def _process_response(self, download: _FileDownload, resp: Response) -> None:
        if not is_from_cache(resp):
            self._download, self.size = download, download.size
            self.is_shown = self.is_shown or not self.size or self.size > SMALL
        super()._process_response(download, resp)


class Pool:
    """A pool of threads that download several files, starting with large files.

    After a failed download, the pool starts no other download: pip downloads the remaining
    files one by one, as stock pip does.

    :param downloader: the downloader of stock pip, for one file.
    :param most: the maximum number of threads.
    :param location: the folder to download the files to.
    """

    def __init__(
        self, downloader: Downloader, most: int, links: Sequence[Link], location: str
    ) -> None:
        self._downloader = downloader
        self._sending = requests_of(downloader._session, most).sending
        session = without_questions(downloader._session)
        self._fetches = []
        for number, link in enumerate(links):
            # Two concurrent downloads may have the same file name.
            folder = os.path.join(location, str(number))
            self._fetches.append(Fetch(session, link, folder, unpacking_for(link)))
        self._progress = CombinedProgress(downloader._progress_bar, self._fetches)
        # Start with the file that takes longest to unpack.
        self._waiting = deque(sorted(self._fetches, key=lambda each: -each.listed_size))
        self._running: set[Fetch] = set()
        self._lock = threading.Lock()
        self._workers = Workers(self._work, most, self._next)
        #: Receives an item whenever a download ends.
        self._news: queue.SimpleQueue[None] = queue.SimpleQueue()
        #: The received bytes of all files, and the time of the last change.
        self._received, self._went_on_at = 0, time.monotonic()

    def download(self) -> Iterator[tuple[Link, tuple[str, str]]]:
        """Download the files, and yield the path and content type of each in order."""
        for fetch in self._fetches:
            os.mkdir(fetch.folder)
        with self._progress:
            try:
                self._start()
                for fetch in self._fetches:
                    yield fetch.link, self._finish(fetch)
            finally:
                self._stop()

    def _start(self) -> None:
        try:
            self._workers.grow(len(self._fetches))
        except RuntimeError as error:
            logger.debug("No thread for a download: %s", error)
        if not self._workers:
            self._begin_no_other()

    def _stop(self) -> None:
        """Stop unfinished downloads, and wait for the threads."""
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

    def _finish(self, fetch: Fetch) -> tuple[str, str]:
        """Wait for a download while showing the progress of all downloads.

        After a failure, retry the download when all other downloads have ended.

        :return: the result of the download.
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
        """Retry a failed download alone, or raise its error."""
        self._progress.close()
        for each in self._fetches:
            if each.unpacking is not None and is_full(each.error):
                # Wheels that were unpacked early may fill the disk.
                each.unpacking.stop()
        with space_for(fetch.size or fetch.listed_size, fetch.folder):
            if fetch.error is not None and self._is_final(fetch):
                emit(fetch.records)
                raise fetch.error
            logger.debug("Retrying %s by itself: %r", fetch.link, fetch.error)
            fetch.records.clear()
            fetch.result = self._downloader(fetch.link, fetch.folder)
            fetch.error = None

    def _is_final(self, fetch: Fetch) -> bool:
        """Return whether retrying a failed download would fail the same way.

        Retrying is useless if the download timed out while no other download made progress.
        """
        patience = self._downloader._session.timeout or 0
        has_hung = fetch.ended_at - self._went_on_at >= _NEARLY * patience
        return isinstance(fetch.error, _TIMED_OUT) and has_hung

    def _wait(self) -> None:
        """Wait briefly for the threads; handle a refusal at once."""
        for fetch in self._fetches:
            if fetch.is_refused:
                # The server may refuse parallel requests: continue with one download at a
                # time.
                self._stop()
                self._retry(fetch)
        received = sum(fetch.received for fetch in self._fetches)
        if received != self._received:
            self._received, self._went_on_at = received, time.monotonic()
        elif time.monotonic() - self._went_on_at > self._sending.patience:
            self._sending.stalled()
        with suppress(queue.Empty):
            self._news.get(timeout=_TICK)
        self._progress.update()

    def _work(self, fetches: Iterator[Fetch]) -> None:
        for fetch in fetches:
            url = fetch.link.url_without_fragment
            with diverting_logs(fetch.log), self._sending.turn(url) as turn:
                fetch.run()
                if fetch.error is not None:
                    self._begin_no_other()
                    if turn.peak > 1:
                        # Downloads may succeed one at a time.
                        turn.host.judge(turn, 0, is_same=False)
            with self._lock:
                self._running.discard(fetch)
            self._news.put(None)

    def _next(self) -> Fetch | None:
        """Return the next file to download, or None if other threads handle the rest."""
        with self._lock:
            large = sum(fetch.listed_size > _LARGE for fetch in self._running)
            for fetch in self._waiting:
                if large < _LARGE_AT_ONCE or fetch.listed_size <= _LARGE:
                    self._waiting.remove(fetch)
                    self._running.add(fetch)
                    return fetch
            return None
