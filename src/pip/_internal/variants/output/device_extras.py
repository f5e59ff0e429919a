"""Warn about extras that hold the code for the target's AMD GPUs.

From ROCm 10 on, a wheel of torch contains no GPU code. The packages of an extra contain
it, one extra for each kind of GPU: ``torch[device-gfx1151]``. pip adds no extras itself.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Container, Iterable, Sequence
from typing import TYPE_CHECKING

from pip._vendor.packaging.utils import canonicalize_name

from pip._internal.console.texts import Hint
from pip._internal.variants.output.invocation import again, command

if TYPE_CHECKING:
    from pip._internal.metadata import BaseDistribution
    from pip._internal.resolution.resolvelib.base import Candidate
    from pip._internal.variants.selection.run import Run

__all__ = ["missing_extras", "warn_of_device_extras"]

_PREFIX = "device-"
# ASCII only, and nothing after it: neither "device-gfx1250-strict" nor "device-all".
_EXTRA = re.compile(_PREFIX + r"(gfx[0-9a-f]+)")


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
    run: Run, found: Sequence[Candidate], candidate: Candidate
) -> list[str]:
    """Return the extras for the target's GPUs whose packages are missing."""
    dist: BaseDistribution | None = vars(candidate).get("dist")
    provided = [] if dist is None else dist.iter_provided_extras()
    extras = [each for each in provided if _EXTRA.fullmatch(each)]
    if dist is None or not extras:
        return []
    wanted = (_PREFIX + gpu for gpu in _gpus(run))
    return [e for e in wanted if e in extras and not _is_met(run, found, dist, e)]


def _gpus(run: Run) -> Sequence[str]:
    """Return the architectures of the target's AMD GPUs; detection runs once."""
    answer = run.target.detected.query_all().get("amd")
    return () if answer is None else answer.values("gfx_arch")


def _is_met(
    run: Run, found: Iterable[Candidate], dist: BaseDistribution, extra: str
) -> bool:
    """Whether all that *extra* requires is installed, or is about to be."""
    coming = {each.project_name: str(each.version) for each in found}
    without = {str(each) for each in dist.iter_dependencies()}
    for required in dist.iter_dependencies([extra]):
        if str(required) in without:
            continue
        name = canonicalize_name(required.name)
        installed = run.request.dists.get(name)
        version = coming.get(name) or (installed and installed.raw_version)
        if not (version and required.specifier.contains(version, prereleases=True)):
            return False
    return True
