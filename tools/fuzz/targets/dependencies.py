"""Fuzz dependencies with variant markers."""

from __future__ import annotations

import re
from email.message import Message
from typing import Any

from hypothesis import strategies as st

from pip._vendor.packaging._variants import during
from pip._vendor.packaging.markers import (
    InvalidMarker,
    Marker,
    UndefinedComparison,
    UndefinedEnvironmentName,
)
from pip._vendor.packaging.requirements import InvalidRequirement, Requirement
from pip._vendor.wheel_variants.markers import (
    is_about_variant,
    resolve_requirement,
    variant_environment,
)
from pip._vendor.wheel_variants.properties import InvalidProperty, Property

from tools.fuzz.shapes import named
from tools.fuzz.target import FuzzTarget, structured

__all__ = ["TARGETS"]

#: The exceptions that upstream's evaluation also raises.
_REFUSED = (UndefinedComparison, UndefinedEnvironmentName)
_OPERATOR = "(?:[<>=!~]+|(?:not )?in)"
#: packaging takes one of two variables as a string, and one of two strings as a variable.
_TWO_OF_A_KIND = re.compile(rf"[a-z_]+ {_OPERATOR} [a-z_]+|[\"'] {_OPERATOR} [\"']")
_PROPERTIES = (
    Property("nvidia", "sm_arch", "90_real"),
    Property("x86_64", "level", "v3"),
)
_ENVIRONMENT = variant_environment("cu128", _PROPERTIES)

_LITERALS = (
    *("cu128", "nvidia", "nvidia :: sm_arch", "nvidia::sm_arch", "nvidia :: sm"),
    *(" nvidia  ::sm_arch :: 90_real ", "posix", "3.12", ""),
)
_VARIABLES = (
    *("variant_label", "variant_properties", "variant_features"),
    *("variant_namespaces", "os_name", "python_version", "extra"),
)
_OPERATORS = ("in", "not in", "==", "!=", "<", ">=", "~=", "===")


_OPERAND = st.sampled_from(_VARIABLES) | named(*_LITERALS).map(lambda x: f'"{x}"')
_ATOM = st.tuples(_OPERAND, st.sampled_from(_OPERATORS), _OPERAND).map(" ".join)


def _joined(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    joined = st.tuples(inner, st.sampled_from(("and", "or")), inner).map(" ".join)
    return joined | joined.map(lambda text: f"({text})")


def _check_marker(expression: str, os_name: str, extra: str) -> None:
    _check(f"foo; {expression}", os_name, extra)


def _check(text: str, os_name: str = "posix", extra: str = "") -> None:
    if text.count("(") > 100:  # packaging may raise RecursionError
        return
    try:
        marker = Requirement(text).marker
    except InvalidRequirement:
        return
    if marker is None or _TWO_OF_A_KIND.search(str(marker)):
        return
    environment: dict[str, Any] = {"os_name": os_name, "extra": extra}
    expected = _evaluated(marker, {**environment, **_ENVIRONMENT})
    with during(_ENVIRONMENT):
        assert _evaluated(marker, environment) == expected
    try:
        resolved = resolve_requirement(text, _ENVIRONMENT)
    except (*_REFUSED, InvalidMarker):  # e.g. half of a surrogate pair in a string
        return
    assert not is_about_variant(resolved)
    rest = Requirement(resolved).marker
    if rest is None:
        assert expected in (True, None)
        return
    found = _evaluated(rest, environment)
    # A part that cannot be evaluated does not matter if another part decides.
    assert expected is None or found == expected


def _evaluated(marker: Marker, environment: dict[str, Any]) -> bool | None:
    try:
        return marker.evaluate(environment)
    except (*_REFUSED, ValueError):  # ValueError: more than 4,300 digits
        return None


def _run(data: bytes) -> None:
    text = data.decode("utf-8", "replace")
    message = Message()
    message["Requires-Dist"] = text.replace("\n", " ").replace("\r", " ")
    _check(message["Requires-Dist"])
    try:
        Property.parse(text)
    except InvalidProperty:
        return


TARGETS = (
    structured(
        "marker",
        _check_marker,
        st.recursive(_ATOM, _joined, max_leaves=16),
        st.sampled_from(("posix", "nt", "3.12")),
        st.sampled_from(("", "e")),
    ),
    FuzzTarget(
        "requirement",
        _run,
        lambda: [
            b"foo[e]>=1; 'nvidia :: sm_arch' in variant_features",
            b'foo; variant_label != "cu128" or (os_name == "nt" and extra == "e")',
            b"nvidia :: sm_arch :: 90_real",
        ],
    ),
)
