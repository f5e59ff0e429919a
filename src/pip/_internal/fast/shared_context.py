"""Load trusted certificates once, and run TLS handshakes in parallel.

Stock pip loads certificates when it creates its context, even if no connection uses TLS. It
loads them again for each connection. Each load takes tens of milliseconds, and serializes
handshakes. A context keeps all loaded certificates, so loading the same certificates once,
for the first connection, does not change which certificates pip trusts.
"""

from __future__ import annotations

import ssl
import threading
from collections.abc import Callable, Iterable
from typing import Any

from pip._vendor import certifi
from pip._vendor.truststore._openssl import _configure_context


class SharedContext(ssl.SSLContext):
    """A TLS context that several threads can share if certificates are in files.

    urllib3 sets up the context again, with the same values, for each connection. The
    context must not change while another thread uses it, so only the first setup has an
    effect.
    """

    def __init__(self, protocol: int) -> None:
        del protocol
        super().__init__()
        self._lock = threading.RLock()
        self._done: set[object] = set()

    def load_verify_locations(
        self, cafile: Any = None, capath: Any = None, cadata: Any = None
    ) -> None:
        """Load trusted certificates."""
        self._once(super().load_verify_locations, cafile, capath, cadata)

    def load_cert_chain(
        self, certfile: Any, keyfile: Any = None, password: Any = None
    ) -> None:
        """Load the client certificate."""
        self._once(super().load_cert_chain, certfile, keyfile, password)

    def set_alpn_protocols(self, alpn_protocols: Iterable[str]) -> None:
        """Set the ALPN protocols; urllib3 calls this for each connection."""
        self._once(super().load_verify_locations, certifi.where())
        self._once(self._trust_the_system)
        self._once(super().set_alpn_protocols, tuple(alpn_protocols))

    def _trust_the_system(self) -> None:
        with _configure_context(self):
            pass

    def _once(self, do: Callable[..., object], *values: object) -> None:
        with self._lock:
            # A failure is not recorded, so the next attempt fails in the same way.
            if (do.__name__, values) not in self._done:
                do(*values)
                self._done.add((do.__name__, values))
