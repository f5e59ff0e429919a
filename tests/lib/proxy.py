"""A proxy that directs all hosts to one server on loopback."""

from __future__ import annotations

import select
import socket
import ssl
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler
from typing import Any

from tests.lib.loopback import LoopbackServer

__all__ = ["PYTORCH", "Proxy"]

#: The host of PyTorch's own index.
PYTORCH = "download.pytorch.org"
_BLOCK = 1 << 16


class Proxy(LoopbackServer):
    """A proxy that connects every request to one local port."""

    def __init__(self, target: int, tls: ssl.SSLContext | None = None) -> None:
        """Create the proxy.

        :param tls: the TLS context, if clients connect to the proxy with TLS.
        """
        super().__init__(_ProxyHandler)
        self.target = target
        self._scheme = "http"
        if tls is not None:
            self._scheme = "https"
            self.socket = tls.wrap_socket(
                self.socket, server_side=True, do_handshake_on_connect=False
            )

    @property
    def url(self) -> str:
        """The value for ``HTTPS_PROXY``."""
        return f"{self._scheme}://127.0.0.1:{self.server_port}"


class _ProxyHandler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Proxy

    def log_message(self, *args: Any) -> None:
        """Suppress logging; the server has its own log."""

    def do_CONNECT(self) -> None:
        """Forward bytes in both directions until one side closes."""
        with socket.create_connection(("127.0.0.1", self.server.target)) as server:
            self.send_response(HTTPStatus.OK)
            self.end_headers()
            others = {self.connection: server, server: self.connection}
            for each in others:
                each.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            while True:
                for ready in _readable(list(others)):
                    data = ready.recv(_BLOCK)
                    if not data:
                        self.close_connection = True
                        return
                    others[ready].sendall(data)


def _readable(ends: list[socket.socket]) -> list[socket.socket]:
    """Wait for readable sockets, and return them."""
    # select does not report data that TLS has already decrypted.
    held: list[socket.socket] = [
        end for end in ends if isinstance(end, ssl.SSLSocket) and end.pending()
    ]
    return held or select.select(ends, [], [])[0]
