"""Treat PyTorch's local versions as variants (the bridge to its index).

The builds of a release of torch differ in their local version (``2.9.1+cu128``) and in their
location on PyTorch's own index; none is a variant wheel yet. This mode turns the builds into
variants. It is not part of any standard, and will be removed when it is no longer needed.

Code that interprets the options is imported only if the user gives some.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING

from pip._internal.variants.pytorch.options import (
    ANY_BACKEND,
    BACKENDS,
    LTT_VARIABLE,
    OPTIONS,
    VARIANTS_OFF,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from optparse import Values

    from pip._internal.metadata import BaseDistribution
    from pip._internal.variants.pytorch.mode import PyTorch
    from pip._internal.variants.selection.installed_records import InstalledBuild
    from pip._internal.variants.selection.run import Run
    from pip._internal.variants.settings import Settings


def in_use(settings: Settings, environ: Mapping[str, str]) -> bool:
    """Return whether a command uses the bridge."""
    if settings.value(BACKENDS, otherwise=False) is False:
        return False
    named = any(settings.value(row) not in (None, False) for row in OPTIONS)
    return named or bool(environ.get(LTT_VARIABLE))


def mode_of(run: Run) -> PyTorch | None:
    """Return the bridge of a run, or None.

    :raises WrongUse: if the variable of light-the-torch is invalid.
    """
    if not in_use(run.settings, os.environ):
        return None
    if not run.enabled:
        if run.settings.no_variants:
            run.reporter.warn(VARIANTS_OFF)
        return None
    # pip finds out too late where to look for a project, so it prefetches nothing.
    run.catalog.parallel_downloads = 1
    from pip._internal.variants.pytorch.mode import PyTorch
    from pip._internal.variants.pytorch.settings import settings

    return PyTorch(run, settings(run.settings, os.environ))


def options_for(build: InstalledBuild) -> tuple[str, ...]:
    """Return the options that find other builds of an installed package."""
    from pip._internal.variants.pytorch.synthetic import NAMESPACE

    return ANY_BACKEND if NAMESPACE in build.manifest.namespaces else ()


def installed_problems(
    dists: Iterable[BaseDistribution], options: Values
) -> Iterator[str]:
    """Return the problems of installed packages from bridged indexes."""
    from pip._internal.variants.pytorch.agreement import different_backends

    return different_backends(dists, options)
