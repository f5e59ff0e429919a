"""Serve a folder as any web server does, with JSON for those who accept it if wanted."""

from __future__ import annotations

import functools
import threading
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType
from typing import Any

from tests.lib.repository import JSON_TYPE

__all__ = ["StaticServer"]


class StaticServer:
    """The standard library's web server on a folder.

    :param with_json: send ``index.v1_json`` in place of ``index.html`` to clients that
        accept JSON (PEP 691), as mirrors configure their servers
    :ivar paths: of the requests, in order of arrival
    """

    def __init__(self, folder: Path, *, with_json: bool = False) -> None:
        self.paths: list[str] = []
        handler = functools.partial(
            _Handler, directory=str(folder), site=self, with_json=with_json
        )
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self._server.daemon_threads = True

    @property
    def index_url(self) -> str:
        """Return what ``--index-url`` takes."""
        return f"http://127.0.0.1:{self._server.server_port}/simple/"

    def __enter__(self) -> StaticServer:
        threading.Thread(
            target=self._server.serve_forever, args=(0.05,), daemon=True
        ).start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._server.shutdown()
        self._server.server_close()


class _Handler(SimpleHTTPRequestHandler):
    def __init__(
        self, *args: Any, site: StaticServer, with_json: bool, **options: Any
    ) -> None:
        self.site = site
        self.with_json = with_json
        super().__init__(*args, **options)

    def log_message(self, *args: Any) -> None:
        """Keep quiet; the site has its own log."""

    def send_head(self) -> Any:
        self.site.paths.append(self.path)
        accepts_json = JSON_TYPE in self.headers.get("Accept", "")
        if self.with_json and self.path.endswith("/") and accepts_json:
            self.path += "index.v1_json"
        return super().send_head()

    def guess_type(self, path: Any) -> str:
        if str(path).endswith(".v1_json"):
            return JSON_TYPE
        return super().guess_type(path)
