"""One context for all TLS connections trusts what upstream trusts for each."""

from __future__ import annotations

import os
import socket
import ssl
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import trustme

from pip._internal.network.session import PipSession
from pip._internal.variants.connections import with_own_connections
from pip._internal.variants.shared_context import SharedContext

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
    context = SharedContext()

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
    context = SharedContext()
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
    assert greeting(SharedContext(), server.port) == b"hello"


def test_nobody_else_is_trusted(server: Server, authority: trustme.CA) -> None:
    with pytest.raises(ssl.SSLCertVerificationError, match=r"self.signed|issuer"):
        greeting(SharedContext(), server.port)
    context = SharedContext()
    with authority.cert_pem.tempfile() as trusted:
        context.load_verify_locations(trusted)
    with pytest.raises(ssl.SSLCertVerificationError, match=r"[Hh]ostname"):
        greeting(context, server.port, name="example.org")


def test_adapters_have_connections_of_their_own(tmp_path: Path) -> None:
    plain = PipSession()
    upstream = PipSession(cache=str(tmp_path), ssl_context=SharedContext())
    for session in (plain, upstream):
        adapter = session.get_adapter("https://example.org/")
        made = with_own_connections(adapter, 3)  # type: ignore[arg-type]
        assert type(made) is type(adapter)
        assert made.poolmanager is not adapter.poolmanager
        assert made.proxy_manager is not adapter.proxy_manager
        settings = made.poolmanager.connection_pool_kw
        assert settings["maxsize"] == 3
        assert ("ssl_context" in settings) == (session is upstream)
        if session is upstream:
            assert isinstance(settings["ssl_context"], SharedContext)
            assert settings["ssl_context"] is not adapter._ssl_context  # type: ignore[attr-defined]
            assert made.controller is adapter.controller  # type: ignore[attr-defined]
