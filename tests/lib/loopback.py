"""Run servers on loopback during a test."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, TypeVar

S = TypeVar("S", bound="Site")


class Site(ABC):
    """A context manager for a server."""

    @abstractmethod
    def start(self) -> None:
        """Start serving."""

    @abstractmethod
    def stop(self) -> None:
        """Stop serving and free the port."""

    def __enter__(self: S) -> S:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.stop()


class LoopbackServer(Site, ThreadingHTTPServer):
    """A web server with a main thread, and a thread for each connection.

    Connections are accepted at once; their requests wait for the start.
    """

    daemon_threads = True
    # Stopping must not wait for a client that keeps its connection open.
    block_on_close = False
    request_queue_size = 128

    def __init__(self, handler: type[BaseHTTPRequestHandler], port: int = 0) -> None:
        """Bind a port of 127.0.0.1; 0 selects a free port."""
        super().__init__(("127.0.0.1", port), handler)

    def start(self) -> None:
        """Start serving."""
        threading.Thread(target=self.serve_forever, args=(0.05,), daemon=True).start()

    def stop(self) -> None:
        """Stop serving and free the port."""
        self.shutdown()
        self.server_close()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Print nothing: clients may hang up at any time."""
