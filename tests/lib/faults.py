"""Network and server faults, as data."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any


class Gate:
    """A point where responses wait until a test continues.

    It is how a test knows where pip stands: at the request that has come in and is not
    answered.
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

        :raises AssertionError: if fewer do
        """
        for number in range(times):
            assert self._arrived.acquire(timeout=seconds), f"{number} of {times} came"

    def open(self) -> None:
        """Release all waiting and future requests."""
        self._opened.set()


@dataclass(slots=True)
class Fault:
    """A fault at one path.

    :param status: answer with this status and no useful body
    :param reason: say this beside the status
    :param times: so often, then all is well; ``None``: always
    :param body: send this instead of the file
    :param truncate: break the connection after this many bytes of the body
    :param size: send a body of this many bytes, whatever the file is
    :param headers: further headers, which replace those of the same name
    :param delay: seconds before the answer
    :param pace: seconds between blocks of one KiB
    :param header_pace: seconds between the bytes of the header
    :param methods: which requests it concerns
    :param ranged: concern those alone that ask for a part, or that do not
    :param gate: where to wait before the answer, or after ``truncate`` bytes of it
    :param reset: break connections off so that the client sees an error, not an end
    :param longer: so many bytes more in Content-Length than there are
    :param whole: ignore that a part is asked for
    :param shift: of a part that is asked for, send one so many bytes away
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


#: By name, what :func:`make_fault` makes of them.
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

    :param path: where it is to be planted
    :param elsewhere: the address of another host with the same files
    :param more: further parameters of :class:`Fault`
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
