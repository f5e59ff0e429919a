"""Network and server faults, as data."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any


class Gate:
    """A point where responses wait until a test continues.

    Through a gate, a test knows pip's progress: pip has sent a request and waits for the
    response.
    """

    def __init__(self) -> None:
        self._arrived = threading.Semaphore(0)
        self._opened = threading.Event()

    def arrive(self) -> None:
        """Wait here until the gate is open; called by the server."""
        self._arrived.release()
        self._opened.wait()

    def wait_until_reached(self, times: int = 1, seconds: float = 120) -> None:
        """Wait until *count* responses have arrived.

        :raises AssertionError: if fewer responses arrive in time.
        """
        for number in range(times):
            assert self._arrived.acquire(timeout=seconds), f"{number} of {times} came"

    def open(self) -> None:
        """Release all waiting and future requests."""
        self._opened.set()


@dataclass(slots=True)
class Fault:
    """A fault at one path.

    :ivar status: the status to send, without a useful body.
    :ivar reason: the reason phrase for the status.
    :ivar times: the number of failures, after which requests succeed; ``None``: all fail.
    :ivar body: the body to send instead of the file.
    :ivar truncate: the number of bytes of the body before the connection breaks.
    :ivar size: the number of bytes to send as the body, whatever the file is.
    :ivar headers: additional headers, which replace headers of the same name.
    :ivar delay: the seconds before the response.
    :ivar pace: the seconds between blocks of one KiB.
    :ivar header_pace: the seconds between the bytes of the header.
    :ivar methods: the methods of requests that fail.
    :ivar ranged: whether only range requests fail, or only other requests; ``None``: both.
    :ivar gate: the gate before the response, or after ``truncate`` bytes of the body.
    :ivar reset: whether the client sees an error, not an end, when the connection breaks.
    :ivar longer: the number of bytes by which Content-Length exceeds the body.
    :ivar whole: whether to ignore the header of range requests.
    :ivar shift: the number of bytes by which a sent range is too early.
    """

    status: int | None = None
    reason: str | None = None
    times: int | None = None
    body: bytes | None = None
    truncate: int | None = None
    size: int | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    delay: float = 0
    pace: float = 0
    header_pace: float = 0
    methods: Sequence[str] = ("GET", "HEAD")
    ranged: bool | None = None
    gate: Gate | None = None
    reset: bool = False
    longer: int = 0
    whole: bool = False
    shift: int = 0

    def concerns(self, method: str, headers: Mapping[str, str]) -> bool:
        """Return whether a request should fail; header names are lowercase."""
        if method not in self.methods:
            return False
        return self.ranged is None or self.ranged == ("range" in headers)


#: By name, the parameters for :func:`make_fault`.
FAULTS: Mapping[str, Mapping[str, Any]] = {
    "403": {"status": 403},
    "404": {"status": 404},
    "410": {"status": 410},
    "429": {"status": 429},
    "429, retry after": {"status": 429, "headers": {"Retry-After": "1"}},
    "500": {"status": 500},
    "503": {"status": 503},
    "503, retry after": {"status": 503, "headers": {"Retry-After": "1"}},
    "503 once": {"status": 503, "times": 1},
    "204": {"status": 204, "body": b""},
    "304 unasked": {"status": 304, "body": b""},
    "redirect": {"status": 302, "headers": {"Location": "{elsewhere}{path}"}},
    "redirect in a circle": {"status": 302, "headers": {"Location": "{path}"}},
    "redirect to nowhere": {"status": 302, "headers": {"Location": "http://[bad/"}},
    "redirect to a file": {"status": 302, "headers": {"Location": "file:///etc/hosts"}},
    "reset": {"reset": True},
    "reset once": {"reset": True, "times": 1},
    "reset in the body": {"truncate": 20, "reset": True},
    "truncated": {"truncate": 20},
    "truncated once": {"truncate": 20, "times": 1},
    "stalled": {"gate": Gate},
    "stalled in the body": {"gate": Gate, "truncate": 20},
    "length too long": {"longer": 100},
    "length too short": {"longer": -20},
    "no length": {"headers": {"Content-Length": ""}},
    "length is no number": {"headers": {"Content-Length": "many"}},
    "empty": {"body": b""},
    "an error page": {"body": b"<html>Service unavailable</html>"},
    "other bytes": {"body": b"\x00\xff" * 700},
    "wrong encoding": {"headers": {"Content-Encoding": "gzip"}},
    "whole for a part": {"whole": True},
    "another part": {"shift": 13},
    "wrong Content-Range": {"headers": {"Content-Range": "bytes 0-9/10"}},
    "a part for the whole": {
        "status": 206,
        "body": b"PK",
        "headers": {"Content-Range": "bytes 0-1/2"},
    },
}


def make_fault(name: str, path: str = "", elsewhere: str = "", **more: Any) -> Fault:
    """Create one of :data:`FAULTS`.

    :param path: the path of the fault.
    :param elsewhere: the address of another host with the same files.
    :param more: additional parameters of :class:`Fault`.
    """
    given = {**FAULTS[name], **more}
    if "gate" in given:
        given["gate"] = Gate()
    headers = given.get("headers", {})
    given["headers"] = {
        header: value.format(path=path, elsewhere=elsewhere)
        for header, value in headers.items()
    }
    return Fault(**given)
