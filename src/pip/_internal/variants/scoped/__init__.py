"""Take certain projects from their own indexes only (``--variant-index``).

A publisher's own index holds a few projects. With ``--extra-index-url``, that index could
supply any project, and anyone who can publish on another index could supply the publisher's
projects.

Code that interprets the option is imported only if the user gives a scoped index.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pip._internal.variants.scoped.options import OPTIONS as OPTIONS
from pip._internal.variants.scoped.options import VARIANT_INDEX

if TYPE_CHECKING:
    from pip._internal.variants.selection.mode import Mode
    from pip._internal.variants.selection.run import Run


def mode_of(run: Run) -> Mode | None:
    """Return the scoped indexes of a run, or None.

    Scoped indexes apply even if variants are off, because they limit the source of projects.

    :raises ContradictoryOptions: if a project has two indexes.
    :raises WrongUse: if an index is invalid.
    """
    if run.settings.value(VARIANT_INDEX) is None:
        # No source of the configuration has a value, not even an empty one.
        return None
    from pip._internal.variants.scoped.mode import scoped

    return scoped(run)
