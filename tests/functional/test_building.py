"""``wheel-variants build``: variant wheels from ordinary ones, and back."""

from __future__ import annotations

import hashlib
import json
import warnings
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.lib.environments import Environment, Result
from tests.lib.publisher import WheelCli
from tests.lib.wheels import make_wheel

Build = Callable[..., Result]

PLAIN = "demo-1.0-py3-none-any.whl"
CUDA = "nvidia :: cuda_version_lower_bound :: 12.8"
V3 = "x86_64 :: level :: v3"


@pytest.fixture
def work(tmp_path: Path) -> Path:
    """Return the working folder of a project, with an ordinary wheel in it."""
    wheel = make_wheel("demo", "1.0", requires=["left>=1"])
    wheel.write_to(tmp_path)
    return tmp_path


@pytest.fixture
def build(publish: WheelCli, work: Path) -> Build:
    """Return a function that builds from the ordinary wheel into ``dist``."""

    def run(
        *arguments: str | Path, wheel: str | Path = PLAIN, code: int | None = 0
    ) -> Result:
        return publish("build", wheel, "-d", "dist", *arguments, code=code, cwd=work)

    return run


def built(work: Path, label: str) -> Path:
    return work / "dist" / f"demo-1.0-py3-none-any-{label}.whl"


def document(path: Path) -> dict[str, Any]:
    with zipfile.ZipFile(path) as archive:
        content = archive.read("demo-1.0.dist-info/variant.json")
    loaded: dict[str, Any] = json.loads(content)
    return loaded


def write_table(work: Path, text: str) -> None:
    (work / "pyproject.toml").write_text(text, encoding="utf-8")


def test_a_variant_has_another_name_and_metadata(work: Path, build: Build) -> None:
    before = (work / PLAIN).read_bytes()
    result = build("--label", "cu128", "--property", CUDA)
    wheel = built(work, "cu128")
    assert result.stdout == f"Built dist/{wheel.name}\n"
    assert result.stderr == ""
    assert (work / PLAIN).read_bytes() == before
    content = wheel.read_bytes()
    report = json.loads(build("--label", "cu128", "--property", CUDA, "--json").stdout)
    assert report["label"] == "cu128"
    assert report["variant-json"] == document(wheel)
    assert report["sha256"] == hashlib.sha256(content).hexdigest()
    assert wheel.read_bytes() == content
    assert document(wheel) == {
        "$schema": "https://variants-schema.wheelnext.dev/peps/850/v0.2.0.json",
        "default-priorities": {"namespace": ["nvidia"]},
        "providers": {
            "nvidia": {
                "requires": ["nvidia-variant-provider>=0.0.1,<1.0.0"],
                "plugin-api": "nvidia_variant_provider.plugin:NvidiaVariantPlugin",
            }
        },
        "variants": {"cu128": {"nvidia": {"cuda_version_lower_bound": ["12.8"]}}},
    }


@pytest.mark.on_wheel
def test_a_variant_installs_on_the_machine_that_it_is_for(
    venv: Environment, work: Path, build: Build
) -> None:
    build("--label", "cu128", "--property", CUDA)
    install = ["install", "--no-deps", str(built(work, "cu128"))]
    venv.pip(*install, "--variant-host", "cuda-12.6-sm_90", code=1)
    venv.pip(*install, "--variant-host", "cuda-12.8-sm_90")
    assert venv.eval("demo.__version__", "demo") == "1.0"
    # What is installed is complete, by the word of its RECORD.
    listed = venv.pip("show", "-f", "demo").stdout
    assert "demo-1.0.dist-info/variant.json" in listed
    venv.pip("uninstall", "-y", "demo")
    assert not list(venv.site_packages.glob("demo*"))


def test_the_projects_table(work: Path, build: Build) -> None:
    write_table(
        work,
        f"""
        [variant.default-priorities]
        namespace = ["nvidia", "blas", "npu"]
        [variant.properties]
        cu128 = ["{CUDA}"]
        mkl = ["blas :: library :: mkl"]
        [variant.providers.blas]
        build-requires = ["blas-variant-provider"]
        static-properties.library = ["mkl", "openblas"]
        [variant.providers.npu]
        requires = ["npu-variant-provider>=1"]
        optional = true
        """,
    )
    for label, properties in (
        ("cu128", {"nvidia": {"cuda_version_lower_bound": ["12.8"]}}),
        ("mkl", {"blas": {"library": ["mkl"]}}),
        ("null", {}),
    ):
        build(*(["--null"] if label == "null" else ["--label", label]))
        content = document(built(work, label))
        assert content["variants"] == {label: properties}
        order = {"namespace": ["nvidia", "blas", "npu"]}
        assert content["default-priorities"] == order
        content["providers"].pop("nvidia")
        assert content["providers"] == {
            "blas": {"static-properties": {"library": ["mkl", "openblas"]}},
            "npu": {"requires": ["npu-variant-provider>=1"], "optional": True},
        }


def test_namespaces_and_providers_on_the_command_line(work: Path, build: Build) -> None:
    options = ["--namespace", "npu", "--namespace", "nvidia"]
    options += ["--provider", "npu=npu-provider>=2", "--plugin-api", "npu=npu:Plugin"]
    build("--label", "npu1", "--property", "npu::kind::a", *options)
    content = document(built(work, "npu1"))
    assert content["default-priorities"] == {"namespace": ["npu", "nvidia"]}
    expected = {"requires": ["npu-provider>=2"], "plugin-api": "npu:Plugin"}
    assert content["providers"]["npu"] == expected
    # The other variants of the release follow, without being told again.
    build("--null")
    null = document(built(work, "null"))
    assert null == {**content, "variants": {"null": {}}}
    level = ["--label", "v3", "--property", V3]
    build(*level, "--namespace", "x86_64")
    result = build(*level, "--label", "v4")
    assert "rank namespaces differently" in result.stderr
    assert built(work, "v3").name in result.stderr
    assert "build them with the same pyproject.toml" in result.stderr
    # A schema may know no providers.
    result = build("--label", "cu128", "--property", CUDA, "--schema", "0.1.1")
    schema = document(built(work, "cu128"))
    assert schema["$schema"].endswith("/peps/825/v0.1.1.json")
    assert "providers" not in schema
    assert "has no providers, so uv does not support nvidia" in result.stderr


def test_other_labels_and_none(work: Path, build: Build) -> None:
    build("--label", "cu128", "--property", CUDA)
    variant = built(work, "cu128")
    result = build("--label", "cuda12", wheel=variant, code=1)
    assert "the wheel is already a variant" in result.stderr
    assert "--from-label" in result.stderr
    build("--from-label", "--label", "cuda12", wheel=variant)
    assert document(built(work, "cuda12"))["variants"] == {
        "cuda12": document(variant)["variants"]["cu128"]
    }
    build("--from-label", wheel=variant)
    with (
        zipfile.ZipFile(work / "dist" / PLAIN) as again,
        zipfile.ZipFile(work / PLAIN) as before,
    ):
        assert {n: again.read(n) for n in again.namelist()} == {
            n: before.read(n) for n in before.namelist()
        }
    result = build("--from-label", wheel=PLAIN, code=1)
    assert "the wheel has no label" in result.stderr.lower()
    # Never in the place of the wheel.
    content = variant.read_bytes()
    options = ["--from-label", "--label", "cu128", "--property", V3]
    result = build(*options, wheel=variant, code=1)
    assert "would overwrite the original wheel" in result.stderr
    assert variant.read_bytes() == content


def test_warnings_and_strictness(work: Path, build: Build) -> None:
    wheel = make_wheel(
        "demo", "1.0", requires=["cuda ; 'nvidia' in variant_namespaces", "left"]
    )
    marked = wheel.write_to(work)
    with zipfile.ZipFile(marked, "a") as archive:
        archive.writestr("demo-1.0.dist-info/RECORD.jws", b"{}")
    typo = "nvidia :: cuda_version :: 12.8"
    result = build("--label", "cu128", "--property", typo, wheel=marked)
    lines = result.stderr.splitlines()
    assert len(lines) == 3
    assert "has no feature 'cuda_version'" in lines[0]
    assert "cannot install a plain wheel with these dependencies: cuda" in lines[1]
    assert "left" not in lines[1]
    assert "RECORD.jws" in lines[2]
    built(work, "cu128").unlink()
    build("--label", "cu128", "--property", typo, "--strict", wheel=marked, code=1)
    assert not built(work, "cu128").exists()


#: What is typed after ``build``, and what is said of it.
REFUSED: Mapping[str, tuple[list[str], str]] = {
    "no properties": (["--label", "x"], "label 'x' has no properties"),
    "label null": (
        ["--label", "null", "--property", CUDA],
        "the null variant cannot have properties",
    ),
    "unknown namespace": (
        ["--label", "x", "--property", "npu::a::b"],
        "namespace 'npu' has no provider",
    ),
    "namespace left out": (
        ["--label", "x", "--property", CUDA, "--namespace", "x86_64"],
        "namespace 'nvidia', but --namespace lists only x86_64",
    ),
    "no such file": (["--label", "x", "--pyproject", "no.toml"], "cannot read"),
    "nothing to do": ([], "Specify --label LABEL, --null or --from-label"),
    "null with properties": (["--null", "--property", CUDA], "--null cannot be used"),
    "bad label": (["--label", "CU128"], "invalid label 'CU128'"),
    "bad property": (["--label", "x", "--property", "a :: b"], "expected 'namespace"),
    **{
        f"label {label}": (
            ["--label", label, "--property", CUDA],
            f"Label '{label}' cannot be used as a file or folder name",
        )
        for label in (".", "..")
    },
}
#: What pyproject.toml has, and what is said of it.
TABLES: Mapping[str, tuple[str, str]] = {
    "no TOML": ("[variant", "not valid TOML"),
    "no table": ("variant = 1", "[variant] is a number, not an object"),
    "the old keys": (
        "[variant.providers.nvidia]\nenable-if = 'x'",
        "use markers in 'requires' instead",
    ),
    "other properties": (
        f"[variant.properties]\nx = ['{V3}']",
        "gives label 'x' different properties",
    ),
}


@pytest.mark.parametrize("case", [*REFUSED, *TABLES])
def test_refused(work: Path, build: Build, case: str) -> None:
    if case in TABLES:
        text, problem = TABLES[case]
        write_table(work, text)
        arguments = ["--label", "x", "--property", CUDA]
    else:
        arguments, problem = REFUSED[case]
    result = build(*arguments, code=None)
    assert result.returncode in (1, 2)
    # Messages are wrapped to the width of the terminal.
    said = " ".join(result.stderr.replace("│", " ").split())
    assert problem.lower() in said.lower()
    assert not (work / "dist").exists()


@pytest.mark.parametrize("entry", ["../outside.py", "/outside.py", "demo/__init__.py"])
def test_no_variant_of_a_wheel_that_reaches_outside(
    work: Path, build: Build, entry: str
) -> None:
    with zipfile.ZipFile(work / PLAIN, "a") as archive, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of names that are repeated
        archive.writestr(entry, b"")
    text = build("--label", "cu128", "--property", CUDA, code=1).stderr
    assert f": entry '{entry}' " in text
    assert not (work / "dist").exists()
