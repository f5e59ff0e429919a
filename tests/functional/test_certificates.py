"""What TLS trusts is what upstream trusts, though its certificates are loaded once.

Each case runs upstream's pip, the fork, and the fork with ``--no-fast``: they ask for
the same, ``--no-fast`` in the same order, and end with the same words.
"""

from __future__ import annotations

import datetime
import os
import re
import shutil
import ssl
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest
import trustme

from tests.lib.environments import Environment
from tests.lib.index import IndexServer
from tests.lib.modes import on_wheel
from tests.lib.proxy import Proxy
from tests.lib.wheels import make_wheel

pytestmark = [
    pytest.mark.process,
    pytest.mark.skipif(os.name == "nt", reason="certificates are no files on Windows"),
]

FAILS = "CERTIFICATE_VERIFY_FAILED"
REFUSED = "a problem confirming the ssl certificate"
#: At this, upstream says no more.
UNKNOWN_PROXY = "No matching distribution found"
BOTH = ["--cert", "both.pem"]


@dataclass(frozen=True)
class Case:
    """What a user sets, and what comes of it.

    :ivar options: of the command.
    :ivar says: what stands in the output; None if all is well.
    :ivar env: variables of the process.
    :ivar server: which certificate the index has.
    :ivar proxy: which certificate the proxy has; "http" for none; None without a proxy.
    :ivar files: which certificate the host of the files has, if it is another host.
    """

    options: Sequence[str] = ()
    says: str | None = None
    env: Mapping[str, str] = field(default_factory=dict)
    server: str = "good"
    proxy: str | None = None
    files: str | None = None


CASES: Mapping[str, Case] = {
    "--cert": Case(["--cert", "ca.pem"]),
    "nobody knows it": Case(says=FAILS),
    "--cert of another": Case(["--cert", "other.pem"], FAILS),
    "--cert is broken": Case(["--cert", "broken.pem"], REFUSED),
    "expired": Case(["--cert", "ca.pem"], FAILS, server="expired"),
    "wrong name": Case(["--cert", "ca.pem"], "IP address mismatch", server="named"),
    "REQUESTS_CA_BUNDLE": Case(env={"REQUESTS_CA_BUNDLE": "ca.pem"}),
    "SSL_CERT_FILE": Case(env={"SSL_CERT_FILE": "ca.pem"}),
    "SSL_CERT_FILE beside --cert": Case(
        ["--cert", "other.pem"], env={"SSL_CERT_FILE": "ca.pem"}
    ),
    "legacy-certs": Case(["--use-deprecated=legacy-certs", "--cert", "ca.pem"]),
    "--trusted-host": Case(["--trusted-host", "127.0.0.1"], server="named"),
    "client certificate": Case(
        ["--cert", "ca.pem", "--client-cert", "client.pem"], server="wants"
    ),
    "files elsewhere, trusted": Case(BOTH, files="other"),
    "files elsewhere": Case(["--cert", "ca.pem"], FAILS, files="other"),
    "proxy": Case(["--cert", "ca.pem"], proxy="http"),
    "proxy, nobody knows it": Case([], FAILS, proxy="http"),
    "HTTPS proxy": Case(["--cert", "ca.pem"], proxy="good"),
    "HTTPS proxy, nobody knows it": Case(
        ["--cert", "ca.pem"], UNKNOWN_PROXY, proxy="other"
    ),
}

#: Seen with the built wheel before a change is complete.
ON_WHEEL = {"--cert", "nobody knows it", "files elsewhere", "HTTPS proxy"}


class Authorities:
    """Two authorities; users of the tests may know one, both or none.

    :param folder: where their certificates are written.
    """

    def __init__(self, folder: Path) -> None:
        self._known, self._other = trustme.CA(), trustme.CA()
        known, other = (each.cert_pem.bytes() for each in (self._known, self._other))
        for name, content in {
            "ca.pem": known,
            "other.pem": other,
            "both.pem": known + other,
            "broken.pem": b"-----BEGIN CERTIFICATE-----\nnothing\n",
            "client.pem": _client(self._known),
        }.items():
            (folder / name).write_bytes(content)

    def context(self, kind: str) -> ssl.SSLContext:
        """Return what a server of a kind shakes hands with."""
        made = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        authority = self._other if kind == "other" else self._known
        name = "example.org" if kind == "named" else "127.0.0.1"
        now = datetime.datetime.now(datetime.timezone.utc)
        until = now - datetime.timedelta(days=1) if kind == "expired" else None
        authority.issue_cert(name, not_after=until).configure_cert(made)
        if kind == "wants":
            made.verify_mode = ssl.CERT_REQUIRED
            self._known.configure_trust(made)
            # Later ones tell when something is read, or break off before.
            made.maximum_version = ssl.TLSVersion.TLSv1_2
        return made


def _client(authority: trustme.CA) -> bytes:
    made = authority.issue_cert("client.example.org")
    return made.private_key_and_cert_chain_pem.bytes()


def _index(authorities: Authorities, kind: str) -> IndexServer:
    made = IndexServer()
    made.tls = authorities.context(kind)
    made.add(make_wheel("demo", "1.0", requires=["needed"]))
    made.add(make_wheel("needed", "1.0"))
    return made


class Linked(IndexServer):
    """An index whose files are on another host."""

    elsewhere: IndexServer

    @property
    def files_url(self) -> str:
        """Return the address of the other host."""
        return self.elsewhere.files_url


@pytest.fixture
def authorities(tmp_path: Path) -> Authorities:
    return Authorities(tmp_path)


@pytest.fixture
def case(request: pytest.FixtureRequest) -> Case:
    return CASES[request.param]


@pytest.fixture
def servers(case: Case, authorities: Authorities) -> Iterator[list[IndexServer]]:
    """Serve an index, and beside it another host."""
    other = _index(authorities, case.files or "other")
    index = _index(authorities, case.server)
    with other, index:
        if case.files is not None:
            index.__class__ = Linked
            index.elsewhere = other  # type: ignore[attr-defined]
        yield [index, other]


@pytest.fixture
def proxy(
    case: Case, authorities: Authorities, servers: list[IndexServer]
) -> Iterator[str]:
    """Serve a proxy, and return its address; empty if the case has none."""
    if case.proxy is None:
        yield ""
        return
    tls = None if case.proxy == "http" else authorities.context(case.proxy)
    with Proxy(servers[0].port, tls) as made:
        yield made.url


@pytest.mark.parametrize("case", on_wheel(CASES, ON_WHEEL), indirect=True)
def test_what_upstream_trusts(
    case: Case,
    servers: list[IndexServer],
    proxy: str,
    venv: Environment,
    upstream_venv: Environment,
    tmp_path: Path,
) -> None:
    index = servers[0]

    def paths(values: Sequence[str]) -> list[str]:
        """Complete the names of files."""
        here = [str(tmp_path / value) for value in values]
        return [
            path if re.search(r"\.pem$", value) else value
            for value, path in zip(values, here, strict=True)
        ]

    def outcome(
        environment: Environment, *options: str
    ) -> tuple[int, str, list[list[tuple[str, str]]]]:
        for server in servers:
            server.clear_log()
        environment.clear_cache()
        shutil.rmtree(environment.work / "got", ignore_errors=True)
        command = ["download", "-d", "got", "demo", "-i", index.index_url]
        command += ["--retries", "0", *paths(case.options), *options]
        if proxy:
            command += ["--proxy", proxy]
        env = dict(zip(case.env, paths(list(case.env.values())), strict=True))
        result = environment.pip(*command, code=None, env=env)
        output = result.output.replace(str(environment.root), "<root>")
        output = re.sub(r"0x[0-9a-f]+|[\d.]+ [kM]?B/s.*|Saved \S+", "<>", output)
        logs = [server.log() for server in servers]
        return result.returncode, output, logs

    status, output, logs = outcome(upstream_venv)
    assert status == (0 if case.says is None else 1), output
    assert (case.says or "Successfully downloaded") in output
    assert outcome(venv, "--no-fast") == (status, output, logs)
    # What is asked for at a time arrives in any order.
    *said, asked = outcome(venv)
    assert said == [status, output]
    assert [sorted(log) for log in asked] == [sorted(log) for log in logs]
