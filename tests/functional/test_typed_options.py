"""What is typed wrongly: contradictions, and names that nothing of a run has."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest

from tests.lib.environments import Environment, Result
from tests.lib.index import IndexServer
from tests.lib.manifests import Provider, cuda, make_manifest
from tests.lib.wheels import make_sdist, make_wheel

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
            "blas": Provider(static={"library": ["mkl", "openblas"]}),
            "npu": Provider(["npu-variant-provider"], "npu_plugin"),
        },
    )
    index.add_release("idna", "3.10", {}, manifest=manifest)
    index.add(make_wheel("requests", "2.0"))
    index.add(make_wheel("app", "1.0", requires=["idna"]))
    return ["install", "--dry-run", "-i", index.index_url]


LEAVE = "Leave one of the two out."
OFF = "Without variants there is nothing to choose from."

#: What is typed, which two of it contradict each other, and why.
CONTRADICTIONS: Sequence[tuple[Sequence[str], tuple[str, str], str]] = [
    (
        ["--variant=idna=mkl", "--variant=requests=x", "--variant=idna=null"],
        ("--variant idna=mkl", "--variant idna=null"),
        "Only one build of idna is installed.",
    ),
    (["--no-variants", "--variant=null"], ("--no-variants", "--variant null"), OFF),
    (
        ["--prefer-variant=x86_64 :: level", "--no-variants"],
        ("--no-variants", "--prefer-variant 'x86_64 :: level'"),
        OFF,
    ),
    (
        ["--no-variants", "--upgrade-variants"],
        ("--no-variants", "--upgrade-variants"),
        OFF,
    ),
    (
        ["--no-variants", "--variant-host", "cuda-12.8-sm_90"],
        ("--no-variants", "--variant-host cuda-12.8-sm_90"),
        OFF,
    ),
    (
        ["--no-variants", "--enable-variant-provider", "npu"],
        ("--no-variants", "--enable-variant-provider npu"),
        OFF,
    ),
    (
        ["--no-variants", "--trust-variant-provider", "npu"],
        ("--no-variants", "--trust-variant-provider npu"),
        OFF,
    ),
    (
        ["--no-variants", "--variant-provider", "nvidia=plugin"],
        ("--no-variants", "--variant-provider nvidia=plugin"),
        OFF,
    ),
    (
        ["--use-deprecated=legacy-resolver", "--variant=null"],
        ("--use-deprecated=legacy-resolver", "--variant null"),
        OFF,
    ),
    (
        ["--disable-variant-provider=npu", "--enable-variant-provider=npu"],
        ("--enable-variant-provider npu", "--disable-variant-provider npu"),
        "The provider of npu cannot be asked and not be asked.",
    ),
    (
        ["--disable-variant-provider=npu", "--prefer-variant=npu :: kind"],
        ("--disable-variant-provider npu", "--prefer-variant 'npu :: kind'"),
        "Nothing of npu that is disabled can be preferred.",
    ),
    (
        ["--disable-variant-provider=npu", "--variant-provider=npu=plugin"],
        ("--disable-variant-provider npu", "--variant-provider npu=plugin"),
        "The provider of npu is not asked, whichever it is.",
    ),
    (
        ["--variant-provider=amd=plugin", "--variant-provider=amd=builtin"],
        ("--variant-provider amd=plugin", "--variant-provider amd=builtin"),
        "Only one provider of amd is asked.",
    ),
]


@pytest.mark.parametrize(
    ("typed", "pair", "why"),
    CONTRADICTIONS,
    ids=[" ".join(e[0]) for e in CONTRADICTIONS],
)
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
        f"╰─> {why}\n\nhint: {LEAVE}\n"
    )
    assert result.stderr.endswith(error)
    assert index.log() == []


@pytest.mark.parametrize(
    "typed",
    [
        ["--variant=idna=null", "--variant=idna=null"],
        ["--no-variants", "--disable-variant-provider=nvidia"],
        ["--no-variants", "--variant-provider-timeout=5", "--parallel-downloads=1"],
        ["--enable-variant-provider=npu", "--disable-variant-provider=nvidia"],
        ["--disable-variant-provider=npu", "--prefer-variant=blas"],
        ["--variant-provider=amd=plugin", "--variant-provider=nvidia=builtin"],
        ["--variant-provider=amd=plugin", "--variant-provider=amd=plugin"],
    ],
    ids=" ".join,
)
def test_no_contradiction(pip: Pip, idna: list[str], typed: Sequence[str]) -> None:
    assert "error:" not in pip(*idna, "idna", *typed, code=None).stderr


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
    environ = {"PIP_NO_VARIANTS": "1", "PIP_VARIANT": "null"}
    assert "Would install idna-3.10\n" in pip(*idna, "idna", env=environ).stdout


@pytest.mark.locks
def test_several_builds_can_be_locked(pip: Pip, idna: list[str]) -> None:
    options = ["-o", "-", *idna[2:], "--variant=idna=null", "--variant=idna=mkl"]
    result = pip("lock", "idna", *options)
    assert "-mkl.whl" in result.stdout
    assert "-null.whl" in result.stdout
    assert "-openblas.whl" not in result.stdout


def test_host_refuses_them_too(pip: Pip) -> None:
    options = ["--enable-variant-provider=amd", "--disable-variant-provider=amd"]
    result = pip("variants", "host", *options, code=1)
    assert "--enable-variant-provider amd contradicts --disable-" in result.stderr


@pytest.mark.parametrize("package", ["idna", "app"])
def test_two_labels_for_all_that_one_package_has(
    pip: Pip, index: IndexServer, idna: list[str], package: str
) -> None:
    typed = ["--variant", "null", "--variant", "mkl"]
    result = pip(*idna, package, *typed, code=1)
    what = "idna" if package == "idna" else "idna 3.10"
    assert result.stderr == (
        "error: contradictory-options\n\n× --variant null contradicts --variant mkl.\n"
        f"╰─> {what} has variants with both labels.\n\nhint: Say which one is meant: "
        "--variant idna=null or --variant idna=mkl.\n"
    )
    assert ("GET", "/files/idna-3.10-variants.json") not in index.log()
    # Each for another package is what several are for.
    index.add_release("kernels", "1.0", {"cu128": cuda("12.8"), "v1": {}})
    result = pip(*idna, package, "kernels", "--variant=v1", "--variant=mkl")
    assert "idna-3.10 (mkl) kernels-1.0 (v1)" in result.stdout


@pytest.mark.parametrize(
    ("lines", "first", "second", "why"),
    [
        (
            ["idna --variant mkl", "--variant idna=null"],
            "--variant idna=mkl in a requirements file",
            "--variant idna=null in a requirements file",
            "Only one build of idna is installed.",
        ),
        (
            ["--variant mkl", "--variant null", "idna"],
            "--variant mkl in a requirements file",
            "--variant null in a requirements file",
            "idna has variants with both labels.",
        ),
        (
            ["--no-variants", "idna --variant mkl"],
            "--no-variants in requirements.txt",
            "--variant idna=mkl in a requirements file",
            OFF,
        ),
        (
            ["idna --variant mkl", "--no-variants"],
            "--no-variants in requirements.txt",
            "--variant idna=mkl in a requirements file",
            OFF,
        ),
        (
            ["--no-variants", "idna --prefer"],
            "--no-variants in requirements.txt",
            "--prefer-variant blas",
            OFF,
        ),
    ],
    ids=str,
)
def test_requirements_files(
    venv: Environment,
    idna: list[str],
    lines: Sequence[str],
    first: str,
    second: str,
    why: str,
) -> None:
    typed = [] if "--prefer" not in lines[-1] else ["--prefer-variant", "blas"]
    text = "\n".join(line.removesuffix(" --prefer") for line in lines)
    (venv.work / "requirements.txt").write_text(text)
    result = venv.pip(*idna, "-r", "requirements.txt", *typed, code=1)
    assert f"× {first} contradicts {second}.\n╰─> {why}\n" in result.stderr


# Names that occur nowhere

#: What is typed, and the warning; none if there is none.
NAMES: Sequence[tuple[Sequence[str], str | None]] = [
    (["app", "--variant=idna=null"], None),
    (
        ["idna", "--disable-variant-provider=nvidai"],
        (
            "--disable-variant-provider nvidai: nothing in this run has a namespace nvidai. "
            "Did you mean nvidia?"
        ),
    ),
    (
        ["requests", "--enable-variant-provider=npu"],
        "--enable-variant-provider npu: nothing in this run has a namespace npu",
    ),
    (["idna", "--enable-variant-provider=npu"], None),
    (["requests", "--enable-variant-provider=nvidia"], None),
    (
        ["app", "--variant-provider=x86_46=builtin"],
        (
            "--variant-provider x86_46=builtin: nothing in this run has a namespace x86_46. "
            "Did you mean x86_64?"
        ),
    ),
    (
        ["idna", "--prefer-variant=blsa :: library"],
        (
            "--prefer-variant 'blsa :: library': nothing in this run has a namespace blsa. "
            "Did you mean blas?"
        ),
    ),
    (["idna", "--prefer-variant=blas :: library :: none"], None),
    (["idna", "--prefer-variant=npu :: kind"], None),
]


@pytest.mark.parametrize(
    ("typed", "warning"), NAMES, ids=[" ".join(each[0]) for each in NAMES]
)
def test_a_name(
    pip: Pip, idna: list[str], typed: Sequence[str], warning: str | None
) -> None:
    result = pip(*idna, *typed)
    said = [line for line in result.stderr.splitlines() if "left out" not in line]
    assert said == ([] if warning is None else [f"WARNING: {warning}"])


@pytest.mark.parametrize(
    ("typed", "hint"),
    [
        ("idan=null", "Did you mean 'idna'? --variant idna=null"),
        ("torch=null", "Leave this option out, or name a package of this command."),
    ],
)
def test_a_label_for_a_package_that_is_not_there(
    venv: Environment, idna: list[str], typed: str, hint: str
) -> None:
    project = typed.partition("=")[0]
    (venv.work / "requirements.txt").write_text(f"--variant {typed}\n")
    for given, where in (
        (["--variant", typed], ""),
        (["-r", "requirements.txt"], " in a requirements file"),
    ):
        result = venv.pip(*idna, "idna", *given, code=1)
        assert result.stderr.endswith(
            f"error: unknown-package\n\n× --variant {typed}{where}: no package of this "
            f"command is called '{project}'.\n\nhint: {hint}\n"
        )
        assert "Using" not in result.stdout


def test_a_misspelled_package_is_an_error_to_explain_too(
    pip: Pip, idna: list[str]
) -> None:
    explain = ["variants", "explain", "requests", *idna[2:]]
    result = pip(*explain, "--variant=reqeusts=null", code=1)
    assert result.stdout == ""
    assert result.stderr.endswith(
        "hint: Did you mean 'requests'? --variant requests=null\n"
    )
    # A dependency may have it, which is not looked up.
    assert pip(*explain, "--variant=idna=null").stderr == ""
    told = pip(*explain, "--variant=requests-ng=null").stderr
    assert "this run has no package requests-ng. Did you mean requests?" in told


@pytest.mark.parametrize(
    "environ",
    [
        {"PIP_VARIANT": "idan=null"},
        {"PIP_DISABLE_VARIANT_PROVIDER": "nvidai"},
        {"PIP_PREFER_VARIANT": "nvidai::foo"},
    ],
    ids=str,
)
def test_what_is_configured_may_be_for_other_runs(
    pip: Pip, idna: list[str], environ: Mapping[str, str]
) -> None:
    assert "WARNING" not in pip(*idna, "requests", env=environ).stderr
    assert "Did you mean" not in pip(*idna, "idna", env=environ).stderr


def test_what_stays_installed_is_known(venv: Environment, idna: list[str]) -> None:
    venv.pip("install", *idna[2:], "idna")
    typed = ["--enable-variant-provider=npu", "--prefer-variant=blas :: library"]
    typed += ["--trust-variant-provider=npu-variant-provider"]
    result = venv.pip(*idna, "idna", *typed, "--variant=idna=mkl")
    assert "already satisfied" in result.stdout
    assert result.stderr == ""


def test_a_run_that_fails_tells_of_mistyped_names_alone(
    pip: Pip, index: IndexServer, idna: list[str]
) -> None:
    manifest = make_manifest(
        {"on": ["extra :: on :: yes"]},
        providers={"extra": Provider(static={"on": ["yes"]}, optional=True)},
    )
    index.add_release("only", "1.0", {}, manifest=manifest, plain=False)
    typed = ["--enable-variant-provider", "extar", "--variant", "other=x"]
    result = pip(*idna, "only", *typed, code=1)
    said = (
        "WARNING: --enable-variant-provider extar: nothing in this run has a namespace "
        "extar. Did you mean extra?\nerror: no-compatible-variant\n"
    )
    assert said in result.stderr
    assert "WARNING: --variant" not in result.stderr
    explain = ["variants", "explain", "only", *idna[2:], *typed]
    assert pip(*explain, code=1).stderr.startswith(said)


def test_what_is_built_may_need_what_has_it(
    pip: Pip, index: IndexServer, idna: list[str]
) -> None:
    index.add(make_sdist("made", "1.0"))
    result = pip(*idna, "made", "--disable-variant-provider", "blas")
    assert "Would install made-1.0" in result.stdout
    assert result.stderr == ""


def test_a_file_of_constraints_names_packages(
    venv: Environment, idna: list[str]
) -> None:
    constraints = venv.work / "constraints.txt"
    constraints.write_text("torch==2.9 --variant cu128\n")
    result = venv.pip(*idna, "requests", "-c", constraints)
    assert result.stderr == ""
