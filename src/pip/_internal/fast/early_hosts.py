"""Which hosts may be asked early, and how many requests at a time."""

from __future__ import annotations

import base64
import threading
from collections import Counter, defaultdict, deque
from collections.abc import Callable
from concurrent.futures import Future
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from pip._vendor.requests.exceptions import RequestException
from pip._vendor.urllib3.exceptions import HTTPError

from pip._internal.fast.time_limits import Overdue

if TYPE_CHECKING:
    from pip._vendor.requests import PreparedRequest

    from pip._internal.fast.early_answers import Answer

__all__ = ["FAILURES", "Hosts", "Turns", "host_of"]

#: Failures of a request that a later one would have had too.
FAILURES = (RequestException, HTTPError, OSError, Overdue)

#: With the one for what is due, six connections to a host.
_AT_ONCE = 5
_ASKS_FOR_CREDENTIALS = (401, 407)

Host = tuple[str, str | None, int | None]


def host_of(url: str) -> Host:
    """Return scheme, name and port of a URL that was prepared."""
    parts = urlsplit(url)
    return parts.scheme, parts.hostname, parts.port


class Hosts:
    """The hosts that are left alone: requests for them are made when they are due."""

    def __init__(self) -> None:
        #: All of a host, or what is asked for with certain credentials.
        self._left_alone: set[Host | tuple[Host, str]] = set()

    def is_welcome(self, url: str) -> bool:
        """Tell whether the host has not been in trouble so far."""
        return host_of(url) not in self._left_alone

    def may_ask(self, request: PreparedRequest) -> bool:
        """Tell whether an early request may be made, with the credentials it has.

        A name without a password is for a keyring, which upstream asks in turn.
        """
        assert request.url is not None, "a prepared request has one"
        credentials = _credentials(request)
        return (
            self.is_welcome(request.url)
            and (host_of(request.url), credentials) not in self._left_alone
            and not _lacks_password(credentials)
        )

    def learn(self, request: PreparedRequest, future: Future[Answer]) -> None:
        """Leave a host alone if an early request for it did not go well."""
        if future.cancelled():
            return
        host = host_of(str(request.url))
        error = future.exception()
        if error is not None:
            if isinstance(error, FAILURES):
                self._left_alone.add(host)
        elif future.result().status in _ASKS_FOR_CREDENTIALS:
            self._left_alone.add((host, _credentials(request)))
        elif not future.result().is_final:
            self._left_alone.add(host)


def _credentials(request: PreparedRequest) -> str:
    return str(request.headers.get("Authorization", ""))


def _lacks_password(credentials: str) -> bool:
    if not credentials.startswith("Basic "):
        return False
    try:
        return base64.b64decode(credentials[6:]).endswith(b":")
    except ValueError:
        return False


class Turns:
    """Jobs for a host that wait until it has less to do.

    :param put: hands a job to the threads
    """

    def __init__(self, put: Callable[[Callable[[], None]], None]) -> None:
        self._put = put
        self._lock = threading.Lock()
        self._running: Counter[Host] = Counter()
        self._waiting: defaultdict[Host, deque[Callable[[], None]]]
        self._waiting = defaultdict(deque)

    def add(self, host: Host, job: Callable[[], None]) -> None:
        """Do a job when it is its turn."""

        def run() -> None:
            try:
                job()
            finally:
                self._end(host)

        with self._lock:
            if self._running[host] >= _AT_ONCE:
                self._waiting[host].append(run)
                return
            self._running[host] += 1
        self._put(run)

    def _end(self, host: Host) -> None:
        with self._lock:
            if not self._waiting[host]:
                self._running[host] -= 1
                return
            # It takes the place of the one that ends.
            following = self._waiting[host].popleft()
        self._put(following)
