"""Options and fixtures of all tests."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import hypothesis
import pytest

from tests.lib import jitter
from tests.lib.index import IndexServer
from tests.lib.tls import use_tls

# How long an example takes says more of the machine than of what is tested.
hypothesis.settings.register_profile("own", deadline=None)
hypothesis.settings.load_profile("own")

pytest_plugins = ["tests.lib.modes", "tests.lib.passed_seams", "tests.lib.skips"]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--python",
        metavar="PATH",
        help="interpreter of the environments that functional tests make "
        "(default: the running one, and for smoke tests every supported one)",
    )
    parser.addoption(
        "--jitter",
        metavar="SEED",
        help="let test servers wait for up to 40 ms before they take note of a request, "
        "and before they answer it: what relies on their order fails",
    )
    parser.addoption(
        "--write-messages",
        action="store_true",
        help="write tests/data/messages anew; read the difference before you commit it",
    )


def pytest_configure() -> None:
    # A shell has what it starts in the background ignore interrupts, and so would pip.
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_runtest_setup(item: pytest.Item) -> None:
    # A test alone waits as it does among others.
    seed = item.config.getoption("--jitter")
    jitter.begin(None if seed is None else f"{seed} {item.nodeid}")


@pytest.fixture
def make_index() -> Iterator[Callable[[], IndexServer]]:
    """Return a function that starts another empty index on loopback."""
    started: list[IndexServer] = []

    def start() -> IndexServer:
        server = IndexServer()
        server.start()
        started.append(server)
        return server

    yield start
    for server in started:
        server.stop()


@pytest.fixture
def index(make_index: Callable[[], IndexServer]) -> IndexServer:
    """Return an empty index that runs on loopback."""
    return make_index()


@pytest.fixture
def tls_index(tmp_path: Path) -> Iterator[IndexServer]:
    """Return an empty index with TLS; pip needs ``--cert``, its ``certificates``."""
    server = IndexServer()
    use_tls(server, tmp_path)
    with server:
        yield server


@pytest.fixture(scope="session")
def repository_root() -> Path:
    """Return the root of the checkout."""
    return Path(__file__).resolve().parents[1]
