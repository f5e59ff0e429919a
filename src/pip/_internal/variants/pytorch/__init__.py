"""PyTorch as it is published today: a bridge from its local versions to variants.

The builds of a release of torch differ in their local version (``2.9.1+cu128``) and in
where they lie on PyTorch's own index; none is a variant wheel yet. This room makes
variants of them. It is no part of any standard, and goes when it is no longer needed.
"""

from __future__ import annotations

import logging
import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import optparse
    from collections.abc import Iterable, Iterator

    from pip._internal.metadata import BaseDistribution
    from pip._internal.variants.pytorch.mode import PyTorch
    from pip._internal.variants.selection.installed_records import InstalledBuild
    from pip._internal.variants.selection.run import Run

__all__ = ["judged", "mode_of", "options_for"]


def mode_of(run: Run) -> PyTorch | None:
    """Return the bridge of a run that is to use it.

    :raises WrongUse: if the variable of light-the-torch is invalid.
    """
    from pip._internal.variants.pytorch.options import LTT_VARIABLE, in_use

    if not in_use(run.settings, os.environ):
        return None
    if not run.enabled:
        if run.settings.no_variants:
            run.reporter.say_once(
                logging.WARNING,
                "Without variants PyTorch's index is not looked at: the --pytorch-* "
                f"options, --cpuonly and {LTT_VARIABLE} have no effect",
            )
        return None
    # What is looked up where is known too late to look ahead.
    run.catalogue.parallel_downloads = 1
    from pip._internal.variants.pytorch.mode import PyTorch
    from pip._internal.variants.pytorch.settings import settings

    return PyTorch(run, settings(run.settings, os.environ))


def options_for(build: InstalledBuild) -> tuple[str, ...]:
    """Return the options with which the other builds of an installed one are found."""
    from pip._internal.variants.pytorch.synthetic import NAMESPACE

    if NAMESPACE not in build.manifest.namespaces:
        return ()
    from pip._internal.variants.pytorch.settings import ANY_BACKEND

    return ANY_BACKEND


def judged(
    dists: Iterable[BaseDistribution], options: optparse.Values
) -> Iterator[str]:
    """Say what is wrong with all that is installed, some of it over the bridge."""
    from pip._internal.variants.pytorch.advice import different_backends

    return different_backends(dists, options)
