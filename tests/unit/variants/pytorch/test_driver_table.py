"""Which CUDA builds a driver runs."""

from __future__ import annotations

import pytest

from pip._internal.variants.pytorch.synthetic import System, lower_bound, runs

PUBLISHED = [
    *((11, minor) for minor in range(9)),
    *((12, minor) for minor in range(10)),
    *((13, minor) for minor in range(3)),
]


@pytest.mark.parametrize(
    ("driver", "system", "newest"),
    [
        ("580.65.06", "linux", (13, 2)),
        ("575.51", "linux", (12, 9)),
        ("535.104.05", "linux", (12, 9)),
        ("525.60.13", "linux", (12, 9)),
        ("525.60.11", "linux", (11, 8)),
        ("470.57.02", "linux", (11, 8)),
        ("450.36.06", "linux", (11, 0)),
        ("418.39", "linux", None),
        ("580.88", "windows", (13, 2)),
        ("528.33", "windows", (12, 9)),
        ("527.41", "windows", (11, 8)),
        ("451.22", "windows", (11, 0)),
    ],
)
def test_newest_build_of_a_driver(
    driver: str, system: System, newest: tuple[int, int] | None
) -> None:
    suiting = [cuda for cuda in PUBLISHED if runs(cuda, driver, system)]
    assert max(suiting, default=None) == newest


def test_what_the_table_does_not_say() -> None:
    assert runs((14, 0), "700.1", "linux") is None
    assert runs((10, 2), "580.65.06", "linux") is None
    assert runs((12, 8), "unknown", "linux") is None


def test_lower_bounds() -> None:
    """The rule of majors holds for those to come; the table knows the exceptions."""
    assert lower_bound((12, 8), None) == "12.0"
    assert lower_bound((14, 2), "700.1") == "14.0"
    assert lower_bound((12, 8), "535.104.05") == "12.0"
    assert lower_bound((12, 1), "527.41", "windows") == "12.1"
    assert lower_bound((11, 8), "450.36.06") == "11.8"
    assert lower_bound((10, 2), None) == "11"
