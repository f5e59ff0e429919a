"""Make sessions and adapters that are like others, but for their connections."""

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

#: There, the system itself judges the certificates of each connection.
_JUDGED_BY_SYSTEM = ("win32", "darwin")


def like(thing: T, kind: type | None = None, /, **changes: Any) -> T:
    """Make an object that shares all that another one has.

    Objects of requests cannot be copied as a whole: they leave out what cannot be pickled.

    :param kind: its class, a subclass of the other's; None for the same
    :param changes: attributes that it has of its own
    """
    made: T = object.__new__(kind or type(thing))
    vars(made).update(vars(thing), **changes)
    return made


def without_questions(session: PipSession, connections: int) -> PipSession:
    """Make a session that shares its cache and settings, but never asks the user.

    Where it would have asked for credentials, or looked for them in a keyring, the
    answer is what the server said: 401.

    :param connections: how many it may keep open to a host
    """
    adapters = OrderedDict(session.adapters)
    for prefix, adapter in adapters.items():
        if isinstance(adapter, HTTPAdapter):
            adapters[prefix] = with_own_connections(adapter, connections)
    return like(session, auth=like(session.auth, prompting=False), adapters=adapters)


def with_own_connections(adapter: HTTPAdapter, size: int) -> HTTPAdapter:
    """Make an adapter that is like another, but for its connections.

    Cache, proxies, retries and certificates are the other's.

    :param size: how many connections to a host are kept open.
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
    """Yield where connections of *adapter* have loaded certificates from."""
    for manager in (adapter.poolmanager, *adapter.proxy_manager.values()):
        # It is no mapping that can be iterated over.
        for key in list(manager.pools.keys()):
            pool = manager.pools.get(key)
            is_https = pool is not None and pool.scheme == "https"
            # A connection that is kept has been made; a pool that is closed has none.
            if is_https and any(getattr(pool.pool, "queue", ())):
                yield pool.ca_certs, pool.ca_cert_dir, None
