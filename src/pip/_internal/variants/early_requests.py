"""Send requests that are about to be made a little early, and several at a time.

What is asked for early waits in the session's adapters, where it answers the request that
upstream makes later, just as it would have been answered then: by the same cache and
authentication, as patiently, and with the same error. Upstream's own order of doing
things stays.
"""

from __future__ import annotations

import math
import queue
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, cast
from urllib.parse import urlsplit

from pip._vendor.requests import PreparedRequest, Request, Response
from pip._vendor.requests.adapters import HTTPAdapter
from pip._vendor.requests.exceptions import RequestException
from pip._vendor.urllib3.exceptions import HTTPError

from pip._internal.utils._log import getLogger
from pip._internal.variants.connections import like, with_own_connections
from pip._internal.variants.early_answers import Answer, answer_of
from pip._internal.variants.held_bytes import Account, Room
from pip._internal.variants.held_records import HeldRecords, emit
from pip._internal.variants.manifest_parser import MAX_MANIFEST_SIZE
from pip._internal.variants.sizes import SMALL
from pip._internal.variants.time_limits import (
    MAX_TIME,
    Overdue,
    TimeBudget,
    short_waits,
    time_limit,
)

if TYPE_CHECKING:
    import logging

    from pip._internal.network.session import PipSession

__all__ = [
    "MANIFEST",
    "METADATA",
    "PAGE",
    "WHEEL",
    "EarlyRequests",
    "Kind",
    "NotAnswered",
    "early_requests_of",
]

logger = getLogger(__name__)

#: At so many at once, neither the server nor this machine minds.
_WORKERS = 16
#: Bytes of all bodies that are held, or on their way: as much as the workers can need.
_MAX_HELD = 32 * 1024 * 1024
#: What goes wrong with a request; it would have gone wrong with a later one too.
_FAILURES = (RequestException, HTTPError, OSError, Overdue)

_Key = tuple[str, frozenset[tuple[str, str]]]


class Kind(NamedTuple):
    """What limits requests of one kind that are made early.

    :ivar max_body: bytes, as they are sent; what is longer is left to the request itself
    :ivar seconds: that all of it may take; infinity if only the session's limits count
    """

    max_body: int
    seconds: float = math.inf

    @property
    def is_dispensable(self) -> bool:
        """Tell whether pip goes on without it, rather than wait as long as it takes."""
        return self.seconds < math.inf


PAGE = Kind(2 * 1024 * 1024)
MANIFEST = Kind(MAX_MANIFEST_SIZE, MAX_TIME)
METADATA = Kind(1024 * 1024)
WHEEL = Kind(SMALL)


class NotAnswered(BaseException):
    """What is done ahead of upstream comes to a request that has no answer yet.

    Not an error, and for nobody to handle who handles errors.

    :ivar future: of an early request that answers it; None if it is left to upstream
    """

    def __init__(self, future: Future[Answer] | None) -> None:
        super().__init__()
        self.future = future


class _Entry:
    """An early request."""

    def __init__(self, kind: Kind) -> None:
        self.kind = kind
        self.future: Future[Answer] = Future()
        #: What was logged on the way; it is for when upstream would have logged it.
        self.records: deque[logging.LogRecord] = deque()
        self._room: Room | None = None
        self._began = self._ended = math.inf

    @property
    def took(self) -> float:
        """Return the seconds that it has taken so far."""
        now = time.monotonic()
        return max(0.0, min(now, self._ended) - self._began)

    @property
    def good_answer(self) -> Answer | None:
        """Return the answer if there is one that holds what was asked for."""
        future = self.future
        if not future.done() or future.cancelled() or future.exception() is not None:
            return None
        answer = future.result()
        return answer if answer.is_good else None

    def make(self, account: Account, send: Callable[[], tuple[Response, Any]]) -> None:
        """Make the request, in a thread."""
        self._room = room = account.reserve(self.kind.max_body)
        if room is None or not self.future.set_running_or_notify_cancel():
            self.release()
            return
        self._began = time.monotonic()
        try:
            with _HELD.of_this_thread(self.records.append):
                answer = self._answer(send, room)
        except BaseException as error:  # Upstream's thread waits for the future.
            self._ended = time.monotonic()
            self.release()
            self.future.set_exception(error.with_traceback(None))
        else:
            self._ended = time.monotonic()
            room.shrink(answer.size)
            self.future.set_result(answer)

    def _answer(self, send: Callable[[], tuple[Response, Any]], room: Room) -> Answer:
        budget = TimeBudget(self.kind.seconds) if self.kind.is_dispensable else None
        response, request = send()
        raw = response.raw
        try:
            with time_limit(raw, budget):
                return answer_of(response, request, room)
        except BaseException:
            raw.close()
            raise

    def release(self) -> None:
        """Give back the room for its body."""
        if self._room is not None:
            self._room.release()


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
        self._adapters: dict[str, _EarlyAdapter] = {}
        self._entries: dict[_Key, _Entry] = {}
        self._jobs: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        self._workers = 0
        #: What workers have to do, or are at.
        self._unanswered: set[Future[Answer]] = set()
        self._account = Account(_MAX_HELD)
        self._settings: dict[tuple[str, ...], Mapping[str, Any]] = {}
        #: Nothing is asked for early that was asked for before.
        self._made: set[_Key] = set()
        #: What was taken ahead of upstream since that began; None if it has not.
        self._taken: list[tuple[_Key, _Entry]] | None = None
        #: Of what is being asked for in turn.
        self._budget: TimeBudget | None = None
        self.due: Callable[[Future[Answer]], None] = lambda _: None
        self.idle: Callable[[], None] = lambda: None

    @property
    def held(self) -> int:
        """Return the bytes of bodies that are held, or may be before long."""
        return self._account.reserved

    def open(self) -> None:
        """Let the session's adapters take early responses."""
        _HELD.install()
        for prefix, inner in list(self._session.adapters.items()):
            if isinstance(inner, HTTPAdapter) and prefix not in self._inner:
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
        for entry in self._entries.values():
            entry.future.cancel()
        self._entries.clear()
        self._account.close()
        self._account = Account(_MAX_HELD)
        for _ in range(self._workers):
            self._jobs.put(None)
        # A worker that hangs has yet to take its own; it is not for another one's eyes.
        self._jobs = queue.SimpleQueue()
        self._workers = 0
        self._unanswered = set()

    @contextmanager
    def within(self, budget: TimeBudget) -> Iterator[None]:
        """Give up on what is asked for in turn when the time is over.

        What came of it early counts. Servers that ask for more time do not get it.

        :raises Overdue: when it is
        """
        is_open = bool(self._inner)
        if not is_open:
            self.open()
        before, self._budget = self._budget, budget
        try:
            yield
        finally:
            self._budget = before
            if not is_open:
                self.close()

    @contextmanager
    def answered_only(self) -> Iterator[None]:
        """Send nothing; answer by what was asked for early.

        :raises NotAnswered: if that does not do; then nothing is lost of it.
        """
        assert self._taken is None, "what is done ahead is done step by step"
        self._taken = []
        try:
            yield
        except NotAnswered:
            self._entries.update(self._taken)
            self._taken.clear()
            raise
        finally:
            for _, entry in self._taken:
                entry.release()
            self._taken = None

    def ask(
        self, url: str, headers: Mapping[str, str], kind: Kind
    ) -> Future[Answer] | None:
        """Make a GET request early, in a thread.

        The response is for the request with the same URL and headers that will be made
        by the session; nobody else must read it.

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
            self._made.add(key)
            settings = self._settings_for(request.url)
            self._submit(key, adapter, request, settings, kind)
        entry = self._entries.get(key)
        return None if entry is None else entry.future

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

    def send(
        self,
        adapter: _EarlyAdapter,
        request: PreparedRequest,
        *args: Any,
        **kwargs: Any,
    ) -> Response:
        """Answer a request that is due, by an early one if it was made.

        :raises Overdue: if there is a limit of time, and it is over
        """
        if self._taken is not None:
            return self._ahead(adapter, request, kwargs)
        response = self._take(request) if request.method == "GET" else None
        if response is None:
            is_limited = self._budget is not None
            in_turn = adapter.in_turn(hasty=is_limited)

            def send() -> Response:
                response = in_turn.send(request, *args, **kwargs)
                if is_limited and not kwargs.get("stream"):
                    # The session is about to read it, and has no limit.
                    _ = response.content
                return response

            response = self._go_on_during(send)
        return response

    def _ahead(
        self, adapter: _EarlyAdapter, request: PreparedRequest, settings: Any
    ) -> Response:
        """Answer a request ahead of upstream.

        Where one redirects to is asked for early, too.
        """
        assert self._taken is not None
        key = _key(request)
        entry = self._entries.get(key)
        last = self._taken[-1][1] if self._taken else None
        if (
            entry is None
            and last is not None
            and last.future.result().is_redirect
            and request.method == "GET"
            and key not in self._made
        ):
            self._made.add(key)
            entry = self._submit(key, adapter, request.copy(), settings, last.kind)
        answer = None if entry is None else entry.good_answer
        if entry is None or answer is None:
            pending = entry is not None and not entry.future.done()
            raise NotAnswered(entry.future if entry is not None and pending else None)
        del self._entries[key]
        self._taken.append((key, entry))
        emit(entry.records)
        return answer.response()

    def _take(self, request: PreparedRequest) -> Response | None:
        """Wait for the response to *request* if that was made early.

        :return: None if it was not, or not to its end.
        """
        key = _key(request)
        self._made.add(key)
        entry = self._entries.pop(key, None)
        if entry is not None:
            self.due(entry.future)
        # What has not begun waits for others, which nobody may need.
        if entry is None or entry.future.cancel():
            self.idle()
            return None
        if self._budget is not None:
            self._budget.charge(entry.took)
        try:
            self._wait_for(entry.future)
        finally:
            emit(entry.records)
            entry.release()
        error = entry.future.exception()
        if isinstance(error, _FAILURES):
            raise error
        if error is not None:
            logger.debug("The early request for %s ended: %r", request.url, error)
            return None
        return entry.future.result().response()

    def _go_on_during(self, send: Callable[[], Response]) -> Response:
        """Make a request that was not made early, in a thread if others are pending.

        So what depends on these is not held up until this one is answered.

        :param send: makes the request; what it logs is logged when it is over.
        """
        if self._budget is None and not self._pending():
            return send()
        future: Future[Response] = Future()
        records: deque[logging.LogRecord] = deque()

        def job() -> None:
            with _HELD.of_this_thread(records.append):
                try:
                    response = send()
                except (
                    BaseException
                ) as error:  # Upstream's thread waits for the future.
                    future.set_exception(error)
                else:
                    future.set_result(response)

        thread = threading.Thread(target=job, daemon=True)
        try:
            thread.start()
        except RuntimeError as error:
            logger.debug("No thread for a request: %s", error)
            return send()
        try:
            self._wait_for(future)
        except Overdue:
            # Whatever comes of it comes too late.
            future.add_done_callback(_close)
            raise
        finally:
            emit(records)
        return future.result()

    def _wait_for(self, future: Future[Any]) -> None:
        budget = self._budget
        self.idle()
        while not future.done():
            # Upstream waits here: time to prepare what it will ask for next.
            seconds = None if budget is None else budget.left
            if seconds == 0:
                assert budget is not None
                raise budget.overdue()
            wait([future, *self._pending()], seconds, FIRST_COMPLETED)
            self.idle()

    def _pending(self) -> list[Future[Answer]]:
        entries = self._entries.values()
        return [entry.future for entry in entries if not entry.future.done()]

    def _submit(
        self,
        key: _Key,
        adapter: _EarlyAdapter,
        request: PreparedRequest,
        settings: Mapping[str, Any],
        kind: Kind,
    ) -> _Entry:
        entry = self._entries[key] = _Entry(kind)
        ahead = adapter.ahead(hasty=kind.is_dispensable)
        settings = {**settings, "stream": True}

        def send() -> tuple[Response, PreparedRequest]:
            response = ahead.send(request, **settings)
            # To go on as if it were this one.
            response.connection = adapter
            return response, request

        self._unanswered.add(entry.future)
        entry.future.add_done_callback(self._unanswered.discard)
        if self._workers < min(_WORKERS, len(self._unanswered)):
            # A server that hangs must not keep pip from ending.
            thread = threading.Thread(target=_work, args=[self._jobs], daemon=True)
            try:
                thread.start()
            except RuntimeError as error:
                logger.debug("No thread for early requests: %s", error)
                if not self._workers:
                    entry.future.set_exception(error)
                    return entry
            else:
                self._workers += 1
        self._jobs.put(partial(entry.make, self._account, send))
        return entry


def early_requests_of(session: PipSession) -> EarlyRequests:
    """Give the early requests of a session, which are made on first use."""
    made = vars(session).get("_variants_early")
    if not isinstance(made, EarlyRequests):
        made = EarlyRequests(session)
        session._variants_early = made  # type: ignore[attr-defined]
    return made


#: What was logged of requests in threads; some of these may never end.
_HELD = HeldRecords()


def _close(future: Future[Response]) -> None:
    if future.exception() is None:
        future.result().close()


def _work(jobs: queue.SimpleQueue[Callable[[], None] | None]) -> None:
    while (job := jobs.get()) is not None:
        job()
        # While there is nothing to do, nothing is held.
        del job


class _EarlyAdapter(HTTPAdapter):
    """What answers requests that were made early; each adapter is given its own kind."""

    early: EarlyRequests
    inner: HTTPAdapter
    outer: HTTPAdapter | None

    def send(self, request: PreparedRequest, *args: Any, **kwargs: Any) -> Response:
        """Answer a request by what was asked for early, if it was."""
        response = self.early.send(self, request, *args, **kwargs)
        response.connection = self
        return response

    def in_turn(self, *, hasty: bool) -> HTTPAdapter:
        """Give what sends requests that are due.

        :param hasty: whether to wait for a minute at most if a server asks for more
        """
        return _hasty(self.inner) if hasty else self.inner

    def ahead(self, *, hasty: bool) -> HTTPAdapter:
        """Give what sends requests early, by connections of its own."""
        if self.outer is None:
            self.outer = with_own_connections(self.inner, _WORKERS)
        return _hasty(self.outer) if hasty else self.outer


def _hasty(adapter: HTTPAdapter) -> HTTPAdapter:
    return like(adapter, max_retries=short_waits(adapter.max_retries))


def _with_early_responses(inner: HTTPAdapter, early: EarlyRequests) -> _EarlyAdapter:
    """Make an adapter that is like *inner*, connections and cache included."""
    kind = type(inner)
    taking = type(kind.__name__, (_EarlyAdapter, kind), {})
    adapter = cast(_EarlyAdapter, object.__new__(taking))
    vars(adapter).update(vars(inner))
    adapter.early, adapter.inner, adapter.outer = early, inner, None
    return adapter


def _key(request: PreparedRequest) -> _Key:
    headers = {(name.lower(), str(value)) for name, value in request.headers.items()}
    return str(request.url), frozenset(headers)
