"""Requests in threads: whatever becomes of them, the request itself is answered."""

from __future__ import annotations

import re
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import Any

import pytest

from pip._vendor.urllib3.util import Retry

from pip._internal.exceptions import ConnectionTimeoutError
from pip._internal.fast import early_requests
from pip._internal.fast.early_adapters import EarlyAdapter
from pip._internal.fast.early_answers import Answer, TooLong
from pip._internal.fast.early_entries import Entry, Kind
from pip._internal.fast.early_requests import EarlyRequests, NotAnswered
from pip._internal.fast.slots import EARLY_REQUESTS
from pip._internal.fast.time_limits import Overdue, TimeBudget, time_limit
from pip._internal.network.session import PipSession
from pip._internal.variants.wheels.sources import MANIFEST, unattended
from tests.lib.faults import Fault, Gate
from tests.lib.index import IndexServer
from tests.lib.wheels import make_wheel

PAGE = "/simple/demo/"
#: Of a request that is made again as the session would.
KIND = Kind(2 * 1024 * 1024)


@pytest.fixture
def filled(index: IndexServer) -> IndexServer:
    """Return an index with a package."""
    index.add(make_wheel("demo", "1.0"))
    return index


@pytest.fixture
def session() -> Iterator[PipSession]:
    """Return a session as pip's commands have it."""
    with PipSession() as made:
        made.trust_env = False
        made.timeout = 60
        yield made


@pytest.fixture
def early(session: PipSession) -> Iterator[EarlyRequests]:
    """Return what makes requests of the session early."""
    made = EARLY_REQUESTS.once(session, EarlyRequests)
    made.open()
    yield made
    made.close()


def test_an_answer_is_taken(
    session: PipSession, early: EarlyRequests, filled: IndexServer
) -> None:
    assert early.ask(filled.url + PAGE, {}, KIND) is not None
    assert b"demo-1.0" in session.get(filled.url + PAGE).content
    assert filled.log() == [("GET", PAGE)]


def test_without_threads(
    session: PipSession,
    early: EarlyRequests,
    filled: IndexServer,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def start(_: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    with monkeypatch.context() as patch:
        patch.setattr(threading.Thread, "start", start)
        future = early.ask(filled.url + PAGE, {}, KIND)
    assert future is not None
    assert isinstance(future.exception(), RuntimeError)
    assert b"demo-1.0" in session.get(filled.url + PAGE).content


@pytest.mark.parametrize("error", [SystemExit, MemoryError, ZeroDivisionError])
def test_whatever_is_raised_in_a_thread(
    session: PipSession,
    early: EarlyRequests,
    filled: IndexServer,
    monkeypatch: pytest.MonkeyPatch,
    error: type[BaseException],
) -> None:
    def fail(*_: object) -> None:
        raise error

    with monkeypatch.context() as patch:
        patch.setattr("pip._internal.fast.early_entries.answer_of", fail)
        future = early.ask(filled.url + PAGE, {}, KIND)
        assert future is not None
        assert isinstance(future.exception(timeout=60), error)
    assert b"demo-1.0" in session.get(filled.url + PAGE).content


def test_a_body_that_takes_too_long(
    session: PipSession, early: EarlyRequests, filled: IndexServer
) -> None:
    filled.faults[PAGE] = Fault(gate=Gate(), truncate=10, times=2)
    future = early.ask(filled.url + PAGE, {}, Kind(1000, seconds=0.1))
    assert future is not None
    wait([future])
    overdue = pytest.raises(Overdue, match=r"^it did not arrive within 0 seconds$")
    # It is known by now, and not asked for again.
    with overdue:
        session.get(filled.url + PAGE)
    assert filled.log() == [("GET", PAGE)]
    with (
        session.get(filled.url + PAGE, stream=True) as response,
        overdue,
        time_limit(response.raw, TimeBudget(0.1)),
    ):
        _ = response.content
    assert b"demo-1.0" in session.get(filled.url + PAGE).content


@pytest.mark.parametrize("hangs", [True, False])
def test_a_body_is_not_waited_for_twice(
    session: PipSession, early: EarlyRequests, filled: IndexServer, hangs: bool
) -> None:
    """One that broke off at once is asked for again: others may be the cause."""
    session.timeout = 1
    gate = Gate()
    filled.faults[PAGE] = Fault(gate=gate if hangs else None, truncate=10, times=1)
    future = early.ask(filled.url + PAGE, {}, Kind(1000, gives_way=True))
    assert future is not None
    wait([future])
    try:
        if hangs:
            with pytest.raises(ConnectionTimeoutError):
                session.get(filled.url + PAGE)
        else:
            assert b"demo-1.0" in session.get(filled.url + PAGE).content
    finally:
        gate.open()
    assert filled.log() == [("GET", PAGE)] * (1 if hangs else 2)


def test_what_arrives_in_time(session: PipSession, filled: IndexServer) -> None:
    with session.get(filled.url + PAGE, stream=True) as response:
        with time_limit(response.raw, TimeBudget(60)):
            content = response.content
        assert b"demo-1.0" in content
    with pytest.raises(ZeroDivisionError), time_limit(response.raw, TimeBudget(60)):
        _ = 1 / 0


def test_waiting_because_a_server_says_so(
    session: PipSession, filled: IndexServer
) -> None:
    headers = {"Retry-After": "100000"}
    session.adapters["http://"].max_retries = Retry(1)  # type: ignore[attr-defined]
    filled.faults[PAGE] = Fault(status=503, headers=headers)
    # An hour of it would be asked for, and a minute granted; this is less.
    overdue = pytest.raises(Overdue, match=r"^it did not arrive within 1 seconds$")
    with overdue, unattended(session, 0.6):
        assert not session.auth.prompting
        session.get(filled.url + PAGE)
    assert filled.log() == [("GET", PAGE)]
    assert session.auth.prompting


def test_others_go_on_while_upstream_waits(
    session: PipSession, early: EarlyRequests, index: IndexServer
) -> None:
    first, second, own = Gate(), Gate(), Gate()
    for name, gate in (("first", first), ("second", second), ("own", own)):
        index.add(make_wheel(name, "1.0"))
        index.faults[f"/simple/{name}/"] = Fault(gate=gate)
    asked = early.ask(f"{index.url}/simple/first/", {}, KIND)
    assert asked is not None

    def idle() -> None:
        if asked.done():
            early.ask(f"{index.url}/simple/second/", {}, KIND)

    early.idle = idle

    def keep() -> None:
        try:
            first.wait_until_reached(seconds=20)
            own.wait_until_reached(seconds=20)
            first.open()
            second.wait_until_reached(seconds=20)
        finally:
            for gate in (first, second, own):
                gate.open()

    with ThreadPoolExecutor() as pool:
        keeper = pool.submit(keep)
        assert b"own-1.0" in session.get(f"{index.url}/simple/own/").content
        keeper.result()


def test_a_request_that_hangs_holds_up_nothing_later(
    early: EarlyRequests, filled: IndexServer
) -> None:
    gate = Gate()
    filled.faults["/simple/hangs/"] = Fault(gate=gate)
    try:
        assert early.ask(f"{filled.url}/simple/hangs/", {}, KIND) is not None
        gate.wait_until_reached()
        early.close()
        early.open()
        future = early.ask(filled.url + PAGE, {}, KIND)
        assert future is not None
        assert b"demo-1.0" in future.result(timeout=20).response().content
    finally:
        gate.open()


def test_what_is_waited_for_holds_up_nothing(
    session: PipSession, early: EarlyRequests, filled: IndexServer
) -> None:
    filled.add(make_wheel("first", "1.0"))
    first, later = f"{filled.url}/simple/first/", filled.url + PAGE
    gate = Gate()
    filled.faults["/simple/first/"] = Fault(gate=gate)
    early.ask(first, {}, KIND)

    def idle() -> None:
        """Ask for something once upstream waits for the first."""
        future = early.ask(later, {}, KIND)
        if future is not None:
            future.add_done_callback(lambda _: gate.open())

    early.idle = idle
    gate.wait_until_reached()
    with ThreadPoolExecutor() as pool:
        answer = pool.submit(session.get, first)
        try:
            assert b"first-1.0" in answer.result(timeout=20).content
        finally:
            gate.open()
    assert sorted(filled.log()) == [("GET", PAGE), ("GET", "/simple/first/")]


def test_what_is_logged_in_the_thread(
    session: PipSession,
    early: EarlyRequests,
    index: IndexServer,
    caplog: pytest.LogCaptureFixture,
) -> None:
    index.add(make_wheel("demo", "1.0"))
    gate = Gate()
    index.faults["/simple/other/"] = Fault(gate=gate)
    index.faults[PAGE] = Fault(reset=True, times=1)
    early.close()
    session.adapters["http://"].max_retries = Retry(1)  # type: ignore[attr-defined]
    early.open()
    early.ask(f"{index.url}/simple/other/", {}, KIND)
    assert b"demo-1.0" in session.get(index.url + PAGE).content
    gate.open()
    (warning,) = [each for each in caplog.records if each.levelname == "WARNING"]
    assert warning.getMessage().startswith("Retrying")


def _begin(early: EarlyRequests, url: str, kind: Kind = KIND) -> Future[Answer]:
    """Ask for something early, and wait until it has come to an end."""
    future = early.ask(url, {}, kind)
    assert future is not None
    wait([future], timeout=60)
    assert future.done()
    return future


def _outcome(session: PipSession, url: str, *, stream: bool) -> object:
    """Tell what somebody who asks for something gets."""
    got = b""
    try:
        with session.get(url, stream=stream) as response:
            for chunk in response.iter_content(1 << 16):
                got += chunk
            return response.status_code, got
    except Exception as error:
        return got, type(error), re.sub(r"0x[0-9a-f]+|\?early", "", str(error))


@pytest.mark.parametrize("stream", [True, False], ids=["stream", "whole"])
@pytest.mark.parametrize(
    "fault",
    [
        {"reset": True},
        {"truncate": 10},
        {"truncate": 10, "reset": True},
        {"longer": 10},
        {"status": 404},
        {"status": 500},
        {"headers": {"Content-Length": ""}},
        {"headers": {"Content-Encoding": "gzip"}},
    ],
    ids=str,
)
def test_an_early_failure_is_the_failure(
    session: PipSession,
    early: EarlyRequests,
    filled: IndexServer,
    fault: dict[str, Any],
    stream: bool,
) -> None:
    filled.faults[PAGE] = filled.faults[f"{PAGE}?early"] = Fault(**fault)
    in_turn = _outcome(session, filled.url + PAGE, stream=stream)
    filled.requests.clear()
    url = f"{filled.url}{PAGE}?early"
    _begin(early, url)
    assert _outcome(session, url, stream=stream) == in_turn
    assert filled.log() == [("GET", f"{PAGE}?early")]
    assert early.held == 0


@pytest.mark.parametrize("length", ["", "1000"], ids=["unknown", "known"])
def test_what_is_too_long_is_left_to_the_request(
    session: PipSession, early: EarlyRequests, filled: IndexServer, length: str
) -> None:
    headers = {"Content-Length": length}
    filled.faults[PAGE] = Fault(size=1000, headers=headers)
    future = _begin(early, filled.url + PAGE, Kind(999))
    assert isinstance(future.exception(), TooLong)
    assert early.held == 0
    assert len(session.get(filled.url + PAGE).content) == 1000
    assert len(filled.log()) == 2


def test_an_endless_body_ends(early: EarlyRequests, filled: IndexServer) -> None:
    gate = Gate()
    # No more comes than is sent here; the rest would be waited for.
    headers = {"Content-Length": ""}
    filled.faults[PAGE] = Fault(
        size=200_000, truncate=150_000, gate=gate, headers=headers
    )
    try:
        future = _begin(early, filled.url + PAGE, Kind(100_000))
    finally:
        gate.open()
    assert isinstance(future.exception(), TooLong)


def test_what_waits_behind_others_is_made_when_it_is_due(
    session: PipSession, early: EarlyRequests, filled: IndexServer
) -> None:
    gate = Gate()
    try:
        for number in range(16):
            filled.faults[f"/simple/{number}/"] = Fault(gate=gate)
            early.ask(f"{filled.url}/simple/{number}/", {}, KIND)
        gate.wait_until_reached(times=16)
        early.ask(filled.url + PAGE, {}, KIND)
        with ThreadPoolExecutor() as pool:
            answer = pool.submit(session.get, filled.url + PAGE)
            try:
                assert b"demo-1.0" in answer.result(timeout=20).content
            finally:
                gate.open()
    finally:
        gate.open()
    assert filled.log().count(("GET", PAGE)) == 1


def test_all_that_is_held_has_a_limit(
    session: PipSession,
    early: EarlyRequests,
    filled: IndexServer,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(early_requests, "_MAX_HELD", 3000)
    early.close()
    early.open()
    urls = [f"{filled.url}{PAGE}?{number}" for number in range(12)]
    for number in range(12):
        filled.faults[f"{PAGE}?{number}"] = Fault(size=600)
    asked = [early.ask(url, {}, Kind(1000)) for url in urls]
    futures = [future for future in asked if future is not None]
    # Four, of which each is less than it could have been; a fifth has no room.
    _wait_until(lambda: sum(future.done() for future in futures) == 4)
    assert early.held == 4 * 600
    assert len(filled.log()) == 4
    for url in urls:
        assert len(session.get(url).content) == 600
        assert early.held <= 3000
    # What waits for room is asked for when it is due.
    assert len(filled.log()) == len(set(filled.log())) == 12
    assert early.held == 0


def test_nothing_is_held_of_what_was_taken(
    session: PipSession, early: EarlyRequests, filled: IndexServer
) -> None:
    url = filled.url + PAGE
    answer = weakref.ref(_begin(early, url).result())
    assert early.held > 0
    assert session.get(url).ok
    assert early.held == 0
    _wait_until(lambda: answer() is None)


def test_nothing_is_held_after_the_end(
    early: EarlyRequests, filled: IndexServer
) -> None:
    answer = weakref.ref(_begin(early, filled.url + PAGE).result())
    assert answer() is not None
    early.close()
    assert early.held == 0
    _wait_until(lambda: answer() is None)


def _wait_until(condition: Callable[[], bool]) -> None:
    """Wait for what threads do."""
    for _ in range(400):
        if condition():
            return
        time.sleep(0.05)
    raise AssertionError("it did not come to that")


def test_early_time_counts(
    session: PipSession,
    early: EarlyRequests,
    filled: IndexServer,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    gate = Gate()
    filled.faults[PAGE] = Fault(gate=gate)
    monkeypatch.setattr(Entry, "took", 60.0)
    session.timeout = 5
    try:
        early.ask(filled.url + PAGE, {}, MANIFEST)
        gate.wait_until_reached()
        # Else it would be the session that gives up.
        with pytest.raises(Overdue, match="60 seconds"), unattended(session):
            session.get(filled.url + PAGE)
    finally:
        gate.open()


@pytest.mark.parametrize("is_ahead", [True, False], ids=["early", "in turn"])
def test_a_header_that_takes_too_long(
    session: PipSession, early: EarlyRequests, filled: IndexServer, is_ahead: bool
) -> None:
    gate = Gate()
    filled.faults[PAGE] = Fault(gate=gate)
    if is_ahead:
        early.ask(filled.url + PAGE, {}, MANIFEST)
        gate.wait_until_reached()
    else:
        early.close()
    try:
        with pytest.raises(Overdue), unattended(session, 0.5):
            session.get(filled.url + PAGE)
    finally:
        gate.open()


def test_a_page_that_takes_too_long(session: PipSession, filled: IndexServer) -> None:
    gate = Gate()
    filled.faults[PAGE] = Fault(gate=gate, truncate=10)
    try:
        with pytest.raises(Overdue), unattended(session, 0.5):
            session.get(filled.url + PAGE)
    finally:
        gate.open()


def test_ahead_of_upstream_nothing_is_waited_for(
    session: PipSession, early: EarlyRequests, filled: IndexServer
) -> None:
    url, gate = filled.url + PAGE, Gate()
    filled.faults["/simple/hangs/"] = Fault(gate=gate)
    filled.faults["/simple/fails/"] = Fault(status=404)
    hangs = early.ask(f"{filled.url}/simple/hangs/", {}, KIND)
    _begin(early, f"{filled.url}/simple/fails/")
    _begin(early, url)
    gate.wait_until_reached()
    for path, future in {"hangs": hangs, "fails": None, "new": None}.items():
        wanted = f"{filled.url}/simple/{path}/"
        with pytest.raises(NotAnswered) as caught, early.answered_only():
            assert [session.get(each) for each in (url, wanted)]
        assert caught.value.future is future
    gate.open()
    with early.answered_only():
        assert b"demo-1.0" in session.get(url).content
    assert early.held > 0
    assert session.get(f"{filled.url}/simple/fails/").status_code == 404
    assert session.get(f"{filled.url}/simple/hangs/").status_code == 404
    assert early.held == 0
    assert len(filled.log()) == 3


def test_where_a_redirect_leads_is_asked_for_early_too(
    session: PipSession, early: EarlyRequests, filled: IndexServer
) -> None:
    filled.redirect_pages = True
    _begin(early, filled.url + PAGE)
    with pytest.raises(NotAnswered) as caught, early.answered_only():
        session.get(filled.url + PAGE)
    assert caught.value.future is not None
    wait([caught.value.future], timeout=60)
    with early.answered_only():
        response = session.get(filled.url + PAGE)
    assert response.url == f"{filled.url}/moved/to/demo/"
    assert filled.log() == [("GET", PAGE), ("GET", "/moved/to/demo/")]
    assert early.held == 0


def test_what_is_logged_early_is_said_when_it_is_due(
    session: PipSession,
    early: EarlyRequests,
    filled: IndexServer,
    caplog: pytest.LogCaptureFixture,
) -> None:
    early.close()
    session.adapters["http://"].max_retries = Retry(1)  # type: ignore[attr-defined]
    early.open()
    for path in (PAGE, "/simple/needless/"):
        filled.faults[path] = Fault(reset=True, times=1)
        _begin(early, filled.url + path)
    assert not caplog.records
    assert b"demo-1.0" in session.get(filled.url + PAGE).content
    early.close()
    (warning,) = [each for each in caplog.records if each.levelname == "WARNING"]
    assert warning.getMessage().startswith("Retrying")
    assert PAGE in warning.getMessage()


@pytest.mark.usefixtures("early")
def test_servers_that_have_more_time_get_it(session: PipSession) -> None:
    adapter = session.adapters["https://"]
    assert isinstance(adapter, EarlyAdapter)
    most = {
        (ahead, hasty): choose(hasty=hasty).max_retries.retry_after_max
        for ahead, choose in ((True, adapter.ahead), (False, adapter.in_turn))
        for hasty in (True, False)
    }
    upstream_s = most[False, False]
    assert upstream_s > 60
    assert most == {
        (True, True): 60,
        (False, True): 60,
        (True, False): upstream_s,
        (False, False): upstream_s,
    }


def test_what_is_part_of_something_has_no_more_time_than_that(
    session: PipSession,
) -> None:
    with unattended(session, 5) as outer:
        with unattended(session, 60) as inner:
            assert inner.left <= outer.left + 0.1 < 6
        with unattended(session, 1) as shorter:
            assert shorter.left <= 1
    with unattended(session, 60) as alone:
        assert alone.left > 50
