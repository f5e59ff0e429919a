"""Make adapters of a session that open several connections at a time."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pip._vendor.requests.adapters import HTTPAdapter

__all__ = ["with_own_connections"]

#: There, the system itself judges the certificates of each connection.
_JUDGED_BY_SYSTEM = ("win32", "darwin")


def with_own_connections(adapter: HTTPAdapter, size: int) -> HTTPAdapter:
    """Make an adapter that is like another, but for its connections.

    Cache, proxies, retries and certificates are the other's.

    :param size: how many connections to a host are kept open.
    """
    made = object.__new__(type(adapter))
    vars(made).update(vars(adapter))
    made.proxy_manager = {}
    # Without a context, upstream makes one for each connection.
    has_context = vars(made).get("_ssl_context") is not None
    if has_context and sys.platform not in _JUDGED_BY_SYSTEM:
        from pip._internal.variants.shared_context import SharedContext

        vars(made)["_ssl_context"] = SharedContext()
    made.init_poolmanager(made._pool_connections, size)
    return made
