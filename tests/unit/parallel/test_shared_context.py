"""One context for all TLS connections trusts what upstream trusts for each."""

from __future__ import annotations

import os
import socket
import ssl
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest
import trustme

from pip._vendor.truststore import SSLContext

from pip._internal.network.session import PipSession
from pip._internal.parallel.connections import with_own_connections
from pip._internal.parallel.shared_context import Locations, share
from tests.lib.loopback import LoopbackServer

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


def shared(*loaded: Locations) -> SSLContext:
    context = SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    share(context, loaded)
    return context


def greeting(context: SSLContext, port: int, name: str = "localhost") -> bytes:
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
    context = shared()

    def connect() -> bytes:
        context.load_verify_locations(str(trusted), None, None)
        return greeting(context, server.port)

    with ThreadPoolExecutor(MANY) as pool:
        found = [pool.submit(connect) for _ in range(MANY)]
        assert [each.result() for each in found] == [b"hello"] * MANY
    server.close()


def test_certificates_are_loaded_once(
    server: Server, authority: trustme.CA, tmp_path: Path
) -> None:
    trusted = tmp_path / "ca.pem"
    authority.cert_pem.write_to_path(str(trusted))
    context = shared()
    context.load_verify_locations(cafile=str(trusted))
    trusted.unlink()
    context.load_verify_locations(str(trusted), None, None)
    assert greeting(context, server.port) == b"hello"
    with pytest.raises(FileNotFoundError):
        context.load_verify_locations(str(tmp_path / "other.pem"))
    with pytest.raises(FileNotFoundError):
        context.load_cert_chain(str(tmp_path / "client.pem"))


def test_what_the_system_trusts(
    server: Server,
    authority: trustme.CA,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    trusted = tmp_path / "ca.pem"
    authority.cert_pem.write_to_path(str(trusted))
    monkeypatch.setenv("SSL_CERT_FILE", str(trusted))
    assert greeting(shared(), server.port) == b"hello"


def test_nobody_else_is_trusted(server: Server, authority: trustme.CA) -> None:
    with pytest.raises(ssl.SSLCertVerificationError, match=r"self.signed|issuer"):
        greeting(shared(), server.port)
    context = shared()
    with authority.cert_pem.tempfile() as trusted:
        context.load_verify_locations(trusted)
    with pytest.raises(ssl.SSLCertVerificationError, match=r"[Hh]ostname"):
        greeting(context, server.port, name="example.org")


def test_what_was_loaded_before_is_not_loaded_again(
    server: Server, authority: trustme.CA, tmp_path: Path
) -> None:
    trusted = str(tmp_path / "ca.pem")
    authority.cert_pem.write_to_path(trusted)
    context = SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.load_verify_locations(trusted, None, None)
    Path(trusted).unlink()
    share(context, [(trusted, None, None)])
    # A second time, nothing of the first is forgotten.
    share(context)
    context.load_verify_locations(trusted, None, None)
    assert greeting(context, server.port) == b"hello"


def test_adapters_have_connections_of_their_own(tmp_path: Path) -> None:
    plain = PipSession()
    context = SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    upstream = PipSession(cache=str(tmp_path), ssl_context=context)
    for session in (plain, upstream):
        adapter = session.get_adapter("https://example.org/")
        made = with_own_connections(adapter, 3)  # type: ignore[arg-type]
        assert type(made) is type(adapter)
        assert made.poolmanager is not adapter.poolmanager
        assert made.proxy_manager is not adapter.proxy_manager
        settings = made.poolmanager.connection_pool_kw
        assert settings["maxsize"] == 3
        assert settings.get("ssl_context") is (None if session is plain else context)
        if session is upstream:
            assert made.controller is adapter.controller  # type: ignore[attr-defined]


class Handler(BaseHTTPRequestHandler):
    """Says hello over and over by one connection."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        """Say hello, and keep the connection."""
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Length", "5")
        self.end_headers()
        self.wfile.write(b"hello")

    def log_message(self, *args: Any) -> None:
        """Print nothing."""


def test_what_upstream_s_connection_loaded_is_known(
    authority: trustme.CA, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"):
        monkeypatch.delenv(name, raising=False)
    trusted = tmp_path / "ca.pem"
    authority.cert_pem.write_to_path(str(trusted))
    session = PipSession(ssl_context=SSLContext(ssl.PROTOCOL_TLS_CLIENT))
    session.verify = str(trusted)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("localhost").configure_cert(context)
    server = LoopbackServer(Handler)
    server.socket = context.wrap_socket(
        server.socket, server_side=True, do_handshake_on_connect=False
    )
    with server:
        url = f"https://localhost:{server.server_port}/"
        assert session.get(url).content == b"hello"
        adapter = session.get_adapter(url)
        # From now on there is nothing to be read.
        trusted.write_text("")
        session.mount(url, with_own_connections(adapter, 3))  # type: ignore[arg-type]
        assert session.get(url).content == b"hello"
