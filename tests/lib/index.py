"""Serve a repository on loopback, log every request, fail where a test wants it to."""

from __future__ import annotations

import base64
import hashlib
import os
import socket
import ssl
import struct
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any, Literal
from urllib.parse import quote, unquote, urlsplit

from tests.lib.faults import Fault
from tests.lib.loopback import LoopbackServer, Site
from tests.lib.repository import (
    HTML_TYPE,
    JSON_TYPE,
    Entry,
    PageOptions,
    Repository,
)

__all__ = ["Answer", "Fault", "IndexServer", "Request"]

_BLOCK = 1 << 16


@dataclass(frozen=True, slots=True)
class Request:
    """A request as it came in; header names are in lower case.

    :param fault: what is to go wrong with it
    """

    method: str
    path: str
    headers: Mapping[str, str]
    fault: Fault = field(default_factory=Fault)


@dataclass(slots=True)
class Answer:
    """What is sent for a request."""

    status: int
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)
    fault: Fault = field(default_factory=Fault)


class IndexServer(Repository, Site):
    """A repository with an address.

    Options are plain attributes and may change between two commands:

    :ivar pages: how links are written
    :ivar page_format: ``"negotiate"`` by the Accept header, or always one of the two
    :ivar ranges: answer range requests
    :ivar relative_urls: links relative to their page
    :ivar redirect_pages: project pages answer with a redirect to another path
    :ivar page_cache_control: Cache-Control of pages
    :ivar file_cache_control: Cache-Control of files
    :ivar auth: user and password that every request must bring
    :ivar certificates: a file with the authority that its certificate is from
    :ivar faults: by path, ``"/files/torch-2.8.0-variants.json"``
    """

    def __init__(self) -> None:
        super().__init__()
        self.pages = PageOptions()
        self.page_format: Literal["negotiate", "html", "json"] = "negotiate"
        self.ranges = True
        self.relative_urls = False
        self.redirect_pages = False
        self.page_cache_control: str | None = "max-age=600, public"
        self.file_cache_control: str | None = "max-age=365000000, immutable, public"
        self.auth: tuple[str, str] | None = None
        self.faults: dict[str, Fault] = {}
        self.requests: list[Request] = []
        self.certificates = Path(os.devnull)
        self._server: _Server | None = None
        self._scheme = "http"

    def start(self, port: int = 0, tls: ssl.SSLContext | None = None) -> None:
        """Listen on loopback; port 0 takes a free one.

        pip keeps a cache of what comes with TLS alone.
        """
        self._server = _Server(port, self)
        if tls is not None:
            self._scheme = "https"
            # Each handshake is for the connection's thread: clients may make several
            # connections at a time, and shake hands in another order.
            self._server.socket = tls.wrap_socket(
                self._server.socket, server_side=True, do_handshake_on_connect=False
            )
        self._server.start()

    def stop(self) -> None:
        """Stop listening and free the port."""
        for fault in self.faults.values():
            if fault.gate is not None:
                fault.gate.open()
        if self._server is not None:
            self._server.stop()
            self._server = None

    @property
    def port(self) -> int:
        """Return the port listened on."""
        assert self._server is not None, "the index does not run"
        return self._server.server_port

    @property
    def url(self) -> str:
        """Return the address of the server, without a slash at the end."""
        return f"{self._scheme}://127.0.0.1:{self.port}"

    @property
    def index_url(self) -> str:
        """Return what ``--index-url`` takes."""
        return f"{self.url}/simple/"

    @property
    def index_url_with_auth(self) -> str:
        """Return the index URL with the user and password in it."""
        assert self.auth is not None
        user, password = (quote(part, safe="") for part in self.auth)
        return f"{self._scheme}://{user}:{password}@127.0.0.1:{self.port}/simple/"

    @property
    def find_links_url(self) -> str:
        """Return the address of one page that links to every file."""
        return f"{self.url}/links/"

    def file_path(self, filename: str) -> str:
        """Return the path at which a file of this name is served."""
        for entries in self.projects.values():
            for entry in entries:
                if entry.file.filename == filename:
                    return f"/files/{quote(entry.path)}"
        raise KeyError(filename)

    def file_url(self, filename: str) -> str:
        """Return the address of a file."""
        return self.url + self.file_path(filename)

    def fault(self, filename: str, **fault: Any) -> None:
        """Let requests for this file fail as :class:`Fault` says."""
        self.faults[self.file_path(filename)] = Fault(**fault)

    def log(self) -> list[tuple[str, str]]:
        """Return method and path of every request, in order of arrival."""
        return [(request.method, request.path) for request in self.requests]

    def clear_log(self) -> None:
        """Forget the requests so far."""
        self.requests.clear()

    def answer(self, request: Request) -> Answer:
        """Return what to send for a request."""
        fault = self._fault_for(request)
        request = replace(request, fault=fault)
        self.requests.append(request)
        if fault.delay:
            time.sleep(fault.delay)
        if fault.gate is not None and fault.truncate is None:
            fault.gate.arrive()
        if not self._is_allowed(request):
            challenge = {"WWW-Authenticate": 'Basic realm="index"'}
            return Answer(401, b"credentials needed", challenge)
        if fault.status is not None:
            body = b"planted fault" if fault.body is None else fault.body
            return Answer(fault.status, body, dict(fault.headers), fault)
        answer = self._regular_answer(request)
        answer.fault = fault
        if fault.body is not None:
            answer.body = fault.body
        if fault.size is not None:
            answer.body = b" " * fault.size
        answer.headers.update(fault.headers)
        return answer

    def _fault_for(self, request: Request) -> Fault:
        fault = self.faults.get(request.path)
        if fault is None or not fault.concerns(request.method, request.headers):
            return Fault()
        if fault.times is not None:
            if fault.times <= 0:
                return Fault()
            fault.times -= 1
        return fault

    def _is_allowed(self, request: Request) -> bool:
        if self.auth is None:
            return True
        token = base64.b64encode(":".join(self.auth).encode()).decode()
        return request.headers.get("authorization") == f"Basic {token}"

    def _regular_answer(self, request: Request) -> Answer:
        parts = unquote(urlsplit(request.path).path).lstrip("/").split("/", 1)
        area, rest = parts[0], parts[1] if len(parts) > 1 else ""
        if area == "files":
            return self._file(request, rest)
        if area == "links":
            entries = [e for each in self.projects.values() for e in each]
            page = self.project_html(entries, self.pages, lambda e: self._url(e, "../"))
            return self._page(request, page, "text/html")
        if area == "simple" and self.redirect_pages and rest:
            return Answer(302, b"", {"Location": f"/moved/to/{rest}"})
        if area == "moved":
            area, rest = "simple", rest.removeprefix("to/")
        if area == "simple":
            return self._simple(request, rest.strip("/"))
        return Answer(404, b"no such path")

    def _simple(self, request: Request, project: str) -> Answer:
        as_json = self.page_format == "json" or (
            self.page_format == "negotiate"
            and JSON_TYPE in request.headers.get("accept", "")
        )
        depth = request.path.rstrip("/").count("/")
        if not project:
            text = self.root_json() if as_json else self.root_html()
        elif project not in self.projects:
            return Answer(404, b"no such project")
        elif as_json:
            text = self.project_json(
                project, self.pages, lambda e: self._url(e, "../" * depth)
            )
        else:
            text = self.project_html(
                self.projects[project],
                self.pages,
                lambda e: self._url(e, "../" * depth),
            )
        return self._page(request, text, JSON_TYPE if as_json else HTML_TYPE)

    def _url(self, entry: Entry, up: str) -> str:
        base = up if self.relative_urls else f"{self.url}/"
        return f"{base}files/{quote(entry.path)}"

    def _page(self, request: Request, text: str, content_type: str) -> Answer:
        body = text.encode()
        headers = {"Content-Type": content_type, "Vary": "Accept"}
        return _conditional(request, body, headers, self.page_cache_control)

    def _file(self, request: Request, path: str) -> Answer:
        entry = self.find(path)
        body: bytes | None = entry.file.content if entry is not None else None
        if entry is None and path.endswith(".metadata") and self.pages.core_metadata:
            entry = self.find(path.removesuffix(".metadata"))
            body = entry.file.metadata if entry is not None else None
        if body is None:
            return Answer(404, b"no such file")
        return self._sent(request, body)

    def _sent(self, request: Request, body: bytes) -> Answer:
        headers = {"Content-Type": "application/octet-stream"}
        if self.ranges:
            headers["Accept-Ranges"] = "bytes"
            wanted = _parse_range(request.headers.get("range"), len(body))
            if wanted is not None and not request.fault.whole:
                first, last = (max(0, each - request.fault.shift) for each in wanted)
                headers["Content-Range"] = f"bytes {first}-{last}/{len(body)}"
                return Answer(206, body[first : last + 1], headers)
        return _conditional(request, body, headers, self.file_cache_control)


class _Server(LoopbackServer):
    def __init__(self, port: int, index: IndexServer) -> None:
        self.index = index
        super().__init__(_Handler, port)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def setup(self) -> None:
        super().setup()
        self.connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def log_message(self, *args: Any) -> None:
        """Keep quiet; the index has its own log."""

    def do_GET(self) -> None:
        self._respond(with_body=True)

    def do_HEAD(self) -> None:
        self._respond(with_body=False)

    def _respond(self, *, with_body: bool) -> None:
        headers = {name.lower(): value for name, value in self.headers.items()}
        answer = self.server.index.answer(Request(self.command, self.path, headers))
        fault, body = answer.fault, answer.body
        if fault.reset and fault.truncate is None:
            self._reset()
            return
        self.send_response(answer.status, fault.reason)
        if answer.status != 304:
            answer.headers.setdefault("Content-Length", str(len(body) + fault.longer))
        for name, value in answer.headers.items():
            if value:
                self.send_header(name, value)
        if fault.longer or not answer.headers.get("Content-Length", "").isdigit():
            self.close_connection = True
        if fault.header_pace:
            self._trickle(fault.header_pace)
        self.end_headers()
        if not with_body or answer.status == 304:
            return
        if fault.truncate is not None:
            body = body[: fault.truncate]
            self.close_connection = True
        block = 1024 if fault.pace else _BLOCK
        for start in range(0, len(body), block):
            self.wfile.write(body[start : start + block])
            if fault.pace:
                time.sleep(fault.pace)
        if fault.truncate is not None and fault.gate is not None:
            fault.gate.arrive()
        if fault.reset:
            self._reset()

    def _trickle(self, seconds: float) -> None:
        """Send the header so far byte by byte."""
        header = b"".join(self._headers_buffer)  # type: ignore[attr-defined]
        self._headers_buffer.clear()  # type: ignore[attr-defined]
        for byte in header:
            self.wfile.write(bytes([byte]))
            time.sleep(seconds)

    def _reset(self) -> None:
        """Break the connection off, with what is still to be sent."""
        now = struct.pack("ii", 1, 0)
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, now)
        socket.close(self.connection.detach())
        self.close_connection = True


def _conditional(
    request: Request, body: bytes, headers: dict[str, str], cache_control: str | None
) -> Answer:
    etag = f'"{hashlib.sha256(body).hexdigest()[:16]}"'
    headers["ETag"] = etag
    if cache_control is not None:
        headers["Cache-Control"] = cache_control
    if request.headers.get("if-none-match") == etag:
        return Answer(304, b"", headers)
    return Answer(200, body, headers)


def _parse_range(header: str | None, size: int) -> tuple[int, int] | None:
    if header is None or not header.startswith("bytes=") or "," in header:
        return None
    first, _, last = header.removeprefix("bytes=").partition("-")
    if not first:
        return max(0, size - int(last)), size - 1
    end = min(int(last), size - 1) if last else size - 1
    return (int(first), end) if int(first) <= end else None
