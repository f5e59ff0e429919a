"""Variant properties and supported properties (PEP 825, "Variant properties").

Pure: no I/O.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping
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
    "parse_parts",
]

# Explicit ASCII classes: ``\w`` and ``\d`` would accept other scripts, and ``$`` would
# accept a trailing newline.
_NAME = re.compile(r"[0-9a-z_]+")
_VALUE = re.compile(r"[0-9a-z_.]+")


class InvalidProperty(ValueError):
    """A text is not of the form ``namespace :: feature :: value``."""


# Manifests repeat the same few names and values.
@functools.lru_cache(maxsize=4096)
def is_valid_namespace(text: str) -> bool:
    """Return whether *text* is valid as a namespace."""
    return _NAME.fullmatch(text) is not None


# PEP 825 has one grammar for namespaces and features.
is_valid_feature_name = is_valid_namespace


@functools.lru_cache(maxsize=4096)
def is_valid_value(text: str) -> bool:
    """Return whether *text* is valid as the value of a feature."""
    return _VALUE.fullmatch(text) is not None


_PARTS = (
    ("namespace", is_valid_namespace),
    ("feature", is_valid_feature_name),
    ("value", is_valid_value),
)


def parse_parts(text: str, least: int) -> list[str]:
    """Parse a namespace, feature and value separated by ``::``.

    :param least: the minimum number of parts.
    :raises InvalidProperty: if *text* has another form.
    """
    parts = [part.strip() for part in text.split("::")]
    if not least <= len(parts) <= len(_PARTS):
        form = "namespace :: feature :: value"
        if least < len(_PARTS):
            form = "namespace[ :: feature[ :: value]]"
        raise InvalidProperty(f"expected '{form}', got {text!r}")
    for part, (what, is_valid) in zip(parts, _PARTS, strict=False):
        if not is_valid(part):
            raise InvalidProperty(f"invalid {what} {part!r} in {text!r}")
    return parts


class Feature(NamedTuple):
    """A named aspect of a machine or a variant, such as ``nvidia :: sm_arch``."""

    namespace: str
    name: str

    def __str__(self) -> str:
        return " :: ".join(self)


class Property(NamedTuple):
    """One value of one feature, such as ``nvidia :: sm_arch :: 90_real``."""

    namespace: str
    feature: str
    value: str

    @classmethod
    def parse(cls, text: str) -> Property:
        """Parse ``namespace :: feature :: value``; whitespace around ``::`` is optional.

        :raises InvalidProperty: if *text* has another form.
        """
        return cls(*parse_parts(text, least=3))

    def __str__(self) -> str:
        return " :: ".join(self)


class SupportedFeature(NamedTuple):
    """A supported feature with its values, most preferred first."""

    name: str
    values: tuple[str, ...]


#: The supported features of a machine by namespace, most preferred first. A namespace
#: without features is the same as a missing namespace.
SupportedProperties = Mapping[str, tuple[SupportedFeature, ...]]
