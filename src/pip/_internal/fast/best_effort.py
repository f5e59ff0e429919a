"""Keep work that pip can do without from ending the run."""

from __future__ import annotations

from types import TracebackType

from pip._internal.console.output import get_logger

__all__ = ["BestEffort"]

logger = get_logger(__name__)


class BestEffort:
    """Optional work, as a context manager: an error stops the work, never the run.

    Everything that pip reads before stock pip would read it belongs inside, because stock
    pip may never read it. Interrupts pass, as all exceptions that are no errors.

    :param what: the work, for the debug log
    :ivar is_stopped: whether an error has stopped the work
    """

    def __init__(self, what: str) -> None:
        self._what = what
        self.is_stopped = False

    def __enter__(self) -> BestEffort:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> bool:
        if not isinstance(error, Exception):
            return False
        self.is_stopped = True
        logger.debug("Stopped %s: %r", self._what, error, exc_info=error)
        return True
