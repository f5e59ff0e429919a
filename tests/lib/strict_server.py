"""Servers and proxies with strict limits."""

from __future__ import annotations

import contextlib
import socket
import struct
import threading
import time
from collections.abc import Iterator
from typing import Literal
from urllib.parse import urlsplit

from tests.lib.faults import Fault
from tests.lib.index import IndexServer, ReceivedRequest, Reply
from tests.lib.loopback import Site


class StrictIndex(IndexServer):
    """An index that limits requests.

    The index also accepts requests for other hosts, as a plain HTTP proxy does.

    :ivar most: the maximum number of simultaneous requests.
    :ivar refusal: the response to further requests.
    :ivar rate: the maximum number of requests in an interval, and its seconds; 429 for
        further requests.
    :ivar needs_login: whether to answer 401 until a request with the password has been
        answered.
    :ivar changes_cookies: whether to set another cookie with every response.
    """

    def __init__(self) -> None:
        super().__init__()
        self.most: int | None = None
        self.refusal = Fault()
        self.rate: tuple[int, float] | None = None
        self.needs_login = False
        self.changes_cookies = False
        self._lock = threading.Lock()
        self._running = 0
        self._begins: list[float] = []
        self._has_logged_in = False

    def answer(self, request: ReceivedRequest) -> Reply:
        """Return the response to a request."""
        path = urlsplit(request.path).path
        request = ReceivedRequest(request.method, path, request.headers)
        with self._counted() as running:
            answer = super().answer(request)
            fault = self._refusal(running)
            if answer.status == 200 and fault is not None:
                if fault.status is not None:
                    answer = Reply(fault.status, b"refused", dict(fault.headers))
                answer.fault = fault
            if self.needs_login and not self._has_logged_in:
                self._has_logged_in = running == 1 and answer.status == 200
                if running > 1:
                    challenge = {"WWW-Authenticate": 'Basic realm="index"'}
                    answer = Reply(401, b"log in first", challenge)
            if self.changes_cookies:
                answer.headers["Set-Cookie"] = f"at={time.monotonic()}; Path=/"
            return answer

    @contextlib.contextmanager
    def _counted(self) -> Iterator[int]:
        with self._lock:
            self._running += 1
            running = self._running
        try:
            yield running
        finally:
            with self._lock:
                self._running -= 1

    def _refusal(self, running: int) -> Fault | None:
        if self.most is not None and running > self.most:
            return self.refusal
        if self.rate is None:
            return None
        count, seconds = self.rate
        with self._lock:
            now = time.monotonic()
            self._begins = [each for each in self._begins if now - each < seconds]
            if len(self._begins) >= count:
                return Fault(status=429, headers={"Retry-After": "1"})
            self._begins.append(now)
        return None


class Forwarder(Site):
    """A server that forwards bytes to another server, for a limited number of connections.

    A connection that begins with CONNECT is a tunnel: the other server receives only the
    bytes after that request.

    :param port: the port of the other server, on loopback.
    :param most: the maximum number of simultaneous connections.
    :param beyond: the treatment of further connections.
    :ivar refused: the number of further connections.
    """

    def __init__(
        self, port: int, most: int, beyond: Literal["wait", "reset", "403"]
    ) -> None:
        self._port = port
        self._beyond = beyond
        self._slots = threading.Semaphore(most)
        self._listening = socket.create_server(("127.0.0.1", 0), backlog=128)
        self.refused = 0

    @property
    def url(self) -> str:
        """The URL, without a trailing slash."""
        return f"http://127.0.0.1:{self._listening.getsockname()[1]}"

    def start(self) -> None:
        """Start serving."""
        threading.Thread(target=self._accept, daemon=True).start()

    def stop(self) -> None:
        """Accept no more connections."""
        # This also ends a call of accept() in another thread.
        self._listening.shutdown(socket.SHUT_RDWR)
        self._listening.close()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _ = self._listening.accept()
                threading.Thread(target=self._serve, args=[client], daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        # Clients may disconnect at any time.
        with client, contextlib.suppress(OSError):
            if not self._slots.acquire(blocking=self._beyond == "wait"):
                self.refused += 1
                self._refuse(client)
                return
            try:
                self._forward(client)
            finally:
                self._slots.release()

    def _refuse(self, client: socket.socket) -> None:
        if self._beyond == "403":
            client.recv(65536)
            client.sendall(b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n")
        else:
            now = struct.pack("ii", 1, 0)
            client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, now)

    def _forward(self, client: socket.socket) -> None:
        begin = client.recv(65536)
        with socket.create_connection(("127.0.0.1", self._port)) as server:
            if begin.startswith(b"CONNECT "):
                client.sendall(b"HTTP/1.1 200 Connected\r\n\r\n")
            else:
                server.sendall(begin)
            back = threading.Thread(target=_copy, args=[server, client], daemon=True)
            back.start()
            _copy(client, server)
            back.join()


def _copy(source: socket.socket, target: socket.socket) -> None:
    """Copy bytes until one side closes, then close both."""
    try:
        while block := source.recv(65536):
            target.sendall(block)
    except OSError:
        # One side has disconnected.
        pass
    for each in (source, target):
        with contextlib.suppress(OSError):
            each.shutdown(socket.SHUT_RDWR)
