"""Environment markers about the variant of a wheel (PEP 825, "Environment markers").

``variant_label``, ``variant_properties``, ``variant_features`` and
``variant_namespaces`` describe the wheel that a dependency belongs to: its label, and
which of its properties the target supports. Released ``packaging`` rejects these names,
so :func:`resolve_marker` and :func:`resolve_requirement` evaluate them first and leave
the rest to ``packaging``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from operator import eq, ne

from packaging.markers import InvalidMarker, UndefinedComparison
from packaging.requirements import InvalidRequirement

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

#: Never holds, and every version of packaging can read it.
_NEVER = 'python_version < "0"'
_VARIABLE = re.compile(r"variant_(?:label|properties|features|namespaces)")
_TOKEN = re.compile(
    r"""\s*(?:(?P<string>'[^']*'|"[^"]*")|(?P<word>[A-Za-z_][A-Za-z0-9_.]*)"""
    r"""|(?P<other>[()]|[<>=!~]=?=?))"""
)
# A URL ends with white space before the semicolon.
_REQUIREMENT = re.compile(
    r"(?P<rest>[^;@]*|[^;@]*@\s*\S+)\s*;(?P<marker>.*)", re.DOTALL
)
# Strings have no order, as in all dependency specifiers.
_STRINGS: Mapping[str, Callable[[str, str], bool]] = {
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

    White space around ``::`` does not matter; a part of a member is no member.
    """

    def __new__(cls, members: Iterable[str] = ()) -> MarkerSet:
        """Make a set of members without white space around ``::``."""
        return super().__new__(cls, map(_without_space, members))

    def __contains__(self, member: object) -> bool:
        return isinstance(member, str) and super().__contains__(_without_space(member))


def _without_space(text: str) -> str:
    return "::".join(part.strip() for part in text.split("::"))


def variant_environment(
    label: str, properties: Iterable[Property]
) -> VariantEnvironment:
    """Return the values of the markers for a variant.

    :param properties: those that it declares and the target supports.
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


#: The values of the markers for a wheel that is no variant.
NO_VARIANT: VariantEnvironment = variant_environment("", ())


def is_about_variant(requirement: str) -> bool:
    """Tell whether the marker of a dependency specifier is about the variant."""
    match = _REQUIREMENT.fullmatch(requirement)
    return match is not None and any(
        _VARIABLE.fullmatch(token["word"] or "")
        for token in _TOKEN.finditer(match["marker"])
    )


def resolve_requirement(text: str, environment: VariantEnvironment) -> str:
    """Resolve the marker of a dependency specifier; see :func:`resolve_marker`.

    :raises packaging.requirements.InvalidRequirement: if the marker is invalid.
    """
    match = _REQUIREMENT.fullmatch(text)
    if match is None or not is_about_variant(text):
        return text
    try:
        marker = resolve_marker(match["marker"], environment)
    except InvalidMarker as error:
        raise InvalidRequirement(str(error)) from None
    return f"{match['rest']} ; {marker}" if marker else match["rest"].strip()


def resolve_marker(marker: str, environment: VariantEnvironment) -> str:
    """Return what is left of a marker once the variant is known.

    :param environment: what :func:`variant_environment` returned.
    :return: empty if the marker always holds.
    :raises packaging.markers.InvalidMarker: if *marker* cannot be parsed, or is nested
        too deeply.
    :raises packaging.markers.UndefinedComparison: if an operator is not defined for a
        variable about the variant.
    """
    try:
        rest = _Parser(marker, environment).parse()
    except RecursionError:
        raise InvalidMarker("a marker is nested too deeply") from None
    if isinstance(rest, str):
        return rest
    return "" if rest else _NEVER


def _tokens(marker: str) -> Iterator[tuple[str, str]]:
    position, end = 0, len(marker.rstrip())
    while position < end:
        match = _TOKEN.match(marker, position)
        if match is None:
            raise InvalidMarker(f"invalid marker: {marker!r}")
        assert match.lastgroup is not None
        yield match.lastgroup, match[match.lastgroup]
        position = match.end()


class _Parser:
    """Parses a marker; what is known becomes a boolean, the rest stays text."""

    def __init__(self, marker: str, environment: VariantEnvironment) -> None:
        self._marker = marker
        self._environment = environment
        self._left = list(_tokens(marker))[::-1]

    def parse(self) -> str | bool:
        result = self._alternatives()[0]
        if self._left:
            raise self._invalid()
        return result

    def _alternatives(self) -> tuple[str | bool, bool]:
        """Return a sequence joined by "or", and whether it must be put in parentheses."""
        terms = [self._conjunction()]
        while self._next_is("or"):
            terms.append(self._conjunction())
        if True in terms:
            return True, False
        left = [term for term in terms if isinstance(term, str)]
        return " or ".join(left) or False, len(left) > 1

    def _conjunction(self) -> str | bool:
        terms = [self._atom()]
        while self._next_is("and"):
            terms.append(self._atom())
        if any(term is False for term, _ in terms):
            return False
        left = [(term, is_open) for term, is_open in terms if isinstance(term, str)]
        if len(left) == 1:
            # In parentheses only if it was: alternatives of alternatives are the same.
            return left[0][0]
        return " and ".join(f"({t})" if is_open else t for t, is_open in left) or True

    def _atom(self) -> tuple[str | bool, bool]:
        if self._next_is("("):
            result = self._alternatives()
            if not self._next_is(")"):
                raise self._invalid()
            return result
        left, operator, right = self._side(), self._operator(), self._side()
        sides = [self._value(*left), self._value(*right)]
        if sides == [None, None]:
            return f"{left[1]} {operator} {right[1]}", False
        return self._compare(left, operator, right), False

    def _side(self) -> tuple[str, str]:
        if not self._left or self._left[-1][0] == "other":
            raise self._invalid()
        return self._left.pop()

    def _operator(self) -> str:
        kind, text = self._left.pop() if self._left else ("", "")
        if text == "not" and self._next_is("in"):
            return "not in"
        if text == "in" or (kind == "other" and text not in "()"):
            return text
        raise self._invalid()

    def _value(self, kind: str, text: str) -> str | AbstractSet[str] | None:
        """Return the value of a variable about the variant."""
        return self._environment.get(text) if kind == "word" else None

    def _compare(
        self, left: tuple[str, str], operator: str, right: tuple[str, str]
    ) -> bool:
        values = [
            text[1:-1] if kind == "string" else self._value(kind, text)
            for kind, text in (left, right)
        ]
        first, second = values
        if isinstance(first, str) and operator in _STRINGS:
            if isinstance(second, str):
                return _STRINGS[operator](first, second)
            if isinstance(second, AbstractSet) and operator.endswith("in"):
                return (first in second) is (operator == "in")
        raise UndefinedComparison(
            f"undefined comparison: {left[1]} {operator} {right[1]}"
        )

    def _next_is(self, text: str) -> bool:
        is_next = bool(self._left) and self._left[-1][1] == text
        if is_next:
            self._left.pop()
        return is_next

    def _invalid(self) -> InvalidMarker:
        return InvalidMarker(f"invalid marker: {self._marker!r}")
