"""Ask at once for the small wheels that upstream would fetch one after the other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from pip._internal.fast.best_effort import BestEffort
from pip._internal.fast.early_entries import WHEEL
from pip._internal.fast.early_requests import EarlyRequests
from pip._internal.fast.slots import EARLY_REQUESTS
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
    early = EARLY_REQUESTS.of(session, EarlyRequests)
    if early is None:
        yield
        return
    early.due, early.idle = (lambda _: None), (lambda: None)
    early.open()
    try:
        # Upstream asks for the first one now, over a connection of its own.
        with BestEffort("requesting wheels together"):
            for req in reqs[1:]:
                assert req.link, "it is about to be downloaded"
                early.ask(req.link.url_without_fragment, HEADERS, WHEEL)
        yield
    finally:
        early.close()
