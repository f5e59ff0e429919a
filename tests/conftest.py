"""Options and fixtures of all tests."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.lib.index import IndexServer

pytest_plugins = ["tests.lib.skips"]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--python",
        metavar="PATH",
        help="interpreter of the environments that functional tests make "
        "(default: the running one, and for smoke tests every supported one)",
    )


@pytest.fixture
def make_index() -> Iterator[Callable[[], IndexServer]]:
    """Return a function that starts one more empty index on loopback."""
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


@pytest.fixture(scope="session")
def repository_root() -> Path:
    """Return the root of the checkout."""
    return Path(__file__).resolve().parents[1]
