"""Load certificates while the modules of a command are imported.

That needs none of what is imported, and leaves Python free, so that it costs no time where
there is a second core. It is upstream's own context, made before upstream asks for it.
"""

from __future__ import annotations

import contextlib
import inspect
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from concurrent.futures import Future

    from pip._internal.cli.base_command import Command

__all__ = ["EARLY_CONTEXT", "JUDGED_BY_SYSTEM", "command_created", "context_created"]

#: Here the system itself judges the certificates of each connection.
JUDGED_BY_SYSTEM = ("win32", "darwin")
#: What nearly always makes a connection.
_COMMANDS = ("install", "download", "wheel", "lock", "index")
#: Longer than it takes to load certificates, except from where nothing can be read.
_PATIENCE = 60.0  # seconds


class _EarlyContext:
    """A context that is being made, for the first one to ask."""

    def __init__(self) -> None:
        self._making: Future[Any] | None = None
        self._is_first = True

    def is_wanted(self, name: str) -> bool:
        """Tell whether what runs needs one; others are created to tell their options.

        :param name: that of a command that is being created; the first one runs.
        """
        is_first, self._is_first = self._is_first, False
        return is_first and name in _COMMANDS and sys.platform not in JUDGED_BY_SYSTEM

    def begin(self, make: Callable[[], Any]) -> None:
        """Make it from now on."""
        # Most commands need no threads.
        from pip._internal.parallel.threads import in_thread

        # Without a thread, it is made when due.
        with contextlib.suppress(RuntimeError):
            self._making = in_thread(make, patience=_PATIENCE)

    def take(self) -> Any:
        """Return the context once it is made; None if there is none."""
        making = self._making
        self.forget()
        # What failed is made again, and fails again.
        return None if making is None or making.exception() else making.result()

    def forget(self) -> None:
        """Leave to nobody what is being made."""
        self._making = None


EARLY_CONTEXT = _EarlyContext()


def command_created(fn: Callable[..., Command], name: str, **kwargs: Any) -> Command:
    """Begin to load certificates before the modules of a command are imported."""
    if EARLY_CONTEXT.is_wanted(name):
        with contextlib.suppress(ImportError):  # Without TLS; upstream says so.
            from pip._internal.cli import index_command
            from pip._internal.parallel.shared_context import loaded_context

            create = index_command._create_truststore_ssl_context
            # Upstream keeps one for the whole process.
            if not create.cache_info().currsize:
                make = inspect.unwrap(create)
                EARLY_CONTEXT.begin(lambda: loaded_context(make))
    return fn(name, **kwargs)


def context_created(fn: Callable[[], Any]) -> Any:
    """Return the context that has been made early, if there is one."""
    return EARLY_CONTEXT.take() or fn()
