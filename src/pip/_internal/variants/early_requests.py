"""Send requests that are about to be made a little early, and several at a time.

What is asked for early waits in the session's adapters, where it answers the request that
upstream makes later, just as it would have been answered then: by the same connection
pool, cache and authentication. Upstream's own order of doing things stays.
"""

from __future__ import annotations

import io
import math
import queue
import threading
from collections import deque
from collections.abc import Callable, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, wait
from functools import partial
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import urlsplit

from pip._vendor.requests import PreparedRequest, Request, Response
from pip._vendor.requests.adapters import HTTPAdapter
from pip._vendor.urllib3 import HTTPResponse

from pip._internal.variants.connections import with_own_connections
from pip._internal.variants.held_records import HeldRecords, emit
from pip._internal.variants.output import get_logger
from pip._internal.variants.time_limits import short_waits, time_limit

if TYPE_CHECKING:
    import logging

    from pip._internal.network.session import PipSession

__all__ = ["EarlyRequests"]

logger = get_logger(__name__)

#: At so many at once, neither the server nor this machine minds.
_WORKERS = 16
#: Bytes; what is longer is left to the request itself.
_MAX_BODY = 32 * 1024 * 1024
_PREFIXES = ("https://", "http://")

_Key = tuple[str, frozenset[tuple[str, str]]]


class EarlyRequests:
    """The requests of one session that were made before they were due.

    :ivar due: called when a request comes up that was made early.
    :ivar idle: called, in the same thread, when responses may have arrived that upstream
        does not wait for yet.
    """

    def __init__(self, session: PipSession) -> None:
        self._session = session
        #: The session's own adapters, while these are in their place.
        self._inner: dict[str, HTTPAdapter] = {}
        self._adapters: dict[str, HTTPAdapter] = {}
        self._futures: dict[_Key, Future[Response]] = {}
        self._jobs: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        self._workers = 0
        #: What workers have to do, or are at.
        self._unanswered: list[Future[Response]] = []
        self._settings: dict[tuple[str, ...], Mapping[str, Any]] = {}
        #: Nothing is asked for early that was asked for before.
        self._made: set[_Key] = set()
        self.due: Callable[[Future[Response]], None] = lambda _: None
        self.idle: Callable[[], None] = lambda: None

    def open(self) -> None:
        """Let the session's adapters take early responses."""
        for prefix in _PREFIXES:
            inner = self._session.adapters.get(prefix)
            if isinstance(inner, HTTPAdapter):
                self._inner[prefix] = inner
                if prefix not in self._adapters:
                    self._adapters[prefix] = _with_early_responses(inner, self)
                self._session.mount(prefix, self._adapters[prefix])

    def close(self) -> None:
        """Make requests when they are due from here on, and forget the early ones.

        Connections stay, for it may be opened again.
        """
        for prefix, inner in self._inner.items():
            self._session.mount(prefix, inner)
        self._inner.clear()
        for future in self._futures.values():
            future.cancel()
        self._futures.clear()
        for _ in range(self._workers):
            self._jobs.put(None)
        # A worker that hangs has yet to take its own; it is not for another one's eyes.
        self._jobs = queue.SimpleQueue()
        self._workers = 0
        self._unanswered.clear()

    def ask(
        self, url: str, headers: Mapping[str, str], seconds: float = math.inf
    ) -> Future[Response] | None:
        """Make a GET request early, in a thread.

        The response is for the request with the same URL and headers that will be made
        by the session; nobody else must read it.

        :param seconds: how long the body may take.
        :return: None if requests to that URL cannot be made early, or if this one has
            been answered.
        """
        adapter = self._session.get_adapter(url)
        if not isinstance(adapter, _EarlyAdapter):
            return None
        # Whatever is not meant for threads is done here: authentication, settings.
        request = self._session.prepare_request(Request("GET", url, headers=headers))
        assert request.url is not None, "a prepared request has one"
        key = _key(request)
        if key not in self._made:
            settings = self._settings_for(request.url)
            future: Future[Response] = Future()
            self._futures[key] = future
            self._made.add(key)
            self._submit(future, adapter, request, settings, seconds)
        return self._futures.get(key)

    def _settings_for(self, url: str) -> Mapping[str, Any]:
        """Give proxies, certificates and such, which are the same for a host."""
        host = tuple(urlsplit(url)[:2])
        if host not in self._settings:
            self._settings[host] = {
                **self._session.merge_environment_settings(
                    url, self._session.proxies, True, None, None
                ),
                "timeout": self._session.timeout,
            }
        return self._settings[host]

    def take(self, request: PreparedRequest) -> Response | None:
        """Wait for the response to *request* if that was made early.

        :return: None if it was not, or if it failed.
        """
        key = _key(request)
        self._made.add(key)
        future = self._futures.pop(key, None)
        if future is None:
            self.idle()
            return None
        self.due(future)
        self._wait_for(future)
        error = future.exception()
        if error is not None:
            logger.debug("The early request for %s failed: %r", request.url, error)
            return None
        return future.result()

    def go_on_during(self, send: Callable[[], Response]) -> Response:
        """Make a request that was not made early, in a thread if others are pending.

        So what depends on these is not held up until this one is answered.

        :param send: makes the request; what it logs is logged when it is over.
        """
        if not self._pending():
            return send()
        future: Future[Response] = Future()
        records: deque[logging.LogRecord] = deque()
        held = HeldRecords()

        def job() -> None:
            with held.of_this_thread(records.append):
                try:
                    future.set_result(send())
                except (
                    BaseException
                ) as error:  # Upstream's thread waits for the future.
                    future.set_exception(error)

        thread = threading.Thread(target=job, daemon=True)
        with held.active():
            try:
                thread.start()
            except RuntimeError as error:
                logger.debug("No thread for a request: %s", error)
                return send()
            self._wait_for(future)
        emit(records)
        return future.result()

    def _wait_for(self, future: Future[Response]) -> None:
        self.idle()
        while not future.done():
            # Upstream waits here: time to prepare what it will ask for next.
            wait([future, *self._pending()], return_when=FIRST_COMPLETED)
            self.idle()

    def _pending(self) -> list[Future[Response]]:
        return [each for each in self._futures.values() if not each.done()]

    def _submit(
        self,
        future: Future[Response],
        adapter: _EarlyAdapter,
        request: PreparedRequest,
        settings: Mapping[str, Any],
        seconds: float,
    ) -> None:
        def job() -> None:
            if not future.set_running_or_notify_cancel():
                return
            try:
                response = adapter.send_now(request, **settings)
                try:
                    with time_limit(response, seconds):
                        whole = _read(response, request)
                except BaseException:
                    response.close()
                    raise
                future.set_result(whole)
            except BaseException as error:  # Upstream's thread waits for the future.
                future.set_exception(error)

        left = [each for each in self._unanswered if not each.done()]
        self._unanswered = [*left, future]
        if self._workers < min(_WORKERS, len(self._unanswered)):
            # A server that hangs must not keep pip from ending.
            thread = threading.Thread(target=_work, args=[self._jobs], daemon=True)
            try:
                thread.start()
            except RuntimeError as error:
                logger.debug("No thread for early requests: %s", error)
                if not self._workers:
                    future.set_exception(error)
                    return
            else:
                self._workers += 1
        self._jobs.put(job)


def _work(jobs: queue.SimpleQueue[Callable[[], None] | None]) -> None:
    while (job := jobs.get()) is not None:
        job()


class _EarlyAdapter(HTTPAdapter):
    """What answers requests that were made early; each adapter is given its own kind."""

    early: EarlyRequests
    inner: HTTPAdapter

    def send(self, request: PreparedRequest, *args: Any, **kwargs: Any) -> Response:
        """Answer a request by what was asked for early, if it was."""
        if request.method == "GET":
            response = self.early.take(request)
            if response is not None:
                return response
        return self.early.go_on_during(partial(super().send, request, *args, **kwargs))

    def send_now(self, request: PreparedRequest, **settings: Any) -> Response:
        """Send a request as if nothing were made early."""
        return self.inner.send(request, **settings)


def _with_early_responses(inner: HTTPAdapter, early: EarlyRequests) -> HTTPAdapter:
    """Make an adapter that is like *inner*, connections and cache included."""
    kind = type(inner)
    taking = type(kind.__name__, (_EarlyAdapter, kind), {})
    adapter = cast(_EarlyAdapter, object.__new__(taking))
    vars(adapter).update(vars(inner))
    adapter.early, adapter.inner = early, with_own_connections(inner, _WORKERS)
    # What fails early is asked for once more when it is due, and may wait then.
    adapter.inner.max_retries = short_waits(inner.max_retries)
    return adapter


def _key(request: PreparedRequest) -> _Key:
    headers = {(name.lower(), str(value)) for name, value in request.headers.items()}
    return str(request.url), frozenset(headers)


def _read(response: Response, request: PreparedRequest) -> Response:
    """Read the body, so that it can be read once more without a connection."""
    raw = response.raw
    body = bytearray()
    while chunk := raw.read(64 * 1024, decode_content=False):
        body += chunk
        if len(body) > _MAX_BODY:
            raise ValueError(f"it is longer than {_MAX_BODY} bytes")
    response.raw = HTTPResponse(
        body=io.BytesIO(bytes(body)),
        headers=raw.headers,
        status=raw.status,
        version=raw.version,
        reason=raw.reason,
        preload_content=False,
        decode_content=False,
        original_response=raw._original_response,
        request_method=request.method,
        request_url=request.url,
    )
    raw.release_conn()
    return response
