"""Serve a package index on loopback, for tests and the benchmark.

The index logs every request. Tests can make it fail and delay its responses.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import os
import socket
import ssl
import struct
import threading
import time
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any, Literal, Protocol
from urllib.parse import quote, unquote, urlsplit

from tests.lib.faults import Fault as Fault
from tests.lib.jitter import linger
from tests.lib.loopback import LoopbackServer, Site
from tests.lib.repository import HTML_TYPE, JSON_TYPE, Entry, PageOptions, Repository

_BLOCK = 1 << 18


class Body(Protocol):
    """Content that is too large for memory, read in slices."""

    def __len__(self) -> int: ...

    def __getitem__(self, part: slice, /) -> bytes | Body: ...

    def __bytes__(self) -> bytes: ...


@dataclass(frozen=True, slots=True)
class ReceivedRequest:
    """A received request; header names are lowercase.

    :ivar fault: the fault of the response.
    """

    method: str
    path: str
    headers: Mapping[str, str]
    fault: Fault = field(default_factory=Fault)


@dataclass(frozen=True, slots=True)
class Exchange:
    """A request and its response.

    :ivar sent: the number of bytes of the body.
    """

    method: str
    path: str
    status: int
    sent: int


@dataclass(frozen=True, slots=True)
class Resource:
    """The resource at a path.

    :ivar status: the status; unless 200, the server ignores the request's headers.
    :ivar compressed: the body with gzip, for clients that accept gzip.
    :ivar has_parts: whether clients may request a range.
    """

    body: bytes | Body
    headers: Mapping[str, str] = field(default_factory=dict)
    status: int = 200
    compressed: bytes | None = None
    has_parts: bool = False


@dataclass(slots=True)
class Reply:
    """The response to a request."""

    status: int
    body: bytes | Body = b""
    headers: dict[str, str] = field(default_factory=dict)
    fault: Fault = field(default_factory=Fault)


#: The seconds of traffic that a line buffers.
_AHEAD = 0.05


@dataclass(slots=True)
class NetworkLine:
    """A network line that all clients share.

    :ivar rate: the bandwidth in bytes per second; ``None``: no limit.
    """

    rate: float | None = None
    _free: float = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def carry(self, count: int) -> None:
        """Wait for the transfer of *count* bytes."""
        if self.rate is None:
            return
        with self._lock:
            now = time.monotonic()
            # Computing between two blocks does not reduce the bandwidth.
            self._free = max(now - _AHEAD, self._free) + count / self.rate
            wait = self._free - now
        if wait > 0:
            time.sleep(wait)


class IndexServer(Repository, Site):
    """A package index with a URL.

    Options are plain attributes. These options may change between two commands:

    :ivar pages: the format of links.
    :ivar page_format: ``"negotiate"`` by the Accept header, or always one of the two
        formats.
    :ivar ranges: whether to answer range requests.
    :ivar relative_urls: whether links are relative to their page.
    :ivar redirect_pages: whether project pages redirect to another path.
    :ivar page_cache_control: the Cache-Control of pages.
    :ivar file_cache_control: the Cache-Control of files.
    :ivar auth: the user and password that every request must contain.
    :ivar certificates: a file with the authority of the server's certificate.
    :ivar faults: the faults by path, such as ``"/files/torch-2.8.0-variants.json"``.
    :ivar delay: the seconds before each response.
    :ivar line: the network line that all responses share.

    These options must be set before the start:

    :ivar host: the host name in URLs.
    :ivar tls: the TLS context; pip caches only responses that arrive with TLS.
    :ivar files_apart: whether files have a separate port, as if on another host.
    :ivar compresses: whether to compress pages for clients that accept gzip.
    :ivar is_fixed: whether the content never changes, so that responses are computed once.

    The log:

    :ivar requests: the requests, in order of arrival.
    :ivar exchanges: the requests with their responses, in the order of the responses.
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
        self.certificates = Path(os.devnull)
        self.faults: dict[str, Fault] = {}
        self.delay = 0.0
        self.line = NetworkLine()
        self.host = "127.0.0.1"
        self.tls: ssl.SSLContext | None = None
        self.files_apart = False
        self.compresses = False
        self.is_fixed = False
        self.requests: list[ReceivedRequest] = []
        self.exchanges: list[Exchange] = []
        #: The start and end of each request in seconds, with its path.
        self._times: list[tuple[str, float, float]] = []
        self._servers: list[_Server] = []
        self._computed: dict[tuple[str, bool, bool], Resource] = {}

    def start(self, port: int = 0) -> None:
        """Listen on loopback; port 0 selects a free port."""
        self._servers = [_Server(port, self)]
        if self.files_apart:
            self._servers.append(_Server(0, self))
        for server in self._servers:
            server.start()

    def stop(self) -> None:
        """Stop listening and free the ports."""
        for fault in self.faults.values():
            if fault.gate is not None:
                fault.gate.open()
        for server in self._servers:
            server.stop()
        self._servers = []

    @property
    def port(self) -> int:
        """The port of the pages."""
        assert self._servers, "the index does not run"
        return self._servers[0].server_port

    @property
    def url(self) -> str:
        """The URL of the pages, without a trailing slash."""
        return self._address(self.port)

    @property
    def files_url(self) -> str:
        """The URL of the files, without a trailing slash."""
        assert self._servers, "the index does not run"
        return self._address(self._servers[-1].server_port)

    @property
    def index_url(self) -> str:
        """The URL for ``--index-url``."""
        return f"{self.url}/simple/"

    @property
    def index_url_with_auth(self) -> str:
        """The index URL with user and password."""
        assert self.auth is not None
        user, password = (quote(part, safe="") for part in self.auth)
        return self.index_url.replace("://", f"://{user}:{password}@")

    @property
    def find_links_url(self) -> str:
        """The URL of a page with links to all files."""
        return f"{self.url}/links/"

    def file_path(self, filename: str) -> str:
        """Return the URL path of a file."""
        for entries in self.projects.values():
            for entry in entries:
                if entry.file.filename == filename:
                    return f"/files/{quote(entry.path)}"
        raise KeyError(filename)

    def file_url(self, filename: str) -> str:
        """Return the URL of a file."""
        return self.files_url + self.file_path(filename)

    def fault(self, filename: str, **fault: Any) -> None:
        """Make requests for this file fail as :class:`Fault` describes."""
        self.faults[self.file_path(filename)] = Fault(**fault)

    def log(self) -> list[tuple[str, str]]:
        """Return method and path of every request, in order of arrival."""
        return [(request.method, request.path) for request in self.requests]

    def hide_sizes(self) -> None:
        """Omit sizes in responses to HEAD requests."""
        for entries in self.projects.values():
            for entry in entries:
                headers = {"Content-Length": ""}
                self.fault(entry.file.filename, headers=headers, methods=["HEAD"])

    def clear_log(self) -> None:
        """Clear the log, and ignore existing connections.

        A command that prefetched leaves such connections behind.
        """
        self.requests, self.exchanges, self._times = [], [], []

    def most_at_once(self, paths: Collection[str]) -> int:
        """Return the maximum number of simultaneous requests for *paths*."""
        times = [each for path, *each in self._times if path in paths]
        return max(
            (
                sum(began <= moment < ended for began, ended in times)
                for moment, _ in times
            ),
            default=0,
        )

    def answer(self, request: ReceivedRequest) -> Reply:
        """Return the response to a request."""
        began = time.monotonic()
        try:
            return self._answer(request)
        finally:
            self._times.append((request.path, began, time.monotonic()))

    def _answer(self, request: ReceivedRequest) -> Reply:
        fault = self._fault_for(request)
        request = replace(request, fault=fault)
        self.requests.append(request)
        if delay := self.delay + fault.delay:
            time.sleep(delay)
        if fault.gate is not None and fault.truncate is None:
            fault.gate.arrive()
        if not self._is_allowed(request):
            challenge = {"WWW-Authenticate": 'Basic realm="index"'}
            return Reply(401, b"credentials needed", challenge)
        if fault.status is not None:
            body = b"planted fault" if fault.body is None else fault.body
            return Reply(fault.status, body, dict(fault.headers), fault)
        answer = self._regular_answer(request)
        answer.fault = fault
        if fault.body is not None:
            answer.body = fault.body
        if fault.size is not None:
            answer.body = b" " * fault.size
        answer.headers.update(fault.headers)
        return answer

    def find_resource(self, path: str, *, as_json: bool) -> Resource:
        """Return the resource at a path.

        :param as_json: whether to return JSON pages.
        """
        area, _, rest = path.lstrip("/").partition("/")
        if area == "files":
            return self._file(rest)
        if area == "links":
            entries = [e for each in self.projects.values() for e in each]
            page = self.project_html(entries, self.pages, lambda e: self._url(e, "../"))
            return self.page(page, "text/html")
        if area == "simple" and self.redirect_pages and rest:
            return Resource(b"", {"Location": f"/moved/to/{rest}"}, 302)
        if area == "moved":
            area, rest = "simple", rest.removeprefix("to/")
        if area == "simple":
            up = "../" * path.rstrip("/").count("/")
            return self._simple(rest.strip("/"), up, as_json=as_json)
        return Resource(b"no such path", status=404)

    def page(self, text: str, content_type: str) -> Resource:
        """Return a page."""
        body = text.encode()
        headers = _headers(content_type, self.page_cache_control, body)
        headers["Vary"] = "Accept"
        if not self.compresses:
            return Resource(body, headers)
        headers["Vary"] += ", Accept-Encoding"
        return Resource(body, headers, compressed=gzip.compress(body, 6, mtime=0))

    def file(self, path: str, body: bytes | Body) -> Resource:
        """Return the file at a path."""
        # Files on disk never change, so their path identifies them.
        named = body if isinstance(body, bytes) else path.encode()
        headers = _headers("application/octet-stream", self.file_cache_control, named)
        return Resource(body, headers, has_parts=True)

    def _address(self, port: int) -> str:
        return f"{'http' if self.tls is None else 'https'}://{self.host}:{port}"

    def _fault_for(self, request: ReceivedRequest) -> Fault:
        fault = self.faults.get(request.path)
        if fault is None or not fault.concerns(request.method, request.headers):
            return Fault()
        if fault.times is not None:
            if fault.times <= 0:
                return Fault()
            fault.times -= 1
        return fault

    def _is_allowed(self, request: ReceivedRequest) -> bool:
        if self.auth is None:
            return True
        token = base64.b64encode(":".join(self.auth).encode()).decode()
        return request.headers.get("authorization") == f"Basic {token}"

    def _regular_answer(self, request: ReceivedRequest) -> Reply:
        """Return the response without any fault."""
        found = self._resource_for(request)
        headers, body = dict(found.headers), found.body
        if found.status != 200:
            return Reply(found.status, body, headers)
        if found.has_parts and self.ranges:
            headers["Accept-Ranges"] = "bytes"
            wanted = _parse_range(request.headers.get("range"), len(body))
            if wanted is not None and not request.fault.whole:
                first, last = (max(0, each - request.fault.shift) for each in wanted)
                headers["Content-Range"] = f"bytes {first}-{last}/{len(body)}"
                return Reply(206, body[first : last + 1], headers)
        if request.headers.get("if-none-match") == headers["ETag"]:
            return Reply(304, b"", headers)
        if found.compressed and "gzip" in request.headers.get("accept-encoding", ""):
            headers["Content-Encoding"] = "gzip"
            body = found.compressed
        return Reply(200, body, headers)

    def _resource_for(self, request: ReceivedRequest) -> Resource:
        path = unquote(urlsplit(request.path).path)
        as_json = self.page_format == "json" or (
            self.page_format == "negotiate"
            and JSON_TYPE in request.headers.get("accept", "")
        )
        key = (path, as_json, self.pages.core_metadata)
        found = self._computed.get(key)
        if found is None:
            found = self.find_resource(path, as_json=as_json)
            if self.is_fixed:
                self._computed[key] = found
        return found

    def _simple(self, project: str, up: str, *, as_json: bool) -> Resource:
        if not project:
            text = self.root_json() if as_json else self.root_html()
        elif project not in self.projects:
            return Resource(b"no such project", status=404)
        elif as_json:
            text = self.project_json(project, self.pages, lambda e: self._url(e, up))
        else:
            entries = self.projects[project]
            text = self.project_html(entries, self.pages, lambda e: self._url(e, up))
        return self.page(text, JSON_TYPE if as_json else HTML_TYPE)

    def _url(self, entry: Entry, up: str) -> str:
        base = up if self.relative_urls else f"{self.files_url}/"
        return f"{base}files/{quote(entry.path)}"

    def _file(self, path: str) -> Resource:
        entry = self.find(path)
        if entry is not None:
            return self.file(path, entry.file.content)
        if path.endswith(".metadata") and self.pages.core_metadata:
            entry = self.find(path.removesuffix(".metadata"))
            if entry is not None and entry.file.metadata is not None:
                return self.file(path, entry.file.metadata)
        return Resource(b"no such file", status=404)


class _Server(LoopbackServer):
    def __init__(self, port: int, index: IndexServer) -> None:
        self.index = index
        super().__init__(_IndexHandler, port)
        if index.tls is not None:
            # The thread of each connection does the handshake: clients may open several
            # connections at a time, and do the handshakes in another order.
            self.socket = index.tls.wrap_socket(
                self.socket, server_side=True, do_handshake_on_connect=False
            )


class _IndexHandler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def setup(self) -> None:
        super().setup()
        self._requests = self.server.index.requests
        self._exchanges = self.server.index.exchanges
        self.connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def log_message(self, *args: Any) -> None:
        """Suppress logging; the index has its own log."""

    def do_GET(self) -> None:
        self._respond(with_body=True)

    def do_HEAD(self) -> None:
        self._respond(with_body=False)

    def _respond(self, *, with_body: bool) -> None:
        headers = {name.lower(): value for name, value in self.headers.items()}
        request = ReceivedRequest(self.command, self.path, headers)
        index = self.server.index
        linger()
        if self._requests is index.requests:
            answer = index.answer(request)
        else:
            answer = Reply(410, b"this is of a command that has ended")
        linger()
        if answer.fault.reset and answer.fault.truncate is None:
            self._reset()
        else:
            self._send(answer, with_body=with_body and answer.status != 304)

    def _send(self, answer: Reply, *, with_body: bool) -> None:
        fault, line = answer.fault, self.server.index.line
        head, body = self._head(answer), answer.body if with_body else b""
        if with_body and fault.truncate is not None:
            body = body[: fault.truncate]
            self.close_connection = True
        # Log before sending: a client with the response may read the log.
        exchange = Exchange(self.command, self.path, answer.status, len(body))
        self._exchanges.append(exchange)
        if fault.header_pace:
            self._write(head, 1, fault.header_pace)
            head = b""
        if isinstance(body, bytes) and len(body) <= _BLOCK and not fault.pace:
            line.carry(len(head) + len(body))
            self.wfile.write(head + body)
        else:
            self.wfile.write(head)
            self._write(body, 1024 if fault.pace else _BLOCK, fault.pace)
        if with_body and fault.truncate is not None and fault.gate is not None:
            fault.gate.arrive()
        if with_body and fault.reset:
            self._reset()

    def _head(self, answer: Reply) -> bytes:
        """Return the status line and the headers."""
        headers, fault = answer.headers, answer.fault
        if answer.status != 304:
            length = len(answer.body) + fault.longer
            headers.setdefault("Content-Length", str(length))
            # Without the true length, only closing the connection ends the body.
            if fault.longer or not headers["Content-Length"].isdigit():
                self.close_connection = True
                # Otherwise a client may send its next request on this connection.
                headers["Connection"] = "close"
        reason = fault.reason or self.responses.get(answer.status, ("",))[0]
        lines = [
            f"HTTP/1.1 {answer.status} {reason}",
            # Without a date, caches treat no response as fresh.
            f"Date: {self.date_time_string()}",
            *(f"{name}: {value}" for name, value in headers.items() if value),
        ]
        return "\r\n".join([*lines, "", ""]).encode("latin-1")

    def _write(self, content: bytes | Body, size: int, pace: float) -> None:
        """Send a body in blocks, with delays."""
        for at in range(0, len(content), size):
            block = bytes(content[at : at + size])
            self.server.index.line.carry(len(block))
            self.wfile.write(block)
            if pace:
                time.sleep(pace)

    def _reset(self) -> None:
        """Reset the connection."""
        now = struct.pack("ii", 1, 0)
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, now)
        socket.close(self.connection.detach())
        self.close_connection = True


def _headers(
    content_type: str, cache_control: str | None, content: bytes
) -> dict[str, str]:
    """Return the headers for a body."""
    etag = f'"{hashlib.sha256(content).hexdigest()[:16]}"'
    headers = {"Content-Type": content_type, "ETag": etag}
    if cache_control is not None:
        headers["Cache-Control"] = cache_control
    return headers


def _parse_range(header: str | None, size: int) -> tuple[int, int] | None:
    """Return the first and the last byte of a range request."""
    if header is None or not header.startswith("bytes=") or "," in header:
        return None
    first, _, last = header.removeprefix("bytes=").partition("-")
    if not first:
        return max(0, size - int(last)), size - 1
    end = min(int(last), size - 1) if last else size - 1
    return (int(first), end) if int(first) <= end else None
