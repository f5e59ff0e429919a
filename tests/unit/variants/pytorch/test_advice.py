"""What is said of PyTorch's builds on Jetsons."""

from __future__ import annotations

from typing import Any, cast

import pytest

from pip._internal.variants.providers.tegra import Tegra
from pip._internal.variants.pytorch import advice


@pytest.mark.parametrize(
    ("release", "driver", "is_jetpack_6"),
    [
        ("36.4.3", "12.6", True),
        ("36.4.3", None, True),
        ("35.6.1", "12.2", False),
        ("38.2.0", "12.8", False),
        (None, "12.6", True),
        (None, "11.4", False),
        (None, None, False),
    ],
)
def test_which_have_jetpack_6(
    release: str | None, driver: str | None, is_jetpack_6: bool
) -> None:
    assert advice._is_jetpack_6(Tegra(release), driver) is is_jetpack_6


@pytest.mark.parametrize(
    ("release", "end"),
    [
        (
            "35.6.1",
            (
                "No index of NVIDIA's own builds for that release is known here; "
                "https://pypi.jetson-ai-lab.io may have some"
            ),
        ),
        (None, "NVIDIA's own builds: https://pypi.jetson-ai-lab.io"),
    ],
)
def test_no_command_without_an_index(release: str | None, end: str) -> None:
    nothing = cast(Any, None)
    said = advice._to_jetpack(nothing, nothing, Tegra(release), None, "it is taken")
    assert said.endswith(f"and PyTorch has no others: it is taken. {end}")
    assert "JetPack 6" not in said
    assert "install" not in said
