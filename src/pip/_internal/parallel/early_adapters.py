"""Adapters of a session that answer by what was asked for early."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, cast

from pip._vendor.requests.adapters import HTTPAdapter

from pip._internal.parallel.connections import like, with_own_connections
from pip._internal.parallel.time_limits import MAX_TIME

if TYPE_CHECKING:
    from pip._vendor.requests import PreparedRequest, Response

__all__ = ["EarlyAdapter", "with_early_responses"]


class EarlyAdapter(HTTPAdapter):
    """What answers requests that were made early; each adapter is given its own kind.

    :ivar inner: the adapter in whose place it is
    """

    answer: Callable[..., Response]
    inner: HTTPAdapter
    outer: HTTPAdapter | None
    connections: int

    def send(self, request: PreparedRequest, *args: Any, **kwargs: Any) -> Response:
        """Answer a request by what was asked for early, if it was."""
        response = self.answer(self, request, *args, **kwargs)
        response.connection = self
        return response

    def in_turn(self, *, hasty: bool) -> HTTPAdapter:
        """Return what sends requests that are due.

        :param hasty: whether to wait for a minute at most if a server asks for more
        """
        return _hasty(self.inner) if hasty else self.inner

    def ahead(self, *, hasty: bool) -> HTTPAdapter:
        """Return what sends requests early, by connections of its own."""
        if self.outer is None:
            self.outer = with_own_connections(self.inner, self.connections)
        return _hasty(self.outer) if hasty else self.outer


def _hasty(adapter: HTTPAdapter) -> HTTPAdapter:
    retries = adapter.max_retries.new(retry_after_max=int(MAX_TIME))
    return like(adapter, max_retries=retries)


def with_early_responses(
    inner: HTTPAdapter, answer: Callable[..., Response], connections: int
) -> EarlyAdapter:
    """Make an adapter that is like *inner*, connections and cache included.

    :param answer: answers a request, given the adapter, the request and its settings
    :param connections: how many it may keep open to a host for early requests
    """
    kind = type(type(inner).__name__, (EarlyAdapter, type(inner)), {})
    made = like(
        inner, kind, answer=answer, inner=inner, outer=None, connections=connections
    )
    return cast(EarlyAdapter, made)
