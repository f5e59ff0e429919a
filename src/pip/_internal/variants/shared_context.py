"""Trust for all TLS connections of a run what upstream trusts for each.

Upstream's context loads all certificates again for each connection, which takes tens of
milliseconds, and lets one handshake begin when the other has ended.
"""

from __future__ import annotations

import ssl
import threading
from collections.abc import Callable
from typing import Any

from pip._vendor import certifi
from pip._vendor.truststore._openssl import _configure_context

__all__ = ["SharedContext"]


class SharedContext(ssl.SSLContext):
    """A client's context for connections of several threads.

    It must not change while another thread makes a connection by it. So what is set for
    each connection, always the same, is set once; handshakes have no lock.
    """

    def __new__(cls) -> SharedContext:
        """Make a context that loads nothing before its first use."""
        return super().__new__(cls, ssl.PROTOCOL_TLS_CLIENT)

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._done: set[object] = set()

    def load_verify_locations(
        self, cafile: Any = None, capath: Any = None, cadata: Any = None
    ) -> None:
        """Trust certificates, if they are not trusted already."""
        load = super().load_verify_locations
        locations = (cafile, capath, cadata)
        self._once(("trust", locations), lambda: load(*locations))

    def load_cert_chain(
        self, certfile: Any, keyfile: Any = None, password: Any = None
    ) -> None:
        """Use a certificate of the client, if it is not used already."""
        load = super().load_cert_chain
        chain = (certfile, keyfile, password)
        self._once(("chain", chain), lambda: load(*chain))

    def set_alpn_protocols(self, alpn_protocols: Any) -> None:
        """Offer protocols, if these are not offered already."""
        offer = super().set_alpn_protocols
        protocols = list(alpn_protocols)
        self._once(("protocols", *protocols), lambda: offer(protocols))

    def wrap_socket(self, *args: Any, **kwargs: Any) -> ssl.SSLSocket:
        """Make a connection that trusts what upstream's would."""
        self._once("trust", self._trust_what_upstream_does)
        return super().wrap_socket(*args, **kwargs)

    def _trust_what_upstream_does(self) -> None:
        self.load_verify_locations(certifi.where())
        with _configure_context(self):
            pass

    def _once(self, what: object, do: Callable[[], object]) -> None:
        with self._lock:
            if what not in self._done:
                do()
                self._done.add(what)
