"""Send requests in parallel, within the limit of each host.

If a request fails while there are other connections to its host, pip repeats the request
alone. So the result is the same as stock pip's for any host.
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlsplit

from pip._vendor.requests import PreparedRequest, Response
from pip._vendor.requests.adapters import HTTPAdapter
from pip._vendor.requests.exceptions import RequestException
from pip._vendor.requests.utils import select_proxy
from pip._vendor.urllib3.exceptions import HTTPError

from pip._internal.console.output import get_logger
from pip._internal.fast.answers import Buffered, like, read_fully
from pip._internal.fast.hosts import Host, Turn
from pip._internal.fast.slots import SENT

if TYPE_CHECKING:
    from pip._vendor.urllib3 import HTTPResponse
    from pip._vendor.urllib3.util import Retry

    from pip._internal.network.session import PipSession

logger = get_logger(__name__)

_FAILURES = (RequestException, HTTPError, OSError)
#: The minimum time that a server may take until the first byte, in seconds.
_LEAST_PATIENCE = 0.3
#: A server may take this many times as long as its slowest response.
_SLOWER = 3
#: Bytes; pip reads streamed responses up to this size before the next request.
_SMALL = 1024 * 1024
#: Seconds until a server has noticed that connections were closed.
_UNTIL_CLOSED = 0.1


class Dropped(Exception):
    """A prefetch was dropped, because the response is not needed or not reliable."""


class Sender:
    """An adapter of a session, with a second adapter for prefetches.

    :ivar adapter: the session's own adapter, with the connections.
    :ivar has_sent: whether a request was sent to a server, not answered by the cache.
    :ivar stock: the function that sends a request as stock pip does, with stock pip's
        retries.
    :ivar once: the function that sends a request without retries.
    """

    def __init__(self, adapter: HTTPAdapter) -> None:
        self.adapter = adapter
        self.has_sent = False
        self.stock = self._copy(adapter.max_retries).send
        retries = adapter.max_retries.new(total=0, status_forcelist=())
        self.once = self._copy(retries).send

    def close_idle(self) -> None:
        """Close idle connections."""
        managers = (self.adapter.poolmanager, *self.adapter.proxy_manager.values())
        for manager in managers:
            for key in manager.pools.keys():  # noqa: SIM118
                pool = manager.pools.get(key)
                # Closing the pool would break active requests.
                with suppress(queue.Empty):
                    while pool is not None and pool.pool is not None:
                        connection = pool.pool.get(block=False)
                        if connection is not None:
                            connection.close()

    def _copy(self, retries: Retry) -> HTTPAdapter:
        """Copy the adapter; the copy marks responses that are not from the cache."""
        owner = self.adapter
        copy = like(owner, max_retries=retries)
        build = copy.build_response

        def build_response(
            request: PreparedRequest, response: HTTPResponse, **kwargs: Any
        ) -> Response:
            built = build(request, response, **kwargs)
            if not kwargs.get("from_cache"):
                # Even if ``built`` is from the cache, the server has confirmed it.
                SENT.set(built, True)
                self.has_sent = True
            # pip repeats the request with credentials on this connection.
            built.connection = owner
            return built

        copy.build_response = build_response  # type: ignore[method-assign, assignment]
        return copy


class _Outcome(NamedTuple):
    """The outcome of a request.

    :ivar value: the value that the reader returned; None if the request failed.
    :ivar was_sent: whether a server has answered, not only the cache.
    :ivar seconds: the time until the first byte, in seconds.
    """

    value: Any
    status: int
    error: Exception | None
    was_sent: bool
    seconds: float

    @property
    def is_good(self) -> bool:
        return self.error is None and self.status < 400

    @property
    def is_refusal(self) -> bool:
        return 400 <= self.status < 500 and self.status != 429

    def result(self) -> Any:
        if self.error is not None:
            raise self.error
        return self.value


class Sending:
    """The state for sending the requests of one session.

    :param senders: the adapters of the session.
    :param most: the maximum number of simultaneous requests to a host.
    """

    def __init__(
        self, session: PipSession, senders: Iterable[Sender], most: int
    ) -> None:
        self._session = session
        self._senders = senders
        self._most = most
        self._hosts: dict[str, Host] = {}
        #: The longest time until the first byte, in seconds.
        self._slowest = 0.0
        #: The turn of this thread's download.
        self._own = threading.local()

    def host_of(self, url: str, settings: Mapping[str, Any]) -> Host:
        """Return the host, or the proxy, that receives a request."""
        parts = urlsplit(url)
        proxy = select_proxy(url, settings.get("proxies"))
        key = proxy or f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"
        # Another thread may create the host at the same time.
        return self._hosts.get(key) or self._hosts.setdefault(key, Host(self._most))

    def forget_hosts(self) -> None:
        """Forget pending requests that pip has abandoned."""
        self._hosts = {}

    def settings_for(self, url: str) -> dict[str, Any]:
        """Return the proxies, certificates and other settings for a request."""
        session = self._session
        # requests adds the proxies of the environment to the table that it gets.
        settings = session.merge_environment_settings(
            url, {**session.proxies}, True, None, None
        )
        return {**settings, "timeout": session.timeout}

    @contextmanager
    def turn(self, url: str) -> Iterator[Turn]:
        """Count a download of this thread from *url* as one request."""
        with self.host_of(url, self.settings_for(url)).turn(is_due=True) as turn:
            self._own.turn = turn
            try:
                yield turn
            finally:
                del self._own.turn

    @contextmanager
    def _turn(self, host: Host) -> Iterator[Turn]:
        own = getattr(self._own, "turn", None)
        if own is not None and own.host is host:
            yield own
        else:
            with host.turn(is_due=True) as turn:
                yield turn

    @property
    def patience(self) -> float:
        """The seconds without any response after which pip suspects a problem."""
        return max(_LEAST_PATIENCE, _SLOWER * self._slowest)

    def stalled(self) -> None:
        """Close idle connections if a server may answer only after that."""
        if [host for host in list(self._hosts.values()) if host.stalled()]:
            self._close_idle()

    def _close_idle(self) -> None:
        for sender in self._senders:
            sender.close_idle()

    def may_prefetch(
        self, request: PreparedRequest, settings: Mapping[str, Any]
    ) -> bool:
        """Return whether a prefetch may be sent.

        If the request has a password, pip itself must have used the password successfully.
        """
        host = self.host_of(str(request.url), settings)
        credentials = _credentials(request)
        is_usable = not credentials or credentials in host.accepted
        return is_usable and credentials not in host.refused and not host.is_avoided

    def send(
        self, sender: Sender, request: PreparedRequest, settings: Mapping[str, Any]
    ) -> Response:
        """Send a request that pip waits for, with the same result as stock pip."""
        host = self.host_of(str(request.url), settings)

        def settled(response: Response, *, is_last: bool = False) -> Response:
            if hasattr(self._own, "turn"):
                # The downloader reads the response in this turn, and can stop.
                return response
            if not settings.get("stream"):
                _ = response.content
            elif 0 < (getattr(response.raw, "length_remaining", 0) or 0) <= _SMALL:
                answer = read_fully(response, _SMALL, keeps_part=is_last)
                return answer.response(request)
            else:
                host.keeps_open()
            return response

        # pip resumes a body that breaks off, so keep the received part.
        last = partial(settled, is_last=True)
        stock = partial(_attempt, sender.stock, request, settings, last)
        with self._turn(host) as turn:
            if host.is_alone(turn):
                outcome = stock()
            else:
                outcome = _attempt(sender.once, request, settings, settled)
            is_final = self._is_final(turn, request, outcome)
            # Parallel downloads repeat files that were refused themselves.
            if not is_final and not hasattr(self._own, "turn"):
                outcome = self._alone(turn, request, stock, outcome)
        response: Response = outcome.result()
        return response

    def send_ahead(
        self,
        sender: Sender,
        request: PreparedRequest,
        settings: Mapping[str, Any],
        limit: int,
        begins: Callable[[], bool],
    ) -> Buffered:
        """Prefetch a response.

        :param limit: the maximum length of the body, in bytes.
        :param begins: a function that is called before sending; returns whether the
            response is still needed.
        :raises Dropped: if the response is not needed, if the host refuses such requests,
            or if the request failed or was refused, perhaps because of other requests.
        """
        host = self.host_of(str(request.url), settings)
        with host.turn(is_due=False) as turn:
            if not begins() or not self.may_prefetch(request, settings):
                raise Dropped
            read = partial(read_fully, limit=limit)
            outcome = _attempt(sender.once, request, settings, read)
            # After a failure, pip prefetches nothing more from this host.
            host.is_avoided |= not (outcome.is_good or outcome.is_refusal)
            if not self._is_final(turn, request, outcome):
                raise Dropped
        answer: Buffered = outcome.result()
        return answer

    def _is_final(
        self, turn: Turn, request: PreparedRequest, outcome: _Outcome
    ) -> bool:
        """Return whether an outcome is independent of other connections."""
        host = turn.host
        # The server asks for credentials.
        if outcome.status in (401, 407):
            host.refused.add(_credentials(request))
        if outcome.is_good:
            if outcome.was_sent:
                host.accepted.add(_credentials(request))
                turn.is_answered = True
                if turn.level:
                    self._slowest = max(self._slowest, outcome.seconds)
            return True
        return host.is_alone(turn) or host.is_genuine(turn, outcome.status)

    def _alone(
        self,
        turn: Turn,
        request: PreparedRequest,
        attempt: Callable[[], _Outcome],
        first: _Outcome,
    ) -> _Outcome:
        """Repeat a request while there is no other connection to the host."""
        if isinstance(first.value, Response):
            first.value.close()
        logger.debug("Retrying a request by itself: %s", request.url)
        turn.host.be_alone(turn, self._close_idle, self.patience)
        time.sleep(_UNTIL_CLOSED)
        again = attempt()
        is_same = first.is_refusal and again.status == first.status
        turn.host.judge(turn, first.status, is_same=is_same)
        return again


def _credentials(request: PreparedRequest) -> str:
    return str(request.headers.get("Authorization", ""))


def _attempt(
    send: Callable[..., Response],
    request: PreparedRequest,
    settings: Mapping[str, Any],
    read: Callable[[Response], object],
) -> _Outcome:
    """Send a request, and read the response.

    :return: the outcome; failures are not raised.
    """
    began = time.monotonic()
    response, status, seconds, was_sent = None, 0, 0.0, False
    try:
        response = send(request, **settings)
        status, seconds = response.status_code, time.monotonic() - began
        was_sent = bool(SENT.of(response, bool))
        return _Outcome(read(response), status, None, was_sent, seconds)
    except _FAILURES as error:
        if response is not None:
            response.close()
        return _Outcome(None, status, error, was_sent, seconds)
