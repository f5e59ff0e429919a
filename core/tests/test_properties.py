"""Properties, and the properties that a machine supports.

``core/conformance/properties.json`` covers the validity of properties.
"""

from __future__ import annotations

import pytest

from wheel_variants.properties import (
    InvalidProperty,
    Property,
)


def test_text_of_a_property() -> None:
    parsed = Property.parse("nvidia::sm_arch::90_real")
    assert str(parsed) == "nvidia :: sm_arch :: 90_real"


@pytest.mark.parametrize("text", ["a :: b", "a :: b :: c d"])
def test_an_error_quotes_the_text(text: str) -> None:
    with pytest.raises(InvalidProperty) as error:
        Property.parse(text)
    assert repr(text) in str(error.value)
