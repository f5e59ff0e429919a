"""Indexes for certain projects only: these come from there, and from nowhere else.

A publisher's own index holds a few projects. As ``--extra-index-url`` it could supply any
name, and anybody who can put a package on another index could supply those that it holds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import optparse
    from collections.abc import Iterable

    from pip._internal.metadata import BaseDistribution
    from pip._internal.variants.selection.installed_records import InstalledBuild
    from pip._internal.variants.selection.mode import Mode
    from pip._internal.variants.selection.run import Run

__all__ = ["judged", "mode_of", "options_for"]


def mode_of(run: Run) -> Mode | None:
    """Return the indexes that a run has for certain projects; None if it has none.

    They count where variants are off, too: what a project may come from is not about
    variants.

    :raises ContradictoryOptions: if a project has two.
    :raises WrongUse: if this cannot be kept to.
    """
    from pip._internal.variants.scoped.options import VARIANT_INDEX

    given = run.settings.value(VARIANT_INDEX)
    if given is None:
        # No place of the configuration says anything, not even a weaker one.
        return None
    from pip._internal.variants.scoped.mode import scoped

    return scoped(run, given)


def options_for(build: InstalledBuild) -> tuple[str, ...]:
    """Return no options: nothing is installed differently."""
    return ()


def judged(
    dists: Iterable[BaseDistribution],
    options: optparse.Values,
) -> Iterable[str]:
    """Say nothing: what is installed needs no index."""
    return ()
