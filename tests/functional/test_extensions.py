"""A torch extension whose builds are for certain versions of torch, and for certain GPUs.

Stand-ins with the names, labels, dependencies and markers that torch-nntile would have.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Mapping, Sequence

import pytest

from tests.lib.environments import Environment, Result
from tests.lib.hosts import forced
from tests.lib.index import IndexServer
from tests.lib.manifests import PluginSpec, cuda, make_manifest, manifest_file, nest
from tests.lib.wheels import make_wheel

Pip = Callable[..., Result]

ARCHITECTURES = ["70", "75", "80", "86", "89", "90"]
CU128 = nest(cuda("12.8", ARCHITECTURES))
CU130 = nest(cuda("13.0", ARCHITECTURES[1:]))
ABI = {"abi": PluginSpec(builtin="abi_dependency")}
NO_GPU = {"PIP_VARIANT_HOST": "cpu-x86_64-v3"}

TORCH = make_manifest({"cu128": CU128, "cu130": CU130, "null": {}})
NNTILE = make_manifest(
    {
        "torch291_cu128": {"abi": {"torch": ["2.9.1"]}, **CU128},
        "torch2100_cu130": {"abi": {"torch": ["2.10.0"]}, **CU130},
        "torch291_cpu": {"abi": {"torch": ["2.9.1"]}},
    },
    namespaces=["abi", "nvidia"],
    providers=ABI,
)
BOUND = "nvidia :: cuda_version_lower_bound"
REQUIRES = [
    "torch>=2.9,<2.11",
    f"nvidia-cublas-cu12; '{BOUND} :: 12.8' in variant_properties",
    f"nvidia-cublas; '{BOUND} :: 13.0' in variant_properties",
]


@pytest.fixture
def nntile(index: IndexServer) -> IndexServer:
    """Return an index with two versions of torch and an extension of either."""
    for version in ("2.9.1", "2.10.0"):
        index.add_release("torch", version, {}, manifest=TORCH)
    index.add_release(
        "torch-nntile", "0.1.0", {}, manifest=NNTILE, plain=False, requires=REQUIRES
    )
    index.add(make_wheel("torch", "2.8"))
    index.add(make_wheel("nvidia-cublas-cu12", "12.8.4.1"))
    index.add(make_wheel("nvidia-cublas", "13.0.0"))
    return index


def chosen(result: Result) -> dict[str, str]:
    """Return the version of what would be installed, with its label."""
    (line,) = (line for line in result.lines if line.startswith("Would install"))
    versions = dict(
        each.rpartition("-")[::2] for each in re.findall(r"(\S+-[0-9]\S*)", line)
    )
    for name, version, label in re.findall(
        r"Using (\S+) (\S+), variant (\S+) ", result.stdout
    ):
        assert versions[name] == version
        versions[name] += f" {label}"
    return versions


CASES: Mapping[
    str, tuple[Sequence[str], Mapping[str, str | None], Mapping[str, str]]
] = {
    "A": (["torch==2.9.1"], NO_GPU, {"torch": "2.9.1 null"}),
    "B": (["torch==2.9.1"], forced("12.9", "8.9"), {"torch": "2.9.1 cu128"}),
    "C": (["torch"], forced("13.1"), {"torch": "2.10.0 cu130"}),
    "D": (["torch"], forced("12.6"), {"torch": "2.10.0 null"}),
    "E": (
        ["torch-nntile"],
        NO_GPU,
        {"torch-nntile": "0.1.0 torch291_cpu", "torch": "2.9.1 null"},
    ),
    "F": (
        ["torch-nntile"],
        forced("12.9", "8.9"),
        {
            "torch-nntile": "0.1.0 torch291_cu128",
            "torch": "2.9.1 cu128",
            "nvidia-cublas-cu12": "12.8.4.1",
        },
    ),
    "G": (
        ["torch-nntile"],
        forced("13.1"),
        {
            "torch-nntile": "0.1.0 torch2100_cu130",
            "torch": "2.10.0 cu130",
            "nvidia-cublas": "13.0.0",
        },
    ),
    "H": (
        ["torch-nntile", "torch==2.9.1"],
        forced("13.1"),
        {
            "torch-nntile": "0.1.0 torch291_cu128",
            "torch": "2.9.1 cu128",
            "nvidia-cublas-cu12": "12.8.4.1",
        },
    ),
    "L": (["torch==2.9.1", "--no-variants"], forced("12.9"), {"torch": "2.9.1"}),
}


@pytest.mark.parametrize("case", CASES)
def test_what_would_be_installed(pip: Pip, nntile: IndexServer, case: str) -> None:
    arguments, env, expected = CASES[case]
    command = ["install", "--dry-run", *arguments, "-i", nntile.index_url]
    result = pip(*command, env=env)
    assert chosen(result) == expected
    if case == "D":
        said = "cu128 needs CUDA 12.8 (available: CUDA 12.6)"
        assert said in result.stderr
    else:
        assert result.stderr == ""
    # Case K: the wheels replace a missing manifest.
    for entries in nntile.projects.values():
        entries[:] = [e for e in entries if not e.file.filename.endswith(".json")]
    assert chosen(pip(*command, env=env)) == expected


def test_no_variant_agreement(venv: Environment, index: IndexServer) -> None:
    both = {"cu12": cuda("12.0"), "cu13": cuda("13.0")}
    index.add_release("torch", "2.9.0", both)
    index.add_release("vision", "1.0", {"cu12": cuda("12.0")})
    command = ["install", "--dry-run", "torch", "vision", "-i", index.index_url]
    result = venv.pip(*command, env=forced("13.0"))
    assert chosen(result) == {"torch": "2.9.0 cu12", "vision": "1.0 cu12"}
    assert (
        "Choosing 'cu12' of torch 2.9.0 instead of 'cu13', to use CUDA 12 like the "
        "others. To choose the best variant of each package instead, add --no-variant-agreement"
    ) in result.lines
    result = venv.pip(*command, "--no-variant-agreement", env=forced("13.0"))
    assert chosen(result) == {"torch": "2.9.0 cu13", "vision": "1.0 cu12"}
    assert "Choosing" not in result.stdout
    typed = result.stderr.partition(" To list the wheels of 'vision': pip ")[2]
    listed = venv.pip(*shlex.split(typed), env=forced("13.0")).stdout
    assert "* 1    cu12    yes" in listed


def test_a_conflict_names_the_builds(pip: Pip, nntile: IndexServer) -> None:
    """Case I."""
    nntile.add_release("torch-nntile", "0.0.9", {}, manifest=NNTILE, plain=False)
    command = ["install", "torch-nntile", "torch==2.8", "-i", nntile.index_url]
    result = pip(*command, env=forced("13.1"), code=1)
    assert (
        "ERROR: The closest is the variant 'torch291_cu128' of torch-nntile 0.1.0, which "
        "requires torch==2.9.1.*. To see all: pip variants explain torch-nntile==0.1.0 "
    ) in result.stderr
    assert result.stderr.count("The closest is") == 1
    assert "The user requested torch==2.8" in result.stdout


def test_installed_torch_is_kept(venv: Environment, nntile: IndexServer) -> None:
    """Case J, and the same for a torch of another version."""
    options = ["-i", nntile.index_url]
    venv.pip("install", "torch==2.9.1", *options, env=NO_GPU)
    result = venv.pip("install", "torch-nntile", *options, env=forced("13.1"))
    assert "Using torch-nntile 0.1.0, variant torch291_cu128" in result.stdout
    assert venv.eval("torch.variant_label", "torch") == "null"
    (warning,) = result.stderr.splitlines()
    assert warning.startswith(
        "WARNING: torch 2.9.1 is installed as the variant 'null', but the variant 'cu130' "
        "is a better match"
    )
    command = warning.partition("To switch: ")[2].partition("pip ")[2].split()
    venv.pip(*command, *options, env=forced("13.1"))
    assert venv.eval("torch.variant_label", "torch") != "null"
    # What the variant needs is a dependency like any other from now on.
    result = venv.pip("install", "torch==2.10.0", *options, env=forced("13.1"))
    assert "torch-nntile 0.1.0 requires torch==2.9.1.*, but you have torch 2.10.0" in (
        result.stderr
    )
    assert "torch-nntile 0.1.0 has requirement torch==2.9.1.*" in (
        venv.pip("check", code=1).stdout
    )
    # The build for the new torch fixes it.
    venv.pip("install", "torch-nntile", "torch==2.10.0", *options, env=forced("13.1"))
    assert venv.eval("torch_nntile.variant_label", "torch_nntile") == "torch2100_cu130"
    venv.pip("check")


def test_another_machine(venv: Environment, nntile: IndexServer) -> None:
    """Case M: markers are the target's."""
    marker = "sys_platform == 'darwin' and 'nvidia' not in variant_namespaces"
    nntile.add(make_wheel("for-macs", "1.0"))
    nntile.add_release(
        *("app", "1.0", {}),
        manifest=make_manifest({"gpu": CU128, "null": {}}),
        requires=[f"for-macs; {marker}", "torch-nntile"],
    )
    command = ["download", "app", "-d", "there", "-i", nntile.index_url]
    command += ["--variant-host", "macos-14-arm64"]
    venv.pip(*command, "--only-binary", ":all:", env=forced("13.1"))
    names = {path.name for path in (venv.work / "there").iterdir()}
    assert {name for name in names if not name.startswith("for_macs")} == {
        "app-1.0-py3-none-any-null.whl",
        "torch-2.9.1-py3-none-any-null.whl",
        "torch_nntile-0.1.0-py3-none-any-torch291_cpu.whl",
    }


def test_a_broken_manifest_costs_its_variants(pip: Pip, nntile: IndexServer) -> None:
    """Case N."""
    nntile.add(manifest_file("torch", "2.9.1", b'{"variants": '))
    command = ["install", "--dry-run", "torch==2.9.1", "-i", nntile.index_url]
    result = pip(*command, env=forced("12.9"))
    assert chosen(result) == {"torch": "2.9.1"}
    assert "Ignoring the variant wheels of torch 2.9.1" in result.stderr


def test_a_label_that_the_manifest_lacks(pip: Pip, nntile: IndexServer) -> None:
    """Case O."""
    lacking = make_manifest({"cu130": CU130, "null": {}})
    nntile.add(manifest_file("torch", "2.9.1", lacking))
    command = ["install", "--dry-run", "-v", "torch==2.9.1", "-i", nntile.index_url]
    result = pip(*command, env=forced("12.9"))
    assert chosen(result) == {"torch": "2.9.1 null"}
    assert "cu128: the variants manifest does not describe this" in result.stdout


def test_manifest_contradicts_wheel(venv: Environment, nntile: IndexServer) -> None:
    """Case P."""
    wrong = make_manifest({"cu128": cuda("11"), "null": {}})
    nntile.add(manifest_file("torch", "2.9.1", wrong))
    nntile.pages.core_metadata = False
    command = ["install", "torch==2.9.1", "-i", nntile.index_url]
    result = venv.pip(*command, env=forced("11.8", "8.6"))
    assert "nvidia :: cuda_version_lower_bound :: 12.8" in result.stdout
    assert venv.eval("torch.variant_label", "torch") == "null"


def test_a_label_by_hand_is_not_overruled(pip: Pip, nntile: IndexServer) -> None:
    command = ["install", "--dry-run", "torch-nntile", "torch==2.9.1"]
    by_hand = ["--variant", "torch=cu130", "-i", nntile.index_url]
    result = pip(*command, *by_hand, env=forced("13.1"))
    assert chosen(result)["torch"] == "2.9.1 cu130"
    assert "These packages need different CUDA or ROCm versions" in result.stderr


def test_an_older_extension_is_better_than_none(pip: Pip, nntile: IndexServer) -> None:
    variants = {"a": {"abi": {"torch": ["3.0"]}}, "b": {"abi": {"missing": ["1"]}}}
    manifest = make_manifest(variants, providers=ABI)
    nntile.add_release("torch-nntile", "0.2.0", {}, manifest=manifest, plain=False)
    command = ["install", "--dry-run", "torch-nntile", "-i", nntile.index_url]
    result = pip(*command, env=forced("12.9"))
    assert chosen(result)["torch-nntile"] == "0.1.0 torch291_cu128"
