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

from pip._internal.variants.choice.installed import bound_of

if TYPE_CHECKING:
    from pip._internal.metadata import BaseDistribution
    from pip._internal.variants.choice.installed import Bound

_UNDEFINED = (UndefinedComparison, UndefinedEnvironmentName)


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
