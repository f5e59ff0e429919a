"""``--prefer-variant``: which of the builds that run is taken."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from tests.lib.environments import Result
from tests.lib.index import IndexServer
from tests.lib.manifests import Properties

Pip = Callable[..., Result]
WriteHost = Callable[[str | Mapping[str, Any]], Any]

MKL = "blas_lapack :: provider :: mkl"
NUMPY: Mapping[str, Properties] = {
    "v3_openblas": [
        "x86_64 :: level :: v3",
        "blas_lapack :: provider :: openblas",
    ],
    "openblas": ["blas_lapack :: provider :: openblas"],
    "mkl": [MKL],
    "v4_mkl": ["x86_64 :: level :: v4", MKL],
    "null": {},
}


@pytest.fixture
def numpy(index: IndexServer, host: WriteHost) -> list[Any]:
    """Return arguments that try numpy on an x86-64 v3 machine."""
    index.add_release("numpy", "2.0", NUMPY)
    machine = ["--variant-host", host("x86_64-v3")]
    return ["install", "--dry-run", "numpy", "--index-url", index.index_url, *machine]


def line(label: str, properties: str, *, preferred: bool) -> str:
    how = ", preferred with --prefer-variant" if preferred else ""
    return f"Using numpy 2.0, variant {label} ({properties}{how})"


USUAL = line(
    "v3_openblas", "x86-64-v3, blas_lapack :: provider :: openblas", preferred=False
)


@pytest.mark.parametrize("spelling", [MKL, MKL.replace(" ", "")])
def test_a_preferred_property_wins(pip: Pip, numpy: list[Any], spelling: str) -> None:
    assert USUAL in pip(*numpy).lines
    result = pip(*numpy, "--prefer-variant", spelling)
    assert line("mkl", MKL, preferred=True) in result.lines
    assert result.stderr == ""


@pytest.mark.parametrize("preference", ["x86_64", "x86_64::level::v4", "other"])
def test_what_changes_nothing_is_not_mentioned(
    pip: Pip, numpy: list[Any], preference: str
) -> None:
    assert USUAL in pip(*numpy, "--prefer-variant", preference).lines


def test_invalid_preferences(pip: Pip, index: IndexServer, numpy: list[Any]) -> None:
    result = pip(*numpy, "--prefer-variant", "a :: b :: c :: d", code=2)
    assert "option --prefer-variant: expected 'namespace[ :: feature[ :: value]]'" in (
        result.stderr
    )
    result = pip(*numpy, env={"PIP_PREFER_VARIANT": "nvidia :: SM"}, code=1)
    assert result.stderr == (
        "ERROR: prefer-variant in the configuration, or PIP_PREFER_VARIANT: "
        "invalid feature 'SM' in 'nvidia::SM'\n"
    )
    assert index.log() == []
