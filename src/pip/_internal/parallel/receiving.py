"""Receive large files with less work than upstream, to the same end.

The same blocks arrive with the same errors, in the same file, and the cache gets the same
entry. Upstream copies each block from layer to layer, writes it to a temporary file beside
its own for the cache's sake, copies that one into the cache, and reads its own again to
compute its hash. Here a block goes from the connection to the file, the hash is computed on
the way, and the cache gets the very file if it may, or a copy that the system makes.
"""

from __future__ import annotations

import functools
import http.client
import io
import os
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

from pip._vendor.cachecontrol.filewrapper import CallbackFileWrapper
from pip._vendor.urllib3 import HTTPResponse
from pip._vendor.urllib3.exceptions import IncompleteRead

from pip._internal.network.cache import SafeFileCache, suppressed_cache_errors
from pip._internal.network.download import Downloader
from pip._internal.parallel.connections import like
from pip._internal.parallel.digests import Digests
from pip._internal.parallel.sizes import SMALL
from pip._internal.parallel.slots import IS_FAST
from pip._internal.utils.filesystem import replace

if TYPE_CHECKING:
    from pip._vendor.requests import Response

    from pip._internal.network.download import _FileDownload

__all__ = ["response_processed"]

#: As the vendored library names what is called with a whole body, and where it keeps it.
_CALLBACK, _BUFFER, _INNER = (
    f"_CallbackFileWrapper__{name}" for name in ("callback", "buf", "fp")
)


def response_processed(
    fn: Callable[..., None],
    downloader: Downloader,
    download: _FileDownload,
    resp: Response,
) -> None:
    """Let upstream write a file to which the body of a large response comes directly."""
    raw = resp.raw
    body = None
    if IS_FAST.of(downloader._session, bool):
        body = _Body.of(raw)
    if body is None:
        return fn(downloader, download, resp)
    # Whoever has put something around the file computes the hashes that are expected.
    is_bare = isinstance(download.output_file, io.BufferedWriter)
    digests = Digests.of(download.link.as_hashes()) if is_bare else None
    resp.raw = _Received(body, download, digests)
    try:
        return fn(downloader, download, resp)
    finally:
        resp.raw = raw
        body.release()


class _Body(NamedTuple):
    """A large body of known length, of which nothing was read.

    :ivar response: what upstream would read it from
    :ivar connection: what that would read it from
    :ivar copied: what would keep a copy for the cache, if anything
    """

    response: HTTPResponse
    connection: http.client.HTTPResponse
    copied: CallbackFileWrapper | None

    @classmethod
    def of(cls, raw: object) -> _Body | None:
        """Return the body of a response; None if upstream should receive it."""
        if type(raw) is not HTTPResponse or raw.status != http.client.OK:
            return None
        left, inner = raw.length_remaining, raw._fp
        copied = None
        if isinstance(inner, CallbackFileWrapper):
            copied, inner = inner, vars(inner).get(_INNER)
            if not isinstance(vars(copied).get(_CALLBACK), functools.partial):
                return None
        if (
            not isinstance(inner, http.client.HTTPResponse)
            or inner is not raw._original_response
            or inner.length != left
            or raw.tell()
        ):
            return None
        return cls(raw, inner, copied) if left is not None and left > SMALL else None

    def blocks(self, size: int) -> Iterator[memoryview]:
        """Yield what arrives; each block is overwritten by the next one.

        :param size: of most blocks, in bytes
        :raises HTTPError: upstream's own errors, after what came before
        """
        response, connection = self.response, self.connection
        block = memoryview(bytearray(size))
        while response.length_remaining:
            with response._error_catcher():
                got = connection.readinto(block)
                if not got:
                    connection.close()
                    raise IncompleteRead(
                        response._fp_bytes_read, response.length_remaining
                    )
            response._fp_bytes_read += got
            response.length_remaining -= got
            yield block[:got]

    def cache(self, path: str) -> None:
        """Let the cache keep what upstream would keep, which is in a file.

        :param path: of the file, which has all of the body
        """
        if self.copied is None:
            return
        keep = vars(self.copied)[_CALLBACK]
        controller = keep.func.__self__
        cache = like(controller.cache, _Cache)
        like(controller, cache=cache).cache_response(*keep.args, _InFile(path))

    def release(self) -> None:
        """Remove the temporary file in which upstream would have kept a copy."""
        if self.copied is not None:
            self.response._fp = self.connection
            vars(self.copied)[_BUFFER].close()


class _Received:
    """A body that is received, as far as upstream's downloader uses it.

    :param digests: take in what arrives; None if there is no use for them
    """

    def __init__(
        self, body: _Body, download: _FileDownload, digests: Digests | None
    ) -> None:
        self._body = body
        self._download = download
        self._digests = digests

    def __getattr__(self, name: str) -> Any:
        # Whoever stops a download, or closes its response, does so to upstream's.
        return getattr(self._body.response, name)

    def stream(
        self, amt: int, decode_content: bool | None = None
    ) -> Iterator[memoryview]:
        """Yield the blocks, as they come; in the end the cache gets them too."""
        del decode_content
        file, digests = self._download.output_file, self._digests
        for block in self._body.blocks(amt):
            if digests is not None:
                digests.update(block)
            yield block
        file.flush()
        if digests is not None:
            digests.note(file.name)
        self._body.cache(file.name)


class _InFile:
    """The contents of a file, for the cache."""

    def __init__(self, path: str) -> None:
        self.path = path

    def __len__(self) -> int:
        return os.path.getsize(self.path)


class _Cache(SafeFileCache):
    """Upstream's cache, which takes files as they are."""

    def set_body(self, key: str, body: Any) -> None:
        """Set the body of an entry, of which all else is there."""
        entry = self._get_cache_path(key)
        with suppressed_cache_errors():
            if not _linked(body.path, f"{entry}.body", entry):
                copy = functools.partial(_copy, body.path)
                self._write_to_file(f"{entry}.body", copy)


def _linked(source: str, path: str, like_this: str) -> bool:
    """Let a file be in the cache too, unless a new one there would have other rights.

    It is in a temporary folder, where it is read and then removed; what a user gets of it
    is a copy.

    :param like_this: what upstream has just written there
    :raises OSError: if the cache cannot be written to
    """
    # Few files are as large.
    from pip._internal.parallel.downloads.trees import gives_nothing_on, is_faithful

    beside = f"{path}{os.urandom(4).hex()}.tmp"
    try:
        is_same = (
            os.stat(source).st_mode == os.stat(like_this).st_mode
            and is_faithful()
            and gives_nothing_on(os.path.dirname(path))
        )
        if is_same:
            os.link(source, beside)
    except OSError:
        # It is on another disk, or this one has no links.
        return False
    if is_same:
        with open(source, "rb") as file:
            os.fsync(file.fileno())
        replace(beside, path)
    return is_same


def _copy(path: str, target: BinaryIO) -> None:
    from pip._internal.parallel.copies import copied

    with open(path, "rb", buffering=0) as source:
        copied(source, target)
