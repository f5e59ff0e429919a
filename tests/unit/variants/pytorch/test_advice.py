"""What is said of PyTorch's builds on Jetsons."""

from __future__ import annotations

import pytest

from pip._internal.variants.providers.tegra import Tegra
from pip._internal.variants.pytorch.advice import _jetpack

JETPACK_6 = "https://pypi.jetson-ai-lab.io/jp6/cu126"
OWN = "NVIDIA's own builds: https://pypi.jetson-ai-lab.io"
OTHER = (
    "No index of NVIDIA's own builds for that release is known here; "
    "https://pypi.jetson-ai-lab.io may have some"
)


@pytest.mark.parametrize(
    ("release", "driver", "end", "url"),
    [
        ("36.4.3", "12.6", "NVIDIA's own builds:", JETPACK_6),
        ("36.4.3", None, "NVIDIA's own builds:", JETPACK_6),
        ("35.6.1", "12.2", OTHER, None),
        ("38.2.0", "12.8", OTHER, None),
        (None, "12.6", "NVIDIA's own builds:", JETPACK_6),
        (None, "11.4", OWN, None),
        (None, None, OWN, None),
    ],
)
def test_where_own_builds_are(
    release: str | None, driver: str | None, end: str, url: str | None
) -> None:
    said, found = _jetpack(Tegra(release), driver, "it is taken")
    assert said.endswith(f"and PyTorch has no others: it is taken. {end}")
    assert found == url
