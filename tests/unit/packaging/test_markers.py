"""Packaging itself evaluates environment markers about the variant of a wheel."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given

from pip._vendor.packaging._variants import during
from pip._vendor.packaging.markers import Marker, UndefinedEnvironmentName
from pip._vendor.packaging.requirements import Requirement
from pip._vendor.wheel_variants.markers import resolve_marker

from core.tests.test_markers import ENVIRONMENT, FAILS, HOLDS, MARKERS


@pytest.mark.parametrize("text", HOLDS + FAILS)
def test_evaluation(text: str) -> None:
    with during(ENVIRONMENT):
        assert Marker(text).evaluate() == (text in HOLDS)
    # What a caller says of it counts.
    assert Marker(text).evaluate(ENVIRONMENT) == (text in HOLDS)


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ("variant_label == ''", True),
        ("variant_label == 'null'", False),
        ("'nvidia' in variant_namespaces", False),
        ("'nvidia :: sm_arch' not in variant_features", True),
        ("'nvidia :: sm_arch :: 90_real' in variant_properties", False),
    ],
)
def test_elsewhere_they_are_of_no_variant(text: str, holds: bool) -> None:
    assert Marker(text).evaluate() == holds
    assert Marker(text).evaluate({"extra": "x"}) == holds


def test_they_are_kept_as_written() -> None:
    text = 'foo; "nvidia" in variant_namespaces and extra == "gpu"'
    assert str(Requirement(text)) == text


def test_other_names_stay_unknown() -> None:
    with pytest.raises(ValueError, match="variant_other"):
        Marker("variant_other == 'x'")
    with pytest.raises(UndefinedEnvironmentName):
        Marker("'x' in extras").evaluate()


@given(MARKERS)
def test_what_is_left_means_the_same(text: str) -> None:
    left = resolve_marker(text, ENVIRONMENT)
    for extra in itertools.chain("ab", [""]):
        with during(ENVIRONMENT):
            expected = Marker(text).evaluate({"extra": extra})
        assert (left == "" or Marker(left).evaluate({"extra": extra})) == expected
