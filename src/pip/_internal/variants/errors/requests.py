"""Say in plain words what went wrong with a request, without any Python object."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pip._vendor.requests.exceptions import RequestException
from pip._vendor.urllib3 import exceptions as urllib3
from pip._vendor.urllib3.util import Retry

from pip._internal import exceptions as pip

if TYPE_CHECKING:
    import logging
    from collections.abc import Iterator

    from pip._internal.network.session import PipSession

__all__ = [
    "UNTRUSTED",
    "is_passing",
    "reword",
    "said_of_request",
    "times",
    "with_attempts",
]

#: The beginning of what is said of a certificate.
UNTRUSTED = "its certificate is not trusted"


def said_of_request(error: BaseException) -> str | None:
    """Return what went wrong with a request; None if *error* is about something else."""
    causes = list(_causes(error))
    system = getattr(causes[-1], "strerror", None) or str(causes[-1])
    for cause in causes:
        match cause:
            case pip.ConnectionTimeoutError(context=context):
                return str(context)
            case urllib3.ProxyError():
                return f"the proxy cannot be reached: {system}"
            case urllib3.NewConnectionError():
                return f"its host cannot be reached: {system}"
            case urllib3.SSLError():
                # Not by class: Python may have been built without TLS.
                problem = getattr(causes[-1], "verify_message", None)
                no_tls = f"there is no secure connection: {system}"
                return f"{UNTRUSTED}: {problem}" if problem else no_tls
            case urllib3.ResponseError() if status := re.search("[0-9]{3}", str(cause)):
                return f"the server answered {status[0]}"
            case urllib3.IncompleteRead(partial=came, expected=left):
                return f"the connection broke after {came} of {came + left} bytes"
            case urllib3.ReadTimeoutError():
                return "the server stopped sending before the end"
            case urllib3.ProtocolError(args=["Connection aborted.", OSError()]):
                return "the connection was closed without a reply from the server"
            case urllib3.ProtocolError(args=[_, OSError()]):
                return f"the connection broke before the end: {system}"
            case urllib3.InvalidChunkLength():
                return "the connection broke before the end"
    return None


def reword(record: logging.LogRecord) -> None:
    """Make a record say in plain words that a request is sent again."""
    match record.args:
        case (Retry(), Exception() as error, str() as path):
            is_late = isinstance(error, urllib3.ReadTimeoutError)
            said = None if is_late else said_of_request(error)
            said = said or "there was no answer in time"
            record.msg, record.args = "Asking again for %s: %s", (path, said)


def is_passing(error: BaseException) -> bool:
    """Return whether the same request may succeed before long."""
    is_tls = any(isinstance(each, urllib3.SSLError) for each in _causes(error))
    return not is_tls and said_of_request(error) is not None


def times(error: BaseException, session: PipSession) -> int:
    """Return how often *session* sent the request that ended with *error*."""
    if not any(isinstance(each, urllib3.MaxRetryError) for each in _causes(error)):
        return 1
    # The session counts all kinds of failures together.
    retries = getattr(session.get_adapter("https://"), "max_retries", None)
    return 1 + int(getattr(retries, "total", None) or 0)


def with_attempts(said: str, error: BaseException, session: PipSession) -> str:
    """Add how often a request was sent, if more than once, to what is said of it."""
    sent = times(error, session)
    return said if sent == 1 else f"{said} ({sent} attempts)"


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    """Yield an error, what it wraps, what that wraps, and so on."""
    while error is not None:
        yield error
        inner: tuple[object, ...] = ()
        match error:
            case (
                pip.ConnectionFailedError()
                | pip.ConnectionTimeoutError()
                | pip.ProxyConnectionError()
                | pip.SSLVerificationError()
            ):
                inner = (error.__context__,)
            case RequestException() | urllib3.HTTPError():
                reason = getattr(error, "reason", None)
                inner = (reason, *error.args, error.__cause__)
        error = next((each for each in inner if isinstance(each, Exception)), None)
