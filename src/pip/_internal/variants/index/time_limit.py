"""Limit the time and the questions of requests that pip can do without.

The session's own timeout limits only how long a server may pause.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import wait
from typing import TYPE_CHECKING, TypeVar

from pip._internal.console.output import get_logger
from pip._internal.fast.connections import without_questions
from pip._internal.fast.held_records import emit, holding
from pip._internal.fast.slots import SESSION_REQUESTS
from pip._internal.fast.threads import in_thread
from pip._internal.variants.errors.requests import reword

if TYPE_CHECKING:
    import logging

    from pip._internal.network.session import PipSession

__all__ = ["MAX_TIME", "Overdue", "within"]

logger = get_logger(__name__)

T = TypeVar("T")

#: Seconds for a manifest, including connections, retries and redirects.
MAX_TIME = 60.0


class Overdue(Exception):
    """A response did not arrive in time; the message is for people."""


def within(
    session: PipSession, do: Callable[[PipSession], T], seconds: float = MAX_TIME
) -> T:
    """Do something with a session that asks the user for nothing.

    If a password is needed, the index page has asked for it before.

    :param do: is given the session, and called in a thread
    :param seconds: how long this may take
    :raises Overdue: if it takes longer
    """
    from pip._internal.fast.session_requests import SessionRequests

    quiet = without_questions(session)
    requests = SESSION_REQUESTS.of(session, SessionRequests)
    if requests is not None and requests.is_ahead:
        # What is read ahead is here, or not waited for.
        return do(quiet)
    records: deque[logging.LogRecord] = deque()

    threads: list[int] = []

    def run() -> T:
        threads.append(threading.get_ident())
        with holding(records.append):
            return do(quiet)

    try:
        future = in_thread(run)
    except RuntimeError as error:
        logger.debug("No thread for a request: %s", error)
        return do(quiet)
    try:
        if requests is None:
            wait([future], seconds)
        else:
            requests.wait_for(future, seconds)
    finally:
        emit(records, reword)
    if not future.done():
        if requests is not None:
            # Others need not wait until it ends.
            for thread in threads:
                requests.sending.give_up(thread)
        raise Overdue(f"it did not arrive within {seconds:.0f} seconds")
    try:
        return future.result()
    finally:
        # An error refers to this frame, and the future to the error.
        del future
