"""Read the metadata of a remote wheel with range requests."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from io import BytesIO
from typing import TYPE_CHECKING, Any, cast

from pip._vendor.packaging.utils import parse_wheel_filename
from pip._vendor.requests.exceptions import RequestException
from pip._vendor.urllib3.exceptions import HTTPError, ProtocolError

from pip._internal.console.output import get_logger
from pip._internal.console.texts import without_credentials
from pip._internal.exceptions import InvalidWheel, NetworkConnectionError
from pip._internal.metadata import MemoryWheel, get_wheel_distribution
from pip._internal.network import lazy_wheel
from pip._internal.network.utils import HEADERS
from pip._internal.variants.errors import describe_error

if TYPE_CHECKING:
    from pip._vendor.packaging.utils import NormalizedName
    from pip._vendor.requests import Response

    from pip._internal.metadata import BaseDistribution
    from pip._internal.models.link import Link
    from pip._internal.network.session import PipSession

logger = get_logger(__name__)

#: Metadata takes a handful of requests; a file that needs more is unlikely to be a wheel.
_MAX_REQUESTS = 200
#: If a response ends early, pip reads everything again, as its session repeats requests.
_ATTEMPTS = 3
#: The list of files takes most bytes: 1.4 MB for torch, which has 12,000 files. In memory,
#: the list takes up to fifteen times that.
_MAX_BYTES = 8 * 1024 * 1024
#: The maximum size of a wheel in bytes, which no file system exceeds.
_LARGEST = 10**18


class WheelUnreadable(Exception):
    """The metadata of a wheel could not be read; the message explains why."""


class NoRanges(WheelUnreadable):
    """The server does not support range requests."""

    def __init__(self) -> None:
        super().__init__("its server does not support range requests")


def remote_wheel(session: PipSession, link: Link) -> BaseDistribution:
    """Return the metadata of the wheel at *link*, read by range requests.

    If the server does not support ranges, a small wheel is read whole.

    :raises NoRanges: if the server does not support ranges, and the wheel is not small.
    :raises WheelUnreadable: if the server does not send a wheel.
    :raises UnsupportedWheel: if the wheel is invalid.
    :raises DiagnosticPipError: if there is no connection.
    """
    project, *_ = parse_wheel_filename(link.filename)
    url = link.url_without_fragment
    logger.verbose("Reading the metadata of %s", link)
    has_ranges = True
    for attempt in range(1, _ATTEMPTS + 1):
        # Upstream's reader uses only these two methods of a session.
        ranges = cast("PipSession", _RangeRequests(session))
        try:
            if not has_ranges:
                return _whole_wheel(session, link, project)
            return lazy_wheel.dist_from_wheel_url(project, url, ranges)
        except lazy_wheel.HTTPRangeRequestUnsupported:
            has_ranges = False
        except InvalidWheel:
            raise WheelUnreadable("it is not a ZIP file") from None
        except ProtocolError as error:
            logger.debug("Attempt %s at %s: %s", attempt, link, error)
            reason = describe_error(error)
        except (
            NetworkConnectionError,
            RequestException,
            HTTPError,
            ValueError,
        ) as error:
            # The session has already repeated the request, or was redirected to an invalid
            # URL.
            reason = describe_error(error)
            break
    raise WheelUnreadable(without_credentials(reason))


def _whole_wheel(
    session: PipSession, link: Link, project: NormalizedName
) -> BaseDistribution:
    response = session.get(link.url_without_fragment, headers=HEADERS, stream=True)
    size = response.headers.get("Content-Length", "")
    with response:
        if response.status_code != 200 or not _is_at_most(_MAX_BYTES, size):
            raise NoRanges
        content = response.raw.read(int(size))
    return get_wheel_distribution(MemoryWheel(link.filename, BytesIO(content)), project)


def _is_at_most(limit: int, size: str) -> bool:
    return size.isdecimal() and len(size) < 20 and int(size) <= limit


class _RangeRequests:
    """A session that follows redirects once, and detects ignored ranges."""

    def __init__(self, session: PipSession) -> None:
        self._session = session
        self._final_url = ""
        self._left = _MAX_REQUESTS
        self._bytes_left = _MAX_BYTES

    def head(self, url: str, **kwargs: Any) -> Response:
        response = self._session.head(url, allow_redirects=True, **kwargs)
        if response.status_code != 200:
            raise WheelUnreadable(_answered(response))
        size = response.headers.get("Content-Length", "")
        if not _is_at_most(_LARGEST, size):
            raise NoRanges
        self._final_url = response.url
        return response

    def get(self, _url: str, headers: Mapping[str, str], **kwargs: Any) -> Response:
        if not self._left:
            raise WheelUnreadable(f"reading takes over {_MAX_REQUESTS} requests")
        self._left -= 1
        response = self._session.get(self._final_url, headers=headers, **kwargs)
        if response.status_code >= 400:
            response.close()
            raise WheelUnreadable(_answered(response))
        sent = response.headers.get("Content-Range", "").partition("/")[0]
        is_part = response.status_code == 206
        if not is_part or sent.replace("bytes ", "bytes=", 1) != headers["Range"]:
            # pip would mistake the body for the requested part.
            response.close()
            raise NoRanges
        first, _, last = headers["Range"].removeprefix("bytes=").partition("-")
        size = int(last) + 1 - int(first)
        self._bytes_left -= size
        if self._bytes_left < 0:
            response.close()
            raise WheelUnreadable(f"reading takes over {_MAX_BYTES >> 20} MiB")
        response.raw = _LimitedBody(response.raw, size)
        return response


def _answered(response: Response) -> str:
    return f"the server answered {response.status_code} {response.reason}".rstrip()


class _LimitedBody:
    """A response body, which must not exceed the requested range."""

    def __init__(self, body: Any, size: int) -> None:
        self._body = body
        self._left = size

    def stream(self, *args: Any, **options: Any) -> Iterator[bytes]:
        for chunk in self._body.stream(*args, **options):
            self._left -= len(chunk)
            if self._left < 0:
                raise WheelUnreadable("its server sends more than pip requested")
            yield chunk

    def __getattr__(self, name: str) -> Any:
        return getattr(self._body, name)
