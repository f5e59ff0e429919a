"""Prefetch the small wheels that stock pip would fetch one after the other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from pip._internal.fast.best_effort import BestEffort
from pip._internal.fast.session_requests import SessionRequests
from pip._internal.fast.sizes import SMALL
from pip._internal.fast.slots import SESSION_REQUESTS
from pip._internal.network.utils import HEADERS

if TYPE_CHECKING:
    from pip._internal.network.session import PipSession
    from pip._internal.req.req_install import InstallRequirement

__all__ = ["asked_together"]


@contextmanager
def asked_together(
    session: PipSession, reqs: Sequence[InstallRequirement]
) -> Iterator[None]:
    """Ask at once for the wheels of requirements, of which only the metadata is here.

    What is asked for is what upstream asks for next, whatever comes of it.
    """
    requests = SESSION_REQUESTS.of(session, SessionRequests)
    if requests is None:
        yield
        return
    try:
        # pip requests the first one now.
        with BestEffort("prefetching wheels"):
            for req in reqs[1:]:
                assert req.link, "it is about to be downloaded"
                url = req.link.url_without_fragment
                requests.prefetch(url, HEADERS, SMALL, is_needed=True)
        yield
    finally:
        requests.close()
