"""``wheel-variants build``: variant wheels from ordinary ones, and back."""

from __future__ import annotations

import hashlib
import json
import shutil
import warnings
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.lib.environments import Environment, Result
from tests.lib.publisher import Publisher
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
def build(publish: Publisher, work: Path) -> Build:
    """Return a function that builds from the ordinary wheel into ``dist``."""

    def run(*arguments: str | Path, wheel: str | Path = PLAIN, code: int = 0) -> Result:
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


TABLE = f"""
[project]
name = "demo"

[variant.default-priorities]
namespace = ["nvidia", "x86_64"]

[variant.properties]
cu128 = ["{CUDA}"]
x86_64_v3 = ["{V3}"]
"""


def test_a_variant_has_another_name_and_metadata(work: Path, build: Build) -> None:
    before = (work / PLAIN).read_bytes()
    result = build("--label", "cu128", "--property", CUDA)
    wheel = built(work, "cu128")
    assert result.stdout == f"Built dist/{wheel.name}\n"
    assert result.stderr == ""
    assert (work / PLAIN).read_bytes() == before
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


def test_same_bytes_on_every_run(work: Path, build: Build) -> None:
    digests = set()
    for _ in range(2):
        output = build("--label", "cu128", "--property", CUDA, "--json").stdout
        report = json.loads(output)
        assert report["label"] == "cu128"
        assert report["variant-json"] == document(built(work, "cu128"))
        content = (work / report["wheel"]).read_bytes()
        assert report["sha256"] == hashlib.sha256(content).hexdigest()
        digests.add(report["sha256"])
    assert len(digests) == 1


def test_the_projects_table_says_what_labels_stand_for(
    work: Path, build: Build
) -> None:
    write_table(work, TABLE)
    build("--label", "cu128")
    build("--label", "x86_64_v3")
    build("--null")
    for label, properties in (
        ("cu128", {"nvidia": {"cuda_version_lower_bound": ["12.8"]}}),
        ("x86_64_v3", {"x86_64": {"level": ["v3"]}}),
        ("null", {}),
    ):
        content = document(built(work, label))
        assert content["variants"] == {label: properties}
        assert content["default-priorities"] == {"namespace": ["nvidia", "x86_64"]}
        assert list(content["providers"]) == ["nvidia", "x86_64"]


def test_the_table_describes_providers(work: Path, build: Build) -> None:
    write_table(
        work,
        """
        [variant.default-priorities]
        namespace = ["blas", "npu"]
        [variant.providers.blas]
        build-requires = ["blas-variant-provider"]
        static-properties.library = ["mkl", "openblas"]
        [variant.providers.npu]
        requires = ["npu-variant-provider>=1"]
        optional = true
        """,
    )
    build("--label", "mkl", "--property", "blas :: library :: mkl")
    assert document(built(work, "mkl"))["providers"] == {
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
    build("--label", "cu128", "--property", CUDA)
    assert document(built(work, "cu128")) == {
        **content,
        "variants": document(built(work, "cu128"))["variants"],
    }
    build("--null")
    assert document(built(work, "null"))["providers"]["npu"] == expected


def test_a_schema_without_providers(work: Path, build: Build) -> None:
    result = build("--label", "cu128", "--property", CUDA, "--schema", "0.1.1")
    assert document(built(work, "cu128")) == {
        "$schema": "https://variants-schema.wheelnext.dev/peps/825/v0.1.1.json",
        "default-priorities": {"namespace": ["nvidia"]},
        "variants": {"cu128": {"nvidia": {"cuda_version_lower_bound": ["12.8"]}}},
    }
    assert "does not tell who provides nvidia" in result.stderr


def test_other_labels_and_none(work: Path, build: Build) -> None:
    build("--label", "cu128", "--property", CUDA)
    variant = built(work, "cu128")
    result = build("--label", "cuda12", wheel=variant, code=1)
    assert "it is a variant already" in " ".join(result.stderr.split()).lower()
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
    assert "it has no label" in result.stderr.lower()


def test_never_in_the_place_of_the_wheel(work: Path, build: Build) -> None:
    build("--label", "cu128", "--property", CUDA)
    variant = built(work, "cu128")
    before = variant.read_bytes()
    options = ["--from-label", "--label", "cu128", "--property", V3]
    result = build(*options, wheel=variant, code=1)
    assert "would replace the wheel itself" in result.stderr
    assert variant.read_bytes() == before


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


def test_variants_of_one_release_that_disagree(work: Path, build: Build) -> None:
    build("--label", "cu128", "--property", CUDA)
    build("--label", "v3", "--property", V3, "--namespace", "x86_64")
    result = build("--label", "v4", "--property", "x86_64 :: level :: v4")
    assert "order namespaces as" in result.stderr
    assert built(work, "v3").name in result.stderr
    assert "build them with the same pyproject.toml" in result.stderr


REFUSED: dict[str, tuple[list[str], str]] = {
    "no properties": (["--label", "x"], "nothing defines the label 'x'"),
    "label null": (
        ["--label", "null", "--property", CUDA],
        "the null variant has no properties",
    ),
    "null alone": (["--null"], "nothing lists the namespaces"),
    "unknown namespace": (
        ["--label", "x", "--property", "npu::a::b"],
        "nothing names the provider of the namespace 'npu'",
    ),
    "namespace left out": (
        ["--label", "x", "--property", CUDA, "--namespace", "x86_64"],
        "of the namespace 'nvidia', which --namespace does not list",
    ),
    "bad provider": (
        ["--label", "x", "--property", "npu::a::b", "--provider", "npu=a b"],
        "requires 'a b', which is no dependency specifier",
    ),
    "no such file": (["--label", "x", "--pyproject", "no.toml"], "cannot be read"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused(work: Path, build: Build, case: str) -> None:
    arguments, problem = REFUSED[case]
    result = build(*arguments, code=1)
    # Messages are wrapped to the width of the terminal.
    text = " ".join(result.stderr.replace("│", " ").split())
    assert problem.lower() in text.lower()
    assert not (work / "dist").exists()


USAGE = {
    "nothing to do": ([], "Add --label LABEL, --null or --from-label"),
    "null with properties": (["--null", "--property", CUDA], "--null excludes --label"),
    "two wheels": (["--label", "x", "other.whl"], "unrecognized arguments: other.whl"),
    "properties of a plain wheel": (
        ["--from-label", "--property", CUDA],
        "An ordinary wheel has no properties: add --label LABEL",
    ),
    "an entry point of nothing": (
        ["--label", "x", "--plugin-api", "npu=npu_plugin"],
        "Add --provider npu=REQUIREMENT",
    ),
    "bad label": (["--label", "CU128"], "invalid label 'CU128'"),
    "bad property": (["--label", "x", "--property", "a :: b"], "expected 'namespace"),
    "bad provider": (["--provider", "npu"], "expected NAMESPACE=REQUIREMENT"),
    "bad schema": (["--schema", "0.0.3"], "invalid choice: '0.0.3'"),
}


@pytest.mark.parametrize("case", USAGE)
def test_wrong_options(build: Build, case: str) -> None:
    arguments, problem = USAGE[case]
    assert problem in build(*arguments, code=2).stderr


TABLES = {
    "no TOML": ("[variant", "not TOML"),
    "no table": ("variant = 1", "[variant] is a number, not an object"),
    "the old keys": (
        "[variant.providers.nvidia]\nenable-if = 'x'",
        "use markers in 'requires' instead",
    ),
    "labels in the wrong place": ("[variant.variants]", "[variant.properties]"),
    "no list": ("[variant.properties]\nx = 'a::b::c'", "is a string, not a list"),
    "no property": ("[variant.properties]\nx = ['a::b']", "expected 'namespace"),
    "other properties": (
        f"[variant.properties]\nx = ['{V3}']",
        "gives other properties to the label 'x'",
    ),
    "namespace left out": (
        "[variant.default-priorities]\nnamespace = ['x86_64']",
        "which pyproject.toml does not list",
    ),
}


@pytest.mark.parametrize("case", TABLES)
def test_tables_that_are_refused(work: Path, build: Build, case: str) -> None:
    text, problem = TABLES[case]
    write_table(work, text)
    result = build("--label", "x", "--property", CUDA, code=1)
    said = " ".join(result.stderr.replace("│", " ").split())
    assert problem.lower() in said.lower()


def test_wheels_that_are_none(work: Path, build: Build) -> None:
    damaged = work / "demo-2.0-py3-none-any.whl"
    shutil.copy(work / PLAIN, damaged)
    for wheel, problem in (
        (work / "no-1.0-py3-none-any.whl", "no such file"),
        (damaged, "is of another release"),
        (work, "name is invalid"),
    ):
        result = build("--label", "x", "--property", CUDA, wheel=wheel, code=1)
        assert problem in " ".join(result.stderr.split()).lower()


@pytest.mark.parametrize("label", [".", ".."])
def test_no_label_leads_to_another_folder(work: Path, build: Build, label: str) -> None:
    text = build("--label", label, "--property", CUDA, code=1).stderr
    assert f"The label '{label}' cannot be the name of a file or folder" in text
    assert "Give it letters or digits too" in text
    assert not (work / "dist").exists()


@pytest.mark.parametrize("entry", ["../outside.py", "/outside.py", "demo/__init__.py"])
def test_no_variant_of_a_wheel_that_reaches_outside(
    work: Path, build: Build, entry: str
) -> None:
    with zipfile.ZipFile(work / PLAIN, "a") as archive, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of names that are repeated
        archive.writestr(entry, b"")
    text = build("--label", "cu128", "--property", CUDA, code=1).stderr
    assert f"its entry '{entry}' is" in text
    assert not (work / "dist").exists()
