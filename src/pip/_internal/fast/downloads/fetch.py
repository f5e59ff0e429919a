"""One file that pip's downloader fetches in a thread."""

from __future__ import annotations

import logging
import math
import threading
import time
import traceback
from collections import deque
from contextlib import suppress
from typing import TYPE_CHECKING

from pip._internal.exceptions import NetworkConnectionError
from pip._internal.fast.digests import read_sha256, register
from pip._internal.fast.sizes import SMALL, listed_size
from pip._internal.network.cache import is_from_cache
from pip._internal.network.download import Downloader
from pip._internal.network.utils import HEADERS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pip._vendor.requests import Response

    from pip._internal.fast.unpacked.installing import Unpacking
    from pip._internal.models.link import Link
    from pip._internal.network.download import _FileDownload
    from pip._internal.network.session import PipSession

__all__ = ["Fetch", "Stopped"]


class Stopped(Exception):
    """A download was stopped because it is not needed any more."""


class Fetch(Downloader):
    """A download and its progress, without any output.

    :param unpacking: unpacks the file when it is there, if that pays
    :ivar folder: for this file alone
    :ivar listed_size: bytes according to the index; 0 if it does not tell
    :ivar size: bytes according to the server; None if unknown or from the cache
    :ivar records: what was logged on the way
    :ivar is_shown: whether stock pip would show the progress
    :ivar result: path and content type of the file, once it is there
    :ivar error: why it is not there
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
        self._unpacking = unpacking
        self._download: _FileDownload | None = None
        self._seen = 0
        self._went_on_at = -math.inf
        self._response: Response | None = None
        self._stop = threading.Event()

    @property
    def received(self) -> int:
        """The bytes so far; 0 if from the cache."""
        return 0 if self._download is None else self._download.bytes_received

    @property
    def is_over(self) -> bool:
        """Whether the download has ended, well or not."""
        return self.result is not None or self.error is not None

    @property
    def is_refused(self) -> bool:
        """Whether the server has answered with an error."""
        error = self.error
        return isinstance(error, NetworkConnectionError) and error.response is not None

    def run(self) -> None:
        """Download the file; errors are kept."""
        try:
            path, content_type = self(self.link, self.folder)
            self._check(path)
            self.result = path, content_type
        except BaseException as error:
            # Whoever keeps the response keeps a temporary file of the cache open.
            traceback.clear_frames(error.__traceback__)
            for response in (self._response, getattr(error, "response", None)):
                if response is not None:
                    response.close()
            self.error = error
        self._response = None
        self._went_on_at = time.monotonic()

    def _check(self, path: str) -> None:
        """Unpack a file whose sha256 is the one that the index names.

        pip checks the hash, which it then need not compute, and reports a wrong one.
        """
        hashes = self.link.as_hashes()
        if hashes and hashes.is_hash_allowed("sha256", sha256 := read_sha256(path)):
            register(path, sha256)
            if self._unpacking is not None:
                self._unpacking.add(path, hashes, self.link, self._session)

    def stop(self) -> None:
        """Make the download end soon, without a result."""
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

    def went_on_at(self) -> float:
        """Return when bytes arrived last, as far as this was called since, or it ended.

        :return: in seconds, on a monotonic clock
        """
        if self.received != self._seen:
            self._seen = self.received
            self._went_on_at = time.monotonic()
        return self._went_on_at

    def _go_on(self) -> None:
        """Check whether to go on.

        :raises Stopped: if not
        """
        if self._stop.is_set():
            raise Stopped

    def _http_get(self, link: Link, headers: Mapping[str, str] = HEADERS) -> Response:
        self._go_on()
        self._response = super()._http_get(link, headers)
        self._go_on()
        return self._response

    def _process_response(self, download: _FileDownload, resp: Response) -> None:
        if not is_from_cache(resp):
            self._download, self.size = download, download.size
            self.is_shown = self.is_shown or not self.size or self.size > SMALL
        super()._process_response(download, resp)
