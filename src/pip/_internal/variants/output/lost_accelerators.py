"""Report installed variants for an accelerator that give way to packages without one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from logging import WARNING
from typing import TYPE_CHECKING

from pip._internal.console.texts import Hint, with_label
from pip._internal.variants.errors import DroppedVariants
from pip._internal.variants.output.invocation import again, is_typed
from pip._internal.variants.output.required_accelerators import why_not
from pip._internal.variants.selection.accelerators import lost_accelerators

if TYPE_CHECKING:
    from pip._vendor.packaging.utils import NormalizedName

    from pip._internal.metadata import BaseDistribution
    from pip._internal.resolution.resolvelib.base import Candidate
    from pip._internal.variants.selection.run import Run

__all__ = ["report_lost"]

#: Options that may ask for a package that uses no accelerator.
_CHOOSING = (
    *("--variant", "--no-variants", "--variant-host"),
    *("--cpuonly", "--pytorch-computation-backend"),
)


def report_lost(
    run: Run,
    dists: Mapping[NormalizedName, BaseDistribution],
    found: Iterable[Candidate],
) -> None:
    """Warn of installed variants for an accelerator that would be lost.

    :param dists: what is installed.
    :param found: all candidates that the resolver chose.
    :raises VariantLost: if the user is strict, has not typed an option that chooses, and
        has not hidden the devices.
    """
    options = run.settings.options
    answers = run.target.providers.query_all().values()
    is_chosen = any(is_typed(options, each) for each in _CHOOSING)
    is_chosen = is_chosen or any(answer.hidden_by for answer in answers)
    for dist, label, other in lost_accelerators(run, dists, found):
        name, version = dist.raw_name, str(dist.version)
        what = f"{name} {with_label(version, label)}"
        if version == other.version:
            keep = again(options, without=("--force-reinstall", "--ignore-installed"))
        else:
            keep = again(options, f"{name}=={version}")
        reason = why_not(other)
        said = f"{what} uses an accelerator and is replaced. {reason} To keep it:"
        warning = Hint(said, keep)
        if is_chosen:
            run.reporter.say_once(WARNING, warning)
        else:
            lost = f"the installed variant {label} of {name} {version}"
            dropped = DroppedVariants(lost, reason, warning, "replaces it", [keep])
            run.reporter.report([dropped])
