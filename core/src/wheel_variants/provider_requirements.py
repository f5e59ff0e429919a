"""What manifests say of providers in the language of dependency specifiers (PEP 850).

Parsing it is slow, so installers do so only for providers that they ask. Publishers are
told of the same problems.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from packaging.markers import (
    InvalidMarker,
    Marker,
    UndefinedComparison,
    UndefinedEnvironmentName,
)
from packaging.requirements import InvalidRequirement, Requirement

from wheel_variants.markers import is_about_variant
from wheel_variants.safe_repr import safe_repr

__all__ = ["UnusableProvider", "applies", "parse_requirement", "requirement_applies"]

_UNUSABLE = (
    InvalidMarker,
    InvalidRequirement,
    UndefinedComparison,
    UndefinedEnvironmentName,
    RecursionError,
)


class UnusableProvider(ValueError):
    """A requirement or condition cannot be understood; the message tells people why."""


@contextmanager
def _readable(problem: str) -> Iterator[None]:
    """Report what cannot be parsed or evaluated."""
    try:
        yield
    except _UNUSABLE:
        raise UnusableProvider(problem) from None


def parse_requirement(text: str, namespace: str) -> Requirement:
    """Parse a requirement of the plugin for *namespace*.

    :raises UnusableProvider: if it is no requirement, or depends on the variant.
    """
    requires = f"the provider of {safe_repr(namespace)} requires {safe_repr(text)}"
    if is_about_variant(text):
        raise UnusableProvider(
            f"{requires}, which depends on the variant: none is chosen yet"
        )
    with _readable(f"{requires}, which is no dependency specifier"):
        return Requirement(text)


def requirement_applies(
    requirement: Requirement, namespace: str, environment: Mapping[str, str]
) -> bool:
    """Return whether the marker of a requirement holds, if it has one.

    :raises UnusableProvider: if that cannot be told.
    """
    if requirement.marker is None:
        return True
    requires = (
        f"the provider of {safe_repr(namespace)} requires {safe_repr(str(requirement))}"
    )
    with _readable(f"{requires}, whose marker cannot be evaluated"):
        return requirement.marker.evaluate({**environment, "extra": ""})


def applies(enable_if: str, namespace: str, environment: Mapping[str, str]) -> bool:
    """Return whether a provider applies by its ``enable-if`` (before PEP 850).

    :raises UnusableProvider: if that cannot be told.
    """
    condition = f"the provider of {safe_repr(namespace)} applies if {enable_if!r}"
    with _readable(f"{condition}, which cannot be evaluated"):
        return Marker(enable_if).evaluate({**environment})
