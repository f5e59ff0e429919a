"""Environment markers that are about a wheel's variant."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pip._vendor.packaging._variants import resolve_marker
from pip._vendor.packaging.markers import Marker, UndefinedEnvironmentName
from pip._vendor.packaging.requirements import Requirement

from pip._internal.variants.core.markers import during, variant_environment
from pip._internal.variants.core.properties import Property

ENVIRONMENT = variant_environment(
    "cu128",
    [
        Property("nvidia", "sm_arch", "90_real"),
        Property("nvidia", "cuda_version_lower_bound", "12.8"),
    ],
)

HOLDS = [
    "variant_label == 'cu128'",
    "variant_label != ''",
    "'cu128' == variant_label",
    "'nvidia' in variant_namespaces",
    "'amd' not in variant_namespaces",
    "'nvidia :: sm_arch' in variant_features",
    "'nvidia::sm_arch' in variant_features",
    "'nvidia ::sm_arch:: 90_real' in variant_properties",
    "'nvidia :: sm_arch :: 80_real' not in variant_properties",
]
FAILS = [
    "variant_label == ''",
    "variant_label == 'cu12'",
    "'nvid' in variant_namespaces",
    "'nvidia' in variant_features",
    "'nvidia :: sm' in variant_features",
    "'nvidia :: sm_arch :: 90' in variant_properties",
    "'nvidia :: sm_arch' in variant_properties",
]


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


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("variant_label == 'cu128'", None),
        ("variant_label == 'cu128' and extra == 'gpu'", 'extra == "gpu"'),
        ("variant_label == 'cu126' or extra == 'gpu'", 'extra == "gpu"'),
        ("variant_label == 'cu128' or extra == 'gpu'", None),
        ("os_name == 'posix'", 'os_name == "posix"'),
        ("variant_label == 'cu126' and extra == 'gpu'", 'python_version < "0"'),
        (
            "(variant_label == 'a' or extra == 'a') and (extra == 'b' or extra == 'c')",
            'extra == "a" and (extra == "b" or extra == "c")',
        ),
    ],
)
def test_what_is_left(text: str, rest: str | None) -> None:
    left = resolve_marker(Marker(text), ENVIRONMENT)
    assert left == (None if rest is None else Marker(rest))


_ATOMS = st.sampled_from([*HOLDS, *FAILS, "extra == 'a'", "extra == 'b'"])
_MARKERS = st.recursive(
    _ATOMS,
    lambda inner: st.builds(
        "({} {} {})".format, inner, st.sampled_from(["and", "or"]), inner
    ),
    max_leaves=8,
)


@given(_MARKERS)
def test_what_is_left_means_the_same(text: str) -> None:
    left = resolve_marker(Marker(text), ENVIRONMENT)
    assert left is None or "variant_" not in str(left)
    for extra in itertools.chain("ab", [""]):
        with during(ENVIRONMENT):
            expected = Marker(text).evaluate({"extra": extra})
        assert (left is None or left.evaluate({"extra": extra})) == expected
