"""Store complete responses until pip requests them."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any, TypeVar

from pip._vendor.urllib3 import HTTPResponse
from pip._vendor.urllib3.exceptions import HTTPError

if TYPE_CHECKING:
    from pip._vendor.requests import PreparedRequest, Response

    from pip._internal.network.session import PipSession

T = TypeVar("T")

_CHUNK = 64 * 1024


class TooLong(Exception):
    """A body is longer than allowed."""


def like(thing: T, /, **changes: Any) -> T:
    """Copy an object, including cached attributes and connections.

    ``copy.copy`` does not work: the classes of ``requests`` leave out attributes that
    cannot be pickled.

    :param changes: new values of attributes of the copy.
    """
    made: T = object.__new__(type(thing))
    vars(made).update(vars(thing), **changes)
    return made


def forget(session: PipSession, url: str) -> None:
    """Remove the response for *url* from a session's HTTP cache, if the session has one."""
    controller = getattr(session.get_adapter(url), "controller", None)
    if controller is not None:
        controller.cache.delete(controller.cache_url(url))


class _Body(io.BytesIO):
    """A response body; if it is incomplete, reading at its end raises *error*."""

    def __init__(self, content: bytes, error: Exception | None) -> None:
        super().__init__(content)
        self._error = error

    def read(self, size: int | None = -1, /) -> bytes:
        """Read at most *size* bytes."""
        data = super().read(size)
        if not data and self._error is not None:
            raise self._error
        return data


class Buffered:
    """A response in memory that needs no connection.

    :ivar status: the HTTP status code.
    :ivar body: the body as sent, still compressed.
    """

    def __init__(
        self, response: Response, body: bytes, error: Exception | None = None
    ) -> None:
        self.status = int(response.status_code or 0)
        self.body = body
        self._error = error
        self._response = response
        raw: HTTPResponse = response.raw
        # The response refers to the connections, and would keep them open.
        response.raw = None
        self._raw: dict[str, Any] = {
            "headers": raw.headers,
            "status": raw.status,
            "version": raw.version,
            "reason": raw.reason,
            # The session takes cookies from the original response.
            "original_response": raw._original_response,
        }

    def response(self, request: PreparedRequest) -> Response:
        """Return a new response to *request*, positioned at the start of the body."""
        again = HTTPResponse(
            body=_Body(self.body, self._error),
            **self._raw,
            preload_content=False,
            decode_content=False,
            request_method=request.method,
            request_url=request.url,
        )
        return like(self._response, request=request, raw=again, history=[])


def read_fully(response: Response, limit: int, *, keeps_part: bool = False) -> Buffered:
    """Read a response completely, and release its connection.

    :param limit: the maximum length of the body, in bytes.
    :param keeps_part: whether to return the received part of a body that breaks off.
    :raises TooLong: if the body is longer than *limit*.
    :raises HTTPError: if the body breaks off, unless *keeps_part* is true.
    """
    raw, body, broken = response.raw, io.BytesIO(), None
    try:
        if (raw.length_remaining or 0) > limit:
            raise TooLong
        while chunk := raw.read(_CHUNK, decode_content=False):
            body.write(chunk)
            if body.tell() > limit:
                raise TooLong
    except BaseException as error:
        raw.close()
        if not (keeps_part and isinstance(error, (HTTPError, OSError))):
            raise
        broken = error
    raw.release_conn()
    return Buffered(response, body.getvalue(), broken)
