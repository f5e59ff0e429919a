"""What a user may have meant by an unknown name of a machine."""

from __future__ import annotations

import pytest

from pip._internal.variants.machine.nearest_host import nearest_name


@pytest.mark.parametrize(
    "name",
    [
        # Not Orin, GB10, Thor, Spark, TPU, x64, arm64, CUDA or compute capabilities.
        *("monitoring", "gb102", "authors", "sparks.json", "outputs"),
        *("box64", "charm64", "excu12", "prism90", "mytegra"),
    ],
)
def test_a_part_of_a_word_names_nothing(name: str) -> None:
    assert nearest_name(name) is None


@pytest.mark.parametrize(
    ("name", "nearest"),
    [
        ("my-orin.json", "cuda-12.6-sm_87-tegra"),
        ("DGX_Spark", "cuda-13.0-sm_121-aarch64"),
        ("RTX 4090", "cuda-12.8-sm_89"),
        ("cuda12.8sm90", "cuda-12.8-sm_90"),
        ("cu128_x64", "cuda-12.8-x86_64"),
        ("cuda-12-x86_64", "cuda-12.0-x86_64"),
        ("x86_64v3", "cpu-x86_64-v3"),
        ("CUDA 13 Jetson", "cuda-13.0-tegra"),
        ("windos-x86_64-py312", "windows-x86_64-py312"),
        ("win_amd64", "windows-x86_64"),
        ("Mac arm64 python3.13", "macos-aarch64-py313"),
        ("macOS", "macos"),
        ("linux_aarch64_cp312", "linux-aarch64-py312"),
        ("cuda-12.8-sm_90-arm64-python3.12", "cuda-12.8-sm_90-aarch64-py312"),
        ("gfx1100", "rocm-gfx1100"),
        ("MI300X", "rocm-gfx942"),
        ("Radeon RX 7900 XTX", "rocm-gfx1100"),
        ("rocmm-gfx90a", "rocm-gfx90a"),
        ("intel-gpu", "xpu"),
    ],
)
def test_words_do(name: str, nearest: str) -> None:
    assert nearest_name(name) == nearest
