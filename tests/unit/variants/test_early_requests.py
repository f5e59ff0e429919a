"""Requests in threads: whatever becomes of them, the request itself is answered."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, wait

import pytest

from pip._vendor.urllib3.util import Retry

from pip._internal.network.session import PipSession
from pip._internal.variants import early_requests
from pip._internal.variants.early_requests import EarlyRequests, Kind
from pip._internal.variants.sources import unattended
from pip._internal.variants.time_limits import Overdue, TimeBudget, time_limit
from tests.lib.faults import Fault, Gate
from tests.lib.index import IndexServer
from tests.lib.wheels import make_wheel

PAGE = "/simple/demo/"


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
    made = EarlyRequests(session)
    made.open()
    yield made
    made.close()


def test_an_answer_is_taken(
    session: PipSession, early: EarlyRequests, filled: IndexServer
) -> None:
    assert early.ask(filled.url + PAGE, {}, early_requests.PAGE) is not None
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
        future = early.ask(filled.url + PAGE, {}, early_requests.PAGE)
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
        patch.setattr("pip._internal.variants.early_requests.answer_of", fail)
        future = early.ask(filled.url + PAGE, {}, early_requests.PAGE)
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
    asked = early.ask(f"{index.url}/simple/first/", {}, early_requests.PAGE)
    assert asked is not None

    def idle() -> None:
        if asked.done():
            early.ask(f"{index.url}/simple/second/", {}, early_requests.PAGE)

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
        assert (
            early.ask(f"{filled.url}/simple/hangs/", {}, early_requests.PAGE)
            is not None
        )
        gate.wait_until_reached()
        early.close()
        early.open()
        future = early.ask(filled.url + PAGE, {}, early_requests.PAGE)
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
    early.ask(first, {}, early_requests.PAGE)

    def idle() -> None:
        """Ask for something once upstream waits for the first."""
        future = early.ask(later, {}, early_requests.PAGE)
        if future is not None:
            future.add_done_callback(lambda _: gate.open())

    early.idle = idle
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
    early.ask(f"{index.url}/simple/other/", {}, early_requests.PAGE)
    assert b"demo-1.0" in session.get(index.url + PAGE).content
    gate.open()
    (warning,) = [each for each in caplog.records if each.levelname == "WARNING"]
    assert warning.getMessage().startswith("Retrying")
