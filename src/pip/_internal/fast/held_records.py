"""Keep what a thread logs until its turn comes."""

from __future__ import annotations

import logging
import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager

__all__ = ["emit", "holding"]

#: Who keeps what this thread logs.
_OWN = threading.local()


def _hold(record: logging.LogRecord) -> bool:
    """Hold a record from the handlers, once however many there are."""
    keep = getattr(_OWN, "keep", None)
    if keep is None:
        return True
    if not hasattr(record, "held"):
        record.held = True
        keep(record)
    return False


@contextmanager
def holding(keep: Callable[[logging.LogRecord], None]) -> Iterator[None]:
    """Hand what this thread logs to *keep* for a while, in place of the handlers."""
    for handler in logging.getLogger().handlers:
        # It stays there: nobody knows when the last thread ends.
        handler.addFilter(_hold)
    before = getattr(_OWN, "keep", None)
    _OWN.keep = keep
    try:
        yield
    finally:
        _OWN.keep = before


def emit(
    records: deque[logging.LogRecord],
    reword: Callable[[logging.LogRecord], None] = lambda _: None,
) -> None:
    """Log records now, as if this thread had made them.

    :param reword: may change each one first.
    """
    while records:
        record = records.popleft()
        reword(record)
        # This thread's own records may be held too.
        vars(record).pop("held", None)
        logging.getLogger(record.name).handle(record)
