"""Load the certificates that TLS trusts once, and let handshakes run in parallel.

Stock pip's context loads all certificates when it is made, also if no connection uses TLS,
and again for each connection, which takes tens of milliseconds; it serializes handshakes.
It keeps everything that it has loaded, so loading the same certificates once, for the first
connection, trusts neither more nor less.
"""

from __future__ import annotations

import ssl
import threading
from collections.abc import Callable
from functools import partial
from typing import Any

from pip._vendor import certifi
from pip._vendor.truststore import SSLContext
from pip._vendor.truststore._openssl import _configure_context

__all__ = ["shared_context"]

_CHANGED = (
    "load_verify_locations",
    "load_cert_chain",
    "set_alpn_protocols",
    "wrap_socket",
)


def shared_context() -> SSLContext:
    """Return a context like stock pip's, which several threads can use at the same time.

    The system must keep its certificates in files, and no connection may run inside
    another TLS connection.
    """
    context = SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    shared = _Shared(context)
    for name in _CHANGED:
        setattr(context, name, getattr(shared, name))
    return context


class _Shared:
    """The methods of stock pip's context that change it, each effective once.

    The context below must not change while another thread uses it. Stock pip sets nearly
    the same values for each connection, so this class sets only values that differ.
    """

    def __init__(self, context: SSLContext) -> None:
        self._context: ssl.SSLContext = context._ctx
        # Stock pip's socket class has a lock, for systems that judge certificates.
        self._context.sslsocket_class = ssl.SSLSocket
        self._lock = threading.RLock()
        #: Certificates that are trusted; this set only grows.
        self._trusted: set[object] = set()
        #: Settings of which the last value counts.
        self._last: dict[str, object] = {}

    def load_verify_locations(
        self, cafile: Any = None, capath: Any = None, cadata: Any = None
    ) -> None:
        """Trust certificates that are not trusted yet."""
        load = partial(self._context.load_verify_locations, cafile, capath, cadata)
        self._trust((cafile, capath, cadata), load)

    def load_cert_chain(
        self, certfile: Any, keyfile: Any = None, password: Any = None
    ) -> None:
        """Use a client certificate, unless the context uses it already."""
        load = partial(self._context.load_cert_chain, certfile, keyfile, password)
        self._set("chain", (certfile, keyfile, password), load)

    def set_alpn_protocols(self, alpn_protocols: Any) -> None:
        """Offer protocols, unless the context offers them already."""
        protocols = list(alpn_protocols)
        offer = partial(self._context.set_alpn_protocols, protocols)
        self._set("protocols", protocols, offer)

    def wrap_socket(self, *args: Any, **kwargs: Any) -> ssl.SSLSocket:
        """Make a connection that trusts the same certificates as stock pip's."""
        self.load_verify_locations(certifi.where())
        self._trust(ssl.get_default_verify_paths(), self._load_the_system_s)
        return self._context.wrap_socket(*args, **kwargs)

    def _load_the_system_s(self) -> None:
        with _configure_context(self._context):
            pass

    def _trust(self, what: object, load: Callable[[], object]) -> None:
        with self._lock:
            # A failure is not kept, so the next attempt fails in the same way.
            if what not in self._trusted:
                load()
                self._trusted.add(what)

    def _set(self, name: str, value: object, do: Callable[[], object]) -> None:
        with self._lock:
            if name not in self._last or self._last[name] != value:
                # After a failure, it is not known what is set.
                self._last.pop(name, None)
                do()
                self._last[name] = value
