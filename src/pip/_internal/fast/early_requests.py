"""Send requests a little early, and several at a time.

An early response waits in the session's adapters until upstream makes the request. It
answers just as the server would have answered then: with the same cache, authentication,
patience and errors. Upstream's own order of work stays the same.
"""

from __future__ import annotations

import math
import queue
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from pip._vendor.requests import PreparedRequest, Request, Response
from pip._vendor.requests.adapters import HTTPAdapter

from pip._internal.console.output import get_logger
from pip._internal.fast.connections import like
from pip._internal.fast.early_adapters import EarlyAdapter, with_early_responses
from pip._internal.fast.early_entries import Entry, Kind, say
from pip._internal.fast.early_hosts import FAILURES, Hosts, Turns, host_of
from pip._internal.fast.held_bytes import Account
from pip._internal.fast.held_records import holding
from pip._internal.fast.threads import Workers, in_thread
from pip._internal.fast.time_limits import Overdue, TimeBudget

if TYPE_CHECKING:
    import logging

    from pip._internal.fast.early_answers import Answer
    from pip._internal.network.session import PipSession

__all__ = ["EarlyRequests", "NotAnswered"]

logger = get_logger(__name__)

#: So many at once burden neither the server nor this machine.
_WORKERS = 16
#: Bytes of all bodies, held or on their way: as much as the workers can need.
_MAX_HELD = 32 * 1024 * 1024

#: For a request that failed early: that was its first try.
_TRIED = object()

_Key = tuple[str, frozenset[tuple[str, str]]]


class NotAnswered(BaseException):
    """Work ahead of upstream has reached a request that has no answer yet.

    This is not an error, and error handlers must not catch it.

    :ivar future: of the early request for it; None if it is left to upstream
    """

    def __init__(self, future: Future[Answer] | None) -> None:
        super().__init__()
        self.future = future


class EarlyRequests:
    """The early requests of one session.

    :ivar due: called when upstream makes a request, with that which was made early.
    :ivar idle: called in the same thread while upstream waits, whenever other responses
        may have arrived.
    :ivar are_redirected: whether some were, so that each may take two.
    """

    def __init__(self, session: PipSession) -> None:
        self._session = session
        self._hosts = Hosts()
        #: As upstream keeps them by host; what is found early, upstream finds itself.
        self._passwords: dict[str, tuple[str | None, str | None]] = {}
        #: These replace the session's own adapters while this is open.
        self._adapters: dict[str, EarlyAdapter] = {}
        self._is_open = False
        self._entries: dict[_Key, Entry] = {}
        self._begin()
        self._settings: dict[tuple[str, ...], Mapping[str, Any]] = {}
        #: What was requested once is never requested early.
        self._made: set[_Key] = set()
        #: What was taken ahead of upstream so far; None in turn.
        self._taken: list[tuple[_Key, Entry]] | None = None
        #: For the requests that are made in turn.
        self._budget: TimeBudget | None = None
        self.due: Callable[[Future[Answer] | None], None] = lambda _: None
        self.idle: Callable[[], None] = lambda: None
        self.are_redirected = False

    def _begin(self) -> None:
        self._account = Account(_MAX_HELD)
        self._jobs: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        self._workers = Workers(_work, _WORKERS, self._jobs.get)
        #: What the workers are doing or have still to do.
        self._unanswered: set[Future[Answer]] = set()
        self._turns = Turns(self._jobs.put)

    @property
    def held(self) -> int:
        """Return the bytes of bodies that are held or reserved."""
        return self._account.reserved

    def open(self) -> None:
        """Let the session use early responses."""
        self._is_open = True
        for prefix, inner in list(self._session.adapters.items()):
            if isinstance(inner, HTTPAdapter) and not isinstance(inner, EarlyAdapter):
                if prefix not in self._adapters:
                    self._adapters[prefix] = with_early_responses(
                        inner, self.send, _WORKERS
                    )
                self._session.mount(prefix, self._adapters[prefix])

    def close(self) -> None:
        """Forget the early responses; from here on requests are made when due.

        Connections stay open, since this may be opened again.
        """
        if self._is_open:
            for prefix, adapter in self._adapters.items():
                self._session.mount(prefix, adapter.inner)
        self._is_open = False
        for entry in self._entries.values():
            entry.future.cancel()
        self._entries.clear()
        self._account.close()
        for _ in range(len(self._workers)):
            self._jobs.put(None)
        # A worker that hangs has yet to take its own; it is not for another one's eyes.
        self._begin()

    @contextmanager
    def within(self, seconds: float) -> Iterator[TimeBudget]:
        """Limit the time of all requests that are made in turn.

        Time that they took early counts. Servers that ask for more time do not get it.

        :param seconds: together; less if this is part of a task that has less time left
        :return: the time that is left
        :raises Overdue: when the time is over
        """
        is_open, before = self._is_open, self._budget
        if not is_open:
            self.open()
        left = math.inf if before is None else before.left
        self._budget = TimeBudget(min(seconds, left))
        try:
            yield self._budget
        finally:
            self._budget = before
            if not is_open:
                self.close()

    @contextmanager
    def answered_only(self) -> Iterator[None]:
        """Send nothing; answer with early responses alone.

        :raises NotAnswered: if one is missing; those that were used are kept then.
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

    def is_welcome(self, url: str) -> bool:
        """Tell whether plain work may ask early for something of that host."""
        is_early = isinstance(self._session.get_adapter(url), EarlyAdapter)
        return is_early and self._hosts.is_welcome(url)

    def ask(
        self, url: str, headers: Mapping[str, str], kind: Kind
    ) -> Future[Answer] | None:
        """Make a GET request early, in a thread.

        The response is for the session's later request with the same URL and headers;
        nobody else must read it.

        :return: None if that URL cannot be requested early, or its response was used.
        """
        adapter = self._session.get_adapter(url)
        if not isinstance(adapter, EarlyAdapter):
            return None
        # Authentication and settings are not meant for threads.
        request = self._prepare(Request("GET", url, headers=headers))
        assert request.url is not None, "a prepared request has one"
        key = _key(request)
        is_allowed = not kind.gives_way or self._hosts.may_ask(request)
        if key not in self._made and is_allowed:
            self._made.add(key)
            settings = self._settings_for(request.url)
            self._submit(key, adapter, request, settings, kind)
        entry = self._entries.get(key)
        return None if entry is None else entry.future

    def _prepare(self, request: Request) -> PreparedRequest:
        """Prepare a request as the session would, and leave no trace there.

        This asks no keyring: upstream does so for an answer of 401 alone.
        """
        auth = self._session.auth
        self._passwords = {**self._passwords, **auth.passwords}
        session = like(self._session, auth=like(auth, passwords=self._passwords))
        # Upstream says it when it prepares its own.
        with holding(lambda _: None):
            return session.prepare_request(request)

    def _settings_for(self, url: str) -> Mapping[str, Any]:
        """Return proxies, certificates and such, which are the same for all of a host."""
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
        adapter: EarlyAdapter,
        request: PreparedRequest,
        *args: Any,
        **kwargs: Any,
    ) -> Response:
        """Answer a request that is due, with an early response if there is one.

        :raises Overdue: if the time for it is over
        """
        if self._taken is not None:
            return self._ahead(adapter, request, kwargs)
        taken = self._take(adapter, request) if request.method == "GET" else None
        response = taken if isinstance(taken, Response) else None
        if response is None:
            is_limited = self._budget is not None
            in_turn = adapter.in_turn(hasty=is_limited, again=taken is _TRIED)

            def send() -> Response:
                response = in_turn.send(request, *args, **kwargs)
                if is_limited and not kwargs.get("stream"):
                    # The session would read it without a limit.
                    _ = response.content
                return response

            response = self._go_on_during(send)
        return response

    def _ahead(
        self, adapter: EarlyAdapter, request: PreparedRequest, settings: Any
    ) -> Response:
        """Answer a request ahead of upstream.

        The target of a redirect is requested early too.
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
            self.are_redirected = True
            entry = self._submit(key, adapter, request.copy(), settings, last.kind)
        if entry is None:
            raise NotAnswered(None)
        if not entry.future.done():
            raise NotAnswered(entry.future)
        answer = entry.good_answer
        if answer is None:
            raise NotAnswered(None)
        del self._entries[key]
        self._taken.append((key, entry))
        entry.say()
        return answer.response()

    def _take(
        self, adapter: EarlyAdapter, request: PreparedRequest
    ) -> Response | object | None:
        """Wait for the response to *request* if it was made early.

        :return: None if it was not, or if it was not finished; :data:`_TRIED` if it
            failed in a way in which it is tried again.
        """
        key = _key(request)
        self._made.add(key)
        entry = self._entries.pop(key, None)
        self.due(None if entry is None else entry.future)
        # One that has not begun waits behind others that nobody may need.
        if entry is None or entry.future.cancel():
            return None
        if self._budget is not None:
            self._budget.charge(entry.took)
        try:
            self._wait_for(entry.future)
            retries = adapter.inner.max_retries
            is_try = entry.is_try(retries.status_forcelist or ())
            is_tried = is_try and bool(retries.total)
            if is_tried or (entry.is_left and not is_try):
                # Of what is made again, nobody is told twice.
                entry.records.clear()
                return _TRIED if is_tried else None
        finally:
            entry.say()
            entry.release()
        error = entry.future.exception()
        if isinstance(error, FAILURES):
            raise error
        if error is not None:
            logger.debug("The early request for %s ended: %r", request.url, error)
            return None
        return entry.future.result().response()

    def _go_on_during(self, send: Callable[[], Response]) -> Response:
        """Make a request in turn, in a thread if early ones are pending.

        So work that depends on those goes on in the meantime.

        :param send: makes the request; what it logs is shown when it is over.
        """
        if self._budget is None and not self._after_idle():
            return send()
        records: deque[logging.LogRecord] = deque()

        def send_quietly() -> Response:
            with holding(records.append):
                return send()

        try:
            future = in_thread(send_quietly)
        except RuntimeError as error:
            logger.debug("No thread for a request: %s", error)
            return send()
        try:
            self._wait_for(future)
        except Overdue:
            # Whatever arrives now is too late.
            future.add_done_callback(_close)
            raise
        finally:
            say(records, plainly=self._budget is not None)
        return future.result()

    def _wait_for(self, future: Future[Any]) -> None:
        budget = self._budget
        pending = self._after_idle()
        while not future.done():
            # While upstream waits, others prepare its next requests.
            if budget is not None and not budget.left:
                raise budget.overdue()
            seconds = None if budget is None else budget.left
            wait([future, *pending], seconds, FIRST_COMPLETED)
            pending = self._after_idle()

    def _after_idle(self) -> list[Future[Answer]]:
        """Let others look at what has arrived.

        :return: what they had no answer of then, though it may be there by now
        """
        seen = {each.future for each in self._entries.values() if each.future.done()}
        self.idle()
        futures = [each.future for each in self._entries.values()]
        return [each for each in futures if each not in seen]

    def _submit(
        self,
        key: _Key,
        adapter: EarlyAdapter,
        request: PreparedRequest,
        settings: Mapping[str, Any],
        kind: Kind,
    ) -> Entry:
        entry = self._entries[key] = Entry(kind)
        ahead = adapter.ahead(hasty=kind.is_dispensable, once=kind.gives_way)
        settings = {**settings, "stream": True}

        def send() -> tuple[Response, PreparedRequest]:
            response = ahead.send(request, **settings)
            # For redirects and such, as if this adapter had sent it.
            response.connection = adapter
            return response, request

        self._unanswered.add(entry.future)
        entry.future.add_done_callback(self._unanswered.discard)
        try:
            self._workers.grow(len(self._unanswered))
        except RuntimeError as error:
            logger.debug("No thread for early requests: %s", error)
            if not self._workers:
                entry.future.set_exception(error)
                return entry
        make = partial(entry.make, self._account, send)
        if not kind.gives_way:
            self._jobs.put(make)
            return entry
        entry.future.add_done_callback(partial(self._hosts.learn, request))

        def make_if_welcome() -> None:
            if not self._hosts.may_ask(request):
                entry.future.cancel()
            make()

        self._turns.add(host_of(str(request.url)), make_if_welcome)
        return entry


def _close(future: Future[Response]) -> None:
    if future.exception() is None:
        future.result().close()


def _work(jobs: Iterator[Callable[[], None]]) -> None:
    for job in jobs:
        job()
        # While there is nothing to do, nothing is held.
        del job


def _key(request: PreparedRequest) -> _Key:
    headers = {(name.lower(), str(value)) for name, value in request.headers.items()}
    return str(request.url), frozenset(headers)
