"""Resolve the markers about variants in the dependencies of a distribution.

Upstream turns a dependency into text, parses it and evaluates its marker once more,
where nobody knows which wheel it came from. So markers about the variant are resolved
here, and upstream gets requirements without them.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from pip._vendor.packaging.markers import UndefinedEnvironmentName
from pip._vendor.packaging.requirements import InvalidRequirement, Requirement

from pip._internal.variants.selection.installed import bound_of

if TYPE_CHECKING:
    from pip._internal.metadata import BaseDistribution
    from pip._internal.variants.selection.installed import Bound


def dependencies(
    fn: Callable[..., Iterable[Requirement]],
    dist: BaseDistribution,
    extras: Collection[str] = (),
) -> Iterator[Requirement]:
    """Yield the dependencies of a distribution, markers about its variant resolved.

    :raises InvalidRequirement: one cannot be evaluated; upstream then passes over the
        wheel, as it does if one cannot be parsed.
    """
    bound = bound_of(dist)
    with _evaluated():
        if bound is None:
            yield from fn(dist, extras)
        else:
            yield from _resolved(fn, dist, bound, extras)


@contextmanager
def _evaluated() -> Iterator[None]:
    """Report what cannot be evaluated as if it could not be parsed."""
    try:
        yield
    except InvalidRequirement:
        raise
    except (RecursionError, UndefinedEnvironmentName, ValueError) as error:
        from pip._internal.variants.errors import UnusableRequirement

        is_deep = isinstance(error, RecursionError)
        problem = "a marker is nested too deeply" if is_deep else str(error)
        raise UnusableRequirement(problem) from None


def _resolved(
    fn: Callable[..., Iterable[Requirement]],
    dist: BaseDistribution,
    bound: Bound,
    extras: Collection[str],
) -> Iterator[Requirement]:
    from pip._vendor.packaging._variants import during
    from pip._vendor.packaging.markers import Marker
    from pip._vendor.wheel_variants.markers import resolve_marker

    yield from map(Requirement, bound.requirements)
    with during(bound.environment):
        found = list(fn(dist, extras))
    for requirement in found:
        if requirement.marker is None:
            yield requirement
            continue
        # A copy, since upstream caches parsed requirements.
        text = copy.copy(requirement)
        rest = resolve_marker(str(requirement.marker), bound.environment)
        text.marker = Marker(rest) if rest else None
        yield type(requirement)(str(text))


def extra_mapping(
    fn: Callable[..., Mapping[Any, str]], dist: BaseDistribution
) -> Mapping[Any, str]:
    """Let pkg_resources evaluate markers for the variant: it evaluates all of them here."""
    bound = bound_of(dist)
    if bound is None:
        with _evaluated():
            return fn(dist)
    from pip._vendor.packaging._variants import during

    with _evaluated(), during(bound.environment):
        return fn(dist)
