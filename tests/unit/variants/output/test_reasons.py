"""Properties in the words that users know."""

from __future__ import annotations

import json
from collections.abc import Mapping

import pytest

from pip._vendor.wheel_variants.manifest_parser import parse_manifest
from pip._vendor.wheel_variants.ordering import rank
from pip._vendor.wheel_variants.properties import Property, SupportedFeature

from pip._internal.variants.output.reasons import (
    describe_properties,
    describe_values,
    needs,
    why_chosen,
)
from pip._internal.variants.providers.chain import supported
from pip._internal.variants.providers.result import ProviderResult
from pip._internal.variants.selection.ranking import Selection
from tests.lib.manifests import Properties, cuda, make_manifest


@pytest.mark.parametrize(
    ("feature", "values", "words"),
    [
        ("nvidia :: cuda_version_lower_bound", ["12.8"], "CUDA 12.8"),
        ("nvidia :: cuda_version_upper_bound", ["13"], "CUDA before 13"),
        ("nvidia :: sm_arch", ["90_real", "120_virtual"], "sm_90 or compute_120"),
        ("amd :: rocm_version", ["7.1"], "ROCm 7.1"),
        ("amd :: gfx_arch", ["gfx942", "gfx1100"], "gfx942 or gfx1100"),
        ("x86_64 :: level", ["v3"], "x86-64-v3"),
        ("priority :: order", ["3"], "publisher's order 3"),
        ("npu :: kind", ["a", "b"], "npu :: kind :: a or b"),
    ],
)
def test_values(feature: str, values: list[str], words: str) -> None:
    assert describe_values(feature, values, " or ") == words


def test_properties() -> None:
    texts = "nvidia :: cuda_version_lower_bound :: 12.8", "nvidia :: sm_arch :: 90_real"
    properties = map(Property.parse, [*texts, "npu :: kind :: a"])
    assert describe_properties(properties) == "CUDA 12.8, sm_90, npu :: kind :: a"


VARIANTS: Mapping[str, Properties] = {
    "gpu": cuda("12.8", ["90_real"]),
    "level": ["x86_64 :: level :: v2"],
    "null": [],
}


def selection(
    reason: str | None,
    *cuda_versions: str,
    variants: Mapping[str, Properties] = VARIANTS,
) -> Selection:
    """Return how a machine with these drivers judges variants."""
    manifest = parse_manifest(json.dumps(make_manifest(variants)).encode())
    bound = SupportedFeature("cuda_version_lower_bound", cuda_versions)
    answers = {
        "nvidia": ProviderResult((bound,) if cuda_versions else (), reason=reason),
        "amd": ProviderResult((), reason="no AMD GPU driver found"),
        "x86_64": ProviderResult((SupportedFeature("level", ("v3", "v2", "v1")),)),
    }
    ranking = rank(manifest, supported(answers), variants)
    return Selection("", manifest, ranking, answers=answers)


def test_a_cpu_build_says_why_it_is_one() -> None:
    found = selection("no NVIDIA driver found; it is in no known folder")
    assert why_chosen(found, "null") == "CPU build: no NVIDIA driver found"
    assert why_chosen(found, "level") == "x86-64-v2; CPU build: no NVIDIA driver found"
    # A GPU that a variant does not fit is reported apart.
    assert why_chosen(selection(None, "12.6"), "null") == "no properties"


def test_a_cpu_build_after_a_gpu_build_gives_no_reason() -> None:
    cuda_build = ["nvidia :: cuda_version_lower_bound :: 12.8"]
    variants = {"cu": cuda_build, "rocm": ["amd :: rocm_version :: 7.1"], "null": []}
    with_gpu = selection(None, "12.8", variants=variants)
    assert why_chosen(with_gpu, "null") == "no properties"


def test_needs() -> None:
    lacking = selection("no NVIDIA driver found")
    mismatches = lacking.ranking.rejected["gpu"]
    assert needs(lacking, mismatches) == "CUDA 12.8 and sm_90 (no NVIDIA driver found)"
    assert needs(selection(None), mismatches) == ("CUDA 12.8 and sm_90 (not available)")
    older = selection(None, "12.6", "12.5")
    assert needs(older, older.ranking.rejected["gpu"]) == (
        "CUDA 12.8 (available: CUDA 12.6); sm_90 (not available)"
    )
