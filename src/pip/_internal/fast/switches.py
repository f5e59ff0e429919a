"""Apply ``--no-fast`` and ``--parallel-downloads``.

``--no-fast`` disables all speed features; ``--parallel-downloads 1`` disables only parallel
requests. All speed features are also disabled if the system allows pip only a few open
files, and in commands without these options.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from optparse import Values
    from ssl import SSLContext

    from pip._internal.cli.base_command import Command

#: Bytes; unpacking a smaller wheel takes less time than starting a thread.
LARGE = 100_000
#: The number of files that pip may need to open at a time: connections, downloads, pipes,
#: folders.
_DESCRIPTORS = 128
#: Python searches for cycles after this many more allocations than deallocations.
_MANY_OBJECTS = 50_000
#: Systems that check the certificates of each connection themselves.
_CHECKED_BY_SYSTEM = ("win32", "darwin")

#: The options of the current command.
_options: Values | None = None


def parsed(command: Command, options: Values) -> None:
    """Store the options of a command, and reduce garbage collection.

    A run uses or frees nearly all objects at once. The search for cycles takes up to a
    tenth of a run, and finds almost nothing. A program that uses pip as a library keeps its
    settings. PyPy's garbage collector has no threshold.
    """
    global _options
    _options = options
    if command._cli and sys.implementation.name == "cpython" and is_fast(options):
        gc.set_threshold(_MANY_OBJECTS)
        # Ignore the modules that are loaded now, even when Python exits.
        gc.freeze()


def command_options() -> Values | None:
    """Return the options of the command, or None if optimizations are disabled."""
    return _options if _options is not None and is_fast(_options) else None


def is_fast(options: Values) -> bool:
    """Return whether optimizations are enabled for a command."""
    # A variable or the configuration sets no_fast to 0 or 1.
    no_fast = getattr(options, "no_fast", None)
    return no_fast is not None and not no_fast and _may_open_many()


def _may_open_many() -> bool:
    """Return whether the limit of open files allows parallel work."""
    if sys.platform == "win32":
        return True
    import resource

    limit, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return limit == resource.RLIM_INFINITY or limit >= _DESCRIPTORS


def parallel_downloads(options: Values) -> int:
    """Return the limit of parallel requests per host for a command."""
    return int(options.parallel_downloads) if is_fast(options) else 1


def context_made(fn: Callable[[], SSLContext | None]) -> SSLContext | None:
    """Share one TLS context between all connections of a session.

    Stock pip's context loads certificates at once.
    """
    if command_options() is not None and sys.platform not in _CHECKED_BY_SYSTEM:
        from pip._internal.fast.optional_work import BestEffort

        # If this Python has no TLS, stock pip reports that.
        with BestEffort("sharing certificates"):
            import ssl

            from pip._internal.fast.shared_context import SharedContext

            return SharedContext(ssl.PROTOCOL_TLS_CLIENT)
    return fn()
