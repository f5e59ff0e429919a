"""Report installed variants for an accelerator that give way to packages without one."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from logging import WARNING
from typing import TYPE_CHECKING

from pip._internal.console.texts import Hint, with_label
from pip._internal.variants.errors import DroppedVariants
from pip._internal.variants.output.invocation import again, command, is_typed
from pip._internal.variants.output.required_accelerators import why_not
from pip._internal.variants.selection.accelerators import Cause, lost_accelerators

if TYPE_CHECKING:
    import optparse

    from pip._vendor.packaging.utils import NormalizedName
    from pip._vendor.resolvelib.resolvers import Result

    from pip._internal.metadata import BaseDistribution
    from pip._internal.resolution.resolvelib.base import Candidate, Requirement
    from pip._internal.resolution.resolvelib.resolver import Resolver
    from pip._internal.variants.selection.accelerators import Unaccelerated
    from pip._internal.variants.selection.run import Run

__all__ = ["report_lost"]

#: Options that may ask for a package that uses no accelerator.
_CHOOSING = (
    *("--variant", "--no-variants", "--variant-host"),
    *("--cpuonly", "--pytorch-computation-backend"),
)


def report_lost(
    run: Run, resolver: Resolver, dists: Mapping[NormalizedName, BaseDistribution]
) -> None:
    """Warn of installed variants for an accelerator that would be lost.

    :param resolver: with its result.
    :param dists: what is installed.
    :raises VariantLost: if the user is strict, has not typed an option that chooses, and
        has not hidden the devices.
    """
    result = resolver._result
    assert result is not None, "it has resolved"
    for dist, label, other in lost_accelerators(run, dists, result.mapping.values()):
        what = f"{dist.raw_name} {with_label(str(dist.version), label)}"
        reason = why_not(other)
        parents = _requiring(result, dist, other.project)
        if other.cause is Cause.OLDER and None in parents:
            # The user asked for it.
            continue
        keep = _to_keep(run.settings.options, parents, dist, other)
        said = f"pip replaces {what}, which uses an accelerator. {reason} {keep.said}"
        warning = Hint(said, keep.command)
        if other.cause is Cause.OLDER or _is_chosen(run):
            run.reporter.say_once(WARNING, warning)
        else:
            lost = f"the installed variant {label} of {dist.raw_name} {dist.version}"
            dropped = DroppedVariants(lost, reason, warning, "replaces it", [keep])
            run.reporter.report([dropped])


def _is_chosen(run: Run) -> bool:
    """Return whether the user typed an option that chooses, or hides the devices."""
    options = run.settings.options
    answers = run.target.providers.query_all().values()
    return any(is_typed(options, each) for each in _CHOOSING) or any(
        answer.hidden_by for answer in answers
    )


def _requiring(
    result: Result[Requirement, Candidate, str],
    dist: BaseDistribution,
    project: NormalizedName,
) -> set[str | None]:
    """Return which projects allow another version alone; None stands for the user."""
    parents = [
        each.parent
        for criterion in result.criteria.values()
        for each in criterion.information
        if each.requirement.project_name == project
        and not _allows(each.requirement, dist)
    ]
    return {None if each is None else each.project_name for each in parents}


def _to_keep(
    options: optparse.Values,
    parents: Collection[str | None],
    dist: BaseDistribution,
    other: Unaccelerated,
) -> Hint:
    """Return the command that keeps an installed package, as far as there is one."""
    kept = f"To keep {dist.raw_name} {dist.version}"
    pin = f"{dist.raw_name}=={dist.version}"
    if str(dist.version) == other.version:
        without = ("--force-reinstall", "--ignore-installed")
        return Hint(f"{kept}:", again(options, without=without))
    if None in parents:
        said = f"The command requires another version. {kept}:"
        return Hint(said, command(options, "install", pin))
    if parents:
        parent = " and ".join(sorted(filter(None, parents)))
        said = f"{parent} requires that. {kept} with another release of {parent}:"
        return Hint(said, again(options, pin))
    return Hint(f"{kept}:", again(options, pin))


def _allows(requirement: Requirement, dist: BaseDistribution) -> bool:
    """Return whether the installed version satisfies a requirement."""
    candidate, ireq = requirement.get_candidate_lookup()
    if candidate is not None:
        return False
    return ireq is None or ireq.specifier.contains(dist.version, prereleases=True)
