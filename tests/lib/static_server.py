"""Serve a folder like a static web server, optionally with JSON."""

from __future__ import annotations

from http.server import SimpleHTTPRequestHandler
from pathlib import Path
from typing import Any

from tests.lib.jitter import linger
from tests.lib.loopback import LoopbackServer
from tests.lib.repository import JSON_TYPE


class StaticServer(LoopbackServer):
    """A web server for a folder, from the standard library.

    :param with_json: whether to send ``index.v1_json`` instead of ``index.html`` to clients
        that accept JSON (PEP 691), as mirrors configure their servers.
    :ivar paths: the paths of the requests, in order of arrival.
    """

    def __init__(self, folder: Path, *, with_json: bool = False) -> None:
        super().__init__(_FolderHandler)
        self.folder = folder
        self.with_json = with_json
        self.paths: list[str] = []

    @property
    def index_url(self) -> str:
        """The URL for ``--index-url``."""
        return f"http://127.0.0.1:{self.server_port}/simple/"


class _FolderHandler(SimpleHTTPRequestHandler):
    server: StaticServer

    def __init__(self, request: Any, address: Any, server: StaticServer) -> None:
        super().__init__(request, address, server, directory=str(server.folder))

    def log_message(self, *args: Any) -> None:
        """Suppress logging; the site has its own log."""

    def send_head(self) -> Any:
        linger()
        self.server.paths.append(self.path)
        linger()
        accepts_json = JSON_TYPE in self.headers.get("Accept", "")
        if self.server.with_json and self.path.endswith("/") and accepts_json:
            self.path += "index.v1_json"
        return super().send_head()

    def guess_type(self, path: Any) -> str:
        if str(path).endswith(".v1_json"):
            return JSON_TYPE
        return super().guess_type(path)
