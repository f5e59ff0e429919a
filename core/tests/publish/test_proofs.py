"""The properties that local versions and requirements prove."""

from __future__ import annotations

import pytest
from packaging.requirements import Requirement

from wheel_variants.publish.proofs import (
    TOOLKITS,
    needs_line,
    other_abi,
    proved_by_local,
    proved_by_twin,
)

CUDA_12 = "nvidia :: cuda_version_lower_bound :: 12.0"


@pytest.mark.parametrize(
    ("local", "expected"),
    [
        ("cpu", set()),
        ("cu128", {CUDA_12, "cuda_toolkit :: version :: 12.8"}),
        ("cu12", {CUDA_12}),
        (
            "cu118",
            {
                "nvidia :: cuda_version_lower_bound :: 11.0",
                "cuda_toolkit :: version :: 11.8",
            },
        ),
        ("rocm6.4", {"amd :: rocm_version :: 6.4"}),
        ("rocm6.4.1", {"amd :: rocm_version :: 6.4"}),
        ("cu12torch2.9cxx11abitrue", {CUDA_12, "abi_dependency :: torch :: 2.9"}),
        ("torch2.9.1", {"abi_dependency :: torch :: 2.9"}),
        ("pt28cu12", {CUDA_12, "abi_dependency :: torch :: 2.8"}),
        ("pt210cpu", {"abi_dependency :: torch :: 2.10"}),
    ],
)
def test_proved(local: str, expected: set[str]) -> None:
    proof = proved_by_local(local)
    assert proof is not None
    assert set(map(str, proof.properties)) == expected
    assert proof.rule


@pytest.mark.parametrize(
    "local",
    [
        *("xpu", "cu128x", "cu99", "1", "abc.cu128", "gitabcdef", "rocm", "torch"),
        *("cu128.d20260101", "cuda128", "cu1285", "cu128.cu118", "cu126.cpu"),
        "cu126.cu128",
        "cu128rocm6.4",
    ],
)
def test_not_understood(local: str) -> None:
    assert proved_by_local(local) is None


CUDA_13 = "nvidia :: cuda_version_lower_bound :: 13.0"


@pytest.mark.parametrize(
    ("label", "requirements", "expected"),
    [
        ("gpu", ["numpy", "nvidia-cublas-cu12", "nvidia-cudnn-cu12>=9"], CUDA_12),
        ("gpu", ["nvidia-cublas-cu12", "nvidia-cudnn-cu13"], None),
        ("gpu", ["nvidia-cublas"], None),
        ("gpu", ["nvidia-cublas>=13"], None),
        ("gpu", ["nvidia-cufft==12.*"], None),
        ("gpu", ["cuda-toolkit[cudart,cublas]==13.*"], CUDA_13),
        ("gpu", ["cuda_toolkit==12.*"], CUDA_12),
        ("gpu", ["nvidia-cuda-runtime==13.0.48", "nvidia-nccl-cu13"], CUDA_13),
        ("gpu", ["nvidia-cuda-runtime~=13.0"], CUDA_13),
        *((f"{name}13{x}", [], CUDA_13) for name in ("cu", "cuda") for x in ("", "x")),
        ("cuda12x", ["numpy"], CUDA_12),
        ("cu13", ["cuda-toolkit==13.*"], CUDA_13),
        ("cu13", ["cuda-toolkit==12.*"], None),
        ("cuda", [], None),
        ("gpu", [], None),
    ],
)
def test_proved_by_twin(
    label: str, requirements: list[str], expected: str | None
) -> None:
    proof = proved_by_twin(label, map(Requirement, requirements))
    assert (proof and [*map(str, proof.properties)]) == (expected and [expected])


def test_toolkits() -> None:
    """The newest toolkit comes first."""
    versions = TOOLKITS["static-properties"]["version"]
    numbers = [tuple(map(int, each.split("."))) for each in versions]
    assert numbers == sorted(numbers, reverse=True)
    assert {"12.8", "12.6", "11.8", "13.0"} < set(versions)


@pytest.mark.parametrize(
    ("local", "loads"),
    [
        ("cu12torch2.9cxx11abitrue", True),
        ("cu12torch2.9cxx11abifalse", False),
        ("cu12torch2.10cxx11abifalse", False),
        ("cu12torch2.6cxx11abitrue", False),
        ("cu12torch2.6cxx11abifalse", True),
        ("cu12torch2.9", True),
        ("cxx11abifalse", True),
    ],
)
def test_the_abi_of_torch(local: str, loads: bool) -> None:
    assert (other_abi(local) is None) == loads


def test_a_line_that_names_gpus() -> None:
    proof = proved_by_local("cu130")
    assert proof is not None
    assert needs_line("cu130", proof.properties) == (
        '"cu130" = ["cuda_toolkit :: version :: 13.0", '
        '"nvidia :: cuda_version_lower_bound :: 13.0", '
        + ", ".join(
            f'"nvidia :: sm_arch :: {arch}_real"'
            for arch in (75, 80, 86, 89, 90, 100, 120)
        )
        + "]"
    )
