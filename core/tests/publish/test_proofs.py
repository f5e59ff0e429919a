"""What local versions and requirements prove, and nothing else."""

from __future__ import annotations

import pytest

from wheel_variants.publish.proofs import proved_by_local, proved_by_requirements

CUDA_12 = "nvidia :: cuda_version_lower_bound :: 12.0"


@pytest.mark.parametrize(
    ("local", "expected"),
    [
        ("cpu", set()),
        ("cu128", {CUDA_12}),
        ("cu12", {CUDA_12}),
        ("cu118", {"nvidia :: cuda_version_lower_bound :: 11.0"}),
        ("rocm6.4", {"amd :: rocm_version :: 6.4"}),
        ("rocm6.4.1", {"amd :: rocm_version :: 6.4"}),
        ("cu12torch2.9cxx11abitrue", {CUDA_12, "abi_dependency :: torch :: 2.9"}),
        ("torch2.9.1", {"abi_dependency :: torch :: 2.9"}),
        ("pt28cu128", {CUDA_12, "abi_dependency :: torch :: 2.8"}),
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
        "cu128rocm6.4",
    ],
)
def test_not_understood(local: str) -> None:
    assert proved_by_local(local) is None


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (["numpy", "nvidia-cublas-cu12", "nvidia-cudnn-cu12"], {CUDA_12}),
        (["nvidia-cublas-cu12", "nvidia-cudnn-cu13"], None),
        (["nvidia-cublas"], None),
        ([], None),
    ],
)
def test_proved_by_requirements(names: list[str], expected: set[str] | None) -> None:
    proof = proved_by_requirements(names)
    assert (proof and set(map(str, proof.properties))) == expected
