"""One file that upstream's downloader fetches in a thread."""

from __future__ import annotations

import logging
import math
import threading
import time
import traceback
from collections import deque
from contextlib import suppress
from typing import TYPE_CHECKING

from pip._vendor.urllib3.exceptions import ReadTimeoutError

from pip._internal.exceptions import ConnectionTimeoutError
from pip._internal.fast.sizes import SMALL, listed_size
from pip._internal.network.cache import is_from_cache
from pip._internal.network.download import Downloader
from pip._internal.network.utils import HEADERS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pip._vendor.requests import Response

    from pip._internal.fast.downloads.arrival import Arrival
    from pip._internal.models.link import Link
    from pip._internal.network.download import _FileDownload
    from pip._internal.network.session import PipSession

__all__ = ["Fetch", "Stopped"]

#: Statuses of servers that ask for credentials, or that are busy.
_PASSING = frozenset({401, 407, 408, 425, 429})


class Stopped(Exception):
    """A download was stopped because it is not needed any more."""


class Fetch:
    """A download and its progress.

    :param arrival: of the file, when it comes
    :ivar folder: for this file alone
    :ivar listed_size: bytes according to the index; 0 if it does not tell
    :ivar records: what was logged on the way
    :ivar size: bytes according to the server; None if unknown or from the cache
    :ivar received: bytes so far; 0 if from the cache
    :ivar is_shown: whether upstream would show the progress
    :ivar result: path and content type of the file, once it is there
    :ivar error: why it is not there
    :ivar has_arrived: whether the file is complete, be it the expected one or not
    :ivar went_on_at: when bytes of it arrived last, or it ended; in seconds, on a clock
        that only goes forward
    """

    def __init__(self, link: Link, folder: str, arrival: Arrival) -> None:
        self.link = link
        self.folder = folder
        self.listed_size = listed_size(link) or 0
        self.records: deque[logging.LogRecord] = deque()
        self.size: int | None = None
        self.received = 0
        self.is_shown = False
        self.result: tuple[str, str] | None = None
        self.error: BaseException | None = None
        self.has_arrived = False
        self.went_on_at = -math.inf
        self._arrival = arrival
        self._response: Response | None = None
        self._stop = threading.Event()

    @property
    def is_over(self) -> bool:
        """Tell whether it has ended, well or not."""
        return self.result is not None or self.error is not None

    def run(self, session: PipSession) -> None:
        """Download and check the file; errors are kept."""
        try:
            path, content_type = self.download(session)
            self.has_arrived = True
            self._arrival.check(path)
            self.result = path, content_type
        except BaseException as error:
            # Whoever keeps the response keeps a temporary file of the cache open.
            traceback.clear_frames(error.__traceback__)
            for response in (self._response, getattr(error, "response", None)):
                if response is not None:
                    response.close()
            self._arrival.begin_again()
            self.error = error
        self._response = None
        self.went_on_at = time.monotonic()

    def download(self, session: PipSession) -> tuple[str, str]:
        """Download the file without checking it.

        :return: its path and content type.
        """
        return _FetchDownloader(session, self)(self.link, self.folder)

    def stop(self) -> None:
        """Make it end soon, without a result."""
        self._stop.set()
        response = self._response
        if response is not None:
            # A response from the cache or a file has no connection, and is soon read.
            with suppress(AttributeError, ValueError, RuntimeError, OSError):
                response.raw.shutdown()

    def log(self, record: logging.LogRecord) -> None:
        """Keep a record, unless it is about being stopped.

        Errors are left out: they occur again when the file is downloaded alone.
        """
        if not self._stop.is_set() and record.levelno < logging.ERROR:
            self.records.append(record)

    def go_on(self) -> None:
        """Check whether to go on.

        :raises Stopped: if not
        """
        if self._stop.is_set():
            raise Stopped

    def responded(self, response: Response) -> None:
        """Note the response, so that it can be stopped."""
        self._response = response
        self.go_on()

    def receive(self, download: _FileDownload, response: Response) -> None:
        """Note how much is about to arrive, and look at it on the way."""
        if not is_from_cache(response):
            self.size = download.size
            self.is_shown = self.is_shown or not self.size or self.size > SMALL
        self._arrival.watch(download, self._count)

    def _count(self, received: int) -> None:
        self.go_on()
        self.went_on_at = time.monotonic()
        if self.size is not None or self.is_shown:
            self.received = received

    @property
    def refusal(self) -> int:
        """Return the status of a server that refused; 0 if none did."""
        response = getattr(self.error, "response", None)
        return 0 if response is None else int(response.status_code)

    @property
    def is_refused(self) -> bool:
        """Whether a server refused the file, and did not ask for patience or a password."""
        return 400 <= self.refusal < 500 and self.refusal not in _PASSING

    @property
    def is_timed_out(self) -> bool:
        """Tell whether it was waited for, in vain."""
        return isinstance(self.error, (ConnectionTimeoutError, ReadTimeoutError))


class _FetchDownloader(Downloader):
    """Upstream's downloader for one file, without any output."""

    def __init__(self, session: PipSession, fetch: Fetch) -> None:
        super().__init__(session, "off")
        self._fetch = fetch

    def _http_get(self, link: Link, headers: Mapping[str, str] = HEADERS) -> Response:
        self._fetch.go_on()
        response = super()._http_get(link, headers)
        self._fetch.responded(response)
        return response

    def _process_response(self, download: _FileDownload, resp: Response) -> None:
        self._fetch.receive(download, resp)
        super()._process_response(download, resp)
