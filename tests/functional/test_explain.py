"""``pip variants explain``: which build would be installed, and why."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.lib.batch import run_batch
from tests.lib.environments import Environment, Result
from tests.lib.hosts import forced, make_host
from tests.lib.index import IndexServer
from tests.lib.manifests import PREVIEW_TORCH, cuda
from tests.lib.wheels import make_sdist, make_wheel

Pip = Callable[..., Result]
WriteHost = Callable[[str | Mapping[str, Any]], Path]

GPU = forced("12.8", "9.0")


@pytest.fixture
def torch(index: IndexServer) -> list[str]:
    """Return the options for an index with the preview's torch."""
    index.add_release("torch", "2.8.0", {}, manifest=PREVIEW_TORCH)
    return ["--index-url", index.index_url]


def document(result: Result) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(result.stdout)
    assert found["version"] == "1"
    return found


@pytest.mark.on_wheel
def test_story(pip: Pip, index: IndexServer, torch: list[str], host: WriteHost) -> None:
    index.add(make_wheel("torch", "3.0rc1"))
    index.add(make_wheel("torch", "2.9.2"), yanked="it \x1b[31mbreaks")
    index.add(make_wheel("torch", "2.9.1"), requires_python=">=4")
    index.add(make_wheel("torch", "2.9.0", tag="cp39-cp39-win_arm64"))
    index.add_release("torch", "2.8.5", {"cu130": cuda("13.0")}, plain=False)
    machine = host(make_host(cuda="12.8", capability="9.0"))
    options = [*torch, "--variant-host", machine, "--prefer-variant", "x86_64"]
    result = pip("variants", "explain", "torch<4", *options)
    files = index.index_url.replace("simple/", "files/")
    assert (
        result.stdout
        == f"""\
What pip install would choose for torch<4

Versions, newest first
  3.0rc1: pre-release; to allow pre-releases, add --pre
  2.9.2: yanked (it \\x1b[31mbreaks)
  2.9.1: for other versions of Python (2.9.1 Requires-Python >=4)
  2.9.0: no wheel for this platform and Python (available: cp39 on win_arm64)
  2.8.5: no supported variant
    cu130 needs CUDA 13.0 (available: CUDA 12.8)
  2.8.0: chosen

Variants of torch 2.8.0 on {index.index_url}torch/
  Manifest: {files}torch-2.8.0-variants.json (v0.0.2)
  Supported values of the features that these variants use
    nvidia (host file, from {machine})
      cuda_version_lower_bound: 12.8, 12.7, 12.6, 12.5, 12.4, 12.3, 12.2, 25 more
      sm_arch: 90_real, 90_virtual
  Variants that run, best first
    1. cu128: CUDA 12.8, sm_90
    2. cu126: CUDA 12.6, sm_90
    3. 00000000: no properties
  cu128 comes before cu126: it has CUDA 12.8, which ranks above cu126's \
CUDA 12.6 in value order
  Variants that do not run
    cu129 needs CUDA 12.9 (available: CUDA 12.8)

torch-2.8.0-py3-none-any-cu128.whl would be installed.
"""
    )
    # No wheel was asked for, nor metadata of one.
    assert {path for _, path in index.log()} == {
        "/simple/torch/",
        "/files/torch-2.8.5-variants.json",
        "/files/torch-2.8.0-variants.json",
    }


def test_errors_are_those_of_an_installation(
    venv: Environment, index: IndexServer, torch: list[str]
) -> None:
    index.add_release("only", "1.0", {"cu130": cuda("13.0")}, plain=False)
    commands = [
        [*command, *arguments, *torch]
        for arguments in (
            ["only"],
            ["torch", "--variant=cu129"],
            ["torch", "--variant=torch=nothing"],
            ["torch", "--variant=nothing"],
            ["torch>3"],
            ["torch", "--only-binary=:all:", "--no-binary=torch", "--no-variants"],
            ["torch", "--variant-host", "nothing"],
        )
        for command in (["install", "--dry-run", "-q"], ["variants", "explain"])
    ]
    results = run_batch(venv, venv.work, commands, env=GPU)
    for done, told in zip(results[::2], results[1::2], strict=True):
        assert done.returncode == told.returncode == 1
        assert told.stderr.splitlines()[-1] == done.stderr.splitlines()[-1]
        if told.stdout:
            assert told.lines[-1] == (
                "Nothing would be installed. pip install would fail with:"
            )


def test_requirements_that_are_none(venv: Environment, torch: list[str]) -> None:
    cases = {
        "./torch-1.0-py3-none-any.whl": "expected a project on an index",
        "torch @ https://x.invalid/torch-1.0-py3-none-any.whl": "expected a project",
        "torch ==": "Invalid requirement: 'torch =='",
        "torch; python_version < '3'": "is for another environment",
    }
    commands = [["variants", "explain", requirement, *torch] for requirement in cases]
    commands.append(["variants", "explain", "--manifest", "x", "torch"])
    problems = [*cases.values(), "Specify one REQUIREMENT, or --manifest FILE"]
    for result, problem in zip(
        run_batch(venv, venv.work, commands), problems, strict=True
    ):
        assert result.returncode == 1
        assert problem in result.stderr, result


def test_constraints(venv: Environment, index: IndexServer, torch: list[str]) -> None:
    index.add_release("torch", "2.9.0", {"cu126": cuda("12.6")})
    index.add_release("torch", "2.7.0", {"cu126": cuda("12.6")})
    constraints = venv.work / "constraints.txt"
    digests = {
        entry.file.filename: entry.file.sha256 for entry in index.projects["torch"]
    }
    wheel = "torch-2.7.0-py3-none-any-cu126.whl"
    options = [*torch, "-c", str(constraints), "--json"]
    for text, causes in (
        ("torch<2.9\n", [("2.9.0", "requirement")]),
        (
            f"torch==2.7.0 --hash=sha256:{digests[wheel]}\n",
            [("2.9.0", "requirement"), ("2.8.0", "requirement")],
        ),
        (
            f"torch --hash=sha256:{digests[wheel]}\n",
            [("2.9.0", "hashes"), ("2.8.0", "hashes")],
        ),
    ):
        constraints.write_text(text, encoding="utf-8")
        told = document(venv.pip("variants", "explain", "torch", *options, env=GPU))
        found = [(each["version"], each["cause"]) for each in told["passed_over"]]
        assert found == causes, text
        expected = "cu128" if "hash" not in text else "cu126"
        assert told["chosen"]["label"] == expected
    constraints.write_text("Torch @ https://127.0.0.1:1/torch-2.7.0-py3-none-any.whl")
    result = venv.pip("variants", "explain", "torch", *options, code=1)
    assert "a constraint requires 'torch' from https://" in result.output


def test_other_causes(venv: Environment, index: IndexServer, torch: list[str]) -> None:
    index.add(make_sdist("torch", "3.0"))
    index.add(replace(make_sdist("torch", "4.0"), filename="torch-4.0.tgz"))
    index.add_release("torch", "2.9.0", {"cu126": cuda("12.6")}, plain=False)
    index.add_release("torch", "2.8.1", {"cu128": cuda("12.8")})
    cases = {
        "--no-variants --only-binary=:all:": {"3.0": "format", "2.9.0": "variants-off"},
        "--only-binary=:all: --variant=torch=cu128": {
            "3.0": "format",
            "2.9.0": "label",
        },
        "": {},
    }
    explain = ["variants", "explain", "torch", *torch, "--json"]
    commands = [[*explain, *options.split()] for options in cases]
    for result, causes in zip(
        run_batch(venv, venv.work, commands, env=GPU), cases.values(), strict=True
    ):
        passed = document(result)["passed_over"]
        assert {each["version"]: each["cause"] for each in passed} == causes, result


def test_origin_of_manifest(
    venv: Environment, index: IndexServer, torch: list[str]
) -> None:
    def manifest(*options: str | Path) -> dict[str, Any]:
        arguments = ["torch", *options, "--json"]
        told = document(venv.pip("variants", "explain", *arguments, env=GPU))
        (source,) = told["sources"]
        found: dict[str, Any] = source["manifest"]
        return found

    index.auth = ("ann", "secret")
    found = manifest("--index-url", index.index_url_with_auth)
    assert found["origin"] == "index"
    assert found["location"] == index.file_url("torch-2.8.0-variants.json")
    index.auth = None

    index.fault("torch-2.8.0-variants.json", status=404)
    found = manifest(*torch)
    assert found["origin"] == "wheels"
    assert "404" in found["missing"]

    index.fault("torch-2.8.0-variants.json", body=b"[]")
    found = manifest(*torch)
    assert found["origin"] is None
    assert "cannot be used" in found["problem"]


def test_what_is_installed(venv: Environment, torch: list[str]) -> None:
    venv.pip("install", "torch", *torch, env=forced("12.6"))
    result = venv.pip("variants", "explain", "torch", *torch, env=GPU)
    assert result.lines[-1] == (
        "Nothing would be installed: torch 2.8.0 (cu126) is installed and satisfies the "
        "requirement. See --upgrade and --upgrade-variants."
    )
    told = document(venv.pip("variants", "explain", "torch", *torch, "--json", env=GPU))
    installed = {"kind": "variant", "version": "2.8.0", "label": "cu126"}
    assert told["installed"] == {**installed, "stays": True}
    assert told["chosen"]["label"] == "cu128"


def test_a_manifest_alone(venv: Environment) -> None:
    path = venv.work / "torch-2.8.0-variants.json"
    path.write_text(json.dumps(PREVIEW_TORCH), encoding="utf-8")
    explain = ["variants", "explain", "--manifest", str(path)]
    machine = ["--variant-host", "cuda-12.6-sm_90"]
    result = venv.pip(*explain, *machine)
    assert result.lines[0] == f"Manifest: {path} (v0.0.2)"
    assert result.lines[-1] == "pip would choose the variant 'cu126'."
    told = document(venv.pip(*explain, *machine, "--json"))
    (source,) = told["sources"]
    assert source["manifest"]["origin"] == "file"
    assert [each["rank"] for each in source["labels"]] == [1, 2, None, None]
    result = venv.pip(*explain, *machine, "--variant", "torch=00000000")
    assert result.lines[-1] == "pip would choose the variant '00000000'."
    path.write_text('{"variants": 1}', encoding="utf-8")
    result = venv.pip(*explain, *machine, code=1)
    assert "cannot be used as a variants manifest." in result.stderr


#: What is installed, and what both commands read in the configuration.
_INSTALLED: Mapping[str, tuple[str | None, str]] = {
    "nothing": (None, ""),
    "the best": ("cu128", ""),
    "another": ("cu126", ""),
    "another, and the best is wanted": ("cu126", "upgrade-variants = 1"),
    "the label that is wanted": ("cu126", "variant = torch=cu126"),
    "a label that no release has": ("cu126", "variant = torch=cu000"),
    "a plain one, and the best is wanted": ("", "upgrade-variants = 1"),
    "another, and variants are off": ("cu126", "no-variants = 1"),
    "nothing, and no provider": (None, "disable-variant-provider = nvidia"),
    "a preference": (None, "prefer-variant = nvidia::cuda_version_lower_bound::12.6"),
}


@pytest.mark.parametrize("case", _INSTALLED)
@pytest.mark.parametrize("requirement", ["torch", "torch<2.9", "torch>2.8", "torch>3"])
def test_explain_and_dry_run_agree(
    venv: Environment, index: IndexServer, case: str, requirement: str
) -> None:
    for version in ("2.8.0", "2.9.0"):
        builds = {"cu126": cuda("12.6"), "cu128": cuda("12.8"), "cu130": cuda("13.0")}
        index.add_release("torch", version, builds)
    label, key = _INSTALLED[case]
    file = venv.work / "pip.conf"
    env = {**GPU, "PIP_INDEX_URL": index.index_url, "PIP_CONFIG_FILE": str(file)}
    if label is not None:
        how = ["--variant", f"torch={label}"] if label else ["--no-variants"]
        venv.pip("install", "torch==2.8.0", *how, env=env)
    file.write_text(f"[install]\n{key}\n")
    command = ["install", "--dry-run", "--quiet", "--report", "-", requirement]
    installing = venv.pip(*command, env=env, code=None)
    command = ["variants", "explain", "--json", requirement]
    explaining = venv.pip(*command, env=env, code=None)
    assert installing.returncode == explaining.returncode
    found = document(explaining)
    if installing.returncode:
        assert found["chosen"] is None
        return
    taken = json.loads(installing.stdout)["install"]
    stays = bool(found["installed"]) and found["installed"]["stays"]
    assert stays == (not taken)
    for each in taken:
        assert each["download_info"]["url"] == found["chosen"]["url"]


def test_no_manifest(venv: Environment, index: IndexServer, torch: list[str]) -> None:
    """Each label is told of all the same."""
    index.add_release("only", "1.0", {"cu128": cuda("12.8")}, plain=False)
    for name in ("torch-2.8.0", "only-1.0"):
        index.fault(f"{name}-variants.json", status=403)
    why = "the variants manifest cannot be used: the server answered 403 Forbidden"
    told = venv.pip("variants", "explain", "torch", *torch)
    url = index.file_url("torch-2.8.0-variants.json")
    assert f"  No manifest: {why} ({url})" in told.lines
    told = venv.pip("variants", "explain", "only", *torch, code=1)
    url = index.file_url("only-1.0-variants.json")
    assert f"    cu128: {why} ({url})" in told.lines
    told = venv.pip("variants", "list", "torch", *torch)
    assert any(f" {why} (http:" in line for line in told.lines)
    told = venv.pip("variants", "explain", "torch", *torch, "--json")
    assert document(told)["sources"][0]["manifest"]["problem"].startswith(why)
    told = venv.pip("variants", "explain", "torch>3", *torch, "--json", code=1)
    assert document(told)["chosen"] is None
    problem = document(told)["problem"]
    assert problem["message"] == "No matching distribution found for torch>3"
