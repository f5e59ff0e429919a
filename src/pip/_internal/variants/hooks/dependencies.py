"""Dependencies of a distribution, with the markers of its variant resolved.

Upstream turns a dependency into text, parses it and evaluates its marker once more,
where nobody knows which wheel it came from. So what depends on the variant is settled
here, and what is passed on no longer mentions it.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from pip._vendor.packaging.markers import UndefinedComparison, UndefinedEnvironmentName
from pip._vendor.packaging.requirements import InvalidRequirement, Requirement
from pip._vendor.packaging.utils import canonicalize_name

from pip._internal.console.output import get_logger
from pip._internal.variants.choice.installed import Bound, bind, bound_of
from pip._internal.variants.wheels.links import label_of

if TYPE_CHECKING:
    from pip._internal.metadata import BaseDistribution
    from pip._internal.models.link import Link
    from pip._internal.operations.prepare import RequirementPreparer
    from pip._internal.req.req_install import InstallRequirement
    from pip._internal.variants.choice.context import Context

__all__ = ["dependencies", "extra_mapping", "metadata_fetched"]

logger = get_logger(__name__)

_UNDEFINED = (UndefinedComparison, UndefinedEnvironmentName)


def metadata_fetched(
    fn: Callable[..., BaseDistribution | None],
    preparer: RequirementPreparer,
    req: InstallRequirement,
) -> BaseDistribution | None:
    """Bind metadata that was fetched without its wheel to the variant it is of."""
    from pip._internal.variants.choice.context import context_of
    from pip._internal.variants.choice.releases import weighed

    dist = fn(preparer, req)
    link = req.link
    if link is None or not link.is_wheel:
        return dist
    context, label = context_of(preparer.finder), label_of(link)
    # Asked in any case: it takes note of what would be replaced.
    if context is not None and _may_be_in_vain(context, req, link) and dist is None:
        dist = _without_its_wheel(preparer, link)
    if dist is None:
        return None
    if label is not None:
        selection = None if context is None else weighed(context).selection_of(link)
        if context is not None and link.metadata_link() is None:
            from pip._internal.variants.choice.verification import check_prepared

            # It was read from the wheel, so what that says of itself is here too.
            selection = check_prepared(context, dist, link, label)
        if selection is not None and selection.manifest is not None:
            from pip._internal.variants.hooks.report import remember_selection

            remember_selection(req, selection)
            bind(dist, label, selection.properties(label), selection.manifest)
    return dist


def _may_be_in_vain(context: Context, req: InstallRequirement, link: Link) -> bool:
    """Tell whether a wheel may be looked at, and something else installed.

    So it is with a build that would replace what is installed, and with what would
    replace it: that may yet stay.
    """
    from pip._internal.variants.choice.releases import weighed

    release = weighed(context).release_of(link)
    if release is not None and release.labels:
        from pip._internal.variants.choice.neighbours import replaced

        would_go = {canonicalize_name(each.name) for _, each in replaced(context, link)}
        context.contested |= would_go
        if would_go or release.builds_in_turn:
            return True
    # What the user names by its URL is what he gets.
    if not context.contested or link.comes_from is None or req.req is None:
        return False
    return canonicalize_name(req.req.name) in context.contested


def _without_its_wheel(
    preparer: RequirementPreparer, link: Link
) -> BaseDistribution | None:
    """Read what a wheel says of itself, and as little else of it as can be.

    :return: None if all of it has to be downloaded for that.
    """
    if link.is_file or preparer.require_hashes:
        return None
    from pip._internal.variants.wheels.remote_wheels import (
        WheelUnreadable,
        remote_wheel,
    )

    try:
        return remote_wheel(preparer._session, link)
    except WheelUnreadable as error:
        logger.info("Downloading %s to see what it needs: %s", link.filename, error)
        return None


def dependencies(
    fn: Callable[..., Iterable[Requirement]],
    dist: BaseDistribution,
    extras: Collection[str] = (),
) -> Iterator[Requirement]:
    """Give the dependencies of a distribution, its variant's markers resolved.

    :raises InvalidRequirement: while they are given, for one that cannot be evaluated:
        upstream passes over the wheel then, as it does where one cannot be parsed.
    """
    bound = bound_of(dist)
    with _evaluated():
        if bound is None:
            yield from fn(dist, extras)
        else:
            yield from _resolved(fn, dist, bound, extras)


@contextmanager
def _evaluated() -> Iterator[None]:
    """Take what cannot be evaluated for what cannot be parsed."""
    try:
        yield
    except InvalidRequirement:
        raise
    except RecursionError:
        from pip._internal.variants.errors import UnusableRequirement

        raise UnusableRequirement("a marker is nested too deeply") from None
    except (*_UNDEFINED, ValueError) as error:
        from pip._internal.variants.errors import UnusableRequirement

        raise UnusableRequirement(str(error)) from None


def _resolved(
    fn: Callable[..., Iterable[Requirement]],
    dist: BaseDistribution,
    bound: Bound,
    extras: Collection[str],
) -> Iterator[Requirement]:
    from pip._vendor.packaging._variants import resolve_marker

    from pip._internal.variants.core.markers import during

    yield from map(Requirement, bound.requirements)
    with during(bound.environment):
        found = list(fn(dist, extras))
    for requirement in found:
        if requirement.marker is None:
            yield requirement
            continue
        # Upstream keeps parsed requirements for the next who asks.
        text = copy.copy(requirement)
        text.marker = resolve_marker(requirement.marker, bound.environment)
        yield type(requirement)(str(text))


def extra_mapping(
    fn: Callable[..., Mapping[Any, str]], dist: BaseDistribution
) -> Mapping[Any, str]:
    """Let pkg_resources evaluate all markers, which it does here, for the variant."""
    bound = bound_of(dist)
    if bound is None:
        with _evaluated():
            return fn(dist)
    from pip._internal.variants.core.markers import during

    with _evaluated(), during(bound.environment):
        return fn(dist)
