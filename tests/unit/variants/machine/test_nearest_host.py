"""What a user may have meant by an unknown name of a machine."""

from __future__ import annotations

import pytest

from pip._internal.variants.machine.host_names import named_host
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
    "name",
    [
        *("linux-riscv64", "linux-i686", "freebsd-x86_64", "cuda-12.8-sm_90-py2.7"),
        *("x86_64-aarch64", "linux-windows", "musl-1.2-glibc-2.35", "cpu-xpu"),
        "cuda-13.0-sm_90-rocm-7.0-gfx1100-tpu",
    ],
)
def test_what_no_name_has_is_not_left_out(name: str) -> None:
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
        ("windows-x86_64-3.12", "windows-x86_64-py312"),
        ("windows-py313t-amd64", "windows-x86_64-py313t"),
        ("cp313t-win_amd64", "windows-x86_64-py313t"),
        ("nvidia h100 windows py312", "cuda-12.8-sm_90-windows-py312"),
        ("a10g-windows", "cuda-12.8-sm_86-windows"),
        ("macos-13.0.1-arm64", "macos-13.0-aarch64"),
        ("macosx_11_0_arm64", "macos-11.0-aarch64"),
        ("manylinux_2_35_x86_64-py312", "glibc-2.35-x86_64-py312"),
        ("musllinux_1_2_x86_64", "musl-1.2-x86_64"),
        ("cuda-12.8-py312-glibc235", "cuda-12.8-glibc-2.35-py312"),
        ("pypy-3.11", "pypy311"),
        ("cpython-3.12", "py312"),
        ("alpine", "musl-1.2"),
    ],
)
def test_words_do(name: str, nearest: str) -> None:
    assert nearest_name(name) == nearest


@pytest.mark.parametrize(
    ("name", "nearest"),
    [
        ("cuda-12.8-sm_90-arch64-py312", "cuda-12.8-sm_90-aarch64-py312"),
        ("GH200", "cuda-12.8-sm_90-aarch64"),
        ("mi300x-linux-py312-rocm7.0", "rocm-7.0-gfx942-linux-py312"),
        ("rocm-gx1100", "rocm-gfx1100"),
        ("rocm-6.4.1-gfx942", "rocm-6.4-gfx942"),
        ("rocm-7-gfx942", "rocm-7.0-gfx942"),
        ("h100-rocm", "cuda-12.8-sm_90"),
        ("xpu12.60.7", "xpu-12.60.7"),
        ("cuda-12.8-sm_9.0", "cuda-12.8-sm_90"),
        ("cuda-12.8-sm_12.0", "cuda-12.8-sm_120"),
        ("cuda-12.8-compute_90", "cuda-12.8-sm_90"),
        ("cuda-12.8-sm90-py3.12.4", "cuda-12.8-sm_90-py3.12.4"),
        ("jetson-orin-py310", "cuda-12.6-sm_87-tegra-py310"),
        ("tpu-v4-py312", "tpu-py312"),
        ("py3.13-t", "py313t"),
        ("free-threaded-py313", "py313t"),
        ("linux-amd64-musl-py312", "musl-1.2-x86_64-py312"),
        ("alpine-3.20-py312", "musl-1.2-py312"),
        ("windows-x86_64-pyt312", "windows-x86_64-py312"),
        ("cpu-x86_46", "cpu-x86_64"),
        ("xpuu", "xpu"),
        ("x86_64-v3-cuda-12.8-sm_90-glib-2.35", "cuda-12.8-sm_90-glibc-2.35-x86_64-v3"),
        ("cuda-12.8-sm_90-aarch-64", "cuda-12.8-sm_90-aarch64"),
        ("linux-arm64v8-py312", "linux-aarch64-py312"),
        ("apple-silicon", "macos-aarch64"),
        ("macos-m1-py313", "macos-aarch64-py313"),
        ("rocm-64", "rocm-6.4"),
        ("rocm-631-gfx942", "rocm-6.3-gfx942"),
        ("jetson-nano", "cuda-10.2-sm_53-tegra"),
        ("manylinux2014_x86_64", "glibc-2.17-x86_64"),
    ],
)
def test_no_part_that_is_understood_is_lost(name: str, nearest: str) -> None:
    assert nearest_name(name) == nearest
    assert named_host(nearest) is not None


@pytest.mark.parametrize(
    ("name", "nearest"),
    [
        ("amd64", "cpu-x86_64"),
        ("arm64", "cpu-aarch64"),
    ],
)
def test_a_type_of_machine_does(name: str, nearest: str) -> None:
    assert nearest_name(name) == nearest
