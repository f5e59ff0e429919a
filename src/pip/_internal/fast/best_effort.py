"""Keep work that pip can do without from ending the run."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Any

from pip._internal.console.output import get_logger

__all__ = ["BestEffort"]

logger = get_logger(__name__)


class BestEffort(AbstractContextManager["BestEffort"]):
    """Optional work, as a context manager: an error stops the work, never the run.

    Everything that pip reads before stock pip would read it belongs inside, because stock
    pip may never read it. Interrupts pass, as all exceptions that are no errors.

    :param what: the work, for the debug log
    """

    def __init__(self, what: str) -> None:
        self._what = what

    def __exit__(self, kind: Any, error: Any, traceback: Any) -> bool:
        if not isinstance(error, Exception):
            return False
        logger.debug("Stopped %s: %r", self._what, error, exc_info=error)
        return True
