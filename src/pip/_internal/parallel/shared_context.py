"""Load the certificates that TLS trusts once, and let handshakes run side by side.

Upstream's context loads all certificates again for each connection, which takes tens of
milliseconds, and makes one handshake wait for the other. It keeps what it has loaded, so
that it trusts no less and no more when that is not loaded again.
"""

from __future__ import annotations

import os
import ssl
import threading
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

from pip._vendor import certifi
from pip._vendor.truststore import SSLContext
from pip._vendor.truststore._openssl import _configure_context

__all__ = ["UPSTREAMS", "Locations", "loaded_context", "share"]

#: What ``load_verify_locations`` is given: a file, a folder, or the certificates.
Locations = tuple[Any, Any, Any]

#: What upstream has loaded when it has made a context.
UPSTREAMS: Sequence[Locations] = [(certifi.where(), None, None)]

_ONCE = (
    "load_verify_locations",
    "load_cert_chain",
    "set_alpn_protocols",
    "wrap_socket",
    "wrap_bio",
)


def loaded_context(
    make: Callable[..., ssl.SSLContext | None],
) -> ssl.SSLContext | None:
    """Return a shared context that trusts all that it will trust by default.

    :param make: upstream's function
    """
    context = make()
    if isinstance(context, SSLContext):
        share(context, UPSTREAMS).trust_the_system_s()
    return context


def share(context: SSLContext, loaded: Iterable[Locations] = ()) -> _Shared:
    """Let several threads use a context of upstream's at once.

    What it trusts stays the same. The system must keep its certificates in files.

    :param loaded: what the context has loaded so far; files must be as they were then.
    :return: what it does so with
    """
    if _ONCE[0] in vars(context):
        known: _Shared = vars(context)[_ONCE[0]].__self__
        return known
    shared = _Shared(context, loaded)
    # Connection pools may hold this very context, so that it is changed in place.
    for name in _ONCE:
        setattr(context, name, getattr(shared, name))
    return shared


class _Shared:
    """What upstream's context does, once.

    The context below it must not change while another thread uses it. So what upstream
    sets for each connection, mostly the same, is set when it is not the same.
    """

    def __init__(self, context: SSLContext, loaded: Iterable[Locations]) -> None:
        self._context: ssl.SSLContext = context._ctx
        # Upstream's classes have a lock, for systems that judge certificates themselves.
        self._context.sslsocket_class = ssl.SSLSocket
        self._context.sslobject_class = ssl.SSLObject
        self._lock = threading.RLock()
        #: What is trusted only grows.
        self._trusted: set[object] = {_content(*each) for each in loaded}
        #: Of these, what is set last counts.
        self._last: dict[str, object] = {}

    def load_verify_locations(
        self, cafile: Any = None, capath: Any = None, cadata: Any = None
    ) -> None:
        """Trust certificates that are not trusted already."""
        load = partial(self._context.load_verify_locations, cafile, capath, cadata)
        self._trust(_content(cafile, capath, cadata), load)

    def load_cert_chain(
        self, certfile: Any, keyfile: Any = None, password: Any = None
    ) -> None:
        """Use a client certificate, unless it is used already."""
        load = partial(self._context.load_cert_chain, certfile, keyfile, password)
        chain = (_content(certfile), _content(keyfile), password)
        self._set("chain", chain, load)

    def set_alpn_protocols(self, alpn_protocols: Any) -> None:
        """Offer protocols, unless they are offered already."""
        protocols = list(alpn_protocols)
        offer = partial(self._context.set_alpn_protocols, protocols)
        self._set("protocols", protocols, offer)

    def wrap_socket(self, *args: Any, **kwargs: Any) -> ssl.SSLSocket:
        """Make a connection that trusts what upstream's would."""
        self.trust_the_system_s()
        return self._context.wrap_socket(*args, **kwargs)

    def wrap_bio(
        self, incoming: Any, outgoing: Any, server_side: bool = False, **names: Any
    ) -> ssl.SSLObject:
        """Make a connection inside another one, with no less trusted or checked."""
        # Python checks this for sockets alone.
        if self._context.check_hostname and not names.get("server_hostname"):
            raise ValueError("check_hostname requires server_hostname")
        self.trust_the_system_s()
        return self._context.wrap_bio(incoming, outgoing, server_side, **names)

    def trust_the_system_s(self) -> None:
        """Trust the certificates of the system, as upstream does for each connection."""
        paths = ssl.get_default_verify_paths()
        self._trust((paths, _content(paths.cafile)), self._load_the_system_s)

    def _load_the_system_s(self) -> None:
        with _configure_context(self._context):
            pass

    def _trust(self, what: object, load: Callable[[], object]) -> None:
        with self._lock:
            # What fails is tried again, and fails again.
            if what not in self._trusted:
                load()
                self._trusted.add(what)

    def _set(self, name: str, value: object, do: Callable[[], object]) -> None:
        with self._lock:
            if name not in self._last or self._last[name] != value:
                # If it fails, it is not known what is set.
                self._last.pop(name, None)
                do()
                self._last[name] = value


def _content(*names: Any) -> object:
    """Return what tells whether certificates must be read again.

    :param names: a file, which may have changed, and what else belongs to it
    """
    try:
        found = os.stat(names[0])
    except (OSError, TypeError, ValueError):
        # There is no file; whoever needs one says so.
        return names
    return names, found.st_ino, found.st_size, found.st_mtime_ns
