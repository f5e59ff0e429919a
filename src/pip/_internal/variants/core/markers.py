"""The environment markers about a wheel's variant (PEP 825).

``variant_label``, ``variant_properties``, ``variant_features`` and
``variant_namespaces`` tell dependencies which variant they belong to: its label, and
which of its properties the target supports.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from contextlib import contextmanager

from pip._vendor.packaging._variants import (
    TARGET_ENVIRONMENT,
    VARIANT_ENVIRONMENT,
    MarkerSet,
)

from pip._internal.variants.core.properties import Property

__all__ = ["VariantEnvironment", "during", "on_target", "variant_environment"]

VariantEnvironment = Mapping[str, "str | AbstractSet[str]"]


def variant_environment(
    label: str, properties: Iterable[Property]
) -> VariantEnvironment:
    """Return the values of the markers for a variant.

    :param properties: what it declares and the target supports.
    """
    properties = list(properties)
    return {
        "variant_label": label,
        "variant_properties": MarkerSet(map(str, properties)),
        "variant_features": MarkerSet(
            f"{each.namespace} :: {each.feature}" for each in properties
        ),
        "variant_namespaces": MarkerSet(each.namespace for each in properties),
    }


@contextmanager
def on_target(environment: Mapping[str, str]) -> Iterator[None]:
    """Evaluate markers for a machine, in all threads.

    :param environment: of that machine; empty for this one.
    """
    before = dict(TARGET_ENVIRONMENT)
    TARGET_ENVIRONMENT.clear()
    TARGET_ENVIRONMENT.update(environment)
    try:
        yield
    finally:
        TARGET_ENVIRONMENT.clear()
        TARGET_ENVIRONMENT.update(before)


@contextmanager
def during(environment: VariantEnvironment) -> Iterator[None]:
    """Evaluate markers for a variant."""
    token = VARIANT_ENVIRONMENT.set(environment)
    try:
        yield
    finally:
        VARIANT_ENVIRONMENT.reset(token)
