"""What a CUDA version and a compute capability support, told by override variables."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pip._vendor.wheel_variants.properties import is_valid_value

from pip._internal.variants.providers import nvidia
from pip._internal.variants.providers.nvidia import CUDA_VARIABLE, SM_VARIABLE
from pip._internal.variants.providers.result import ProviderResult
from tests.lib.hosts import nvidia_features

versions = st.tuples(st.integers(0, 50), st.integers(0, 99))


def forced(cuda: str | None = None, sm: str | None = None) -> ProviderResult:
    """Ask for the machine that the variables describe, and for no other."""
    values = {CUDA_VARIABLE: cuda, SM_VARIABLE: sm}
    environ = {name: value for name, value in values.items() if value is not None}
    return nvidia.detect(environ, hardware=False)


def features(answer: ProviderResult) -> dict[str, tuple[str, ...]]:
    return {feature.name: feature.values for feature in answer.features}


@pytest.mark.parametrize(
    ("sm", "values"),
    [
        ("7.5", "75_real 74_real 73_real 72_real 71_real 70_real 70_virtual"),
        ("8.6", "86_real 85_real 84_real 83_real 82_real 81_real 80_real 80_virtual"),
        ("9.0", "90_real 90_virtual"),
        ("12.1", "121_real 120_real 120_virtual"),
        ("5.0", "50_real 50_virtual"),
    ],
)
def test_architectures(sm: str, values: str) -> None:
    assert features(forced(sm=sm)) == {"sm_arch": tuple(values.split())}


def test_features_in_order_of_preference() -> None:
    answer = forced("12.8", "9.0")
    assert [feature.name for feature in answer.features] == [
        "cuda_version_lower_bound",
        "cuda_version_upper_bound",
        "sm_arch",
    ]
    assert answer.origin == f"{CUDA_VARIABLE}, {SM_VARIABLE}"
    assert answer.reason is None
    assert answer.warnings == ()


@pytest.mark.parametrize(
    ("text", "newest"),
    # What drivers do not report, a user may still say.
    [("12", "12.0"), (" 12.8\n", "12.8"), ("12.8.1", "12.8"), ("16.0", "16.0")],
)
def test_forms_of_a_forced_driver(text: str, newest: str) -> None:
    assert features(forced(text))["cuda_version_lower_bound"][0] == newest


def test_driver_older_or_newer_than_all_bounds() -> None:
    assert [f.name for f in forced("10.2").features] == ["cuda_version_upper_bound"]
    assert features(forced("10.2"))["cuda_version_upper_bound"][-1] == "10.3"
    assert [f.name for f in forced("15.20").features] == ["cuda_version_lower_bound"]


def test_old_gpu_has_no_architecture() -> None:
    answer = forced("12.8", "3.7")
    assert "sm_arch" not in features(answer)
    assert answer.reason is not None
    assert "3.7" in answer.reason
    assert answer.warnings == ()


@pytest.mark.parametrize("empty", ["", "  "])
def test_empty_is_unset(empty: str) -> None:
    assert forced(empty, empty) == forced()


INVALID = {
    CUDA_VARIABLE: ["cu128", "12.8rc1", "-12.8", "12.", ".8", "12.x", "1_2", "١٢.٨"],
    SM_VARIABLE: ["90", "9", "sm_90", "9.0a", "9.10", "9.0.1", "-9.0", "100.0", "9,0"],
}
INVALID[CUDA_VARIABLE] += ["51.0", "12.100", "999999.9", "9" * 5000]


@pytest.mark.parametrize(
    ("variable", "text"),
    [(variable, text) for variable, texts in INVALID.items() for text in texts],
)
def test_what_is_invalid_is_reported_and_left_out(variable: str, text: str) -> None:
    (other,) = {CUDA_VARIABLE, SM_VARIABLE} - {variable}
    valid = "12.8" if other == CUDA_VARIABLE else "9.0"
    answer = nvidia.detect({variable: text, other: valid}, hardware=False)
    assert ("sm_arch" in features(answer)) == (other == SM_VARIABLE)
    assert ("cuda_version_lower_bound" in features(answer)) == (other == CUDA_VARIABLE)
    assert answer.origin == other
    assert variable in (answer.reason or "")
    (warning,) = answer.warnings
    assert warning.startswith(f"{variable} is invalid, so pip ignores that feature: ")
    assert f"such as {'9.0' if other == CUDA_VARIABLE else '12.8'!r}" in warning
    assert warning.endswith(repr(text))


@given(versions)
@example((50, 99))
@example((15, 20))
@example((11, 0))
def test_each_version_is_a_bound_on_one_side(version: tuple[int, int]) -> None:
    values = features(forced(f"{version[0]}.{version[1]}"))
    lower = values.get("cuda_version_lower_bound", ())
    upper = values.get("cuda_version_upper_bound", ())
    assert len(lower) + len(upper) <= 1024
    for bound in ((major, minor) for major in range(11, 16) for minor in range(21)):
        text = f"{bound[0]}.{bound[1]}"
        assert (text in lower, text in upper) == (bound <= version, bound > version)
    for major in range(11, 16):
        sides = (str(major) in lower, str(major) in upper)
        assert sides == ((major, 0) <= version, major > version[0])


@given(versions)
def test_newest_first_without_repetition(version: tuple[int, int]) -> None:
    for values in features(forced(f"{version[0]}.{version[1]}", "9.0")).values():
        assert all(is_valid_value(value) for value in values)
        assert len(set(values)) == len(values)
    for name in ("cuda_version_lower_bound", "cuda_version_upper_bound"):
        dotted = [
            tuple(int(part) for part in value.split("."))
            for value in features(forced(f"{version[0]}.{version[1]}")).get(name, ())
        ]
        # A bare major version counts as older than its .0.
        assert dotted == sorted(dotted, reverse=True)


@given(st.integers(11, 15), st.integers(0, 19), st.integers(5, 20), st.integers(0, 9))
def test_simulated_machines_equal_detected_ones(
    major: int, minor: int, generation: int, revision: int
) -> None:
    cuda, sm = f"{major}.{minor}", f"{generation}.{revision}"
    assert nvidia_features(cuda, sm) == [
        {"feature": feature.name, "values": list(feature.values)}
        for feature in forced(cuda, sm).features
    ]


@given(st.text(), st.text())
def test_any_text_is_understood_or_reported(cuda: str, sm: str) -> None:
    answer = nvidia.detect({CUDA_VARIABLE: cuda, SM_VARIABLE: sm}, hardware=False)
    reported = "".join(answer.warnings)
    for variable, text in ((CUDA_VARIABLE, cuda), (SM_VARIABLE, sm)):
        understood = re.fullmatch(r"[0-9.]*", text.strip(), re.ASCII) is not None
        assert understood or variable in reported
