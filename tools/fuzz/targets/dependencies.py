"""Dependencies with markers about variants."""

from __future__ import annotations

from email.message import Message
from typing import Any

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
    resolve_marker,
    variant_environment,
)
from pip._vendor.wheel_variants.properties import InvalidProperty, Property

from tools.fuzz.choices import Choices
from tools.fuzz.target import Target, structured

__all__ = ["TARGETS"]

#: What upstream's evaluation raises as well.
_REFUSED = (UndefinedComparison, UndefinedEnvironmentName)
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


def _operand(choices: Choices) -> str:
    if choices.byte() % 2:
        return choices.one_of(_VARIABLES)
    text = choices.text() if choices.rarely() else choices.one_of(_LITERALS)
    return f'"{text}"'


def _expression(choices: Choices, depth: int) -> str:
    if depth and choices.byte() % 2:
        inner = [_expression(choices, depth - 1) for _ in range(2)]
        joined = f" {choices.one_of(('and', 'or'))} ".join(inner)
        return f"({joined})" if choices.byte() % 2 else joined
    operator = choices.one_of(_OPERATORS)
    return f"{_operand(choices)} {operator} {_operand(choices)}"


def _check_marker(choices: Choices) -> None:
    os_name, extra = choices.one_of(("posix", "nt", "3.12")), choices.one_of(("", "e"))
    try:
        marker = Marker(_expression(choices, 4))
    except InvalidMarker:
        return
    _check(marker, os_name, extra)


def _check(marker: Marker, os_name: str, extra: str) -> None:
    environment: dict[str, Any] = {"os_name": os_name, "extra": extra}
    expected = _evaluated(marker, {**environment, **_ENVIRONMENT})
    with during(_ENVIRONMENT):
        assert _evaluated(marker, environment) == expected
    try:
        rest = resolve_marker(str(marker), _ENVIRONMENT)
    except _REFUSED:
        return
    if not rest:
        assert expected in (True, None)
        return
    assert not is_about_variant(f"foo; {rest}")
    found = _evaluated(Marker(rest), environment)
    # A part that cannot be evaluated does not matter where another one decides.
    assert expected is None or found == expected


def _evaluated(marker: Marker, environment: dict[str, Any]) -> bool | None:
    try:
        return marker.evaluate(environment)
    except _REFUSED:
        return None


def _run(data: bytes) -> None:
    text = data.decode("utf-8", "replace")
    message = Message()
    message["Requires-Dist"] = text.replace("\n", " ").replace("\r", " ")
    try:
        requirement = Requirement(message["Requires-Dist"])
    except InvalidRequirement:
        return
    if requirement.marker is not None:
        _check(requirement.marker, "posix", "")
    try:
        Property.parse(text)
    except InvalidProperty:
        return


TARGETS = (
    structured("marker", _check_marker),
    Target(
        "requirement",
        _run,
        lambda: [
            b"foo[e]>=1; 'nvidia :: sm_arch' in variant_features",
            b'foo; variant_label != "cu128" or (os_name == "nt" and extra == "e")',
            b"nvidia :: sm_arch :: 90_real",
        ],
        tokens=[
            *(b"variant_label", b"variant_properties", b"variant_features"),
            *(b"variant_namespaces", b" in ", b" not in ", b" and ", b" or ", b"::"),
            *(b"'nvidia :: sm_arch'", b"extra", b"os_name", b"; ", b"==", b"("),
        ],
    ),
)
