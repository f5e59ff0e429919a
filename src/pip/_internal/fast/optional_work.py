"""Do optional work; errors and log records must not disturb the run."""

from __future__ import annotations

import logging
import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

from pip._internal.console.output import get_logger

logger = get_logger(__name__)

#: The function that stores the log records of a thread.
_OWN = threading.local()


class BestEffort(AbstractContextManager["BestEffort"]):
    """A context manager for optional work: errors end the work, not the run.

    Code that reads data earlier than stock pip belongs inside this context, because stock
    pip may never read the data. Interrupts and other non-errors propagate.

    :param what: the work, for the debug log.
    """

    def __init__(self, what: str) -> None:
        self._what = what

    def __exit__(self, kind: Any, error: Any, traceback: Any) -> bool:
        if not isinstance(error, Exception):
            return False
        logger.debug("Stopped %s: %r", self._what, error, exc_info=error)
        return True


def _divert(record: logging.LogRecord) -> bool:
    """Store a diverted log record, and return whether the handlers receive the record."""
    keep = getattr(_OWN, "keep", None)
    if keep is None:
        return True
    if not hasattr(record, "diverted"):
        record.diverted = True
        keep(record)
    return False


@contextmanager
def diverting_logs(keep: Callable[[logging.LogRecord], None]) -> Iterator[None]:
    """Send this thread's log records to *keep* instead of the handlers."""
    for handler in logging.getLogger().handlers:
        # The filter stays: the last thread may end at any time.
        handler.addFilter(_divert)
    before = getattr(_OWN, "keep", None)
    _OWN.keep = keep
    try:
        yield
    finally:
        _OWN.keep = before


def emit(records: deque[logging.LogRecord]) -> None:
    """Emit stored log records from this thread."""
    while records:
        record = records.popleft()
        # The filter may divert this thread's records too.
        vars(record).pop("diverted", None)
        logging.getLogger(record.name).handle(record)
