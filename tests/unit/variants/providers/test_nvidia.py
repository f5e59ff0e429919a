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

MAJOR_11 = (
    "11.20 11.19 11.18 11.17 11.16 11.15 11.14 11.13 11.12 11.11 11.10 "
    "11.9 11.8 11.7 11.6 11.5 11.4 11.3 11.2 11.1 11.0 11"
)
MAJOR_13 = MAJOR_11.replace("11.", "13.").removesuffix("11") + "13"
MAJOR_14 = MAJOR_11.replace("11.", "14.").removesuffix("11") + "14"
MAJOR_15 = MAJOR_11.replace("11.", "15.").removesuffix("11") + "15"

versions = st.tuples(st.integers(0, 50), st.integers(0, 99))


def forced(cuda: str | None = None, sm: str | None = None) -> ProviderResult:
    """Ask for the machine that the variables describe, and for no other."""
    values = {CUDA_VARIABLE: cuda, SM_VARIABLE: sm}
    environ = {name: value for name, value in values.items() if value is not None}
    return nvidia.detect(environ, hardware=False)


def features(answer: ProviderResult) -> dict[str, tuple[str, ...]]:
    return {feature.name: feature.values for feature in answer.features}


@pytest.mark.parametrize(
    ("cuda", "lower", "upper"),
    [
        (
            "12.8",
            f"12.8 12.7 12.6 12.5 12.4 12.3 12.2 12.1 12.0 12 {MAJOR_11}",
            (
                f"{MAJOR_15} {MAJOR_14} {MAJOR_13} 12.20 12.19 12.18 12.17 12.16 12.15 "
                "12.14 12.13 12.12 12.11 12.10 12.9"
            ),
        ),
        (
            "11.2",
            "11.2 11.1 11.0 11",
            (
                f"{MAJOR_15} {MAJOR_14} {MAJOR_13} "
                "12.20 12.19 12.18 12.17 12.16 12.15 12.14 12.13 12.12 12.11 12.10 "
                "12.9 12.8 12.7 12.6 12.5 12.4 12.3 12.2 12.1 12.0 12 "
                "11.20 11.19 11.18 11.17 11.16 11.15 11.14 11.13 11.12 11.11 11.10 "
                "11.9 11.8 11.7 11.6 11.5 11.4 11.3"
            ),
        ),
    ],
)
def test_cuda_bounds(cuda: str, lower: str, upper: str) -> None:
    assert features(forced(cuda)) == {
        "cuda_version_lower_bound": tuple(lower.split()),
        "cuda_version_upper_bound": tuple(upper.split()),
    }


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
    ("text", "newest", "count"),
    [
        ("12", "12.0", 24),
        (" 12.8\n", "12.8", 32),
        ("12.8.1", "12.8", 32),
        # What drivers do not report, a user may still say.
        ("12.45", "12.45", 69),
        ("16.0", "16.0", 112),
    ],
)
def test_forms_of_a_forced_driver(text: str, newest: str, count: int) -> None:
    lower = features(forced(text, "9.0"))["cuda_version_lower_bound"]
    assert lower[0] == newest
    assert len(lower) == count


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


def test_another_machine_of_which_nothing_is_known() -> None:
    answer = forced()
    assert answer.features == ()
    assert answer.origin == ""
    assert answer.reason is not None
    assert answer.warnings == ()


@pytest.mark.parametrize(
    "text",
    ["cu128", "12.8rc1", "-12.8", "12.", ".8", "12.x", "1_2", "١٢.٨", "51.0", "12.100"]
    + ["999999.9", "9" * 5000],
)
def test_invalid_driver_is_reported_and_left_out(text: str) -> None:
    answer = forced(text, "9.0")
    assert features(answer) == {"sm_arch": ("90_real", "90_virtual")}
    assert answer.origin == SM_VARIABLE
    (warning,) = answer.warnings
    assert warning.startswith(CUDA_VARIABLE)
    assert "such as '12.8'" in warning
    assert warning.endswith(repr(text))
    assert answer.reason is not None
    assert CUDA_VARIABLE in answer.reason


@pytest.mark.parametrize(
    "text", ["90", "9", "sm_90", "9.0a", "9.10", "9.0.1", "-9.0", "100.0", "9,0", "nan"]
)
def test_invalid_architecture_is_reported_and_left_out(text: str) -> None:
    answer = forced("12.8", text)
    assert list(features(answer)) == [
        "cuda_version_lower_bound",
        "cuda_version_upper_bound",
    ]
    assert answer.origin == CUDA_VARIABLE
    (warning,) = answer.warnings
    assert warning.startswith(SM_VARIABLE)
    assert "such as '9.0'" in warning
    assert warning.endswith(repr(text))


def test_both_invalid() -> None:
    answer = nvidia.detect({CUDA_VARIABLE: "x", SM_VARIABLE: "y"}, hardware=True)
    assert answer.features == ()
    assert len(answer.warnings) == 2


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
