"""Warn about extras that contain the code for the target's AMD GPUs.

pip adds no extras itself.
"""

from __future__ import annotations

import logging
from collections.abc import Container, Iterable, Sequence
from typing import TYPE_CHECKING

from pip._internal.console.texts import Hint
from pip._internal.variants.output.invocation import again, command
from pip._internal.variants.providers import amd

if TYPE_CHECKING:
    from pip._vendor.packaging.utils import NormalizedName

    from pip._internal.metadata import BaseDistribution
    from pip._internal.resolution.resolvelib.base import Candidate
    from pip._internal.variants.selection.run import Run

__all__ = ["missing_extras", "warn_of_device_extras"]


def warn_of_device_extras(
    run: Run,
    found: Sequence[Candidate],
    requested: Container[str],
    locked: Container[str],
) -> None:
    """Warn once about all extras for the target's GPUs that nothing requests.

    :param found: candidates whose wheels may be used.
    :param requested: normalized names of the projects whose ``device-*`` extras the user
        requested.
    :param locked: normalized names of the projects that a lock file provides.
    """
    missing = {
        each.project_name: extras
        for each in found
        if each.project_name not in requested
        and not (each.is_installed and each.project_name not in run.request.named)
        and (extras := missing_extras(run, found, each))
    }
    if not missing:
        return
    words = [f"{name}[{','.join(missing[name])}]" for name in sorted(missing)]
    said = (
        f"GPU code is in extras that nothing requests: {', '.join(words)}. Without them, "
        "computations on the GPU will fail. To add them:"
    )
    if any(name in locked for name in missing):
        typed = command(run.settings.options, "lock", *words)
    else:
        typed = again(run.settings.options, *words)
    run.reporter.say_once(logging.WARNING, Hint(said, typed))


def missing_extras(
    run: Run, found: Iterable[Candidate], candidate: Candidate
) -> list[str]:
    """Return the extras for the target's GPUs whose packages are missing."""
    dist: BaseDistribution | None = vars(candidate).get("dist")
    if dist is None or not any(map(amd.is_device_extra, dist.iter_provided_extras())):
        return []
    coming = {each.project_name: str(each.version) for each in found}

    def version_of(name: NormalizedName) -> str | None:
        installed = run.request.dists.get(name)
        return coming.get(name) or (
            None if installed is None else installed.raw_version
        )

    gpus = amd.gpus_of(run.target.detected.query_all())
    return amd.missing_extras(dist, gpus, version_of)
