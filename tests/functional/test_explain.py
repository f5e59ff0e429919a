"""``pip variants explain``: which build would be installed, and why."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.lib.batch import run_batch
from tests.lib.environments import Environment, Result
from tests.lib.hosts import forced, make_host
from tests.lib.index import IndexServer
from tests.lib.manifests import PREVIEW_TORCH, Provider, cuda, make_manifest
from tests.lib.wheels import make_sdist, make_wheel

Pip = Callable[..., Result]
WriteHost = Callable[[str | Mapping[str, Any]], Path]

GPU = forced("12.8", "9.0")
LOWER = "nvidia :: cuda_version_lower_bound"


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
What pip install takes for torch<4

Versions, newest first
  3.0rc1: it is a pre-release; --pre would allow it
  2.9.2: it was yanked (it \\x1b[31mbreaks)
  2.9.1: it is for other versions of Python (2.9.1 Requires-Python >=4)
  2.9.0: no wheel is for this platform and Python (they are for cp39 on win_arm64)
  2.8.5: none of its variants can be used here
    cu130 needs {LOWER} :: 13.0 (the target has 12.8, 12.7, 12.6 …)
  2.8.0: taken

Variants of torch 2.8.0 on {index.index_url}torch/
  Manifest: {files}torch-2.8.0-variants.json (v0.0.2)
  What the target supports of what they ask for
    nvidia (host file, from {machine})
      cuda_version_lower_bound: 12.8, 12.7, 12.6, 12.5, 12.4, 12.3, 12.2, 25 more
      sm_arch: 90_real, 90_virtual
  Variants that run, best first
    1. cu128: {LOWER} :: 12.8, nvidia :: sm_arch :: 90_real
    2. cu126: {LOWER} :: 12.6, nvidia :: sm_arch :: 90_real
    3. 00000000: no properties
  cu128 comes before cu126: of {LOWER}, 12.8 comes before 12.6
  Variants that do not run
    cu129 needs {LOWER} :: 12.9 (the target has 12.8, 12.7, 12.6 …)

torch-2.8.0-py3-none-any-cu128.whl would be installed.
"""
    )
    # No wheel was asked for, nor metadata of one.
    assert {path for _, path in index.log()} == {
        "/simple/torch/",
        "/files/torch-2.8.5-variants.json",
        "/files/torch-2.8.0-variants.json",
    }


#: The label that is chosen with these options; without them it is cu128.
CHOSEN: Mapping[str, str] = {
    "--variant cu126": "cu126",
    "--disable-variant-provider=nvidia": "00000000",
    f"--prefer-variant={LOWER.replace(' ', '')}::12.6": "cu126",
    "--prefer-variant=other --variant=torch=cu126": "cu126",
    "--variant-host=cuda-12.6-sm_90": "cu126",
    "--enable-variant-provider=nvidia": "cu128",
    "--enable-variant-provider=amd": "cu128",
}


def test_options_count(venv: Environment, torch: list[str]) -> None:
    arguments = ["variants", "explain", "torch", *torch, "--json"]
    commands = [[*arguments, *options.split()] for options in CHOSEN]
    for result, label in zip(
        run_batch(venv, venv.work, commands, env=GPU), CHOSEN.values(), strict=True
    ):
        assert document(result)["chosen"]["label"] == label, result


def test_trust(pip: Pip, index: IndexServer) -> None:
    code = (
        "class F:\n name, values, multi_value = 'kind', ['b2'], False\n"
        "def get_supported_configs():\n return [F()]\n"
    )
    index.add(make_wheel("npu-provider", "1.0", files={"npu_plugin.py": code}))
    manifest = make_manifest(
        {"npu": ["npu :: kind :: b2"], "null": {}},
        providers={"npu": Provider(["npu-provider"], "npu_plugin")},
    )
    index.add_release("kernels", "1.0", {}, manifest=manifest)
    arguments = ["explain", "kernels", "--index-url", index.index_url]
    result = pip("variants", *arguments)
    assert "If you trust it to run with your rights: --trust-variant-provider" in (
        result.stderr
    )
    arguments += ["--trust-variant-provider", "npu-provider"]
    result = pip("variants", *arguments)
    assert "kernels-1.0-py3-none-any-npu.whl would be installed." in result.lines


def test_errors_are_those_of_an_installation(
    venv: Environment, index: IndexServer, torch: list[str]
) -> None:
    index.add_release("only", "1.0", {"cu130": cuda("13.0")}, plain=False)
    commands = [
        [*command, *arguments, *torch]
        for arguments in (
            ["only"],
            ["only", "--variant=nothing"],
            ["torch", "--variant=cu129"],
            ["torch", "--variant=torch=nothing"],
            ["torch", "--variant=nothing"],
            ["torch>3"],
            ["torch", "--only-binary=:all:", "--no-binary=torch", "--no-variants"],
            ["torch", "--variant-host", "nothing"],
            ["torch", "--pre", "--only-final=torch"],
        )
        for command in (["install", "--dry-run", "-q"], ["variants", "explain"])
    ]
    results = run_batch(venv, venv.work, commands, env=GPU)
    for done, told in zip(results[::2], results[1::2], strict=True):
        assert done.returncode == told.returncode == 1
        assert told.stderr.splitlines()[-1] == done.stderr.splitlines()[-1]
        if told.stdout:
            assert told.lines[-1] == (
                "Nothing would be installed; pip install ends with:"
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
    problems = [*cases.values(), "Need one REQUIREMENT, or --manifest FILE"]
    for result, problem in zip(
        run_batch(venv, venv.work, commands), problems, strict=True
    ):
        assert result.returncode == 1
        assert problem in result.stderr, result


def test_constraints_and_hashes(
    venv: Environment, index: IndexServer, torch: list[str]
) -> None:
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
        ("torch<2.9 --variant cu126\n", [("2.9.0", "requirement")]),
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
        expected = "cu128" if text == "torch<2.9\n" else "cu126"
        assert told["chosen"]["label"] == expected


def test_other_causes(venv: Environment, index: IndexServer, torch: list[str]) -> None:
    index.add(make_sdist("torch", "3.0"))
    index.add_release("torch", "2.9.0", {"cu126": cuda("12.6")}, plain=False)
    index.add_release("torch", "2.8.1", {"cu128": cuda("12.8")})
    cases = {
        "--prefer-binary": {"3.0": "order"},
        "--only-binary=:all:": {"3.0": "format"},
        "--only-binary=:all: --no-variants": {"3.0": "format", "2.9.0": "variants-off"},
        "--only-binary=:all: --variant=torch=cu128": {
            "3.0": "format",
            "2.9.0": "label",
        },
    }
    explain = ["variants", "explain", "torch", *torch, "--json"]
    commands = [[*explain, *options.split()] for options in cases]
    for result, causes in zip(
        run_batch(venv, venv.work, commands, env=GPU), cases.values(), strict=True
    ):
        passed = document(result)["passed_over"]
        assert {each["version"]: each["cause"] for each in passed} == causes, result


def test_the_order_of_features_is_told(pip: Pip, index: IndexServer) -> None:
    manifest = make_manifest(
        {"one": ["own :: b :: 1"], "two": ["own :: a :: 1"], "null": {}},
        providers={"own": Provider(static={"b": ["1"], "a": ["1"]})},
    )
    index.add_release("made", "1.0", {}, manifest=manifest)
    options = ["--index-url", index.index_url, "--json"]
    (source,) = document(pip("variants", "explain", "made", *options))["sources"]
    features = source["answers"]["own"]["features"]
    assert [each["feature"] for each in features] == ["b", "a"]
    assert source["decided_by"] == {
        "first": "one",
        "second": "two",
        "criterion": "feature",
        "first_property": "own :: b :: 1",
        "second_property": "own :: a :: 1",
        "preference": None,
    }


def test_where_the_manifest_is_from(
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

    folder = index.write_directory(venv.work / "wheels")
    (folder / "torch-2.8.0-variants.json").unlink()
    found = manifest("--no-index", "--find-links", folder)
    assert found["origin"] == "wheels"


def test_several_indexes(
    pip: Pip, torch: list[str], make_index: Callable[[], IndexServer]
) -> None:
    other = make_index()
    other.add_release("torch", "2.8.0", {"cu128": cuda("12.6"), "x": cuda("12.0")})
    options = [*torch, "--extra-index-url", other.index_url]
    told = document(pip("variants", "explain", "torch", *options, "--json", env=GPU))
    first, second = told["sources"]
    assert first["labels"][0]["label"] == "cu128"
    assert [each["label"] for each in second["labels"]] == ["cu128", "x"]
    assert second["source"] == f"{other.index_url}torch/"
    assert [each["label"] for each in told["ranked"]] == [
        *("cu128", "cu126", "00000000", "cu128", "x", None, None)
    ]
    result = pip("variants", "explain", "torch", *options, env=GPU)
    assert sum(line.startswith("Variants of torch") for line in result.lines) == 2
    result = pip("variants", "list", "torch", *options, env=GPU)
    assert any(line == f"    Source: {other.index_url}torch/" for line in result.lines)


def test_what_is_installed(venv: Environment, torch: list[str]) -> None:
    venv.pip("install", "torch", *torch, env=forced("12.6"))
    result = venv.pip("variants", "explain", "torch", *torch, env=GPU)
    assert result.lines[-1] == (
        "Nothing would be installed: torch 2.8.0 (cu126) is installed and satisfies the "
        "requirement. See --upgrade and --upgrade-variants."
    )
    told = document(venv.pip("variants", "explain", "torch", *torch, "--json", env=GPU))
    assert told["installed"] == {"version": "2.8.0", "label": "cu126", "stays": True}
    assert told["chosen"]["label"] == "cu128"


def test_a_manifest_alone(
    venv: Environment,
) -> None:
    path = venv.work / "torch-2.8.0-variants.json"
    path.write_text(json.dumps(PREVIEW_TORCH), encoding="utf-8")
    explain = ["variants", "explain", "--manifest", str(path)]
    machine = ["--variant-host", "cuda-12.6-sm_90"]
    result = venv.pip(*explain, *machine)
    assert result.lines[0] == f"Manifest: {path} (v0.0.2)"
    assert result.lines[-1] == "The variant cu126 would be taken."
    told = document(venv.pip(*explain, *machine, "--json"))
    (source,) = told["sources"]
    assert source["manifest"]["origin"] == "file"
    assert [each["rank"] for each in source["labels"]] == [1, 2, None, None]
    for choice in ("torch=00000000", "00000000"):
        result = venv.pip(*explain, *machine, "--variant", choice)
        assert result.lines[-1] == "The variant 00000000 would be taken."
    result = venv.pip(*explain, *machine, "--variant", "cu129", code=1)
    assert "× The variant cu129 in " in result.stderr
    path.write_text('{"variants": 1}', encoding="utf-8")
    result = venv.pip(*explain, *machine, code=1)
    assert "cannot be used as a variants manifest." in result.stderr


def test_where_no_manifest_is_to_be_had(
    venv: Environment, index: IndexServer, torch: list[str]
) -> None:
    """Each label is told of all the same, and what options would change: nothing."""
    index.add_release("only", "1.0", {"cu128": cuda("12.8")}, plain=False)
    index.add(make_wheel("torch", "2.8.0", tag="cp39-cp39-win_arm64", label="cu126"))
    index.add(make_wheel("torch", "2.8.0", tag="cp39-cp39-win_arm64", label="win"))
    index.fault("torch-2.8.0-variants.json", status=404)
    told = venv.pip("variants", "explain", "torch", *torch, env=GPU)
    page = f"{index.index_url}torch/"
    assert f"  Manifest: from the wheels on {page}, since " in told.stdout
    assert "404 Not Found" in told.stdout
    for name in ("torch-2.8.0", "only-1.0"):
        index.fault(f"{name}-variants.json", status=403)
    swayed = ["--variant-host", "cuda-12.6-sm_90", "--prefer-variant", "x86_64"]
    why = "its variants manifest cannot be used: the server answered 403 Forbidden"
    told = venv.pip("variants", "explain", "torch", *torch, *swayed)
    url = index.file_url("torch-2.8.0-variants.json")
    assert f"  No manifest: {why} ({url})" in told.lines
    told = venv.pip("variants", "explain", "only", *torch, *swayed, code=1)
    url = index.file_url("only-1.0-variants.json")
    assert f"    cu128: {why} ({url})" in told.lines
    told = venv.pip("variants", "list", "torch", *torch, *swayed)
    assert any(line.startswith(f"    Why not: {why} (http:") for line in told.lines)
    assert "    Why not: no file for this platform and Python" in told.lines
    told = venv.pip("variants", "explain", "torch", *torch, *swayed, "--json")
    assert document(told)["sources"][0]["manifest"]["problem"].startswith(why)


def test_errors_for_programs(pip: Pip, torch: list[str]) -> None:
    told = document(pip("variants", "explain", "torch>3", *torch, "--json", code=1))
    assert told["chosen"] is None
    assert told["problem"] == {
        "reference": None,
        "message": "No matching distribution found for torch>3",
        "context": None,
        "hint": None,
    }


#: What is installed, and the options for both commands.
_INSTALLED: Mapping[str, tuple[str | None, list[str]]] = {
    "nothing": (None, []),
    "the best": ("cu128", []),
    "another": ("cu126", []),
    "another, and the best is wanted": ("cu126", ["--upgrade-variants"]),
    "the best, and the best is wanted": ("cu128", ["--upgrade-variants"]),
    "another, and a label is wanted": ("cu126", ["--variant", "torch=cu128"]),
    "the label that is wanted": ("cu126", ["--variant", "torch=cu126"]),
    "a label that no release has": ("cu126", ["--variant", "torch=cu000"]),
    "a plain one, and the best is wanted": ("", ["--upgrade-variants"]),
    "a plain one": ("", []),
    "another, and variants are off": ("cu126", ["--no-variants"]),
}


@pytest.mark.parametrize("case", _INSTALLED)
@pytest.mark.parametrize("requirement", ["torch", "torch<2.9", "torch>2.8", "torch>3"])
def test_explain_and_dry_run_agree(
    venv: Environment, index: IndexServer, host: WriteHost, case: str, requirement: str
) -> None:
    for version in ("2.8.0", "2.9.0"):
        builds = {"cu126": cuda("12.6"), "cu128": cuda("12.8"), "cu130": cuda("13.0")}
        index.add_release("torch", version, builds)
    label, options = _INSTALLED[case]
    options = [*options, "-i", index.index_url]
    env = {"PIP_VARIANT_HOST": str(host(make_host(cuda="12.8", capability="9.0")))}
    if label is not None:
        how = ["--variant", f"torch={label}"] if label else ["--no-variants"]
        venv.pip("install", "torch==2.8.0", "-i", index.index_url, *how, env=env)
    command = ["install", "--dry-run", "--quiet", "--report", "-"]
    installing = venv.pip(*command, requirement, *options, env=env, code=None)
    command = ["variants", "explain", "--json"]
    explaining = venv.pip(*command, requirement, *options, env=env, code=None)
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
