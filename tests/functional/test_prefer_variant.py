"""``--prefer-variant``: which of the builds that run is taken."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from tests.lib.environments import Environment, Result
from tests.lib.hosts import forced, make_host
from tests.lib.index import IndexServer
from tests.lib.manifests import Properties, cuda

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
    return f"Using the variant {label} of numpy 2.0 ({properties}{how})"


USUAL = line("v3_openblas", ", ".join(NUMPY["v3_openblas"]), preferred=False)


@pytest.mark.parametrize("spelling", [MKL, MKL.replace(" ", "")])
def test_a_preferred_property_wins(pip: Pip, numpy: list[Any], spelling: str) -> None:
    assert USUAL in pip(*numpy).lines
    result = pip(*numpy, "--prefer-variant", spelling)
    assert line("mkl", MKL, preferred=True) in result.lines
    assert result.stderr == ""


@pytest.mark.parametrize(
    "preference",
    ["x86_64", "x86_64 :: level :: v3", "x86_64::level::v4", "other"],
)
def test_what_changes_nothing_is_not_mentioned(
    pip: Pip, numpy: list[Any], preference: str
) -> None:
    assert USUAL in pip(*numpy, "--prefer-variant", preference).lines


def test_a_preference_adds_nothing_that_does_not_run(
    pip: Pip, index: IndexServer, host: WriteHost
) -> None:
    index.add_release("torch", "2.8", {"cu128": cuda("12.8"), "cu126": cuda("12.6")})
    options = ["--index-url", index.index_url, "--prefer-variant"]
    prefer = "nvidia :: cuda_version_lower_bound :: 12.8"
    machine = host(make_host(cuda="12.6"))
    result = pip(
        *("install", "--dry-run", "torch", *options, prefer),
        *("--variant-host", machine),
    )
    assert "Using the variant cu126 of torch 2.8" in result.stdout
    assert "preferred" not in result.stdout


def test_in_configuration_and_environment(venv: Environment, numpy: list[Any]) -> None:
    unset: dict[str, str | None] = {"PIP_CONFIG_FILE": None}
    venv.pip("config", "--site", "set", "global.prefer-variant", MKL, env=unset)
    assert line("mkl", MKL, preferred=True) in venv.pip(*numpy, env=unset).lines
    # The environment replaces what is configured, as always.
    environ = {**unset, "PIP_PREFER_VARIANT": "nvidia x86_64 ::level"}
    assert USUAL in venv.pip(*numpy, env=environ).lines
    # What is typed is stronger than both.
    typed = venv.pip(*numpy, "--prefer-variant", MKL, env=environ)
    assert line("mkl", MKL, preferred=True) in typed.lines


def test_invalid_preferences(pip: Pip, index: IndexServer, numpy: list[Any]) -> None:
    result = pip(*numpy, "--prefer-variant", "a :: b :: c :: d", code=2)
    assert "option --prefer-variant: expected 'namespace :: feature :: value'" in (
        result.stderr
    )
    result = pip(*numpy, env={"PIP_PREFER_VARIANT": "nvidia :: SM"}, code=1)
    assert result.stderr == (
        "ERROR: prefer-variant in the configuration, or PIP_PREFER_VARIANT: "
        "invalid feature 'SM' in 'nvidia::SM'\n"
    )
    assert index.log() == []


def test_a_requirements_file_has_no_preferences(
    venv: Environment, numpy: list[Any]
) -> None:
    (venv.work / "requirements.txt").write_text(f"--prefer-variant '{MKL}'\nnumpy\n")
    result = venv.pip(*numpy, "-r", "requirements.txt", code=1)
    assert "no such option: --prefer-variant" in result.stderr


def test_forced_gpus_obey_too(pip: Pip, index: IndexServer) -> None:
    variants = {"cu128": cuda("12.8"), "blas": [MKL], "null": {}}
    index.add_release("both", "1.0", variants)
    index.add_release("cpu", "1.0", {"blas": [MKL], "null": {}})
    options = ["--index-url", index.index_url, "--prefer-variant", "blas_lapack"]
    result = pip(
        "install", "--dry-run", "both", "cpu", *options, env=forced("12.8", "9.0")
    )
    assert (
        f"Using the variant blas of both 1.0 ({MKL}, preferred with --prefer-variant)"
    ) in result.lines
    assert f"Using the variant blas of cpu 1.0 ({MKL})" in result.lines
