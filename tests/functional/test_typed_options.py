"""What is typed wrongly: contradictions, and names that nothing of a run has."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest

from tests.lib.environments import Environment, Result
from tests.lib.index import IndexServer
from tests.lib.manifests import PluginSpec, make_manifest
from tests.lib.wheels import make_wheel

Pip = Callable[..., Result]
WriteHost = Callable[[str | Mapping[str, Any]], Any]


@pytest.fixture
def idna(index: IndexServer) -> list[str]:
    """Return arguments for an index with a package whose variants run anywhere."""
    manifest = make_manifest(
        {
            "mkl": ["blas :: library :: mkl"],
            "openblas": ["blas :: library :: openblas"],
            "npu": ["npu :: kind :: b1"],
            "null": {},
        },
        providers={
            "blas": PluginSpec(static={"library": ["mkl", "openblas"]}),
            "npu": PluginSpec(["npu-variant-provider"], "npu_plugin"),
        },
    )
    index.add_release("idna", "3.10", {}, manifest=manifest)
    index.add(make_wheel("requests", "2.0"))
    index.add(make_wheel("app", "1.0", requires=["idna"]))
    return ["install", "--dry-run", "-i", index.index_url]


OFF = "Without variants, pip has nothing to choose from."
LEGACY = "--use-deprecated=legacy-resolver"

#: What is typed, which two of it contradict each other, and why.
CONTRADICTIONS: Sequence[tuple[Sequence[str], tuple[str, str], str]] = [
    (
        ["--variant=idna=mkl", "--variant=requests=x", "--variant=idna=null"],
        ("--variant idna=mkl", "--variant idna=null"),
        "pip can install only one variant of 'idna'.",
    ),
    (["--no-variants", "--variant=null"], ("--no-variants", "--variant null"), OFF),
    (
        ["--prefer-variant=x86_64 :: level", "--no-variants"],
        ("--no-variants", "--prefer-variant 'x86_64 :: level'"),
        OFF,
    ),
    (
        ["--no-variants", "--variant-host", "cuda-12.8-sm_90"],
        ("--no-variants", "--variant-host cuda-12.8-sm_90"),
        OFF,
    ),
    *(
        ([LEGACY, *each.split()], (LEGACY, each), OFF)
        for each in ("--variant null", "--strict-variants", "--require-accelerator x")
    ),
]


@pytest.mark.parametrize(("typed", "pair", "why"), CONTRADICTIONS)
def test_a_contradiction(
    pip: Pip,
    index: IndexServer,
    idna: list[str],
    typed: Sequence[str],
    pair: tuple[str, str],
    why: str,
) -> None:
    result = pip(*idna, "idna", *typed, code=1)
    error = (
        f"error: contradictory-options\n\n× {pair[0]} contradicts {pair[1]}.\n"
        f"╰─> {why}\n\nhint: Remove either option.\n"
    )
    assert result.stderr.endswith(error)
    assert index.log() == []


def test_what_is_typed_wins_over_what_is_configured(pip: Pip, idna: list[str]) -> None:
    result = pip(*idna, "idna", "--variant=idna=null", env={"PIP_VARIANT": "idna=mkl"})
    assert "Would install idna-3.10 (null)" in result.stdout
    environ = {"PIP_VARIANT": "mkl", "PIP_VARIANT_HOST": "cpu-x86_64-v1"}
    result = pip(*idna, "idna", "--no-variants", env=environ)
    assert "Would install idna-3.10\n" in result.stdout
    assert result.stderr == ""


def test_nothing_typed_turns_variants_on(
    pip: Pip, index: IndexServer, idna: list[str]
) -> None:
    environ = {"PIP_NO_VARIANTS": "1"}
    result = pip(*idna, "idna", "--variant", "null", env=environ, code=1)
    assert (
        "× no-variants in the configuration or PIP_NO_VARIANTS contradicts --variant "
        "null.\n"
    ) in result.stderr
    assert index.log() == []


@pytest.mark.parametrize(
    ("line", "first"),
    [
        ("--variant idna=null", "--variant idna=null in a requirements file"),
        ("--no-variants", "--no-variants in requirements.txt"),
    ],
)
def test_requirements_files(
    venv: Environment, idna: list[str], line: str, first: str
) -> None:
    (venv.work / "requirements.txt").write_text(f"{line}\nidna --variant mkl\n")
    result = venv.pip(*idna, "-r", "requirements.txt", code=1)
    assert f"× {first} contradicts --variant idna=mkl in a requ" in result.stderr


# Names that occur nowhere

#: What is typed, and the warning; none if there is none.
NAMES: Sequence[tuple[Sequence[str], str | None]] = [
    (["app", "--variant=idna=null"], None),
    (
        ["idna", "--disable-variant-provider=nvidai"],
        (
            "--disable-variant-provider nvidai: none of the packages uses "
            "namespace 'nvidai'. Did you mean 'nvidia'?"
        ),
    ),
    (
        ["requests", "--enable-variant-provider=npu"],
        "--enable-variant-provider npu: none of the packages uses namespace 'npu'",
    ),
    (["requests", "--enable-variant-provider=nvidia"], None),
    (
        ["app", "--variant-provider=x86_46=builtin"],
        "--variant-provider x86_46=builtin: none of the packages uses namespace 'x86_46'. Did you mean 'x86_64'?",
    ),
    (["idna", "--prefer-variant=blas :: library :: none"], None),
]


@pytest.mark.parametrize(
    ("typed", "warning"), NAMES, ids=[" ".join(each[0]) for each in NAMES]
)
def test_a_name(
    pip: Pip, idna: list[str], typed: Sequence[str], warning: str | None
) -> None:
    result = pip(*idna, *typed)
    said = [line for line in result.stderr.splitlines() if "Ignoring" not in line]
    assert said == ([] if warning is None else [f"WARNING: {warning}"])


def test_a_label_for_a_package_that_is_not_there(
    venv: Environment, idna: list[str]
) -> None:
    (venv.work / "requirements.txt").write_text("--variant idan=null\n")
    for given, typed in (
        (["--variant", "idan=null"], "--variant idan=null"),
        (["-r", "requirements.txt"], "--variant idan=null in a requirements file"),
        (["--require-accelerator=idan,idna"], "--require-accelerator idan"),
    ):
        result = venv.pip(*idna, "idna", *given, code=1)
        assert result.stderr.endswith(
            f"error: unknown-package\n\n× {typed}: this command does not install a package "
            "named 'idan'.\n\nhint: Did you mean 'idna'?\n"
        )
    result = venv.pip(*idna, "idna", "--variant", "torch=null", code=1)
    assert "or name a package that this command installs.\n" in result.stderr


def test_a_misspelled_package_is_an_error_to_explain_too(
    pip: Pip, idna: list[str]
) -> None:
    explain = ["variants", "explain", "requests", *idna[2:]]
    result = pip(*explain, "--variant=reqeusts=null", code=1)
    assert result.stdout == ""
    assert result.stderr.endswith("hint: Did you mean 'requests'?\n")
    # A dependency may have it, which is not looked up.
    assert pip(*explain, "--variant=idna=null").stderr == ""
    told = pip(*explain, "--variant=requests-ng=null").stderr
    assert "install a package named 'requests-ng'. Did you mean 'requests'?" in told


def test_what_is_configured_may_be_for_other_runs(pip: Pip, idna: list[str]) -> None:
    environ = {"PIP_VARIANT": "idan=null", "PIP_DISABLE_VARIANT_PROVIDER": "nvidai"}
    assert "WARNING" not in pip(*idna, "requests", env=environ).stderr
    assert "Did you mean" not in pip(*idna, "idna", env=environ).stderr


def test_a_run_that_fails_tells_of_mistyped_names_alone(
    pip: Pip, index: IndexServer, idna: list[str]
) -> None:
    manifest = make_manifest(
        {"on": ["extra :: on :: yes"]},
        providers={"extra": PluginSpec(static={"on": ["yes"]}, optional=True)},
    )
    index.add_release("only", "1.0", {}, manifest=manifest, plain=False)
    typed = ["--enable-variant-provider", "extar", "--variant", "other=x"]
    result = pip(*idna, "only", *typed, code=1)
    said = (
        "WARNING: --enable-variant-provider extar: none of the packages uses "
        "namespace 'extar'. Did you mean 'extra'?\n"
        "error: nothing-to-install\n"
    )
    assert said in result.stderr
    assert "WARNING: --variant" not in result.stderr
