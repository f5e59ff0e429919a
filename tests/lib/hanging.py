"""Addresses at which nobody answers."""

from __future__ import annotations

import contextlib
import socket
from collections.abc import Iterator

__all__ = ["deaf", "unreachable"]


@contextlib.contextmanager
def unreachable() -> Iterator[str]:
    """Return the URL of a host on loopback to which connecting takes for ever."""
    with contextlib.ExitStack() as stack:
        listening = stack.enter_context(socket.socket())
        listening.bind(("127.0.0.1", 0))
        listening.listen(0)
        # Linux drops what comes once the queue is full.
        for _ in range(2):
            caller = stack.enter_context(socket.socket())
            caller.setblocking(False)
            with contextlib.suppress(BlockingIOError):
                caller.connect(listening.getsockname())
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"


@contextlib.contextmanager
def deaf() -> Iterator[str]:
    """Return the URL of a host that takes connections, and shakes no hands (TLS)."""
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen(128)
        yield f"https://127.0.0.1:{listening.getsockname()[1]}"
