"""Keep messages for the moment at which they would have been logged."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

__all__ = ["say", "withheld"]


@contextmanager
def withheld(records: list[logging.LogRecord]) -> Iterator[None]:
    """Add what this thread would log to *records*, and log nothing of it."""
    thread = threading.get_ident()

    def hold(record: logging.LogRecord) -> bool:
        if threading.get_ident() != thread:
            return True
        # Several handlers are asked about the same record, one after the other.
        if not records or records[-1] is not record:
            records.append(record)
        return False

    handlers = list(logging.getLogger().handlers)
    for handler in handlers:
        handler.addFilter(hold)
    try:
        yield
    finally:
        for handler in handlers:
            handler.removeFilter(hold)


def say(records: Iterable[logging.LogRecord]) -> None:
    """Log what was withheld, as far into the line as all is logged now."""
    for record in records:
        logging.getLogger(record.name).handle(record)
