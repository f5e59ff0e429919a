"""What turns off what makes this pip fast.

``--no-fast`` turns all of it off, ``--no-lookahead`` the early requests alone, and
``--no-parallel-downloads`` what fetches several files at a time and unpacks them meanwhile.
A command without these options, so that nobody could turn it off, is as slow as upstream's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import optparse

__all__ = ["is_fast", "may_download_in_parallel", "may_look_ahead"]


def is_fast(options: optparse.Values) -> bool:
    """Tell whether a command may be faster than upstream's."""
    return _is_off(options, "no_fast")


def may_look_ahead(options: optparse.Values) -> bool:
    """Tell whether requests may be made before upstream makes them."""
    return is_fast(options) and _is_off(options, "no_lookahead")


def may_download_in_parallel(options: optparse.Values) -> bool:
    """Tell whether several files may be fetched at a time."""
    return is_fast(options) and _is_off(options, "no_parallel_downloads")


def _is_off(options: optparse.Values, name: str) -> bool:
    # A variable or the configuration sets it to 0 or 1.
    value = getattr(options, name, None)
    return value is not None and not value
