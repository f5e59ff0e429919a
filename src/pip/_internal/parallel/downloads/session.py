"""The session of a command as threads may use it."""

from __future__ import annotations

import copy
from collections import OrderedDict
from typing import TYPE_CHECKING

from pip._vendor.requests.adapters import BaseAdapter, HTTPAdapter

from pip._internal.parallel.connections import with_own_connections

if TYPE_CHECKING:
    from pip._internal.network.session import PipSession

__all__ = ["without_questions"]


def without_questions(session: PipSession, connections: int) -> PipSession:
    """Give a session that shares its cache and settings, but never asks the user.

    Where it would have asked for credentials, or looked for them in a keyring, the
    answer is what the server said: 401.

    :param connections: how many it may keep open to a host
    """
    made = object.__new__(type(session))
    vars(made).update(vars(session))
    made.auth = copy.copy(session.auth)
    made.auth.prompting = False
    made.adapters = OrderedDict(
        (prefix, _with_own_connections(adapter, connections))
        for prefix, adapter in session.adapters.items()
    )
    return made


def _with_own_connections(adapter: BaseAdapter, connections: int) -> BaseAdapter:
    if isinstance(adapter, HTTPAdapter):
        return with_own_connections(adapter, connections)
    return adapter
