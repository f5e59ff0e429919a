"""Keep what threads log until it is its turn."""

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
    """What threads have logged; for a while it goes to no handler."""

    def __init__(self) -> None:
        super().__init__()
        self._by_thread: dict[int, _Keep] = {}

    def install(self) -> None:
        """Hold from here on what the threads that ask for it log."""
        for handler in logging.getLogger().handlers:
            handler.addFilter(self)

    def active(self) -> AbstractContextManager[None]:
        """Hold what the threads that ask for it log."""
        return filtered(self)

    @contextmanager
    def of_this_thread(self, keep: _Keep) -> Iterator[None]:
        """Give what this thread logs to *keep*."""
        thread = threading.get_ident()
        self._by_thread[thread] = keep
        try:
            yield
        finally:
            del self._by_thread[thread]

    def filter(self, record: logging.LogRecord) -> bool:
        """Hold a record once, however many handlers there are."""
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
    """Log records now, as if they were of this thread.

    :param reword: may change one before.
    """
    while records:
        record = records.popleft()
        reword(record)
        # This thread's may be held in turn.
        vars(record).pop("held", None)
        logging.getLogger(record.name).handle(record)
