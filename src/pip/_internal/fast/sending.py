"""Send requests, as many at the same time as each host answers.

A request that fails while there are other connections to its host is sent again alone. So
whatever a host does about several connections, the outcome is that of stock pip.
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar
from urllib.parse import urlsplit
from weakref import WeakSet

from pip._vendor.requests import PreparedRequest, Response
from pip._vendor.requests.adapters import HTTPAdapter
from pip._vendor.requests.exceptions import RequestException
from pip._vendor.requests.utils import select_proxy
from pip._vendor.urllib3.exceptions import HTTPError

from pip._internal.console.output import get_logger
from pip._internal.fast.answers import read_answer
from pip._internal.fast.connections import like
from pip._internal.fast.hosts import Host, Turn

if TYPE_CHECKING:
    from pip._vendor.urllib3 import HTTPResponse
    from pip._vendor.urllib3.util import Retry

    from pip._internal.network.session import PipSession

__all__ = ["Dropped", "Sender", "Sending"]

logger = get_logger(__name__)

T = TypeVar("T")

_ASKS_FOR_CREDENTIALS = (401, 407)
_FAILURES = (RequestException, HTTPError, OSError)
_TOO_MANY = 429
#: Seconds that every server may take until the first byte.
_LEAST_PATIENCE = 0.3
#: A server may take so many times as long as for the slowest response.
_SLOWER = 3
#: Bytes; whatever pip streams and is not longer is read before the next request.
_SMALL = 1024 * 1024


#: Seconds until a server has noticed that connections were closed.
_UNTIL_CLOSED = 0.1


class Dropped(Exception):
    """Nobody needs a prefetched response, or pip might get another one."""


class Sender:
    """An adapter of a session, which sends in two ways.

    :ivar adapter: the session's own, with the connections
    :ivar sent: requests that the cache did not answer
    :ivar has_sent: whether there was one
    :ivar stock: sends as stock pip does, with its retries
    :ivar once: sends once
    """

    def __init__(self, adapter: HTTPAdapter) -> None:
        self.adapter = adapter
        self.sent: WeakSet[PreparedRequest] = WeakSet()
        self.has_sent = False
        self.stock = self._copy(adapter.max_retries).send
        retries = adapter.max_retries.new(total=0, status_forcelist=())
        self.once = self._copy(retries).send

    def close_idle(self) -> None:
        """Close the connections that no request uses."""
        managers = (self.adapter.poolmanager, *self.adapter.proxy_manager.values())
        for manager in managers:
            for key in manager.pools.keys():  # noqa: SIM118
                pool = manager.pools.get(key)
                # Closing the pool would make requests fail that are under way.
                with suppress(queue.Empty):
                    while pool is not None and pool.pool is not None:
                        connection = pool.pool.get(block=False)
                        if connection is not None:
                            connection.close()

    def _copy(self, retries: Retry) -> HTTPAdapter:
        """Copy the adapter; the copy notes which requests the cache does not answer."""
        owner = self.adapter
        copy = like(owner, max_retries=retries)
        build = copy.build_response

        def build_response(
            request: PreparedRequest, response: HTTPResponse, **kwargs: Any
        ) -> Response:
            if not kwargs.get("from_cache"):
                self.sent.add(request)
                self.has_sent = True
            built = build(request, response, **kwargs)
            # With credentials, pip sends it again there.
            built.connection = owner
            return built

        copy.build_response = build_response  # type: ignore[method-assign, assignment]
        return copy


class _Outcome(NamedTuple):
    """What came of a request.

    :ivar value: what was read; None if it failed
    :ivar seconds: until the first byte
    """

    value: Any
    status: int
    error: Exception | None
    seconds: float

    @property
    def is_good(self) -> bool:
        return self.error is None and self.status < 400

    @property
    def is_refusal(self) -> bool:
        return 400 <= self.status < 500 and self.status != _TOO_MANY

    def result(self) -> Any:
        if self.error is not None:
            raise self.error
        return self.value


class Sending:
    """Sends the requests of one session.

    :param senders: its adapters
    :param most: requests to a host at the same time
    """

    def __init__(
        self, session: PipSession, senders: Iterable[Sender], most: int
    ) -> None:
        self._session = session
        self._senders = senders
        self._most = most
        self._hosts: dict[str, Host] = {}
        #: Seconds until the first byte.
        self._slowest = 0.0
        #: The turn of what this thread downloads.
        self._own = threading.local()

    def host_of(self, url: str, settings: Mapping[str, Any]) -> Host:
        """Return the host that a request is sent to, which may be a proxy."""
        parts = urlsplit(url)
        proxy = select_proxy(url, settings.get("proxies"))
        key = proxy or f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"
        if key not in self._hosts:
            # Another thread may have made it.
            self._hosts.setdefault(key, Host(self._most))
        return self._hosts[key]

    def settings_for(self, url: str) -> dict[str, Any]:
        """Return proxies, certificates and such for a request."""
        session = self._session
        settings = session.merge_environment_settings(
            url, session.proxies, True, None, None
        )
        return {**settings, "timeout": session.timeout}

    @contextmanager
    def turn(self, url: str) -> Iterator[Turn]:
        """Count what this thread downloads from *url* as one request, to its end."""
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
        """Return after how many seconds without any response something may be wrong."""
        return max(_LEAST_PATIENCE, _SLOWER * self._slowest)

    def stalled(self) -> None:
        """Close idle connections: a server may wait for that before it answers."""
        if [host for host in list(self._hosts.values()) if host.stalled()]:
            self._close_idle()

    def give_up(self, thread: int) -> None:
        """Wait no longer for the requests of a thread."""
        for host in list(self._hosts.values()):
            host.give_up(thread)

    def _close_idle(self) -> None:
        for sender in self._senders:
            sender.close_idle()

    def is_tried(self, request: PreparedRequest, settings: Mapping[str, Any]) -> bool:
        """Tell whether pip has used the password of a request itself, if there is one."""
        host = self.host_of(str(request.url), settings)
        return _credentials(request) in {"", *host.accepted, *host.refused}

    def is_welcome(self, request: PreparedRequest, settings: Mapping[str, Any]) -> bool:
        """Tell whether a request may be sent that pip may never make."""
        host = self.host_of(str(request.url), settings)
        return not host.is_avoided and _credentials(request) not in host.refused

    def send(
        self, sender: Sender, request: PreparedRequest, settings: Mapping[str, Any]
    ) -> Response:
        """Send a request that pip waits for; return what stock pip would get."""
        host = self.host_of(str(request.url), settings)

        def settled(response: Response, *, is_last: bool = False) -> Response:
            if hasattr(self._own, "turn"):
                # It is read in this turn, by whoever can stop it.
                return response
            if not settings.get("stream"):
                _ = response.content
            elif 0 < (getattr(response.raw, "length_remaining", 0) or 0) <= _SMALL:
                answer = read_answer(response, _SMALL, keeps_part=is_last)
                return answer.response(request)
            else:
                host.keeps_open()
            return response

        # What has arrived of a body that breaks off is for pip, which goes on there.
        last = partial(settled, is_last=True)
        stock = partial(_attempt, sender.stock, request, settings, last)
        with self._turn(host) as turn:
            if host.is_alone(turn):
                first = stock()
            else:
                first = _attempt(sender.once, request, settings, settled)
            if not self._is_final(turn, sender, request, first):
                first = self._alone(turn, request, stock, first)
        response: Response = first.result()
        return response

    def send_ahead(
        self,
        sender: Sender,
        request: PreparedRequest,
        settings: Mapping[str, Any],
        read: Callable[[Response], T],
        begins: Callable[[], bool],
    ) -> T:
        """Send a request that pip may never make.

        :param read: reads the response
        :param begins: called before it is sent; returns whether anybody needs it
        :raises Dropped: if nobody does, if the host refuses such requests, or if this one
            failed or was refused, maybe because of other requests
        """
        host = self.host_of(str(request.url), settings)
        with host.turn(is_due=False) as turn:
            if not begins() or not self.is_welcome(request, settings):
                raise Dropped
            first = _attempt(sender.once, request, settings, read)
            # After a failure, nothing more is prefetched from there.
            host.is_avoided |= not (first.is_good or first.is_refusal)
            if not self._is_final(turn, sender, request, first):
                raise Dropped
        result: T = first.result()
        return result

    def _is_final(
        self, turn: Turn, sender: Sender, request: PreparedRequest, first: _Outcome
    ) -> bool:
        """Tell whether other connections have nothing to do with an outcome."""
        host = turn.host
        if first.status in _ASKS_FOR_CREDENTIALS:
            host.refused.add(_credentials(request))
        if first.is_good:
            if request in sender.sent:
                host.accepted.add(_credentials(request))
                turn.is_answered = True
                if turn.level:
                    self._slowest = max(self._slowest, first.seconds)
            return True
        return host.is_alone(turn) or host.is_genuine(turn, first.status)

    def _alone(
        self,
        turn: Turn,
        request: PreparedRequest,
        attempt: Callable[[], _Outcome],
        first: _Outcome,
    ) -> _Outcome:
        """Send a request again when there is no other connection to its host."""
        if isinstance(first.value, Response):
            first.value.close()
        logger.debug("Sending a request again, alone: %s", request.url)
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
    began = time.monotonic()
    try:
        response = send(request, **settings)
    except _FAILURES as error:
        return _Outcome(None, 0, error, time.monotonic() - began)
    seconds, status = time.monotonic() - began, response.status_code
    try:
        return _Outcome(read(response), status, None, seconds)
    except _FAILURES as error:
        response.close()
        return _Outcome(None, status, error, seconds)
