"""Keep what threads log until its turn comes."""

from __future__ import annotations

import logging
import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

from pip._internal.console.output import filtered

__all__ = ["HeldRecords", "emit"]

_Keep = Callable[[logging.LogRecord], None]


class HeldRecords(logging.Filter):
    """A filter that keeps the records of threads from the handlers for a while."""

    def __init__(self) -> None:
        super().__init__()
        self._by_thread: dict[int, _Keep] = {}

    def install(self) -> None:
        """Hold records from here on, of threads that ask for it."""
        for handler in logging.getLogger().handlers:
            handler.addFilter(self)

    def active(self) -> AbstractContextManager[None]:
        """Hold records for a while, of threads that ask for it."""
        return filtered(self)

    @contextmanager
    def of_this_thread(self, keep: _Keep) -> Iterator[None]:
        """Hand what this thread logs to *keep*."""
        thread = threading.get_ident()
        self._by_thread[thread] = keep
        try:
            yield
        finally:
            del self._by_thread[thread]

    def filter(self, record: logging.LogRecord) -> bool:
        """Hold a record, once however many handlers there are."""
        keep = self._by_thread.get(threading.get_ident())
        if keep is None:
            return True
        if not hasattr(record, "held"):
            record.held = True
            keep(record)
        return False


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
