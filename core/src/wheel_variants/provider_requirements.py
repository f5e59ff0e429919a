"""What manifests say of providers in the language of dependency specifiers (PEP 850).

Parsing it is slow, so installers do so only for providers that they ask. Publishers are
told of the same problems.
"""

from __future__ import annotations

from collections.abc import Mapping

from packaging.markers import (
    InvalidMarker,
    Marker,
    UndefinedComparison,
    UndefinedEnvironmentName,
)
from packaging.requirements import InvalidRequirement, Requirement

from wheel_variants.markers import is_about_variant
from wheel_variants.shown import shown

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


def parse_requirement(text: str, namespace: str) -> Requirement:
    """Parse a requirement of the plugin for *namespace*.

    :raises UnusableProvider: if it is no requirement, or depends on the variant.
    """
    what = f"the provider of {shown(namespace)}"
    if is_about_variant(text):
        raise UnusableProvider(
            f"{what} requires {shown(text)}, which depends on the variant: none is "
            "chosen yet"
        )
    try:
        return Requirement(text)
    except _UNUSABLE:
        raise UnusableProvider(
            f"{what} requires {shown(text)}, which is no dependency specifier"
        ) from None


def requirement_applies(
    requirement: Requirement, namespace: str, environment: Mapping[str, str]
) -> bool:
    """Tell whether the marker of a requirement holds, if it has one.

    :raises UnusableProvider: if that cannot be told.
    """
    if requirement.marker is None:
        return True
    try:
        return requirement.marker.evaluate({**environment, "extra": ""})
    except _UNUSABLE:
        raise UnusableProvider(
            f"the provider of {shown(namespace)} requires {shown(str(requirement))}, "
            "whose marker cannot be evaluated"
        ) from None


def applies(enable_if: str, namespace: str, environment: Mapping[str, str]) -> bool:
    """Tell whether a provider applies by its ``enable-if`` (before PEP 850).

    :raises UnusableProvider: if that cannot be told.
    """
    try:
        return Marker(enable_if).evaluate({**environment})
    except _UNUSABLE:
        raise UnusableProvider(
            f"the provider of {shown(namespace)} applies if {enable_if!r}, which cannot "
            "be evaluated"
        ) from None
