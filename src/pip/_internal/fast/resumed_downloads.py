"""Resume a large download that an earlier run did not finish.

pip stores a large file with a known sha256 in its cache during the download, named after
the sha256. If the run ends early, the part stays in the cache. The next run requests the
file as usual, closes the response, and requests only the rest. If the part or the rest is
invalid, pip downloads the whole file as stock pip does.
"""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack, suppress
from typing import TYPE_CHECKING, BinaryIO

from pip._internal.exceptions import HashMismatch
from pip._internal.fast.environment_lock import locked
from pip._internal.fast.optional_work import BestEffort, diverting_logs
from pip._internal.fast.switches import command_options
from pip._internal.fast.trees import own_folder
from pip._internal.network.cache import is_from_cache
from pip._internal.network.download import Downloader, _FileDownload
from pip._internal.network.utils import HEADERS

if TYPE_CHECKING:
    from pip._vendor.requests import Response

    from pip._internal.models.link import Link

#: The name of the folder in pip's cache.
_FOLDER = "partial-downloads"
#: The minimum size of a part that pip keeps, in bytes.
_LEAST = 20_000_000
#: The maximum age of a part, in seconds.
_AGE = 14 * 24 * 60 * 60


class _Resuming(Downloader):
    """A downloader that saves a large download in a partial file, and resumes the download.

    :param cache: the folder of pip's cache.
    :param opened: the exit stack that closes the partial file.
    :ivar part: the partial file; None if the download is not large.
    """

    def __init__(self, downloader: Downloader, cache: str, opened: ExitStack) -> None:
        super().__init__(downloader._session, "off")
        self._downloader, self._cache, self._opened = downloader, cache, opened
        self.part: BinaryIO | None = None

    def _http_get(self, link: Link, headers: Mapping[str, str] = HEADERS) -> Response:
        return self._downloader._http_get(link, headers)

    def _process_response(self, download: _FileDownload, resp: Response) -> None:
        rest, size = resp, download.size or 0
        is_first = not (download.reattempts or is_from_cache(resp))
        if is_first and size >= _LEAST and resp.headers.get("Accept-Ranges") == "bytes":
            rest = self._rest(download, resp, size)
        start = download.bytes_received
        self._downloader._process_response(download, rest)
        download.output_file.flush()
        if self.part and start and not download.is_incomplete():
            download.link.as_hashes().check_against_path(self.part.name)
            if not download.reattempts:
                self._cache_resumed_download(download, resp)

    def _rest(self, download: _FileDownload, whole: Response, size: int) -> Response:
        """Open the partial file, and request the missing bytes.

        :raises OSError: if the server does not send exactly the missing bytes.
        """
        with BestEffort("keeping a partial download"):
            own_folder(folder := os.path.join(self._cache, _FOLDER))
            self._opened.callback(remove_parts, self._cache, time.time() - _AGE)
            path = os.path.join(folder, str(download.link.hash))
            self.part = download.output_file = self._opened.enter_context(locked(path))
        start = download.output_file.seek(0, os.SEEK_END)
        if not _LEAST <= start < size:
            download.reset_file()
            return whole
        whole.close()
        headers = {**HEADERS, "Range": f"bytes={start}-"}
        if not (validator := whole.headers.get("ETag", "W/")).startswith("W/"):
            headers["If-Range"] = validator
        with BestEffort("continuing a download"), diverting_logs(lambda _: None):
            rest = self._http_get(download.link, headers)
            if rest.headers.get("Content-Range") == f"bytes {start}-{size - 1}/{size}":
                download.bytes_received = start
                return rest
            rest.close()
        raise OSError("the server did not send the rest of the file")


def download(
    fn: Callable[..., tuple[str, str]], downloader: Downloader, link: Link, folder: str
) -> tuple[str, str]:
    """Download one file, and return its path and content type."""
    cache = os.name != "nt" and getattr(command_options(), "cache_dir", None)
    if not cache or link.hash_name != "sha256" or not str(link.hash).isalnum():
        return fn(downloader, link, folder)
    with ExitStack() as opened:
        resuming = _Resuming(downloader, cache, opened)
        try:
            path, content_type = fn(resuming, link, folder)
            if resuming.part:
                # The part is now so old that pip removes it if the move fails.
                os.utime(resuming.part.name, (0, 0))
                shutil.move(resuming.part.name, path)
            return path, content_type
        except (HashMismatch, OSError):
            if not resuming.part:
                raise
        result = fn(downloader, link, folder)
        os.truncate(resuming.part.fileno(), 0)
        return result


def remove_parts(cache: str, newest: float = float("inf")) -> None:
    """Remove partial files that are small or old, unless a process uses them.

    :param newest: the modification time up to which a part is old, in seconds.
    """
    with suppress(OSError), os.scandir(os.path.join(cache, _FOLDER)) as entries:
        for entry in entries:
            status = entry.stat()
            if status.st_mtime < newest or status.st_size < _LEAST:
                with suppress(OSError), locked(entry.path):
                    os.unlink(entry.path)
