"""Parse the requirements and markers of providers (PEP 850).

Parsing is slow, so installers parse only the providers that they query. ``wheel-variants
check`` reports the same problems.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from packaging.markers import Marker
from packaging.requirements import Requirement

from wheel_variants.markers import is_about_variant
from wheel_variants.safe_repr import safe_repr

__all__ = ["UnusableProvider", "applies", "parse_requirement", "requirement_applies"]


class UnusableProvider(ValueError):
    """A requirement or condition is invalid; the message explains why."""


@contextmanager
def _readable(problem: str) -> Iterator[None]:
    """Raise :class:`UnusableProvider` if parsing or evaluating fails."""
    try:
        yield
    except (KeyError, RecursionError, ValueError):  # all that packaging raises
        raise UnusableProvider(problem) from None


def parse_requirement(text: str, namespace: str) -> Requirement:
    """Parse a requirement of the plugin for *namespace*.

    :raises UnusableProvider: if *text* is not a requirement, or depends on the variant.
    """
    what = _requirement(text, namespace)
    if is_about_variant(text):
        raise UnusableProvider(
            f"{what} depends on the variant, but no variant is selected yet"
        )
    with _readable(f"{what} is not a dependency specifier"):
        return Requirement(text)


def _requirement(text: str, namespace: str) -> str:
    return (
        f"the requirement {safe_repr(text)} of the provider for {safe_repr(namespace)}"
    )


def requirement_applies(
    requirement: Requirement, namespace: str, environment: Mapping[str, str]
) -> bool:
    """Return whether the marker of a requirement, if any, is true.

    :raises UnusableProvider: if the marker cannot be evaluated.
    """
    if requirement.marker is None:
        return True
    what = _requirement(str(requirement), namespace)
    with _readable(f"the marker of {what} cannot be evaluated"):
        return requirement.marker.evaluate({**environment, "extra": ""})


def applies(enable_if: str, namespace: str, environment: Mapping[str, str]) -> bool:
    """Return whether the marker ``enable-if`` of a provider is true (before PEP 850).

    :raises UnusableProvider: if the marker cannot be evaluated.
    """
    what = f"'enable-if' of the provider for {safe_repr(namespace)}"
    with _readable(f"{what} is not a valid marker: {enable_if!r}"):
        return Marker(enable_if).evaluate({**environment})
