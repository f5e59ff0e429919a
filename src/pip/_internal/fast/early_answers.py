"""Early responses that wait for their requests."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

from pip._vendor.urllib3 import HTTPResponse
from pip._vendor.urllib3.exceptions import HTTPError, ReadTimeoutError

from pip._internal.fast.connections import like

if TYPE_CHECKING:
    from pip._vendor.requests import PreparedRequest, Response

    from pip._internal.fast.held_bytes import Room

__all__ = ["Answer", "TooLong", "answer_of"]

_CHUNK = 64 * 1024


class TooLong(Exception):
    """A body is longer than the room for it."""


class Answer:
    """A response that was read and no longer needs its connection.

    :ivar body: as it was sent
    """

    def __init__(
        self,
        response: Response,
        request: PreparedRequest,
        body: bytes,
        error: Exception | None,
    ) -> None:
        self._response = response
        self._request = request
        self._raw: HTTPResponse = response.raw
        self.body = body
        self._error = error
        response.raw = None

    @property
    def size(self) -> int:
        """Return how many bytes of its body arrived."""
        return len(self.body)

    @property
    def status(self) -> int:
        """Return the status code."""
        return int(self._response.status_code or 0)

    @property
    def is_final(self) -> bool:
        """Tell whether upstream would neither try again nor look for credentials.

        A body that broke off may have done so because of other requests. One that was
        waited for in vain is not waited for twice.
        """
        is_over = self._error is None or isinstance(self._error, ReadTimeoutError)
        again = (401, 407, 413, 429)
        return is_over and self.status < 500 and self.status not in again

    @property
    def is_redirect(self) -> bool:
        """Tell whether the response redirects."""
        return self._response.is_redirect

    @property
    def is_good(self) -> bool:
        """Tell whether it is complete and either a success or a redirect."""
        is_success = 200 <= self.status < 300
        return self._error is None and (is_success or self.is_redirect)

    def response(self) -> Response:
        """Return the response, to be read from the beginning.

        If the connection broke, reading the body breaks off at the same place.
        """
        raw = self._raw
        again = HTTPResponse(
            body=_Body(self.body, self._error),
            headers=raw.headers,
            status=raw.status,
            version=raw.version,
            reason=raw.reason,
            preload_content=False,
            decode_content=False,
            original_response=raw._original_response,
            request_method=self._request.method,
            request_url=self._request.url,
        )
        return like(self._response, raw=again, history=[])


class _Body(io.BytesIO):
    """What arrived of a body, followed by the error that ended it, if any."""

    def __init__(self, data: bytes, error: Exception | None) -> None:
        super().__init__(data)
        self._error = error

    def read(self, size: int | None = -1, /) -> bytes:
        data = super().read(size)
        if self._error is not None and (not data or size is None or size < 0):
            raise self._error
        return data


def answer_of(response: Response, request: PreparedRequest, room: Room) -> Answer:
    """Read a response until it ends or breaks off.

    :param room: for its body
    :raises TooLong: if the body does not fit, or nobody needs it any more
    """
    raw, body = response.raw, io.BytesIO()
    broke: Exception | None = None
    if (raw.length_remaining or 0) > room.size:
        raise TooLong(f"it is longer than {room.size} bytes")
    try:
        while chunk := raw.read(_CHUNK, decode_content=False):
            if body.tell() + len(chunk) > room.size or room.account.is_closed:
                raise TooLong(f"it is longer than {room.size} bytes")
            body.write(chunk)
    except (HTTPError, OSError) as error:
        # Drop the frames of this thread, and all they hold.
        broke = error.with_traceback(None)
        raw.close()
    else:
        raw.release_conn()
    return Answer(response, request, body.getvalue(), broke)
