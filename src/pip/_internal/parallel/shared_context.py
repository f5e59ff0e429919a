"""Load the certificates that TLS trusts once, and let handshakes run side by side.

Upstream's context loads all certificates again for each connection, which takes tens of
milliseconds, and makes one handshake wait for the other.
"""

from __future__ import annotations

import ssl
import threading
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

from pip._vendor.truststore import SSLContext
from pip._vendor.truststore._openssl import _configure_context

__all__ = ["Locations", "share"]

#: What ``load_verify_locations`` is given: a file, a folder, or the certificates.
Locations = tuple[Any, Any, Any]

_ONCE = (
    "load_verify_locations",
    "load_cert_chain",
    "set_alpn_protocols",
    "wrap_socket",
)


def share(context: SSLContext, loaded: Iterable[Locations] = ()) -> None:
    """Let several threads use a context of upstream's at once.

    What it trusts stays the same. The system must keep its certificates in files.

    :param loaded: what the context's connections have loaded so far.
    """
    if _ONCE[0] in vars(context):
        return
    shared = _Shared(context, loaded)
    # Connection pools may hold this very context, so that it is changed in place.
    for name in _ONCE:
        setattr(context, name, getattr(shared, name))


class _Shared:
    """What upstream's context does, once.

    The context below it must not change while another thread uses it. So what upstream
    sets for each connection, always the same, is set once.
    """

    def __init__(self, context: SSLContext, loaded: Iterable[Locations]) -> None:
        self._context: ssl.SSLContext = context._ctx
        # Upstream's class has a lock, for systems that judge certificates themselves.
        self._context.sslsocket_class = ssl.SSLSocket
        self._lock = threading.RLock()
        self._done: set[object] = set()
        for locations in loaded:
            self._done |= {("trust", locations), "trust"}

    def load_verify_locations(
        self, cafile: Any = None, capath: Any = None, cadata: Any = None
    ) -> None:
        """Trust certificates that are not trusted already."""
        locations = (cafile, capath, cadata)
        load = partial(self._context.load_verify_locations, *locations)
        self._once(("trust", locations), load)

    def load_cert_chain(
        self, certfile: Any, keyfile: Any = None, password: Any = None
    ) -> None:
        """Use a client certificate that is not used already."""
        chain = (certfile, keyfile, password)
        self._once(("chain", chain), partial(self._context.load_cert_chain, *chain))

    def set_alpn_protocols(self, alpn_protocols: Any) -> None:
        """Offer protocols that are not offered already."""
        protocols = list(alpn_protocols)
        offer = partial(self._context.set_alpn_protocols, protocols)
        self._once(("protocols", *protocols), offer)

    def wrap_socket(self, *args: Any, **kwargs: Any) -> ssl.SSLSocket:
        """Make a connection that trusts what upstream's would."""
        self._once("trust", self._trust_the_system_s)
        return self._context.wrap_socket(*args, **kwargs)

    def _trust_the_system_s(self) -> None:
        with _configure_context(self._context):
            pass

    def _once(self, what: object, do: Callable[[], object]) -> None:
        with self._lock:
            if what not in self._done:
                do()
                self._done.add(what)
