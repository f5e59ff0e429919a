"""Limit the time of optional requests, and suppress their prompts.

The session's own timeout limits only how long a server may pause.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from concurrent.futures import wait
from typing import TYPE_CHECKING, TypeVar

from pip._internal.console.output import get_logger
from pip._internal.fast.optional_work import diverting_logs, emit
from pip._internal.fast.slots import SESSION_REQUESTS
from pip._internal.fast.threads import in_thread

if TYPE_CHECKING:
    import logging

    from pip._internal.network.session import PipSession

logger = get_logger(__name__)

_T = TypeVar("_T")

#: Seconds for a manifest, including connections, retries and redirects.
MAX_TIME = 60.0


class Overdue(Exception):
    """A response did not arrive in time; the message is for users."""


def within(session: PipSession, do: Callable[[PipSession], _T]) -> _T:
    """Call a function with a session that never prompts, within a time limit.

    If the index page needs a password, pip has already asked for the password.

    :param do: the function, which gets the session and runs in a thread.
    :raises Overdue: if the function takes longer than :data:`MAX_TIME`.
    """
    from pip._internal.fast.session_requests import SessionRequests, without_questions

    quiet = without_questions(session)
    requests = SESSION_REQUESTS.of(session, SessionRequests)
    if requests is not None and requests.is_ahead:
        # A prefetch has the response already, or does not wait for it.
        return do(quiet)
    records: deque[logging.LogRecord] = deque()

    def run() -> _T:
        with diverting_logs(records.append):
            return do(quiet)

    try:
        future = in_thread(run)
    except RuntimeError as error:
        logger.debug("No thread for a request: %s", error)
        return do(quiet)
    try:
        if requests is None:
            wait([future], MAX_TIME)
        else:
            requests.wait_for(future, MAX_TIME)
    finally:
        emit(records)
    if not future.done():
        if requests is not None:
            # Other requests need not wait for this one.
            requests.sending.forget_hosts()
        raise Overdue(f"it did not arrive within {MAX_TIME:.0f} seconds")
    try:
        return future.result()
    finally:
        # An error refers to this frame, and the future to the error.
        del future
