"""The options that make this pip as slow as stock pip.

``--no-fast`` turns all speed features off, ``--parallel-downloads 1`` those that make several
requests at the same time. All are off too if the system lets pip open only a few files at a
time, and in commands without these options.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import optparse

__all__ = ["command_options", "is_fast", "parallel_downloads", "parsed"]

#: Files that pip may have to open at a time: connections, downloads, pipes, folders.
_DESCRIPTORS = 128


#: The options of the command that is running.
_options: optparse.Values | None = None


def parsed(options: optparse.Values) -> None:
    """Keep the options of the command for :func:`command_options`."""
    global _options
    _options = options


def command_options() -> optparse.Values | None:
    """Return the options of the command, or None if it must be as slow as stock pip's."""
    return _options if _options is not None and is_fast(_options) else None


def is_fast(options: optparse.Values) -> bool:
    """Return whether a command may be faster than stock pip's."""
    # A variable or the configuration sets it to 0 or 1.
    no_fast = getattr(options, "no_fast", None)
    return no_fast is not None and not no_fast and _may_open_many()


def _may_open_many() -> bool:
    """Return whether pip may open as many files at a time as parallel work needs."""
    if sys.platform == "win32":
        return True
    import resource

    limit, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return limit == resource.RLIM_INFINITY or limit >= _DESCRIPTORS


def parallel_downloads(options: optparse.Values) -> int:
    """Return how many requests a command may make to a host at the same time."""
    return int(options.parallel_downloads) if is_fast(options) else 1
