"""Take certain projects from their own indexes only (``--variant-index``).

A publisher's own index holds a few projects. As ``--extra-index-url`` it could supply any
name, and anybody who can put a package on another index could supply those that it holds.

What the values of the option mean is imported when there are any.
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

    They count where variants are off, too: what a project may come from is not about
    variants.

    :raises ContradictoryOptions: if a project has two.
    :raises WrongUse: if this cannot be kept to.
    """
    if run.settings.value(VARIANT_INDEX) is None:
        # No place of the configuration says anything, not even a weaker one.
        return None
    from pip._internal.variants.scoped.mode import scoped

    return scoped(run)
