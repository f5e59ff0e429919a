"""Judge the properties of variants by what providers make of them."""

from __future__ import annotations

from collections.abc import Iterable

from pip._vendor.packaging.utils import canonicalize_name

from pip._internal.variants.core import abi_dependency
from pip._internal.variants.core.manifest import Provider
from pip._internal.variants.core.properties import Property
from pip._internal.variants.machine.known_providers import doubt_about
from pip._internal.variants.publishing.rules import Findings

__all__ = [
    "check_abi_dependencies",
    "check_known_properties",
    "check_static_properties",
]


def check_known_properties(stated: Iterable[Property], findings: Findings) -> None:
    """Judge properties of namespaces that pip serves itself."""
    for each in stated:
        doubt = doubt_about(each)
        if doubt is not None:
            findings.add("never-supported", f"No machine supports {each}: {doubt}")


def check_static_properties(
    stated: Iterable[Property], provider: Provider, findings: Findings
) -> None:
    """Judge properties of a namespace by the static list of its provider."""
    static = {feature.name: set(feature.values) for feature in provider.static}
    for each in stated:
        if each.value not in static.get(each.feature, ()):
            findings.add(
                "never-supported",
                f"No machine supports {each}: it is not in the provider's static list",
                "Add the value to the list",
            )


def check_abi_dependencies(stated: Iterable[Property], findings: Findings) -> None:
    """Judge properties that stand for versions of other packages (PEP 850)."""
    for each in stated:
        doubt = abi_dependency.doubt_about(each)
        if doubt is not None:
            normalised = canonicalize_name(each.feature).replace("-", "_")
            remedy = None if normalised == each.feature else f"Write {normalised}"
            findings.report("abi-dependency", doubt, remedy)
