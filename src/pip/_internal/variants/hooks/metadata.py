"""Resolve variant markers in the dependencies of a distribution.

Upstream converts a dependency to text, and parses and evaluates its marker again without
knowing the wheel. So this module resolves variant markers, and passes requirements
without such markers to upstream.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING, Any

from pip._vendor.packaging.markers import UndefinedEnvironmentName
from pip._vendor.packaging.requirements import InvalidRequirement, Requirement

from pip._internal.variants.selection.installed import bound_of, installed_label

if TYPE_CHECKING:
    from pip._internal.metadata import BaseDistribution


def with_variant(name: object, dist: BaseDistribution, form: str) -> str:
    """Return a name, with the label of the installed variant added if there is one.

    :param form: the text to add, with ``{}`` for the label.
    """
    label = installed_label(dist)
    return str(name) if label is None else f"{name}{form.format(label)}"


def dependencies(
    fn: Callable[..., Iterable[Requirement]],
    dist: BaseDistribution,
    extras: Collection[str] = (),
) -> Iterator[Requirement]:
    """Yield the dependencies of a distribution with resolved variant markers.

    :raises InvalidRequirement: if a dependency cannot be evaluated; upstream then skips the
        wheel, as for a dependency that cannot be parsed.
    """
    bound = bound_of(dist)
    with _evaluated():
        if bound is None:
            yield from fn(dist, extras)
            return
        from pip._vendor.packaging._variants import during
        from pip._vendor.wheel_variants.markers import resolve_requirement

        yield from map(Requirement, bound.requirements)
        with during(bound.environment):
            found = list(fn(dist, extras))
        for requirement in found:
            text = str(requirement)
            resolved = resolve_requirement(text, bound.environment)
            yield requirement if resolved == text else type(requirement)(resolved)


@contextmanager
def _evaluated() -> Iterator[None]:
    """Report markers that cannot be evaluated as invalid requirements."""
    try:
        yield
    except InvalidRequirement:
        raise
    except (RecursionError, UndefinedEnvironmentName, ValueError) as error:
        from pip._internal.variants.errors import UnusableRequirement

        is_deep = isinstance(error, RecursionError)
        problem = "a marker is nested too deeply" if is_deep else str(error)
        raise UnusableRequirement(problem) from None


def extra_mapping(
    fn: Callable[..., Mapping[Any, str]], dist: BaseDistribution
) -> Mapping[Any, str]:
    """Make pkg_resources evaluate variant markers."""
    from pip._vendor.packaging._variants import during

    bound = bound_of(dist)
    with _evaluated(), nullcontext() if bound is None else during(bound.environment):
        return fn(dist)
