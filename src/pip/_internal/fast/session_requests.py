"""The requests of a session, with prefetching.

Threads only send requests and read responses. They ask for no password, open no keyring and
use no other state of pip. A prefetched response waits until pip makes the same request. If
the response is not usable, pip drops the response and makes the request itself.
"""

from __future__ import annotations

import math
import queue
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, wait
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from pip._vendor.requests import PreparedRequest, Request, Response
from pip._vendor.requests.adapters import DEFAULT_POOLSIZE, HTTPAdapter
from pip._vendor.requests.hooks import default_hooks

from pip._internal.console.output import get_logger
from pip._internal.fast.answers import Buffered, like
from pip._internal.fast.optional_work import BestEffort
from pip._internal.fast.sending import Dropped, Sender, Sending
from pip._internal.fast.slots import SESSION_REQUESTS
from pip._internal.fast.threads import Workers, in_thread

if TYPE_CHECKING:
    from pip._internal.network.session import PipSession

logger = get_logger(__name__)

#: Bytes of a body, as sent. pip does not prefetch longer responses.
MAX_PAGE = 2 * 1024 * 1024
MAX_METADATA = 1024 * 1024
#: Bytes of all bodies; above this total, pip prefetches nothing more.
_MAX_HELD = 32 * 1024 * 1024
#: The number of threads; each waits for its host, and there are few hosts.
_WORKERS = 16
#: The maximum number of prefetched responses that pip has not requested.
_MAX_UNCLAIMED = 64
#: The headers that identify a response: other values mean another response.
_VARYING = ("Accept", "Accept-Encoding", "Authorization", "Cache-Control", "Range")
#: Statuses with which pip would get the same response. pip follows redirects itself.
_FINAL = (*range(200, 300), 301, 302, 303, 307, 308, 401, 404, 407, 410)

_Key = tuple[str, tuple[str, ...]]


class NotAnswered(BaseException):
    """Prefetching needs a response that has not arrived.

    The exception is not an error, and error handlers must not catch it.

    :ivar request: the request for the response; None if there is no request to prefetch.
    """

    def __init__(self, request: PreparedRequest | None = None) -> None:
        super().__init__()
        self.request = request


@dataclass(eq=False)
class _Prefetched:
    """A prefetched request."""

    sender: Sender
    request: PreparedRequest
    settings: Mapping[str, Any]
    limit: int
    then: Callable[[Buffered | None], None]
    future: Future[Buffered] = field(default_factory=Future)

    @property
    def answer(self) -> Buffered | None:
        """The usable response, or None."""
        future = self.future
        is_there = future.done() and not future.cancelled()
        return future.result() if is_there and not future.exception() else None


class SessionRequests:
    """The HTTP requests of one session.

    :param most: the maximum number of simultaneous requests to a host.
    """

    def __init__(self, session: PipSession, most: int) -> None:
        self._session = session
        self._senders: dict[int, Sender] = {}
        self.sending = Sending(session, self._senders.values(), most)
        self._passwords: dict[str, tuple[str | None, str | None]] = {}
        #: All requests so far; pip never prefetches them again.
        self._made: set[_Key] = set()
        self._unclaimed: set[_Key] = set()
        self._read_ahead: list[_Key] | None = None
        for adapter in session.adapters.values():
            if isinstance(adapter, HTTPAdapter) and id(adapter) not in self._senders:
                if most > DEFAULT_POOLSIZE:
                    adapter.init_poolmanager(DEFAULT_POOLSIZE, most)
                sender = self._senders[id(adapter)] = Sender(adapter)
                # All users of the adapter share its connections.
                adapter.send = partial(self._send, sender)  # type: ignore[method-assign]
        self._begin()

    def _begin(self) -> None:
        self._jobs: dict[_Key, _Prefetched] = {}
        #: What was read ahead of the resolver, which may be about to request it.
        self._used: list[_Key] = []
        self._waiting: queue.SimpleQueue[_Prefetched | None] = queue.SimpleQueue()
        self._workers = Workers(self._work, _WORKERS, self._waiting.get)
        #: Jobs and requests that have ended, for the main thread.
        self._ended: queue.SimpleQueue[_Prefetched | None] = queue.SimpleQueue()
        #: A function that the main thread calls after each response to a request of pip.
        self.on_response: Callable[[], None] = lambda: None
        self._pending = 0

    def close(self) -> None:
        """Drop prefetched responses; keep connections open."""
        for job in self._jobs.values():
            job.future.cancel()
        for _ in range(len(self._workers)):
            self._waiting.put(None)
        # A worker that still waits for a server takes its None later.
        self._begin()

    @property
    def has_room(self) -> bool:
        """Whether another response may be prefetched.

        While the cache answers all requests, prefetching saves no time.
        """
        is_online = any(sender.has_sent for sender in self._senders.values())
        return is_online and len(self._unclaimed) < _MAX_UNCLAIMED

    @property
    def is_ahead(self) -> bool:
        """Whether prefetching code is reading responses before the resolver."""
        return self._read_ahead is not None

    def claim(self, url: str) -> None:
        """Record that pip used the prefetched response for *url*."""
        self._unclaimed = {each for each in self._unclaimed if each[0] != url}

    def prefetch(
        self,
        url: str,
        headers: Mapping[str, str],
        limit: int,
        then: Callable[[Buffered | None], None] = lambda _: None,
        *,
        request: PreparedRequest | None = None,
    ) -> bool:
        """Send a GET request in a thread, for a later request of the session.

        :param limit: the maximum length of the body, in bytes.
        :param then: a function that the main thread calls while pip waits for another
            response; its argument is the response, or None if the response is not usable.
        :param request: the request as pip prepares it, or None.
        :return: whether *then* will be called; False if pip avoids the host or has already
            made the request.
        """
        sender = self._senders.get(id(self._session.get_adapter(url)))
        if sender is None:
            return False
        request = request or self._prepare(url, headers)
        # Threads must not handle a status of 401.
        request.hooks = default_hooks()
        key = _key(request)
        settings = {**self.sending.settings_for(str(request.url)), "stream": True}
        is_allowed = self.has_room and self.sending.may_prefetch(request, settings)
        if key in self._made or not is_allowed:
            return False
        self._unclaimed.add(key)
        self._made.add(key)
        job = self._jobs[key] = _Prefetched(sender, request, settings, limit, then)
        self._pending += 1
        ended = self._ended
        job.future.add_done_callback(lambda _: ended.put(job))
        with BestEffort("starting a prefetch thread"):
            self._workers.grow(self._pending)
        if not self._workers:
            job.future.cancel()
        self._waiting.put(job)
        return True

    def _prepare(self, url: str, headers: Mapping[str, str]) -> PreparedRequest:
        """Prepare a request without changing the session.

        The function opens no keyring, because pip opens a keyring only after a status of
        401.
        """
        auth = self._session.auth
        self._passwords = {**self._passwords, **auth.passwords}
        session = like(self._session, auth=like(auth, passwords=self._passwords))
        return session.prepare_request(Request("GET", url, headers=headers))

    @contextmanager
    def reading_ahead(self) -> Iterator[None]:
        """Answer requests from prefetched responses only.

        :raises NotAnswered: if a response has not arrived; the arrived responses are kept.
        """
        assert self._read_ahead is None, "one thing is read after the other"
        self._read_ahead = []
        try:
            yield
            self._used += self._read_ahead
        finally:
            self._read_ahead = None

    def _send(
        self, sender: Sender, request: PreparedRequest, **settings: Any
    ) -> Response:
        """Return the response to a request, from a prefetched response if available."""
        is_main = threading.current_thread() is threading.main_thread()
        if self._read_ahead is not None and is_main:
            key = _key(request)
            job = self._jobs.get(key)
            answer = None if job is None else job.answer
            if answer is None:
                raise NotAnswered(request)
            self._read_ahead.append(key)
            return answer.response(request)
        if request.method == "GET" and (taken := self._take(request)) is not None:
            return taken.response(request)
        ask = partial(self.sending.send, sender, request, settings)
        host = self.sending.host_of(str(request.url), settings)
        if not (is_main and (self._pending or host.has_connections)):
            response = ask()
            if is_main:
                self.on_response()
            return response
        try:
            future = in_thread(ask)
        except RuntimeError as error:
            logger.debug("No thread for a request: %s", error)
            return ask()
        self.wait_for(future)
        self.on_response()
        try:
            return future.result()
        finally:
            # An error refers to this frame, and the future refers to the error.
            del future

    def _take(self, request: PreparedRequest) -> Buffered | None:
        """Return the prefetched response to *request*, waiting if necessary."""
        key = _key(request)
        self._made.add(key)
        self._unclaimed.discard(key)
        job = self._jobs.pop(key, None)
        # A request that has not begun waits behind requests that pip may not need.
        if job is None or job.future.cancel():
            return None
        self.wait_for(job.future)
        return job.answer

    def wait_for(self, future: Future[Any], seconds: float = math.inf) -> bool:
        """Wait for a future while handling responses that arrive.

        :param seconds: the maximum time to wait.
        :return: whether the future is done.
        """
        if threading.current_thread() is not threading.main_thread():
            return not wait([future]).not_done
        end = time.monotonic() + seconds
        future.add_done_callback(lambda _: self._ended.put(None))
        while not future.done() or not self._ended.empty():
            left = end - time.monotonic()
            if left <= 0:
                break
            try:
                job = self._ended.get(timeout=min(left, self.sending.patience))
            except queue.Empty:
                self.sending.stalled()
            else:
                if job is not None:
                    self._pending -= 1
                    job.then(job.answer)
        while self._used:
            self._jobs.pop(self._used.pop(), None)
        return future.done()

    def _work(self, jobs: Iterator[_Prefetched]) -> None:
        for job in jobs:
            held = (each.answer for each in list(self._jobs.values()))
            if sum(len(each.body) for each in held if each) >= _MAX_HELD:
                job.future.cancel()
                continue
            begins = job.future.set_running_or_notify_cancel
            try:
                answer = self.sending.send_ahead(
                    job.sender, job.request, job.settings, job.limit, begins
                )
                if answer.status not in _FINAL:
                    raise Dropped
            except BaseException as error:  # The main thread waits for the future.
                logger.debug("Dropped what was prefetched: %r", error)
                if not job.future.cancelled():
                    job.future.set_exception(error.with_traceback(None))
            else:
                job.future.set_result(answer)
            # A thread that waits for the next job must not refer to this one.
            del job


def requests_of(session: PipSession, most: int) -> SessionRequests:
    """Return the requests of a session, and enable prefetching."""
    return SESSION_REQUESTS.once(session, lambda each: SessionRequests(each, most))


def without_questions(session: PipSession) -> PipSession:
    """Copy a session; the copy shares connections and never prompts.

    The session would ask the user or a keyring for credentials. The copy returns the
    server's 401 response instead.
    """
    auth = like(session.auth, prompting=False)
    auth.keyring_provider = "disabled"
    return like(session, auth=auth)


def _key(request: PreparedRequest) -> _Key:
    return str(request.url), tuple(str(request.headers.get(each)) for each in _VARYING)
