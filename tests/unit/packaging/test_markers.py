"""Packaging itself evaluates environment markers about the variant of a wheel."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pip._vendor.packaging._variants import during
from pip._vendor.packaging.markers import Marker, UndefinedEnvironmentName
from pip._vendor.packaging.requirements import Requirement
from pip._vendor.wheel_variants.markers import resolve_marker

from core.tests.test_markers import ENVIRONMENT

_ATOMS = st.sampled_from(
    [
        "variant_label == 'cu128'",
        "variant_label == ''",
        "'nvidia::sm_arch' in variant_features",
        "'nvidia :: sm_arch :: 90' in variant_properties",
        "'amd' not in variant_namespaces",
        "extra == 'a'",
        "extra == 'b'",
    ]
)
MARKERS = st.recursive(
    _ATOMS,
    lambda inner: st.builds(
        "({} {} {})".format, inner, st.sampled_from(["and", "or"]), inner
    ),
    max_leaves=8,
)


def test_what_a_caller_says_counts() -> None:
    assert Marker("variant_label == 'cu128'").evaluate(ENVIRONMENT)


def test_elsewhere_they_are_of_no_variant() -> None:
    assert Marker("variant_label == ''").evaluate()
    assert Marker("'nvidia' not in variant_namespaces").evaluate({"extra": "x"})


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
