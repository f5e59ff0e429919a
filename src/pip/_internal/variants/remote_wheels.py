"""Read the metadata of a wheel that is on a server without the rest of the wheel."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from pip._vendor.packaging.utils import parse_wheel_filename
from pip._vendor.requests.exceptions import RequestException
from pip._vendor.urllib3.exceptions import HTTPError

from pip._internal.exceptions import InvalidWheel, NetworkConnectionError
from pip._internal.network.lazy_wheel import (
    HTTPRangeRequestUnsupported,
    dist_from_wheel_url,
)
from pip._internal.utils._log import getLogger
from pip._internal.utils.misc import redact_auth_from_url
from pip._internal.variants.texts import printable

if TYPE_CHECKING:
    from pip._vendor.requests import Response

    from pip._internal.metadata import BaseDistribution
    from pip._internal.models.link import Link
    from pip._internal.network.session import PipSession

__all__ = ["NoRanges", "WheelUnreadable", "remote_wheel"]

logger = getLogger(__name__)

#: Metadata takes a handful; what needs more is no wheel, or reads like none.
_MAX_REQUESTS = 200


class WheelUnreadable(Exception):
    """The metadata of a wheel could not be read; the message says why, to people."""

    def __init__(self, problem: str) -> None:
        super().__init__(printable(problem))


class NoRanges(WheelUnreadable):
    """The server sends whole files only."""

    def __init__(self) -> None:
        super().__init__("its server cannot send the part of a wheel that describes it")


def remote_wheel(session: PipSession, link: Link) -> BaseDistribution:
    """Give the metadata of the wheel at *link*, read by range requests.

    :raises NoRanges: if the server has none.
    :raises WheelUnreadable: if it sends no wheel.
    :raises UnsupportedWheel: if what it sends breaks the rules for wheels.
    :raises DiagnosticPipError: if there is no connection.
    """
    project, *_ = parse_wheel_filename(link.filename)
    logger.verbose("Reading what %s says of itself", link)
    # Upstream's reader takes whatever has these two methods of a session.
    ranges = cast("PipSession", _RangeRequests(session))
    try:
        return dist_from_wheel_url(project, link.url_without_fragment, ranges)
    except HTTPRangeRequestUnsupported:
        raise NoRanges from None
    except InvalidWheel:
        raise WheelUnreadable("it is not a ZIP file") from None
    except (NetworkConnectionError, RequestException, HTTPError) as error:
        raise WheelUnreadable(redact_auth_from_url(str(error))) from None


class _RangeRequests:
    """A session that follows redirects, and notices servers that ignore ranges."""

    def __init__(self, session: PipSession) -> None:
        self._session = session
        self._final_url = ""
        self._left = _MAX_REQUESTS

    def head(self, url: str, **kwargs: Any) -> Response:
        response = self._session.head(url, allow_redirects=True, **kwargs)
        if response.status_code != 200:
            raise WheelUnreadable(f"{response.status_code} {response.reason}")
        if not response.headers.get("Content-Length", "").isdecimal():
            raise NoRanges
        self._final_url = response.url
        return response

    def get(self, _url: str, **kwargs: Any) -> Response:
        if not self._left:
            raise WheelUnreadable(f"it takes more than {_MAX_REQUESTS} requests")
        self._left -= 1
        response = self._session.get(self._final_url, **kwargs)
        if response.status_code == 200:
            # The whole wheel follows, which would be taken for a part of it.
            response.close()
            raise NoRanges
        return response
