"""What pip proposes for a mistyped name of a machine."""

from __future__ import annotations

import pytest

from pip._internal.variants.errors import InvalidHostFile
from pip._internal.variants.providers.host_names import named_host
from pip._internal.variants.providers.nearest_host import _MEANING, nearest_name


def proposed(name: str) -> str | None:
    """Return what pip proposes: a valid name, or nothing."""
    nearest = nearest_name(name)
    try:
        return nearest if nearest and named_host(nearest) else None
    except InvalidHostFile:
        return None


@pytest.mark.parametrize("word", _MEANING)
def test_each_word_of_the_table_is_part_of_a_name(word: str) -> None:
    assert named_host(_MEANING[word]) is not None
    assert proposed(word) == _MEANING[word]
    assert proposed(f"{word}-py312") == f"{_MEANING[word]}-py312"


@pytest.mark.parametrize(
    "name",
    [
        *("mine", "monitoring", "gb102", "outputs", "box64", "excu12", "prism90"),
        *("linux-riscv64", "linux-i686", "freebsd-x86_64", "cuda-12.8-sm_90-py2.7"),
        *("x86_64-aarch64", "linux-windows", "musl-1.2-glibc-2.35", "cpu-xpu"),
        *("cuda-13.0-sm_90-rocm-7.0-gfx1100-tpu", "jetson-thor", "", "-", "a--b"),
        # A proposal with another version would be another machine.
        *("cuda-13", "cuda-12.9-sm91", "rocm-7-gfx942", "macos-13.0.1-arm64"),
    ],
)
def test_no_other_machine_is_proposed(name: str) -> None:
    assert proposed(name) is None


@pytest.mark.parametrize(
    ("name", "nearest"),
    [
        ("RTX 4090", "cuda-12.8-sm_89"),
        ("rtx-4090", "cuda-12.8-sm_89"),
        ("jetson-orin-py310", "cuda-12.6-sm_87-tegra-py310"),
        ("cuda-12.6-sm_87-jetson", "cuda-12.6-sm_87-tegra"),
        ("a10g-windows", "cuda-12.8-sm_86-windows"),
        ("cuda12.8sm90", "cuda-12.8-sm_90"),
        ("cuda-12.8-sm90-py3.12.4", "cuda-12.8-sm_90-py3.12.4"),
        ("cuda-12.8-sm_12.0", "cuda-12.8-sm_120"),
        ("windos-x64-py312", "windows-x86_64-py312"),
        ("Mac-arm64-python3.13", "macos-arm64-py313"),
        ("windows-x86_64-3.12", "windows-x86_64-py312"),
        ("cuda-12.8-sm_90-arch64", "cuda-12.8-sm_90-aarch64"),
        ("linux-glib-2.35", "linux-glibc-2.35"),
        ("gfx1100", "rocm-gfx1100"),
        ("rocm-gx1100", "rocm-gfx1100"),
        ("xpuu", "xpu"),
    ],
)
def test_typing_mistakes(name: str, nearest: str) -> None:
    assert proposed(name) == nearest
