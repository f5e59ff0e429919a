"""An index on loopback as PyPI would be: TLS, the same headers, slow if asked to be.

Pages and files are on different ports, as they are on different hosts there, so that
clients need a connection for each.

Whatever it sends was computed before, so that clients wait for each other, for the
delay and for the bandwidth, and not for the server.
"""

from __future__ import annotations

import gzip
import hashlib
import socket
import ssl
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import quote, unquote

import trustme

from tests.lib.loopback import LoopbackServer, Site
from tests.lib.repository import HTML_TYPE, JSON_TYPE, Entry, PageOptions, Repository
from tests.lib.wheels import DistFile
from tools.bench.proxy import PYTORCH, Proxy

__all__ = ["HOST", "BenchServer", "Body", "Exchange"]

_BLOCK = 1 << 18
# A name, since older pips refuse certificates for addresses.
HOST = "localhost"
# Pages change, files never do: what PyPI says of them.
_PAGE_CACHE = "max-age=600, public"
_FILE_CACHE = "max-age=365000000, immutable, public"


class Body(Protocol):
    """What stands for the content of a file that is too large to be kept in memory."""

    def __len__(self) -> int: ...

    def blocks(self, start: int, stop: int) -> Iterator[bytes]:
        """Yield the bytes from *start* to before *stop*."""


@dataclass(frozen=True, slots=True)
class Exchange:
    """A request and what was sent for it.

    :ivar sent: bytes of the body.
    """

    method: str
    path: str
    status: int
    sent: int


@dataclass(frozen=True, slots=True)
class _Resource:
    body: bytes | Body
    headers: dict[str, str]
    compressed: bytes | None = None


@dataclass(slots=True)
class _Link:
    """A connection to the world that all clients share.

    :ivar rate: bytes per second; None for no limit.
    """

    rate: float | None = None
    _free: float = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def carry(self, count: int) -> None:
        """Wait until so many bytes have passed."""
        if self.rate is None:
            return
        with self._lock:
            now = time.monotonic()
            self._free = max(now, self._free) + count / self.rate
            wait = self._free - now
        time.sleep(wait)


class _Port(LoopbackServer):
    def __init__(self, bench: BenchServer) -> None:
        super().__init__(_Handler)
        self.bench = bench

    @property
    def url(self) -> str:
        return f"https://{HOST}:{self.server_port}"


class BenchServer(Site):
    """Serves a repository with HTTPS; options may change between two runs.

    :ivar delay: seconds before each answer.
    :ivar ranges: answer range requests.
    :ivar core_metadata: offer metadata beside wheels (PEP 658).
    :ivar context: of its TLS.
    :ivar exchanges: what was asked for, in order of arrival.
    """

    def __init__(self, repository: Repository, folder: Path) -> None:
        """Prepare to serve.

        :param folder: where the certificates are written that clients are to trust.
        """
        self.repository = repository
        self.delay = 0.0
        self.ranges = True
        self.core_metadata = True
        self.exchanges: list[Exchange] = []
        self.link = _Link()
        self._pages: dict[tuple[str, bool, bool], _Resource] = {}
        self._files = {
            file.filename: file
            for entries in repository.projects.values()
            for file in (entry.file for entry in entries)
        }
        authority = trustme.CA()
        self.certificates = folder / "trusted.pem"
        trusted = [authority.cert_pem.bytes()]
        # All that the system trusts, since clients take their time to load it.
        if (system := ssl.get_default_verify_paths().cafile) is not None:
            trusted.append(Path(system).read_bytes())
        self.certificates.write_bytes(b"\n".join(trusted))
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        authority.issue_cert(HOST, PYTORCH).configure_cert(self.context)
        self._pages_port, self._files_port = _Port(self), _Port(self)
        self._proxy = Proxy(self._pages_port.server_port)

    def start(self) -> None:
        """Begin to serve, by way of the proxy too."""
        for each in (self._pages_port, self._files_port, self._proxy):
            each.start()

    def stop(self) -> None:
        """Stop serving and free the ports."""
        for each in (self._proxy, self._files_port, self._pages_port):
            each.stop()

    @property
    def proxy_url(self) -> str:
        """Return the proxy by which this server stands for any other."""
        return self._proxy.url

    @property
    def index_url(self) -> str:
        """Return what ``--index-url`` takes."""
        return f"{self._pages_port.url}/simple/"

    def find(self, path: str, *, as_json: bool) -> _Resource | None:
        """Give what lies at a path; None if there is nothing."""
        area, _, rest = unquote(path).lstrip("/").partition("/")
        if area == "files":
            return self._file(rest)
        if area == "whl":
            return self._pytorch(rest)
        project = rest.strip("/")
        if area == "simple" and project in self.repository.projects:
            return self._page(project, as_json=as_json)
        return None

    def _page(self, project: str, *, as_json: bool) -> _Resource:
        key = (project, as_json, self.core_metadata)
        page = self._pages.get(key)
        if page is None:
            page = self._pages[key] = self._make_page(project, as_json=as_json)
        return page

    def _make_page(self, project: str, *, as_json: bool) -> _Resource:
        options = PageOptions(core_metadata=self.core_metadata)
        if as_json:
            text = self.repository.project_json(
                project, options, lambda entry: self._file_url(entry.file)
            )
        else:
            text = self.repository.project_html(
                self.repository.projects[project],
                options,
                lambda entry: self._file_url(entry.file),
            )
        body = text.encode()
        headers = {
            "Content-Type": JSON_TYPE if as_json else HTML_TYPE,
            "Cache-Control": _PAGE_CACHE,
            "ETag": _etag(body),
            "Vary": "Accept, Accept-Encoding",
            "X-PyPI-Last-Serial": "1",
        }
        return _Resource(body, headers, gzip.compress(body, 6, mtime=0))

    def _pytorch(self, path: str) -> _Resource | None:
        """Give a page of all builds or those of one backend, or a file.

        As PyTorch's own index does: files lie in folders named after their backend.
        """
        *folder, name = path.split("/")
        if name:
            return self._file(name)
        project, backend = folder[-1], folder[0] if len(folder) > 1 else ""

        def backend_of(entry: Entry) -> str:
            return entry.file.version.partition("+")[2]

        entries = [
            entry
            for entry in self.repository.projects.get(project, ())
            if backend in ("", backend_of(entry))
        ]
        if not entries:
            return None
        body = self.repository.project_html(
            entries,
            PageOptions(core_metadata=self.core_metadata),
            lambda entry: f"/whl/{backend_of(entry)}/{quote(entry.file.filename)}",
        ).encode()
        # Nothing says how long it stays fresh.
        return _Resource(body, {"Content-Type": "text/html", "ETag": _etag(body)})

    def _file_url(self, file: DistFile) -> str:
        return f"{self._files_port.url}/files/{quote(file.filename)}"

    def _file(self, path: str) -> _Resource | None:
        body: bytes | Body | None = None
        if path in self._files:
            body = self._files[path].content
        elif self.core_metadata and path.endswith(".metadata"):
            file = self._files.get(path.removesuffix(".metadata"))
            body = None if file is None else file.metadata
        if body is None:
            return None
        headers = {
            "Content-Type": "application/octet-stream",
            "Cache-Control": _FILE_CACHE,
            # Files never change, so that their name will do.
            "ETag": _etag(path.encode()),
        }
        if self.ranges:
            headers["Accept-Ranges"] = "bytes"
        return _Resource(body, headers)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Port

    def setup(self) -> None:
        # The handshake is this connection's business, and must not keep others waiting.
        self.request.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.request = self.server.bench.context.wrap_socket(
            self.request, server_side=True
        )
        super().setup()

    def finish(self) -> None:
        super().finish()
        self.request.close()

    def log_message(self, *args: Any) -> None:
        """Keep quiet; the exchanges are the log."""

    def do_GET(self) -> None:
        self._answer(with_body=True)

    def do_HEAD(self) -> None:
        self._answer(with_body=False)

    def _answer(self, *, with_body: bool) -> None:
        bench = self.server.bench
        if bench.delay:
            time.sleep(bench.delay)
        accepted = self.headers.get("Accept", "")
        path = self.path.partition("?")[0]
        found = bench.find(path, as_json=JSON_TYPE in accepted)
        if found is None:
            self._send(404, {"Content-Type": "text/plain"}, b"not found", with_body)
            return
        headers, body = dict(found.headers), found.body
        if self.headers.get("If-None-Match") == headers["ETag"]:
            self._send(304, headers, b"", with_body=False)
            return
        if found.compressed and "gzip" in self.headers.get("Accept-Encoding", ""):
            headers["Content-Encoding"] = "gzip"
            body = found.compressed
        span = None
        if "Accept-Ranges" in headers:
            span = _parse_range(self.headers.get("Range"), len(body))
        if span is None:
            self._send(200, headers, body, with_body)
            return
        headers["Content-Range"] = f"bytes {span[0]}-{span[1] - 1}/{len(body)}"
        self._send(206, headers, body, with_body, span)

    def _send(
        self,
        status: int,
        headers: dict[str, str],
        body: bytes | Body,
        with_body: bool,
        span: tuple[int, int] | None = None,
    ) -> None:
        start, stop = span or (0, len(body))
        lines = [f"HTTP/1.1 {status} {self.responses[status][0]}"]
        if status != 304:
            lines.append(f"Content-Length: {stop - start}")
        # Without a date nothing stays fresh in a cache.
        lines.append(f"Date: {self.date_time_string()}")
        lines += [f"{name}: {value}" for name, value in headers.items()]
        head = "\r\n".join([*lines, "", ""]).encode("latin-1")
        link, sent = self.server.bench.link, stop - start if with_body else 0
        # Known before it is sent: who has got the answer may look at the log.
        exchange = Exchange(self.command, self.path, status, sent)
        self.server.bench.exchanges.append(exchange)
        if sent <= _BLOCK and isinstance(body, bytes):
            link.carry(len(head) + sent)
            self.wfile.write(head + body[start:stop] if sent else head)
            return
        self.wfile.write(head)
        for block in _blocks(body, start, stop) if with_body else ():
            link.carry(len(block))
            self.wfile.write(block)


def _etag(content: bytes) -> str:
    return f'"{hashlib.sha256(content).hexdigest()[:16]}"'


def _blocks(body: bytes | Body, start: int, stop: int) -> Iterator[bytes]:
    if isinstance(body, bytes):
        for at in range(start, stop, _BLOCK):
            yield body[at : min(at + _BLOCK, stop)]
    else:
        yield from body.blocks(start, stop)


def _parse_range(header: str | None, size: int) -> tuple[int, int] | None:
    """Give the first byte of a range request and the one after its last."""
    if header is None or not header.startswith("bytes=") or "," in header:
        return None
    first, _, last = header.removeprefix("bytes=").partition("-")
    if not first:
        return max(0, size - int(last)), size
    stop = min(int(last) + 1, size) if last else size
    return (int(first), stop) if int(first) < stop else None
