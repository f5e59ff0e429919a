"""Environment markers about the variant of a wheel (PEP 825, "Environment markers").

``variant_label``, ``variant_properties``, ``variant_features`` and
``variant_namespaces`` describe the wheel that a dependency belongs to: its label, and
its properties that the target supports. Released versions of ``packaging`` reject these
names, so :func:`resolve_marker` and :func:`resolve_requirement` evaluate them first and
leave the rest to ``packaging``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from collections.abc import Set as AbstractSet
from operator import eq, ne
from typing import Any

from packaging.markers import InvalidMarker, Marker, UndefinedComparison

from wheel_variants.properties import Property

__all__ = [
    "MarkerSet",
    "NO_VARIANT",
    "VariantEnvironment",
    "is_about_variant",
    "resolve_marker",
    "resolve_requirement",
    "variant_environment",
]

VariantEnvironment = Mapping[str, "str | AbstractSet[str]"]

#: Markers with a known result that every version of packaging can parse. They start with
#: a space because "and" may directly precede a string, but not a variable.
_ALWAYS, _NEVER = ' python_version >= "0"', ' python_version < "0"'
_STRING = r"""'[^']*'|"[^"]*\""""
_VARIABLE = re.compile(r"\bvariant_(?:label|properties|features|namespaces)\b")
_NAME = r"(?<![A-Za-z0-9_.])(?!(?:and|or|in|not)\b)[A-Za-z_][A-Za-z0-9_.]*"
_SIDE = rf"{_STRING}|{_NAME}"
_COMPARISON = re.compile(rf"({_SIDE})\s*([<>=!~]=?=?|in\b|not\s+in\b)\s*({_SIDE})")
# A URL ends with whitespace before the semicolon.
_REQUIREMENT = re.compile(r"(?P<rest>[^;@]*(?:@\s*\S+\s*)?);(?P<marker>.*)", re.DOTALL)
# Strings have no order, as in all dependency specifiers.
_OPERATORS: Mapping[str, Callable[[str, Any], bool]] = {
    "==": eq,
    "!=": ne,
    "<=": eq,
    ">=": eq,
    "<": lambda *_: False,
    ">": lambda *_: False,
    "in": lambda left, right: left in right,
    "not in": lambda left, right: left not in right,
}


class MarkerSet(frozenset[str]):
    """A set of properties, features or namespaces, as a marker sees it.

    Whitespace around ``::`` does not matter; part of a member is not a member.
    """

    def __new__(cls, members: Iterable[str] = ()) -> MarkerSet:
        """Create a set of members without whitespace around ``::``."""
        return super().__new__(cls, map(_without_space, members))

    def __contains__(self, member: object) -> bool:
        return isinstance(member, str) and super().__contains__(_without_space(member))


def _without_space(text: str) -> str:
    return "::".join(part.strip() for part in text.split("::"))


def variant_environment(
    label: str, properties: Iterable[Property]
) -> VariantEnvironment:
    """Return the values of the variant markers for a variant.

    :param properties: the properties of the variant that the target supports.
    """
    properties = list(properties)
    return {
        "variant_label": label,
        "variant_properties": MarkerSet(map(str, properties)),
        "variant_features": MarkerSet(" :: ".join(each[:2]) for each in properties),
        "variant_namespaces": MarkerSet(each.namespace for each in properties),
    }


#: The values of the variant markers for a plain wheel.
NO_VARIANT: VariantEnvironment = variant_environment("", ())


def is_about_variant(requirement: str) -> bool:
    """Return whether the marker of a dependency specifier refers to the variant."""
    match = _REQUIREMENT.fullmatch(requirement)
    return match is not None and _has_variable(match["marker"])


def _has_variable(marker: str) -> bool:
    return _VARIABLE.search(re.sub(_STRING, "''", marker)) is not None


def resolve_requirement(text: str, environment: VariantEnvironment) -> str:
    """Resolve the marker of a dependency specifier; see :func:`resolve_marker`."""
    match = _REQUIREMENT.fullmatch(text)
    if match is None or not is_about_variant(text):
        return text
    marker = resolve_marker(match["marker"], environment)
    rest = match["rest"].strip()
    return f"{rest} ; {marker}" if marker else rest


def resolve_marker(marker: str, environment: VariantEnvironment) -> str:
    """Evaluate the parts of a marker that refer to the variant, and return the rest.

    :param environment: the result of :func:`variant_environment`.
    :return: a marker that every version of packaging can parse; empty if *marker* refers
        only to the variant, and is true.
    :raises packaging.markers.InvalidMarker: if *marker* cannot be parsed, or is nested too
        deeply.
    :raises packaging.markers.UndefinedComparison: if an operator is not defined for a
        variant variable.
    """
    matches = list(_COMPARISON.finditer(marker))
    text = _COMPARISON.sub(lambda match: _resolved(match, environment), marker)
    try:
        left = Marker(text)
        if matches and all(_has_variable(match[0]) for match in matches):
            return "" if left.evaluate() else _NEVER.strip()
        return text.strip()
    except RecursionError:
        raise InvalidMarker("the marker is nested too deeply") from None


def _resolved(match: re.Match[str], environment: VariantEnvironment) -> str:
    """Return the result of a comparison as a marker; keep comparisons of other variables."""
    if not _has_variable(match[0]):
        return match[0]
    operator = " ".join(match[2].split())
    first, second = (
        environment.get(side) if side[0] not in "'\"" else side[1:-1]
        for side in (match[1], match[3])
    )
    is_defined = isinstance(second, str) or (
        second is not None and operator.endswith("in")
    )
    if isinstance(first, str) and operator in _OPERATORS and is_defined:
        return _ALWAYS if _OPERATORS[operator](first, second) else _NEVER
    raise UndefinedComparison(f"undefined comparison: {match[0]}")
