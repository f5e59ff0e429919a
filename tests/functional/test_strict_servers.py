"""With servers that refuse concurrent requests, pip ends as with ``--no-fast``."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.lib.environments import Workshop
from tests.lib.faults import Fault
from tests.lib.strict_server import Forwarder, StrictIndex
from tests.lib.tls import use_tls
from tests.lib.wheels import make_wheel

ROOTS = [f"root{number}" for number in range(6)]
LEAVES = [f"leaf{number}" for number in range(6)]

RETRIES = "WARNING: (Retrying|Connection inter|Attempting to resume)|Resuming download"


class Outcome(NamedTuple):
    """How a command ends."""

    status: int
    installed: dict[str, str]
    errors: list[str]


class Run(NamedTuple):
    """A command and its requests.

    :ivar requests: how many there were, including connections that were refused.
    :ivar passwords: how many requests had a password.
    """

    outcome: Outcome
    requests: int
    passwords: int


class Servers:
    """Servers for one command.

    :ivar options: options of the command.
    """

    def __init__(self, folder: Path) -> None:
        self.options: list[str] = []
        self._folder = folder
        self._stack = ExitStack()
        self._indexes: list[StrictIndex] = []
        self._forwarders: list[Forwarder] = []

    def __enter__(self) -> Servers:
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def index(self, *projects: str, tls: bool = False, **limits: Any) -> StrictIndex:
        """Start an index, of all projects unless some are named."""
        index = StrictIndex()
        if tls:
            use_tls(index, self._folder)
        for project in projects or (*ROOTS, *LEAVES):
            requires = LEAVES if project in ROOTS else []
            index.add(make_wheel(project, "1.0", requires=requires))
        # Otherwise there are few requests at the same time.
        index.delay = 0.01
        index.relative_urls = True
        for name, value in limits.items():
            setattr(index, name, value)
        self._indexes.append(index)
        return self._stack.enter_context(index)

    def forwarder(self, index: StrictIndex, *limits: Any) -> str:
        """Start a forwarder; return its URL."""
        forwarder = Forwarder(index.port, *limits)
        self._forwarders.append(forwarder)
        return self._stack.enter_context(forwarder).url

    @property
    def requests(self) -> list[str]:
        """Return the passwords of all requests; an empty text if there is none."""
        log = [request for index in self._indexes for request in index.requests]
        found = [str(request.headers.get("authorization", "")) for request in log]
        refused = sum(forwarder.refused for forwarder in self._forwarders)
        return found + [""] * refused


Scenario = Callable[[Servers], None]

REFUSALS = {
    **{
        str(status): Fault(status=status)
        for status in (400, 401, 403, 404, 429, 500, 503)
    },
    "429, Retry-After": Fault(status=429, headers={"Retry-After": "1"}),
    "reset": Fault(reset=True),
    "truncated": Fault(truncate=20),
    "reset in the body": Fault(truncate=20, reset=True),
}


def _limited(most: int, refusal: Fault) -> Scenario:
    def start(servers: Servers) -> None:
        index = servers.index(most=most, refusal=refusal)
        servers.options += ["-i", index.index_url]

    return start


def _connections(most: int, beyond: str) -> Scenario:
    def start(servers: Servers) -> None:
        url = servers.forwarder(servers.index(), most, beyond)
        servers.options += ["-i", f"{url}/simple/"]

    return start


def _proxy(most: int, beyond: str, *, tls: bool = False) -> Scenario:
    def start(servers: Servers) -> None:
        index = servers.index(tls=tls)
        servers.options += ["--proxy", servers.forwarder(index, most, beyond)]
        servers.options += ["--trusted-host", "index.invalid"]
        url = index.index_url if tls else "http://index.invalid/simple/"
        servers.options += ["-i", url]
        if tls:
            servers.options += ["--cert", str(index.certificates)]

    return start


def _rate(servers: Servers) -> None:
    servers.options += ["-i", servers.index(rate=(12, 1.0)).index_url]


def _login(servers: Servers) -> None:
    index = servers.index(auth=("user", "secret"), needs_login=True)
    servers.options += ["-i", index.index_url_with_auth]


def _expired(servers: Servers) -> None:
    index = servers.index(auth=("user", "secret"))
    url = index.index_url_with_auth.replace("secret", "expired")
    servers.options += ["-i", url]


def _expired_beside(servers: Servers) -> None:
    _expired(servers)
    servers.options += ["--extra-index-url", servers.index().index_url]


def _cookies(servers: Servers) -> None:
    servers.options += ["-i", servers.index(changes_cookies=True).index_url]


def _few_projects(servers: Servers) -> None:
    servers.options += ["-i", servers.index().index_url]
    extra = servers.index("leaf3", most=2, refusal=Fault(status=403))
    servers.options += ["--extra-index-url", extra.index_url]


SCENARIOS: dict[str, Scenario] = {
    **{
        f"{refusal} beyond {most}": _limited(most, fault)
        for refusal, fault in REFUSALS.items()
        for most in (1, 3)
    },
    **{
        f"connections: {beyond} beyond {most}": _connections(most, beyond)
        for beyond in ("wait", "reset", "403")
        for most in (1, 2, 4)
    },
    **{
        f"{name}: {beyond} beyond {most}": _proxy(most, beyond, tls=name == "tunnels")
        for name in ("proxy", "tunnels")
        for beyond in ("reset", "403")
        for most in (1, 2)
    },
    "rate": _rate,
    "first login": _login,
    "expired password": _expired,
    "expired password beside another index": _expired_beside,
    "cookies": _cookies,
    "an index of few projects": _few_projects,
}


@pytest.fixture
def run(workshop: Workshop, tmp_path: Path) -> Callable[..., Run]:
    """Return a function that installs all projects from servers of a scenario."""

    def install(scenario: Scenario, *options: str) -> Run:
        folder = tmp_path / "-".join(["run", *options])
        folder.mkdir()
        venv = workshop.fork(folder / "venv")
        with Servers(folder) as servers:
            scenario(servers)
            command = ["install", "--no-input", *ROOTS, *servers.options, *options]
            result = venv.pip(*command, code=None)
            text = re.sub(r"(?<=127\.0\.0\.1)(:|', port=)\d+", "", result.stderr)
            errors = [
                line for line in text.splitlines() if not re.search(RETRIES, line)
            ]
            outcome = Outcome(result.returncode, venv.installed(), errors)
            requests = servers.requests
        return Run(outcome, len(requests), len(requests) - requests.count(""))

    return install


@pytest.mark.parametrize("name", SCENARIOS)
def test_same_outcome(run: Callable[..., Run], name: str) -> None:
    fast = run(SCENARIOS[name])
    stock = run(SCENARIOS[name], "--no-fast")
    assert fast.outcome == stock.outcome
    assert fast.requests <= stock.requests + 20
    if name.startswith("expired"):
        assert fast.passwords <= stock.passwords
    # With another index beside, stock pip goes on.
    assert bool(stock.outcome.status) == (name == "expired password")
