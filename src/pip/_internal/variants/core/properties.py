"""Variant properties and what a machine supports of them (PEP 825, "Variant properties").

Pure: no I/O and nothing from the rest of pip.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

__all__ = [
    "Feature",
    "InvalidProperty",
    "Property",
    "SupportedFeature",
    "SupportedProperties",
    "is_valid_feature_name",
    "is_valid_namespace",
    "is_valid_value",
]

# Explicit ASCII classes: ``\w`` and ``\d`` would let other scripts in, and
# ``$`` would accept a trailing newline.
_NAME = re.compile(r"[0-9a-z_]+")
_VALUE = re.compile(r"[0-9a-z_.]+")


class InvalidProperty(ValueError):
    """A text is not ``namespace :: feature :: value``."""


# Manifests have the same few names and values over and over.
@functools.lru_cache(maxsize=4096)
def is_valid_namespace(text: str) -> bool:
    """Tell whether *text* may name a namespace."""
    return _NAME.fullmatch(text) is not None


# Both names follow one grammar in PEP 825.
is_valid_feature_name = is_valid_namespace


@functools.lru_cache(maxsize=4096)
def is_valid_value(text: str) -> bool:
    """Tell whether *text* may be the value of a feature."""
    return _VALUE.fullmatch(text) is not None


class Feature(NamedTuple):
    """A named aspect of a machine or a build, such as ``nvidia :: sm_arch``."""

    namespace: str
    name: str

    def __str__(self) -> str:
        return f"{self.namespace} :: {self.name}"


class Property(NamedTuple):
    """One value of one feature, such as ``nvidia :: sm_arch :: 90_real``."""

    namespace: str
    feature: str
    value: str

    @classmethod
    def parse(cls, text: str) -> Property:
        """Parse ``namespace :: feature :: value``; white space around ``::`` is free.

        :raises InvalidProperty: if *text* has another form.
        """
        parts = [part.strip() for part in text.split("::")]
        if len(parts) != 3:
            raise InvalidProperty(
                f"expected 'namespace :: feature :: value', got {text!r}"
            )
        namespace, feature, value = parts
        if not is_valid_namespace(namespace):
            raise InvalidProperty(f"invalid namespace {namespace!r} in {text!r}")
        if not is_valid_feature_name(feature):
            raise InvalidProperty(f"invalid feature {feature!r} in {text!r}")
        if not is_valid_value(value):
            raise InvalidProperty(f"invalid value {value!r} in {text!r}")
        return cls(namespace, feature, value)

    def __str__(self) -> str:
        return f"{self.namespace} :: {self.feature} :: {self.value}"


class SupportedFeature(NamedTuple):
    """A feature that a machine supports, with its values, most preferred first."""

    name: str
    values: tuple[str, ...]


class SupportedProperties(Mapping[str, tuple[SupportedFeature, ...]]):
    """What a machine supports: for each namespace its features, most preferred first.

    A namespace without supported features is as good as absent; asking for an
    unknown one gives an empty tuple through :meth:`features`.
    """

    __slots__ = ("_namespaces",)

    def __init__(
        self, namespaces: Mapping[str, Iterable[SupportedFeature]] | None = None
    ) -> None:
        self._namespaces = {
            namespace: tuple(features)
            for namespace, features in (namespaces or {}).items()
        }

    def __getitem__(self, namespace: str) -> tuple[SupportedFeature, ...]:
        return self._namespaces[namespace]

    def __iter__(self) -> Iterator[str]:
        return iter(self._namespaces)

    def __len__(self) -> int:
        return len(self._namespaces)

    def __repr__(self) -> str:
        return f"SupportedProperties({self._namespaces!r})"

    def features(self, namespace: str) -> tuple[SupportedFeature, ...]:
        """Give the supported features of *namespace*, most preferred first."""
        return self._namespaces.get(namespace, ())

    def values_of(self, namespace: str, feature: str) -> tuple[str, ...]:
        """Give the supported values of a feature, most preferred first."""
        for supported in self.features(namespace):
            if supported.name == feature:
                return supported.values
        return ()
