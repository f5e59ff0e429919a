"""Say which extras for GPUs builds are taken with, and which have none for the GPU."""

from __future__ import annotations

import logging
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from pip._internal.console.output import get_logger
from pip._internal.console.texts import Hint
from pip._internal.variants.choice.device_extras import (
    Lack,
    Need,
    is_for_any,
    is_new,
    is_passed_over,
    needs,
)
from pip._internal.variants.choice.invocation import again, command
from pip._internal.variants.choice.reasons import build_name
from pip._internal.variants.choice.settings import NO_DEVICE_EXTRAS
from pip._internal.variants.core.device_extras import device_of
from pip._internal.variants.wheels.links import label_of

if TYPE_CHECKING:
    from pip._internal.req.req_set import RequirementSet
    from pip._internal.resolution.resolvelib.base import Candidate
    from pip._internal.variants.choice.context import Context

__all__ = ["listed", "tell", "tell_of_failure"]

logger = get_logger(__name__)

_FAILS = "computations on that GPU will fail"


def tell(
    context: Context, found: Collection[Candidate], requirements: RequirementSet
) -> None:
    """Say which extras were added, and what has none for the GPU that is there.

    :param found: all candidates that the resolver chose.
    :param requirements: what of it is to be installed.
    """
    versions = {each.project_name: each.version for each in found}
    for need in needs(context):
        candidate, link = need.candidate, need.candidate.source_link
        version = versions.get(candidate.project_name)
        if version is None:
            continue
        # One of several builds that are locked was not chosen in the end.
        is_locking = is_for_any(context, link) and link in context.device_extras
        if candidate in found or (is_locking and candidate.version == version):
            if need.extras and is_new(need, found, requirements):
                context.say_once(logging.INFO, _added(context, need))
            if need.left_out:
                context.say_once(logging.WARNING, _left_out(context, need))
            elif not need.extras:
                context.say_once(logging.WARNING, _missing(context, need))
        elif is_passed_over(need, found, version):
            context.say_once(
                logging.WARNING,
                f"{candidate.project_name} {version} was chosen instead of "
                f"{candidate.version}, and what {_with(candidate, need.extras)} needs may "
                f"be why ({NO_DEVICE_EXTRAS.name} leaves it out)",
            )


def tell_of_failure(context: Context) -> None:
    """Say which extras were looked for that nobody typed: that may be why it failed."""
    added = {
        _with(need.candidate, [extra])
        for need in needs(context)
        for extra in need.extras
    }
    if added:
        logger.warning(
            "Besides what was typed, %s was looked for, since the target machine has "
            "such a GPU: %s leaves it out",
            listed(sorted(added)),
            NO_DEVICE_EXTRAS.name,
        )


def _added(context: Context, need: Need) -> str:
    link = need.candidate.source_link
    off = f"{'it' if len(need.extras) == 1 else 'them'} out"
    off = "(as locked)" if need.is_locked else f"({NO_DEVICE_EXTRAS.name} leaves {off})"
    others = [each for each in need.devices if each not in need.offered]
    but = f"; there is none for {listed(others)}" if others else ""
    if is_for_any(context, link):
        each = "" if len(need.extras) == 1 else "each "
        label = None if link is None else label_of(link)
        build = build_name(_name(need.candidate), label)
        return (
            f"Locking {_extras(need.extras)} of {build}, {each}for machines with that GPU"
            f"{but} {off}"
        )
    said = f"Adding {_with_reasons(need)}{but} {off}"
    if context.settings.several_builds:
        said += ": the lock file is for such machines alone"
    return said


def _with_reasons(need: Need) -> str:
    """Say which extras are for the GPUs of the target, and which were there before."""
    kept = [each for each in need.extras if device_of(each) not in need.devices]
    new = [each for each in need.extras if each not in kept]
    to = f"to {_name(need.candidate)}"
    if not new:
        return f"{_extras(kept)} {to}, as before"
    said = f"{_extras(new)} {to}, for the GPU{'' if len(new) == 1 else 's'}"
    before = f", and {listed(kept)} as before" if kept else ""
    return f"{said} of the target machine{before}"


def _extras(names: Sequence[str]) -> str:
    return f"the extra{'' if len(names) == 1 else 's'} {listed(names)}"


def _left_out(context: Context, need: Need) -> str:
    which = _with(need.candidate, need.left_out)
    if need.lack is Lack.NOT_FOUND:
        return f"What {which} needs is not to be found, nor locked, so {_FAILS}"
    if need.lack is Lack.NOT_LOCKED:
        # What each machine needs, and not what this one does for all of them.
        to_lock = command(context.options, "lock", need.candidate.project_name)
        said = f"What {which} needs is not in the lock file, so {_FAILS}. To lock it:"
        return Hint(said, to_lock)
    name = need.candidate.project_name
    return Hint(
        f"{_name(need.candidate)} is installed without what {which} needs, so {_FAILS}. "
        "To add it:",
        command(context.options, "install", *need.options, name),
    )


def _missing(context: Context, need: Need) -> str:
    name = _name(need.candidate)
    if need.devices:
        why = f"{name} has no extra for {listed(need.devices)}, so {_FAILS}"
    elif is_for_any(context, need.candidate.source_link):
        why = f"The variants of {name} do not tell their GPUs; without its extra, {_FAILS}"
    else:
        why = f"Nothing tells for which GPU {name} is; without its extra, {_FAILS}"
    offered = listed([f"device-{each}" for each in need.offered])
    some = _with(need.candidate, ["device-gfxNNNN"])
    if need.is_locked:
        # The others are not in the file, and none of it may come from elsewhere.
        to_lock = command(context.options, "lock", some)
        return Hint(f"{why}. There is {offered}. To lock one:", to_lock)
    return Hint(
        f"{why}. There is {offered}. To take one:", again(context.options, some)
    )


def _with(candidate: Candidate, extras: Sequence[str]) -> str:
    return f"{candidate.project_name}[{','.join(extras)}]"


def _name(candidate: Candidate) -> str:
    return f"{candidate.project_name} {candidate.version}"


def listed(names: Sequence[str]) -> str:
    """Join names as a sentence has them."""
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} and {names[-1]}"
