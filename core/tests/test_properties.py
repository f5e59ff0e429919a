"""Properties and what a machine supports."""

from __future__ import annotations

import pytest

from wheel_variants.properties import (
    InvalidProperty,
    Property,
    SupportedFeature,
    SupportedProperties,
)


@pytest.mark.parametrize(
    "text",
    [
        "nvidia::sm_arch::90_real",
        "nvidia :: sm_arch :: 90_real",
        " nvidia::\tsm_arch ::90_real ",
    ],
)
def test_white_space_is_free(text: str) -> None:
    parsed = Property.parse(text)
    assert parsed == Property("nvidia", "sm_arch", "90_real")
    assert str(parsed) == "nvidia :: sm_arch :: 90_real"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "a",
        "a :: b",
        "a :: b :: c :: d",
        "A :: b :: c",
        "a :: b.c :: d",
        "a :: b :: C",
    ]
    + ["a :: b :: c d", "a :: b ::", ":: b :: c", "a :: b :: é", "a :: \u0661 :: c"],
)
def test_invalid(text: str) -> None:
    with pytest.raises(InvalidProperty) as error:
        Property.parse(text)
    assert repr(text) in str(error.value)


def test_unknown_namespace_supports_nothing() -> None:
    supported = SupportedProperties({"a": [SupportedFeature("b", ("2", "1"))]})
    assert supported.values_of("a", "b") == ("2", "1")
    assert supported.values_of("a", "c") == ()
    assert supported.features("b") == ()
