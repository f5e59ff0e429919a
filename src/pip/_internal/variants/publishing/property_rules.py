"""Judge the properties of variants by what providers make of them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from pip._vendor.packaging.utils import canonicalize_name

from pip._internal.variants.properties import Property, is_valid_value
from pip._internal.variants.publishing.json_types import shown
from pip._internal.variants.publishing.known_providers import doubt_about
from pip._internal.variants.publishing.rules import Findings

__all__ = [
    "check_abi_dependencies",
    "check_known_properties",
    "check_static_properties",
    "check_values",
]

_ABI_VERSION = re.compile(r"(0|[1-9][0-9]*)(\.(0|[1-9][0-9]*)){0,2}")


def check_values(values: list[str], where: str, findings: Findings) -> None:
    """Judge the values of a feature, in a variant or in a static list."""
    if not values:
        findings.add("property", f"There are no values in {where}")
    if len(set(values)) != len(values):
        findings.add("property", f"A value is repeated in {where}: {shown(values)}")
    for value in values:
        if not is_valid_value(value):
            findings.add("property", f"Invalid value {shown(value)} in {where}")


def check_known_properties(stated: Iterable[Property], findings: Findings) -> None:
    """Judge properties of namespaces that pip serves itself."""
    for each in stated:
        doubt = doubt_about(each)
        if doubt is not None:
            findings.add("never-supported", f"No machine supports {each}: {doubt}")


def check_static_properties(
    stated: Iterable[Property],
    static: Mapping[str, Iterable[str]],
    findings: Findings,
) -> None:
    """Judge properties of a namespace by the static list of its provider."""
    for each in stated:
        if each.value not in static.get(each.feature, ()):
            findings.add(
                "never-supported",
                f"No machine supports {each}: it is not in the provider's static list",
                "Add the value to the list",
            )


def check_abi_dependencies(stated: Iterable[Property], findings: Findings) -> None:
    """Judge properties of the namespace ``abi_dependency`` (PEP 850)."""
    for each in stated:
        normalised = canonicalize_name(each.feature).replace("-", "_")
        if each.feature != normalised:
            findings.add(
                "abi-dependency",
                f"{each} does not name the distribution in its normalised form",
                f"Write {normalised}",
            )
        if _ABI_VERSION.fullmatch(each.value) is None:
            findings.add(
                "abi-dependency",
                f"{each} has no version of one to three numbers, without leading zeros",
            )
