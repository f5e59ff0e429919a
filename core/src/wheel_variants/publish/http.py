"""HTTP requests, with the proxies and netrc of requests and the system's certificates."""

from __future__ import annotations

import argparse
import io
import os
import ssl
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple
from urllib.parse import unquote, urlsplit
from urllib.request import url2pathname

import requests
import truststore
import urllib3
from requests.adapters import HTTPAdapter
from urllib3.util import Retry

from wheel_variants.publish.errors import os_reason, without_credentials
from wheel_variants.publish.files import open_regular
from wheel_variants.publish.output import tool_version
from wheel_variants.publish.simple_index import HTML_PAGE

__all__ = [
    "Fetched",
    "HttpSession",
    "NoRangeSupport",
    "RemoteFile",
    "Unavailable",
    "add_http_options",
    "local_path",
]

#: Seconds within which the body of a response must arrive.
_MAX_TIME = 60.0
#: Statuses of temporary failures, which are retried.
_BUSY = (429, 500, 502, 503, 504, 520, 524)
_PIECE = 1 << 16
#: The byte limit for the metadata of one wheel; the list of files of torch takes 1.4 MB.
_MAX_BYTES = 8 << 20


class Unavailable(Exception):
    """A URL that cannot be fetched; the message is the reason."""


class NoRangeSupport(Exception):
    """A server that does not support range requests."""


class Fetched(NamedTuple):
    """A document and its final URL."""

    url: str
    content_type: str
    body: bytes


def add_http_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that :class:`HttpSession` reads."""
    add = parser.add_argument_group("network options").add_argument
    add("--proxy", metavar="URL", help="Send all requests through this proxy.")
    text = "Trust the CA certificates in this PEM file (default: the system's)."
    add("--cert", metavar="FILE", help=text)
    text = "Authenticate with the certificate and private key in this PEM file."
    add("--client-cert", metavar="FILE", help=text)
    text = "Skip certificate verification for HOST or HOST:PORT. Can be used multiple "
    text += "times."
    hosts: dict[str, Any] = {"dest": "trusted_hosts", "action": "append", "default": []}
    add("--trusted-host", metavar="HOST", help=text, **hosts)
    text = "Wait this many seconds for a server (default: %(default)s)."
    add("--timeout", type=seconds, default=15.0, metavar="SECONDS", help=text)
    text = "Retry a failed request this many times (default: %(default)s)."
    add("--retries", type=count, default=5, metavar="COUNT", help=text)


# argparse shows the names of these functions.
def seconds(text: str) -> float:
    """Parse a timeout of up to a day."""
    if 0 < float(text) <= 86_400:
        return float(text)
    raise ValueError


def count(text: str) -> int:
    """Parse a number that is not negative."""
    if int(text) >= 0:
        return int(text)
    raise ValueError


class HttpSession(requests.Session):
    """A session with the options of the command line."""

    def __init__(self, options: argparse.Namespace) -> None:
        super().__init__()
        self.headers["User-Agent"] = f"wheel-variants/{tool_version()}"
        self.cert = options.client_cert
        # Options of a request take precedence over environment variables.
        self._options: dict[str, Any] = {"timeout": options.timeout}
        if options.cert is not None:
            self._options["verify"] = options.cert
        if options.proxy is not None:
            self._options["proxies"] = dict.fromkeys(("http", "https"), options.proxy)
        #: User and password from URLs, by scheme and host.
        self._credentials: dict[tuple[str, str], tuple[str, str]] = {}
        retries = Retry(
            options.retries,
            backoff_factor=0.25,
            status_forcelist=_BUSY,
            raise_on_status=False,
            # A server could request an arbitrarily long delay.
            respect_retry_after_header=False,
        )
        self.mount("http://", HTTPAdapter(max_retries=retries))
        self.mount("https://", _SystemCertificates(max_retries=retries))
        for host in options.trusted_hosts:
            urllib3.disable_warnings(urllib3.exceptions.InsecureRequestWarning)
            for end in "/:":
                self.mount(f"https://{host}{end}", _Unverified(max_retries=retries))

    def request(
        self, method: str | bytes, url: str | bytes, *args: Any, **options: Any
    ) -> requests.Response:
        """Send a request, with the credentials of the page that links to *url*."""
        parts = urlsplit(str(url))
        site = parts.scheme, parts.netloc.rpartition("@")[2]
        if parts.username is not None:
            password = unquote(parts.password or "")
            self._credentials[site] = unquote(parts.username), password
        elif site in self._credentials:
            options.setdefault("auth", self._credentials[site])
        return super().request(method, url, *args, **{**self._options, **options})

    def fetch(self, url: str, limit: int, accept: str = "*/*") -> Fetched:
        """Fetch a document, or read the file of a ``file:`` URL.

        :param limit: the maximum number of bytes from a server.
        :param accept: the media types to request.
        :raises Unavailable: if the request fails, or the document is too large or slow.
        """
        path = local_path(url)
        if path is not None:
            return _read_file(url, path, limit)
        headers = {"Accept": accept, "Cache-Control": "no-cache"}
        with _reasons(), self.get(url, headers=headers, stream=True) as response:
            _check_status(response, 200, 203)
            body = _read(response, limit)
        content_type = response.headers.get("Content-Type", "")
        return Fetched(response.url, content_type, body)


def local_path(url: str) -> str | None:
    """Return the path of a ``file:`` URL, or None for any other URL."""
    parts = urlsplit(url)
    return url2pathname(parts.path) if parts.scheme == "file" else None


def _read_file(url: str, path: str, limit: int) -> Fetched:
    if os.path.isdir(path):
        path, url = os.path.join(path, HTML_PAGE), f"{url.rstrip('/')}/{HTML_PAGE}"
    try:
        with open_regular(path) as file:
            return Fetched(url, "text/html", file.read(limit + 1))
    except OSError as error:
        raise Unavailable(os_reason(error)) from None


class _SystemCertificates(HTTPAdapter):
    """An adapter that verifies certificates against the system's trust store."""

    def init_poolmanager(self, *args: Any, **options: Any) -> None:
        super().init_poolmanager(*args, ssl_context=_context(), **options)

    def proxy_manager_for(self, proxy: str, **options: Any) -> Any:
        return super().proxy_manager_for(proxy, ssl_context=_context(), **options)


def _context() -> ssl.SSLContext:
    return truststore.SSLContext(ssl.PROTOCOL_TLS_CLIENT)


class _Unverified(HTTPAdapter):
    """An adapter that accepts any certificate."""

    def cert_verify(self, conn: Any, url: Any, _verify: Any, cert: Any) -> None:
        super().cert_verify(conn, url, False, cert)  # type: ignore[no-untyped-call]


@contextmanager
def _reasons() -> Iterator[None]:
    """Convert the errors of a request to :class:`Unavailable`."""
    try:
        yield
    except (OSError, ValueError, urllib3.exceptions.HTTPError) as error:
        # The innermost error has the most specific message.
        inner = error.args[0] if error.args else error
        reason = getattr(inner, "reason", None) or error
        raise Unavailable(without_credentials(" ".join(str(reason).split()))) from None


def _check_status(response: requests.Response, *expected: int) -> None:
    if response.status_code not in expected:
        answer = f"the server answered {response.status_code} {response.reason}"
        raise Unavailable(answer.rstrip())


def _read(response: requests.Response, limit: int) -> bytes:
    body, end = bytearray(), time.monotonic() + _MAX_TIME
    # The timeout of a request only limits the time without any data.
    while piece := response.raw.read1(_PIECE, decode_content=True):
        body += piece
        if len(body) > limit:
            size = f"{limit >> 20} MiB" if limit >> 20 else f"{limit} bytes"
            raise Unavailable(f"the server sent more than {size}")
        if time.monotonic() > end:
            raise Unavailable(
                f"the response did not arrive within {_MAX_TIME:.0f} seconds"
            )
    return bytes(body)


class RemoteFile(io.RawIOBase):
    """A file on a server, read piece by piece with range requests.

    :ivar size: the size of the file, in bytes.
    :raises NoRangeSupport: if the server does not support range requests.
    :raises Unavailable: if a request fails; reading raises this, too.
    """

    def __init__(self, session: HttpSession, url: str) -> None:
        super().__init__()
        self._session = session
        self._position, self._bytes = 0, _MAX_BYTES
        headers = {"Accept-Encoding": "identity"}
        with _reasons():
            response = session.head(url, headers=headers, allow_redirects=True)
        _check_status(response, 200)
        size = response.headers.get("Content-Length", "")
        # No file system can store a size with more digits.
        if not size.isdecimal() or len(size) > 18:
            raise NoRangeSupport
        self.size, self._url = int(size), response.url

    def readable(self) -> bool:
        """Return True."""
        return True

    def seekable(self) -> bool:
        """Return True."""
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Move to a position, like :meth:`io.RawIOBase.seek`."""
        start = {io.SEEK_CUR: self._position, io.SEEK_END: self.size}.get(whence, 0)
        if start + offset < 0:
            raise OSError(22, "Invalid argument")
        self._position = start + offset
        return self._position

    def readinto(self, buffer: Any) -> int:
        """Read the next bytes, like :meth:`io.RawIOBase.readinto`."""
        count = min(len(buffer), self.size - self._position)
        if count <= 0:
            return 0
        self._bytes -= count
        if self._bytes < 0:
            raise Unavailable(f"the metadata takes more than {_MAX_BYTES >> 20} MiB")
        first, last = self._position, self._position + count - 1
        headers = {"Range": f"bytes={first}-{last}", "Accept-Encoding": "identity"}
        with (
            _reasons(),
            self._session.get(self._url, headers=headers, stream=True) as response,
        ):
            sent = response.headers.get("Content-Range", "")
            if response.status_code < 400 and (
                response.status_code != 206
                or not sent.startswith(f"bytes {first}-{last}/")
            ):
                raise NoRangeSupport
            _check_status(response, 206)
            data = _read(response, count)
        if len(data) != count:
            raise Unavailable("the server sent a different part of the file")
        buffer[:count] = data
        self._position += count
        return count
