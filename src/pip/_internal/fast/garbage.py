"""Seldom look for cycles of objects, and not when Python ends.

Nearly all that a run makes is used or freed at once, so that the search, which is a tenth of
some runs, finds next to nothing.
"""

from __future__ import annotations

import atexit
import gc
import sys
from typing import TYPE_CHECKING

from pip._internal.fast.switches import is_fast

if TYPE_CHECKING:
    import optparse

    from pip._internal.cli.base_command import Command

__all__ = ["parsed"]

#: So many more than were freed may be made before it is looked for cycles of them.
_MANY_OBJECTS = 50_000


def parsed(command: Command, options: optparse.Values) -> None:
    """Let a command that is a whole process look for cycles seldom.

    :param options: those of the command
    """
    # Others, PyPy among them, have neither such a number nor that search.
    if sys.implementation.name != "cpython":
        return
    # Whoever else calls pip needs its settings, and goes on after it.
    if command._cli and is_fast(options):
        gc.set_threshold(_MANY_OBJECTS)
        atexit.register(gc.freeze)
