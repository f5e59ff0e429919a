"""Say in plain words what went wrong with a request, without any Python object."""

from __future__ import annotations

import re
from http.client import RemoteDisconnected
from typing import TYPE_CHECKING

from pip._vendor.requests.exceptions import RequestException
from pip._vendor.urllib3 import exceptions as urllib3
from pip._vendor.urllib3.util import Retry

from pip._internal.exceptions import (
    ConnectionFailedError,
    ConnectionTimeoutError,
    DiagnosticPipError,
    ProxyConnectionError,
    SSLVerificationError,
)

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
    """Say what went wrong with a request; None if *error* is about something else."""
    cause = _causes(error)[-1]
    match cause:
        case ConnectionTimeoutError(context=context):
            return str(context)
        case urllib3.ResponseError():
            status = re.search(r"[0-9]{3}", str(cause))
            return None if status is None else f"the server answered {status[0]}"
        case urllib3.IncompleteRead(partial=came, expected=left):
            return f"the connection broke after {came} of {came + left} bytes"
        case urllib3.InvalidChunkLength():
            return "the connection broke before the end"
        case urllib3.ReadTimeoutError():
            return "the server stopped sending before the end"
        case RemoteDisconnected():
            return "the connection was closed without a reply from the server"
        case OSError():
            return _said_of_system(error, cause)
    return None


def _said_of_system(error: BaseException, cause: OSError) -> str | None:
    """Say what the system, or its TLS, found wrong with a connection."""
    causes = _causes(error)
    problem = cause.strerror or str(cause)
    said = None
    for each in causes:
        match each:
            case urllib3.ProxyError():
                said = f"the proxy cannot be reached: {problem}"
            case urllib3.NameResolutionError():
                said = said or f"the name of its host cannot be resolved: {problem}"
            case urllib3.NewConnectionError():
                said = said or f"its host cannot be reached: {problem}"
            case urllib3.SSLError():
                said = said or _said_of_tls(cause)
            case urllib3.ProtocolError(args=[str() as where, *_]):
                if where.startswith("Connection broken"):
                    said = f"the connection broke before the end: {problem}"
                elif isinstance(cause, ConnectionResetError):
                    said = "the connection was closed without a reply from the server"
                else:
                    said = said or f"the connection broke: {problem}"
    return said


def _said_of_tls(cause: OSError) -> str:
    # Not by class: Python may have been built without TLS.
    told = getattr(cause, "verify_message", None)
    if told:
        return f"{UNTRUSTED}: {told}"
    reason = getattr(cause, "reason", None) or str(cause)
    return f"there is no secure connection: {reason.lower().replace('_', ' ')}"


def reword(record: logging.LogRecord) -> None:
    """Make a record say in plain words that a request is sent again."""
    match record.args:
        case (Retry(), Exception() as error, str() as path):
            said = said_of_request(error) or getattr(error, "strerror", None)
            if said is None or isinstance(error, urllib3.ReadTimeoutError):
                said = "there was no answer in time"
            record.msg, record.args = "Asking again for %s: %s", (path, said)


def is_passing(error: BaseException) -> bool:
    """Tell whether the same request may succeed before long."""
    causes = _causes(error)
    tls = any(isinstance(each, urllib3.SSLError) for each in causes)
    return not tls and said_of_request(error) is not None


def times(error: BaseException, session: PipSession) -> int:
    """Return how often the request that ended with *error* was sent.

    :param session: which sent it
    """
    if not any(isinstance(each, urllib3.MaxRetryError) for each in _causes(error)):
        return 1
    # The session counts all kinds of failures together.
    retries = getattr(session.get_adapter("https://"), "max_retries", None)
    return 1 + int(getattr(retries, "total", None) or 0)


def with_attempts(said: str, error: BaseException, session: PipSession) -> str:
    """Add how often a request was sent, if more than once, to what is said of it."""
    sent = times(error, session)
    return said if sent == 1 else f"{said} ({sent} attempts)"


def _causes(error: BaseException) -> list[BaseException]:
    """Return an error, its cause, the cause of that, and so on."""
    causes = [error]
    while (inner := next(_beneath(causes[-1]), None)) is not None:
        causes.append(inner)
    if isinstance(error, ConnectionTimeoutError):
        # It alone knows how long pip waited.
        causes.append(error)
    return causes


def _beneath(error: BaseException) -> Iterator[BaseException]:
    match error:
        case (
            ConnectionFailedError()
            | ConnectionTimeoutError()
            | ProxyConnectionError()
            | SSLVerificationError()
        ):
            if isinstance(error.__context__, RequestException):
                yield error.__context__
        case DiagnosticPipError():
            return
        case urllib3.MaxRetryError(reason=Exception() as reason):
            yield reason
        case urllib3.NewConnectionError(__cause__=Exception() as cause):
            yield cause
        case urllib3.ProxyError(original_error=original):
            yield original
        case RequestException() | urllib3.HTTPError():
            yield from (each for each in error.args if isinstance(each, Exception))
