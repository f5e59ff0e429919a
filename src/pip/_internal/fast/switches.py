"""What turns on and off what makes this pip fast.

``--no-fast`` turns all of it off, ``--parallel-downloads 1`` whatever makes several requests at
the same time. All is off too if the system lets pip open only a few files at a time.
What ``--use-feature unpacked-cache`` turns on is off unless it is asked for. A command without
these options, so that nobody could turn it off, is as slow as upstream's.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import optparse

__all__ = [
    "is_fast",
    "keeps_unpacked",
    "may_link_unpacked",
    "most_unpacked",
    "parallel_downloads",
]

#: Files that pip may have to open at a time: connections, downloads, pipes, folders.
_DESCRIPTORS = 128


def is_fast(options: optparse.Values) -> bool:
    """Return whether a command may be faster than stock pip's."""
    return _is_off(options, "no_fast") and _may_open_many()


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


def keeps_unpacked(options: optparse.Values) -> bool:
    """Tell whether wheels may come unpacked from the cache, and be kept there."""
    is_on = is_fast(options) and "unpacked-cache" in options.features_enabled
    # Other commands than install have no such option.
    return is_on and not getattr(options, "dry_run", True)


def may_link_unpacked(options: optparse.Values) -> bool:
    """Tell whether what is installed may be one with what the cache has."""
    return bool(options.unpacked_cache_links)


def most_unpacked(options: optparse.Values) -> int:
    """Return how many bytes the cache may keep unpacked."""
    return int(options.unpacked_cache_limit * 1_000_000_000)


def _is_off(options: optparse.Values, name: str) -> bool:
    # A variable or the configuration sets it to 0 or 1.
    value = getattr(options, name, None)
    return value is not None and not value
