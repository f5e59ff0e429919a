"""Adapters that answer requests with responses that were fetched early."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, cast

from pip._vendor.requests.adapters import HTTPAdapter

from pip._internal.fast.connections import like, with_own_connections
from pip._internal.fast.time_limits import MAX_TIME

if TYPE_CHECKING:
    from pip._vendor.requests import PreparedRequest, Response

__all__ = ["EarlyAdapter", "with_early_responses"]


class EarlyAdapter(HTTPAdapter):
    """An adapter that answers with early responses; each one has a class of its own.

    :ivar inner: the adapter that it replaces
    :ivar outer: what sends requests early; made on first use
    :ivar connections: how many *outer* may keep open to a host
    """

    answer: Callable[..., Response]
    inner: HTTPAdapter
    outer: HTTPAdapter | None
    connections: int

    def send(self, request: PreparedRequest, *args: Any, **kwargs: Any) -> Response:
        """Answer a request, with an early response if there is one."""
        response = self.answer(self, request, *args, **kwargs)
        response.connection = self
        return response

    def in_turn(self, *, hasty: bool, again: bool = False) -> HTTPAdapter:
        """Return the adapter that sends requests that are due.

        :param hasty: whether to wait for a minute at most if a server asks for more
        :param again: whether the request was tried once
        """
        inner = self.inner
        if again:
            retries = inner.max_retries
            inner = like(inner, max_retries=retries.new(total=(retries.total or 1) - 1))
        return _hasty(inner) if hasty else inner

    def ahead(self, *, hasty: bool, once: bool = False) -> HTTPAdapter:
        """Return the adapter that sends requests early, on connections of its own.

        :param once: whether to try once, whatever comes of it
        """
        if self.outer is None:
            self.outer = with_own_connections(self.inner, self.connections)
        if once:
            retries = self.outer.max_retries.new(total=0, status_forcelist=())
            return like(self.outer, max_retries=retries)
        return _hasty(self.outer) if hasty else self.outer


def _hasty(adapter: HTTPAdapter) -> HTTPAdapter:
    retries = adapter.max_retries.new(retry_after_max=int(MAX_TIME))
    return like(adapter, max_retries=retries)


def with_early_responses(
    inner: HTTPAdapter, answer: Callable[..., Response], connections: int
) -> EarlyAdapter:
    """Make an adapter that replaces *inner* and shares its connections and cache.

    :param answer: answers a request, given the adapter, the request and its settings
    :param connections: how many it may keep open to a host for early requests
    """
    kind = type(type(inner).__name__, (EarlyAdapter, type(inner)), {})
    made = like(
        inner, kind, answer=answer, inner=inner, outer=None, connections=connections
    )
    return cast(EarlyAdapter, made)
