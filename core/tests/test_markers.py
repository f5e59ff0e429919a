"""Environment markers about the variant of a wheel.

``core/conformance/markers.json`` covers the results of markers.
"""

from __future__ import annotations

import pytest
from packaging.markers import InvalidMarker, Marker, UndefinedComparison
from packaging.requirements import Requirement

from wheel_variants.markers import (
    is_about_variant,
    resolve_marker,
    resolve_requirement,
    variant_environment,
)
from wheel_variants.properties import Property

ENVIRONMENT = variant_environment(
    "cu128",
    [
        Property("nvidia", "sm_arch", "90_real"),
        Property("nvidia", "cuda_version_lower_bound", "12.8"),
    ],
)


def test_the_values() -> None:
    sm_arch = Property("nvidia", "sm_arch", "90_real")
    assert variant_environment("cu128", [sm_arch]) == {
        "variant_label": "cu128",
        "variant_properties": {"nvidia::sm_arch::90_real"},
        "variant_features": {"nvidia::sm_arch"},
        "variant_namespaces": {"nvidia"},
    }


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("variant_label == 'cu128' and extra == 'gpu'",)
        + ("python_version >= \"0\" and extra == 'gpu'",),
        ("variant_label == 'cu126' or extra == 'gpu'",)
        + ("python_version < \"0\" or extra == 'gpu'",),
        ("variant_label == 'cu128' or variant_label == 'a'", ""),
        ("variant_label == 'cu126'", 'python_version < "0"'),
        ("variant_label == 'cu128' and variant_label == 'a'", 'python_version < "0"'),
        ("os_name=='posix'", "os_name=='posix'"),
        (r"'\\0' not  in os_name", r"'\\0' not  in os_name"),
        (
            "(variant_label == 'a' or extra == 'a') and (extra == 'b' or extra == 'c')",
            "( python_version < \"0\" or extra == 'a') and (extra == 'b' or extra == 'c')",
        ),
        ("extra == 'a' and'cu128' == variant_label",)
        + ("extra == 'a' and python_version >= \"0\"",),
        # A string is no comparison.
        ("os_name == 'variant_label == 1'", "os_name == 'variant_label == 1'"),
    ],
)
def test_what_is_left(text: str, rest: str) -> None:
    assert resolve_marker(text, ENVIRONMENT) == rest
    if rest:
        Marker(rest)


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("foo", "foo"),
        ("foo[a,b]>=1; os_name == 'nt'", "foo[a,b]>=1; os_name == 'nt'"),
        ("foo>=1; variant_label == 'cu128'", "foo>=1"),
        ("foo; variant_label == 'x' or extra == 'a'",)
        + ("foo ; python_version < \"0\" or extra == 'a'",),
        ("foo @ https://a.b/c;d ; variant_label == 'x'",)
        + ('foo @ https://a.b/c;d ; python_version < "0"',),
    ],
)
def test_a_requirement(text: str, rest: str) -> None:
    assert resolve_requirement(text, ENVIRONMENT) == rest
    Requirement(rest)


def test_a_string_is_no_variable() -> None:
    assert not is_about_variant("foo; extra == 'variant_label'")
    assert is_about_variant("foo; extra == 'a' and variant_label == ''")


@pytest.mark.parametrize(
    "text",
    ["variant_label == ", "(" * 5000 + "variant_label == 'a'" + ")" * 5000],
    ids=["cut off", "deep"],
)
def test_an_invalid_marker(text: str) -> None:
    with pytest.raises(InvalidMarker):
        resolve_marker(text, ENVIRONMENT)
    with pytest.raises(InvalidMarker):
        resolve_requirement(f"foo; {text}", ENVIRONMENT)


@pytest.mark.parametrize(
    "text",
    [
        *("variant_label ~= 'a'", "variant_label == variant_features"),
        *("variant_label == os_name", "variant_features in 'a'"),
    ],
)
def test_an_undefined_comparison(text: str) -> None:
    with pytest.raises(UndefinedComparison):
        resolve_marker(text, ENVIRONMENT)
