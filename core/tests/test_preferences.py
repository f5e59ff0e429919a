"""The user's preferences: their form, and their effect on the order of variants."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from core.tests.ordering_cases import MACHINES, VARIANTS, Machine, machine, manifest
from wheel_variants.ordering import rank, supported_of
from wheel_variants.preferences import Preference
from wheel_variants.properties import InvalidProperty

MKL = Preference("blas_lapack", "library", "mkl")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("blas_lapack :: library :: mkl", MKL),
        ("blas_lapack::library::mkl", MKL),
        ("  blas_lapack\t::library ::   mkl ", MKL),
        ("nvidia :: sm_arch", Preference("nvidia", "sm_arch")),
        ("x86_64", Preference("x86_64")),
    ],
)
def test_form(text: str, expected: Preference) -> None:
    assert Preference.parse(text) == expected
    assert Preference.parse(str(expected)) == expected


@pytest.mark.parametrize(
    "text",
    ["", "::", "a ::", ":: a", "a b", "A", "a :: b :: c :: d", "a : b", "a::b::C"],
)
def test_invalid_form(text: str) -> None:
    with pytest.raises(InvalidProperty, match=r"invalid|expected"):
        Preference.parse(text)


BLAS: Machine = {
    "x86_64": [("level", ["v3", "v2", "v1"])],
    "blas_lapack": [("library", ["openblas", "mkl"]), ("threads", ["omp", "none"])],
}
LIBRARIES: Mapping[str, Any] = {
    "v3_openblas": {
        "x86_64": {"level": ["v3"]},
        "blas_lapack": {"library": ["openblas"]},
    },
    "v3": {"x86_64": {"level": ["v3"]}},
    "openblas": {"blas_lapack": {"library": ["openblas"]}},
    "either": {"blas_lapack": {"library": ["openblas", "mkl"], "threads": ["none"]}},
    "mkl": {"blas_lapack": {"library": ["mkl"]}},
    "threads": {"blas_lapack": {"threads": ["omp"]}},
    "accelerate": {"blas_lapack": {"library": ["accelerate"]}},
    "null": {},
}


@pytest.mark.parametrize(
    ("preferences", "expected"),
    [
        ([], "v3_openblas v3 either openblas mkl threads null"),
        (
            ["blas_lapack::library::mkl"],
            "either mkl v3_openblas v3 openblas threads null",
        ),
        (["blas_lapack::threads"], "threads either v3_openblas v3 openblas mkl null"),
        (["blas_lapack"], "either v3_openblas openblas mkl threads v3 null"),
        # The first is the strongest.
        (
            ["blas_lapack::threads::omp", "blas_lapack::library::mkl"],
            "threads either mkl v3_openblas v3 openblas null",
        ),
        (
            ["blas_lapack::library::mkl", "blas_lapack::threads::omp"],
            "either mkl threads v3_openblas v3 openblas null",
        ),
        # What nothing that runs has changes nothing.
        (
            ["blas_lapack::library::accelerate", "nvidia", "x86_64::level::v9"],
            "v3_openblas v3 either openblas mkl threads null",
        ),
    ],
)
def test_order(preferences: Sequence[str], expected: str) -> None:
    described = manifest(["x86_64", "blas_lapack"], LIBRARIES)
    ranking = rank(
        described, machine(BLAS), LIBRARIES, list(map(Preference.parse, preferences))
    )
    assert list(ranking.compatible) == expected.split()
    assert list(ranking.rejected) == ["accelerate"]


def test_preferred_properties_are_named_first() -> None:
    described = manifest(["x86_64", "blas_lapack"], LIBRARIES)
    variant = described.variants["either"]
    found = supported_of(described, variant, machine(BLAS), [MKL])
    assert [each.value for each in found] == ["mkl", "openblas", "none"]


_PREFERENCES = st.lists(
    st.builds(Preference, st.sampled_from("abcz"))
    | st.builds(Preference, st.sampled_from("abcz"), st.sampled_from("abcz"))
    | st.builds(
        Preference,
        *(st.sampled_from("abcz"), st.sampled_from("abcz"), st.sampled_from("1236z")),
    ),
    max_size=3,
)


@example(
    {"1": {"b": {"a": ["1"]}}, "0": {"a": {"a": ["1"]}, "b": {"b": ["1"]}}},
    {"a": [("a", ["1"])], "b": [("a", ["1"]), ("b", ["1"])]},
    ["a", "b", "c"],
    [Preference("b"), Preference("a")],
)
@given(VARIANTS, MACHINES, st.permutations("abc"), _PREFERENCES)
def test_laws(
    variants: dict[str, Any],
    described: Machine,
    namespaces: list[str],
    preferences: list[Preference],
) -> None:
    content, supported = manifest(namespaces, variants), machine(described)
    usual = rank(content, supported, variants)
    swayed = rank(content, supported, variants, preferences)

    # What runs is the same, and what does not is told in the same way.
    assert sorted(swayed.compatible) == sorted(usual.compatible)
    assert swayed.rejected == usual.rejected

    # First come those with a property of the strongest preference, and so on. Of two that
    # have one, the usual order of these decides before a weaker preference does.
    def strongest(label: str) -> int:
        own = supported_of(content, content.variants[label], supported)
        met = (any(map(each.covers, own)) for each in preferences)
        return next((at for at, is_met in enumerate(met) if is_met), len(preferences))

    keys = list(map(strongest, swayed.compatible))
    assert keys == sorted(keys)

    # Those that have none keep their order.
    rest = [each for each in swayed.compatible if strongest(each) == len(preferences)]
    assert rest == [label for label in usual.compatible if label in rest]
