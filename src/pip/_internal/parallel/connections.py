"""Copy sessions and adapters, and give the copies connections of their own."""

from __future__ import annotations

import sys
from collections import OrderedDict
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, TypeVar

from pip._vendor.requests.adapters import HTTPAdapter

if TYPE_CHECKING:
    from pip._internal.network.session import PipSession
    from pip._internal.parallel.shared_context import Locations

__all__ = ["like", "with_own_connections", "without_questions"]

T = TypeVar("T")

#: Here the system itself judges the certificates of each connection.
_JUDGED_BY_SYSTEM = ("win32", "darwin")


def like(thing: T, kind: type | None = None, /, **changes: Any) -> T:
    """Make a shallow copy of an object, cache and connections included.

    Not ``copy.copy``: objects of requests leave out what cannot be pickled.

    :param kind: the class of the copy, a subclass of the original's; None for the same
    :param changes: attributes in which the copy differs
    """
    made: T = object.__new__(kind or type(thing))
    vars(made).update(vars(thing), **changes)
    return made


def without_questions(session: PipSession, connections: int) -> PipSession:
    """Copy a session, with connections of its own; the copy never asks the user.

    Where the original would ask for credentials, or look for them in a keyring, the copy
    returns what the server said: 401.

    :param connections: how many the copy may keep open to a host
    """
    adapters = OrderedDict(session.adapters)
    for prefix, adapter in adapters.items():
        if isinstance(adapter, HTTPAdapter):
            adapters[prefix] = with_own_connections(adapter, connections)
    return like(session, auth=like(session.auth, prompting=False), adapters=adapters)


def with_own_connections(adapter: HTTPAdapter, size: int) -> HTTPAdapter:
    """Copy an adapter, with connections of its own.

    The two share cache, proxies, retries and certificates.

    :param size: how many connections the copy keeps open to a host.
    """
    made = like(adapter, proxy_manager={})
    # Without a context, upstream makes one for each connection.
    context = vars(made).get("_ssl_context")
    if context is not None and sys.platform not in _JUDGED_BY_SYSTEM:
        from pip._internal.parallel.shared_context import share

        share(context, _loaded(adapter))
    made.init_poolmanager(made._pool_connections, size)
    return made


def _loaded(adapter: HTTPAdapter) -> Iterator[Locations]:
    """Yield the places that connections of *adapter* have loaded certificates from."""
    for manager in (adapter.poolmanager, *adapter.proxy_manager.values()):
        # This mapping cannot be iterated over.
        for key in list(manager.pools.keys()):
            pool = manager.pools.get(key)
            is_https = pool is not None and pool.scheme == "https"
            # A pool keeps only connections that were made; a closed pool keeps none.
            if is_https and any(getattr(pool.pool, "queue", ())):
                yield pool.ca_certs, pool.ca_cert_dir, None
