"""Which build is installed, and what pip says about it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
import tomli

from tests.lib.environments import Environment, Result
from tests.lib.hosts import forced, make_host
from tests.lib.index import IndexServer
from tests.lib.locks import add_variants
from tests.lib.manifests import PREVIEW_TORCH, Properties, cuda, make_manifest
from tests.lib.wheels import make_wheel

Pip = Callable[..., Result]
DATA = Path(__file__).resolve().parents[1] / "data"
WriteHost = Callable[[str | Mapping[str, Any]], Path]


@pytest.fixture
def torch(index: IndexServer) -> list[str]:
    """Return the options for an index with the preview's torch and a plain package."""
    index.add_release("torch", "2.8.0", {}, manifest=PREVIEW_TORCH)
    index.add(make_wheel("requests", "2.0"))
    return ["--index-url", index.index_url]


def chosen(result: Result) -> str | None:
    """Return the label that a dry run announces, None for a plain build."""
    found = re.search(r"^Using \S+ \S+, variant (\S+)", result.stdout, re.MULTILINE)
    return None if found is None else found[1]


@pytest.mark.parametrize(
    ("driver", "capability", "label"),
    [
        ("13.1", "9.0", "cu129"),
        ("12.8", "9.0", "cu128"),
        ("12.7", "5.0", "cu126"),
        ("12.9", "7.0", "cu126"),
        ("12.5", "9.0", "00000000"),
        ("12.6", "12.0", "00000000"),
    ],
)
def test_forced_gpu(
    pip: Pip, torch: list[str], driver: str, capability: str, label: str
) -> None:
    result = pip(
        "install", "--dry-run", "torch", *torch, env=forced(driver, capability)
    )
    assert chosen(result) == label


@pytest.mark.on_wheel
@pytest.mark.process
@pytest.mark.smoke
def test_it_is_installed_as_announced(venv: Environment, torch: list[str]) -> None:
    result = venv.pip("install", "torch", *torch, env=forced("12.9"))
    assert "Using torch 2.8.0, variant cu129 (CUDA 12.9, sm_90)" in result.lines
    assert result.stderr == ""
    assert venv.eval("torch.variant_label", "torch") == "cu129"
    assert venv.installed()["torch"] == "2.8.0"
    venv.pip("check")
    venv.pip("uninstall", "-y", "torch")
    assert "torch" not in venv.installed()


def test_the_block_of_a_dry_run(pip: Pip, torch: list[str]) -> None:
    result = pip("install", "--dry-run", "torch", *torch, env=forced("12.9", "8.6"))
    block = """\
###################### torch==2.8.0; variant_label=cu129 #######################
Variant-property: nvidia :: cuda_version_lower_bound :: 12.9
Variant-property: nvidia :: sm_arch :: 100_real
Variant-property: nvidia :: sm_arch :: 120_real
Variant-property: nvidia :: sm_arch :: 120_virtual
Variant-property: nvidia :: sm_arch :: 75_real
Variant-property: nvidia :: sm_arch :: 80_real
Variant-property: nvidia :: sm_arch :: 86_real
Variant-property: nvidia :: sm_arch :: 90_real
################################################################################
"""
    assert block in result.stdout
    verbose = pip("install", "-v", "torch", *torch, env=forced("12.9", "8.6"))
    assert block in verbose.stdout


def test_hints_repeat_a_file(pip: Pip, torch: list[str], tmp_path: Path) -> None:
    file, (name, url) = tmp_path / "requirements.txt", torch
    lines = f"{name} {url}\n-f .\n--extra-index-url {url}\ntorch\n"
    file.write_text(lines.replace("//", "//user:secret@"))
    result = pip("install", "--dry-run", "-r", str(file), env=forced("12.5"))
    typed = result.stderr.partition("To see all variants: pip ")[2]
    assert typed == (
        f"variants list torch==2.8.0 {name} {url} --find-links {tmp_path}/. "
        f"--extra-index-url {url}\n".replace("//", "//CREDENTIALS@")
    )
    assert "torch 2.8.0" in pip(*typed.split()).stdout


@pytest.mark.parametrize(
    ("lines", "options", "configured", "label"),
    [
        (["torch"], ["--variant", "cu126"], None, "cu126"),
        # The last of two labels for all counts.
        (["torch"], ["--variant=cu128", "--variant=cu126"], None, "cu126"),
        (["torch"], ["--variant=torch=cu126", "--variant=cu128"], None, "cu126"),
        (["--variant cu126", "torch"], [], None, "cu126"),
        (["--variant torch=cu126", "torch"], [], None, "cu126"),
        (["torch --variant cu126"], [], None, "cu126"),
        (["torch --variant cu126"], ["--variant", "torch=cu128"], None, "cu128"),
        (["torch --variant cu126"], ["--variant", "cu128"], None, "cu126"),
        (["--variant cu126", "torch"], ["--variant", "cu128"], None, "cu128"),
        (["--no-variants", "torch"], [], None, None),
        # Configured labels are the weakest, even if they are for the package.
        (["torch"], ["--variant", "cu126"], "torch=cu128", "cu126"),
        (["--variant cu126", "torch"], [], "torch=cu128", "cu126"),
    ],
)
def test_choice_by_hand(
    venv: Environment,
    torch: list[str],
    lines: Sequence[str],
    options: Sequence[str],
    configured: str | None,
    label: str | None,
) -> None:
    (venv.work / "requirements.txt").write_text("\n".join(lines), encoding="utf-8")
    result = venv.pip(
        *("install", "--dry-run", "-r", "requirements.txt", *torch, *options),
        env={**forced("12.9"), "PIP_VARIANT": configured},
    )
    assert chosen(result) == label
    assert ("chosen with --variant" in result.stdout) == (label is not None)


def test_a_label_that_the_target_cannot_run(pip: Pip, torch: list[str]) -> None:
    for choice in ("cu129", "torch=cu129"):
        result = pip(
            "install", "torch", *torch, "--variant", choice, code=1, env=forced("12.8")
        )
        assert (
            result.stderr
            == """\
error: unsupported-variant

× The variant 'cu129' of torch 2.8.0 is not supported.
╰─> cu129 needs CUDA 12.9 (available: CUDA 12.8)

hint: To install for another machine, add --variant-host FILE. Without --variant or PIP_VARIANT, pip installs the best variant that runs.
"""
        )


def test_hashes_leave_nothing(
    venv: Environment, index: IndexServer, torch: list[str]
) -> None:
    digest = next(
        entry.file.sha256
        for entry in index.projects["torch"]
        if entry.file.filename.endswith("-cu129.whl")
    )
    lines = venv.work / "requirements.txt"
    lines.write_text(f"torch==2.8.0 --hash=sha256:{digest}\n")
    result = venv.pip("install", "-r", lines, *torch, env=forced("12.8"), code=1)
    assert "× No variant of 'torch==2.8.0' " in result.stderr
    assert "cu129 needs CUDA 12.9" in result.stderr
    # They may stand in a constraint too.
    lines.write_text(f"torch==2.8.0 --hash=sha256:{digest}\n")
    command = ["install", "torch", "-c", str(lines), *torch]
    result = venv.pip(*command, env=forced("12.8"), code=1)
    assert "cu129 needs CUDA 12.9" in result.stderr
    result = venv.pip(*command, "--dry-run", env=forced("12.9"))
    assert "Would install torch-2.8.0 (cu129)" in result.stdout


def test_conflict_with_variants(pip: Pip, index: IndexServer, torch: list[str]) -> None:
    """The usual error tells the rest."""
    index.add_release("kernels", "1.0", {"cu130": cuda("13.0")}, plain=False)
    index.add(make_wheel("other", "1.0"))
    index.add(make_wheel("app", "1.0", requires=["other>1"]))
    index.add(make_wheel("app", "2.0", requires=["kernels<2"]))
    result = pip("install", "app", *torch, env=forced("12.8"), code=1)
    assert "kernels 1.0:\n" in result.stderr
    assert "  cu130 needs CUDA 13.0 (available: CUDA 12.8)" in result.stderr
    assert "app 2.0 depends on kernels<2" in result.output
    assert "app 1.0 depends on other>1" in result.output


def test_another_build_if_no_best_one_fits(pip: Pip, index: IndexServer) -> None:
    """Stock pip finds the plain wheel, so the fork must find a build, too."""
    manifest = make_manifest({"cu126": cuda("12.6"), "cu128": cuda("12.8")})
    for version in ("2.8.0", "2.9.0"):
        needs = {"cu126": ["lib==1"], "cu128": ["lib==2"], None: ["lib"]}
        add_variants(index, "torch", version, manifest, needs)
    for version in ("1", "2", "3"):
        index.add(make_wheel("lib", version))
    install = ["install", "--dry-run", "torch", "-i", index.index_url]
    for version, label in (("2", "cu128"), ("1", "cu126"), ("3", None)):
        result = pip(*install, f"lib=={version}", env=forced("12.8"))
        assert result.lines[-1].startswith(f"Would install lib-{version} torch-2.9.0")
        assert chosen(result) == label
    assert "The variants 'cu128', 'cu126' would run, but another req" in result.stderr


def test_another_platform(pip: Pip, index: IndexServer, host: WriteHost) -> None:
    variants: Mapping[str, Properties] = {"v1": ["x86_64 :: level :: v1"], "null": {}}
    index.add_release("cpu", "1.0", {}, manifest=make_manifest(variants))
    options = ["--index-url", index.index_url, "--only-binary=:all:", "-d", "out"]
    target = ["--platform", "manylinux_2_28_x86_64"]
    pip("download", "cpu", *options, *target)
    assert "cpu-1.0-py3-none-any-null.whl" in index.log()[-1][1]
    # The override variables and a host file are the user's word about the target.
    pip("download", "cpu", *options, *target, "--variant-host", host("x86_64-v2"))
    assert "cpu-1.0-py3-none-any-v1.whl" in index.log()[-1][1]


def test_picture_of_the_readme(pip: Pip, index: IndexServer, host: WriteHost) -> None:
    data = tomli.loads((DATA / "four-machines.toml").read_text(encoding="utf-8"))
    variants = {
        label: {key: value for key, value in build.items() if key != "says"}
        for label, build in data["builds"].items()
    }
    project = data["project"]
    index.add_release(project, data["version"], {}, manifest=make_manifest(variants))
    dry = ["install", "--dry-run", project, "--index-url", index.index_url]
    for machine in data["machines"]:
        name = machine.get("host") or host(make_host(**machine["supported"]))
        result = pip(*dry, "--variant-host", str(name))
        assert chosen(result) == machine["gets"], machine["what"]
