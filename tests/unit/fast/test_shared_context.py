"""One context for all TLS connections trusts what upstream trusts for each."""

from __future__ import annotations

import os
import socket
import ssl
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import trustme

from pip._vendor.truststore import SSLContext

from pip._internal.cli import index_command
from pip._internal.commands import create_command
from pip._internal.fast.shared_context import SharedContext
from pip._internal.fast.switches import context_made

pytestmark = pytest.mark.skipif(
    os.name == "nt", reason="certificates are no files on Windows"
)

MANY = 6


class Server:
    """A TLS server that begins no handshake before so many have connected."""

    def __init__(self, certificate: trustme.LeafCert, many: int) -> None:
        self._context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        certificate.configure_cert(self._context)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self._barrier = threading.Barrier(many)
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._greet, args=[connection]).start()

    def _greet(self, connection: socket.socket) -> None:
        with connection:
            try:
                self._barrier.wait(timeout=30)
                with self._context.wrap_socket(connection, server_side=True) as tls:
                    tls.sendall(b"hello")
            except (ssl.SSLError, OSError, threading.BrokenBarrierError):
                return


@pytest.fixture
def authority() -> trustme.CA:
    return trustme.CA()


@pytest.fixture
def server(authority: trustme.CA, request: pytest.FixtureRequest) -> Iterator[Server]:
    server = Server(authority.issue_cert("localhost"), getattr(request, "param", 1))
    yield server
    server.close()


def greeting(context: ssl.SSLContext, port: int, name: str = "localhost") -> bytes:
    """Connect as urllib3 does and return what the server says."""
    with socket.create_connection(("127.0.0.1", port), timeout=30) as connection:
        context.set_alpn_protocols(["http/1.1"])
        with context.wrap_socket(connection, server_hostname=name) as tls:
            return tls.recv(100)


def test_handshakes_go_on_at_the_same_time(
    authority: trustme.CA, tmp_path: Path
) -> None:
    server = Server(authority.issue_cert("localhost"), MANY)
    trusted = tmp_path / "ca.pem"
    authority.cert_pem.write_to_path(str(trusted))
    context = SharedContext(ssl.PROTOCOL_TLS_CLIENT)

    def connect() -> bytes:
        context.load_verify_locations(str(trusted), None, None)
        return greeting(context, server.port)

    with ThreadPoolExecutor(MANY) as pool:
        found = [pool.submit(connect) for _ in range(MANY)]
        assert [each.result() for each in found] == [b"hello"] * MANY
    server.close()


def unread(path: Path) -> None:
    """Make a file one that cannot be parsed, and that seems to be unchanged."""
    before = path.stat()
    path.write_bytes(b" " * before.st_size)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def test_certificates_are_loaded_once(
    server: Server, authority: trustme.CA, tmp_path: Path
) -> None:
    trusted = tmp_path / "ca.pem"
    authority.cert_pem.write_to_path(str(trusted))
    context = SharedContext(ssl.PROTOCOL_TLS_CLIENT)
    context.load_verify_locations(cafile=str(trusted))
    unread(trusted)
    context.load_verify_locations(str(trusted), None, None)
    assert greeting(context, server.port) == b"hello"


def test_what_fails_fails_each_time(tmp_path: Path) -> None:
    broken, missing = tmp_path / "broken.pem", tmp_path / "missing.pem"
    broken.write_text("nothing")
    upstream = SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context = SharedContext(ssl.PROTOCOL_TLS_CLIENT)
    for path in (broken, missing):
        for name in ("load_verify_locations", "load_cert_chain"):
            expected = _failure(getattr(upstream, name), path)
            for _ in range(2):
                assert _failure(getattr(context, name), path) == expected


def _failure(load: Callable[[str], object], path: Path) -> tuple[type, object]:
    try:
        load(str(path))
    except OSError as error:
        return type(error), error.args[0]
    raise AssertionError("it was loaded")


def test_what_the_system_trusts(
    server: Server,
    authority: trustme.CA,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    trusted = tmp_path / "ca.pem"
    authority.cert_pem.write_to_path(str(trusted))
    monkeypatch.setenv("SSL_CERT_FILE", str(trusted))
    assert greeting(SharedContext(ssl.PROTOCOL_TLS_CLIENT), server.port) == b"hello"


def test_nobody_else_is_trusted(server: Server, authority: trustme.CA) -> None:
    with pytest.raises(ssl.SSLCertVerificationError, match=r"self.signed|issuer"):
        greeting(SharedContext(ssl.PROTOCOL_TLS_CLIENT), server.port)
    context = SharedContext(ssl.PROTOCOL_TLS_CLIENT)
    with authority.cert_pem.tempfile() as trusted:
        context.load_verify_locations(trusted)
    with pytest.raises(ssl.SSLCertVerificationError, match=r"[Hh]ostname"):
        greeting(context, server.port, name="example.org")


@pytest.mark.parametrize(
    ("arguments", "is_shared"),
    [
        ([], True),
        (["--proxy", "http://127.0.0.1:1"], True),
        (["--no-fast"], False),
        (["--use-deprecated=legacy-certs"], False),
    ],
    ids=["fast", "proxy", "not fast", "no truststore"],
)
@pytest.mark.linux
def test_a_command_s_session_shares(arguments: list[str], is_shared: bool) -> None:
    """It loads no certificates before a connection needs them."""
    # A process has one context, which other tests may have made.
    index_command._create_truststore_ssl_context.cache_clear()
    command = create_command("install")
    options, _ = command.parse_args(arguments)
    session = command._build_session(options)  # type: ignore[attr-defined]
    adapter = session.get_adapter("https://example.org/")
    used = adapter.poolmanager.connection_pool_kw.get("ssl_context")
    if "legacy" in str(arguments):
        assert used is None
        return
    assert isinstance(used, SharedContext) is is_shared
    inner = used if is_shared else used._ctx
    assert (inner.cert_store_stats()["x509_ca"] == 0) is is_shared
    used.set_alpn_protocols(["http/1.1"])
    assert inner.cert_store_stats()["x509_ca"] > 50


@pytest.mark.parametrize("system", ["win32", "darwin"])
def test_where_the_system_judges_nothing_is_shared(
    system: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    command = create_command("install")
    monkeypatch.setattr(sys, "platform", system)
    command.parse_args([])
    made = SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    assert context_made(lambda: made) is made


@pytest.mark.linux
def test_without_tls_it_is_as_in_stock_pip(monkeypatch: pytest.MonkeyPatch) -> None:
    command = create_command("install")
    command.parse_args([])
    monkeypatch.setitem(sys.modules, "pip._internal.fast.shared_context", None)
    assert context_made(lambda: None) is None
