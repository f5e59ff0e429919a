"""Make adapters of a session that open several connections at a time."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pip._vendor.requests.adapters import HTTPAdapter

    from pip._internal.parallel.shared_context import Locations

__all__ = ["like", "with_own_connections"]

#: There, the system itself judges the certificates of each connection.
_JUDGED_BY_SYSTEM = ("win32", "darwin")


def like(adapter: HTTPAdapter, **changes: Any) -> HTTPAdapter:
    """Make an adapter that is like another, connections and cache included.

    :param changes: attributes that it has of its own
    """
    made = object.__new__(type(adapter))
    vars(made).update(vars(adapter), **changes)
    return made


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
