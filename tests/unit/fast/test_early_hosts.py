"""Early requests for plain work give way: hosts in trouble are asked in turn alone."""

from __future__ import annotations

import logging
import socket
from collections.abc import Iterator
from concurrent.futures import wait
from pathlib import Path
from typing import Any

import pytest

from pip._vendor.urllib3.util import Retry

from pip._internal.exceptions import ConnectionFailedError
from pip._internal.fast.early_entries import METADATA as METADATA_KIND
from pip._internal.fast.early_entries import PAGE as PAGE_KIND
from pip._internal.fast.early_requests import EarlyRequests
from pip._internal.network.session import PipSession
from tests.lib.faults import Fault, Gate
from tests.lib.index import IndexServer
from tests.lib.wheels import make_wheel

PAGE = "/simple/demo/"


@pytest.fixture
def session(index: IndexServer) -> Iterator[PipSession]:
    """Return a session that tries twice and asks nobody."""
    index.add(make_wheel("demo", "1.0"))
    index.add(make_wheel("other", "1.0"))
    with PipSession(index_urls=[index.index_url]) as made:
        made.trust_env = False
        made.timeout = 60
        made.auth.prompting = False
        retries = Retry(1, status_forcelist=[500, 502, 503])
        made.adapters["http://"].max_retries = retries  # type: ignore[attr-defined]
        yield made


@pytest.fixture
def early(session: PipSession) -> Iterator[EarlyRequests]:
    """Return what makes requests of the session early."""
    made = EarlyRequests(session)
    made.open()
    yield made
    made.close()


def _begin(early: EarlyRequests, url: str) -> None:
    """Ask for something early, and wait until it has come to an end."""
    future = early.ask(url, {}, PAGE_KIND)
    assert future is not None
    wait([future], timeout=60)
    assert future.done()


def test_what_is_well_is_taken(
    session: PipSession, early: EarlyRequests, index: IndexServer
) -> None:
    assert early.is_welcome(index.url + PAGE)
    _begin(early, index.url + PAGE)
    _begin(early, f"{index.url}/simple/none/")
    assert b"demo-1.0" in session.get(index.url + PAGE).content
    assert session.get(f"{index.url}/simple/none/").status_code == 404
    assert early.is_welcome(index.url + PAGE)
    assert len(index.log()) == 2
    assert early.ask(f"file://{Path(__file__)}", {}, PAGE_KIND) is None
    assert not early.is_welcome(f"file://{Path(__file__)}")


@pytest.mark.parametrize(
    "fault",
    [
        {"status": 429},
        {"status": 429, "headers": {"Retry-After": "1"}},
        {"status": 500},
        {"status": 503},
        {"status": 503, "headers": {"Retry-After": "1"}},
        {"reset": True},
        {"truncate": 10, "reset": True},
    ],
    ids=str,
)
def test_a_host_in_trouble_is_asked_once_and_then_in_turn(
    session: PipSession,
    early: EarlyRequests,
    index: IndexServer,
    caplog: pytest.LogCaptureFixture,
    fault: dict[str, Any],
) -> None:
    caplog.set_level(logging.DEBUG)
    # Commands that run in this process limit it.
    caplog.set_level(logging.DEBUG, logger="pip._vendor.urllib3")
    index.faults[PAGE] = Fault(**fault, times=1)
    _begin(early, index.url + PAGE)
    assert index.log() == [("GET", PAGE)]
    assert not early.is_welcome(index.url + PAGE)
    assert early.ask(f"{index.url}/simple/other/", {}, METADATA_KIND) is None
    assert b"demo-1.0" in session.get(index.url + PAGE).content
    assert b"other-1.0" in session.get(f"{index.url}/simple/other/").content
    assert index.log() == [("GET", PAGE)] * 2 + [("GET", "/simple/other/")]
    assert not [each for each in caplog.records if each.levelname != "DEBUG"]
    # Nobody hears of the first one: what is said is of the two in turn.
    said = [each for each in caplog.records if '"GET' in each.getMessage()]
    assert len(said) == 2
    assert early.held == 0


def test_what_failed_early_was_the_first_try(
    session: PipSession, early: EarlyRequests, index: IndexServer
) -> None:
    index.faults[PAGE] = Fault(reset=True, times=2)
    _begin(early, index.url + PAGE)
    with pytest.raises(ConnectionFailedError):
        session.get(index.url + PAGE)
    assert len(index.log()) == 2


def test_without_retries_what_failed_early_has_failed(
    session: PipSession, early: EarlyRequests, index: IndexServer
) -> None:
    session.adapters["http://"].inner.max_retries = Retry(  # type: ignore[attr-defined]
        0, status_forcelist=[503], raise_on_status=False
    )
    index.faults[PAGE] = Fault(status=503, times=1)
    _begin(early, index.url + PAGE)
    assert session.get(index.url + PAGE).status_code == 503
    assert len(index.log()) == 1


def test_in_turn_upstream_s_own_retries_are_made_and_told(
    session: PipSession,
    early: EarlyRequests,
    index: IndexServer,
    caplog: pytest.LogCaptureFixture,
) -> None:
    session.adapters["http://"].inner.max_retries = Retry(2)  # type: ignore[attr-defined]
    index.faults[PAGE] = Fault(reset=True, times=2)
    _begin(early, index.url + PAGE)
    assert b"demo-1.0" in session.get(index.url + PAGE).content
    assert len(index.log()) == 3
    (warning,) = [each for each in caplog.records if each.levelname == "WARNING"]
    assert warning.getMessage().startswith("Retrying")


def test_a_refused_connection(early: EarlyRequests) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        url = f"http://127.0.0.1:{taken.getsockname()[1]}/simple/"
    _begin(early, url)
    assert not early.is_welcome(url)
    # Hosts differ by their ports.
    assert early.is_welcome("http://127.0.0.1:1/")


def test_a_time_limit_of_the_session(
    session: PipSession, early: EarlyRequests, index: IndexServer
) -> None:
    session.timeout = 1
    index.faults[PAGE] = Fault(gate=Gate(), times=1)
    _begin(early, index.url + PAGE)
    assert not early.is_welcome(index.url + PAGE)
    assert b"demo-1.0" in session.get(index.url + PAGE).content


def test_credentials_are_asked_for_in_turn(
    session: PipSession,
    early: EarlyRequests,
    index: IndexServer,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[str] = []

    def from_keyring(index_url: str | None, _: str | None) -> Any:
        asked.append(str(index_url))
        return ("user", "secret") if len(asked) > 2 else None

    session.auth._keyring_provider = "import"
    monkeypatch.setattr(session.auth, "_get_keyring_auth", from_keyring)
    index.auth = ("user", "secret")
    _begin(early, index.url + PAGE)
    assert asked == []
    # The same without credentials would be refused again.
    assert early.ask(f"{index.url}/simple/other/", {}, PAGE_KIND) is None
    assert session.get(index.url + PAGE).status_code == 401
    assert len(asked) == 2
    assert b"demo-1.0" in session.get(index.url + PAGE).content
    # With those that upstream has found, it may be asked.
    _begin(early, f"{index.url}/simple/other/")
    assert len(asked) == 3
    index.requests.clear()
    assert b"other-1.0" in session.get(f"{index.url}/simple/other/").content
    assert index.log() == []


def test_a_name_without_a_password_is_for_upstream(
    early: EarlyRequests, index: IndexServer
) -> None:
    url = index.url.replace("://", "://user@") + PAGE
    assert early.ask(url, {}, PAGE_KIND) is None
    assert index.log() == []


def test_credentials_found_early_are_not_the_session_s(
    session: PipSession, early: EarlyRequests, index: IndexServer
) -> None:
    url = index.url.replace("://", "://user:secret@") + PAGE
    _begin(early, url)
    assert session.auth.passwords == {}
    assert session.get(f"{index.url}/simple/other/").ok
    assert "authorization" in index.requests[0].headers
    assert "authorization" not in index.requests[1].headers
    assert session.get(url).ok
    assert len(index.log()) == 2


def test_so_many_at_a_time(
    session: PipSession,
    early: EarlyRequests,
    index: IndexServer,
) -> None:
    gate = Gate()
    urls = [f"{index.url}{PAGE}?{number}" for number in range(9)]
    for number in range(9):
        index.faults[f"{PAGE}?{number}"] = Fault(gate=gate)
    futures = [early.ask(url, {}, PAGE_KIND) for url in urls]
    try:
        gate.wait_until_reached(times=5)
        # A sixth is for what is due: it waits for no other.
        assert session.get(f"{index.url}/simple/other/").ok
        assert len(index.log()) == 6
        assert sum(f is not None and f.running() for f in futures) == 5
    finally:
        gate.open()
    wait([future for future in futures if future is not None], timeout=60)
    for url in urls:
        assert b"demo-1.0" in session.get(url).content
    assert len(index.log()) == 10


def test_what_waits_for_a_host_in_trouble_is_not_asked_early(
    session: PipSession, early: EarlyRequests, index: IndexServer
) -> None:
    gate = Gate()
    urls = [f"{index.url}{PAGE}?{number}" for number in range(9)]
    for number in range(5):
        index.faults[f"{PAGE}?{number}"] = Fault(gate=gate, status=429, times=1)
    futures = [early.ask(url, {}, PAGE_KIND) for url in urls]
    gate.wait_until_reached(times=5)
    gate.open()
    wait([future for future in futures if future is not None], timeout=2)
    assert all(future is not None and future.done() for future in futures)
    assert len(index.log()) == 5
    for url in urls:
        assert b"demo-1.0" in session.get(url).content
    assert len(index.log()) == 5 + 9
