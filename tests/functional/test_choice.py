"""Which build is installed, and what pip says about it."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
import tomli

from tests.lib.environments import Environment, Result
from tests.lib.hosts import forced, make_host
from tests.lib.index import IndexServer
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
    """Return the label in the block that a dry run prints, None for a plain build."""
    for line in result.lines:
        if line.startswith("##") and "variant_label=" in line:
            return line.partition("variant_label=")[2].split(" ")[0]
    return None


@pytest.mark.parametrize(
    ("driver", "capability", "label"),
    [
        ("13.1", "9.0", "cu129"),
        ("12.9", "9.0", "cu129"),
        ("12.8", "9.0", "cu128"),
        ("12.6", "9.0", "cu126"),
        ("12.7", "5.0", "cu126"),
        ("12.9", "12.0", "cu129"),
        ("12.9", "7.0", "cu126"),
        ("12.9", "8.9", "cu129"),
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
    assert (
        "Using the variant cu129 of torch 2.8.0 (nvidia :: cuda_version_lower_bound :: "
        "12.9, nvidia :: sm_arch :: 90_real)"
    ) in result.lines
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


def test_an_idle_gpu_is_warned_of(pip: Pip, torch: list[str]) -> None:
    result = pip("install", "--dry-run", "torch", *torch, env=forced("12.5"))
    said, plain = result.stderr.splitlines()
    assert said == (
        "WARNING: The target machine has an NVIDIA GPU, but the variant 00000000 of torch "
        "2.8.0 without support for it was chosen. The nearest other variant: cu126 "
        "needs nvidia :: cuda_version_lower_bound :: 12.6 (the target has 12.5, 12.4, "
        f"12.3 …). To see all variants: pip variants list torch==2.8.0 {shlex.join(torch)}"
    )
    assert plain.startswith("WARNING: A plain wheel of torch 2.8.0 is there too")


def test_no_gpu_is_no_reason_for_a_warning(
    pip: Pip, torch: list[str], host: WriteHost
) -> None:
    result = pip(
        "install", "--dry-run", "torch", *torch, "--variant-host", host("none")
    )
    assert chosen(result) == "00000000"
    assert result.stderr == ""


def test_a_plain_build_is_warned_of_too(
    pip: Pip, index: IndexServer, host: WriteHost
) -> None:
    index.add_release("kernels", "1.0", {"a100": cuda("12.0", ["80"])})
    gpu = host(make_host(cuda="12.8", capability="7.5"))
    options = ["--index-url", index.index_url, "--variant-host", gpu]
    result = pip("install", "--dry-run", "kernels", *options)
    assert "Using a plain build of kernels 1.0" in result.stdout
    assert "a100 needs nvidia :: sm_arch :: 80_real (the target has 75_real" in (
        result.stderr
    )


CHOICES: Mapping[str, Sequence[str]] = {
    "for all": ["--variant", "cu126"],
    "for the package": ["--variant", "torch=cu126"],
    "in another spelling": ["--variant=Torch=cu126"],
    "for the package before for all": ["--variant=torch=cu126", "--variant=cu128"],
    "the same twice": ["--variant=torch=cu126", "--variant=torch=cu126"],
}


@pytest.mark.parametrize("name", CHOICES)
def test_choice_by_hand(pip: Pip, torch: list[str], name: str) -> None:
    result = pip(
        "install", "--dry-run", "torch", *torch, *CHOICES[name], env=forced("12.9")
    )
    assert chosen(result) == "cu126"
    assert "chosen with --variant" in result.stdout


def test_choice_in_environment_and_configuration(
    venv: Environment, torch: list[str]
) -> None:
    environ = {**forced("12.9"), "PIP_VARIANT": "cu128"}
    result = venv.pip("install", "--dry-run", "torch", *torch, env=environ)
    assert chosen(result) == "cu128"
    # The command line wins over the environment, which wins over configuration.
    result = venv.pip(
        "install", "--dry-run", "torch", *torch, "--variant", "cu126", env=environ
    )
    assert chosen(result) == "cu126"

    unset = {"PIP_CONFIG_FILE": None}
    venv.pip("config", "--site", "set", "global.variant", "cu126", env=unset)
    result = venv.pip(
        "install", "--dry-run", "torch", *torch, env={**forced("12.9"), **unset}
    )
    assert chosen(result) == "cu126"


def test_an_index_url_in_configuration_is_all_it_takes(
    venv: Environment, index: IndexServer, torch: list[str]
) -> None:
    assert torch
    unset: dict[str, str | None] = {"PIP_CONFIG_FILE": None}
    venv.pip("config", "--site", "set", "global.index-url", index.index_url, env=unset)
    result = venv.pip("install", "--dry-run", "torch", env={**forced("12.9"), **unset})
    assert chosen(result) == "cu129"


@pytest.mark.parametrize(
    ("lines", "options", "label"),
    [
        (["--variant cu126", "torch"], [], "cu126"),
        (["torch", "--variant cu126"], [], "cu126"),
        (["--variant torch=cu126", "torch"], [], "cu126"),
        (["torch --variant cu126"], [], "cu126"),
        (["torch --variant cu126"], ["--variant", "torch=cu128"], "cu128"),
        (["--variant cu126", "torch"], ["--variant", "cu128"], "cu128"),
        (["--no-variants", "torch"], [], None),
    ],
)
def test_choice_in_a_requirements_file(
    venv: Environment,
    torch: list[str],
    lines: Sequence[str],
    options: Sequence[str],
    label: str | None,
) -> None:
    (venv.work / "requirements.txt").write_text("\n".join(lines), encoding="utf-8")
    result = venv.pip(
        *("install", "--dry-run", "-r", "requirements.txt", *torch, *options),
        env=forced("12.9"),
    )
    assert chosen(result) == label


def test_a_choice_for_one_line_is_for_that_package(
    venv: Environment, index: IndexServer, torch: list[str]
) -> None:
    index.add_release("vision", "1.0", {}, manifest=PREVIEW_TORCH)
    (venv.work / "requirements.txt").write_text("torch --variant cu126\nvision\n")
    result = venv.pip(
        "install", "--dry-run", "-r", "requirements.txt", *torch, env=forced("12.9")
    )
    assert "Using the variant cu126 of torch 2.8.0" in result.stdout
    assert "Using the variant cu129 of vision 1.0" in result.stdout


def test_a_choice_is_for_each_package_that_has_it(
    pip: Pip, index: IndexServer, torch: list[str]
) -> None:
    index.add_release("vision", "1.0", {}, manifest=PREVIEW_TORCH)
    index.add_release("cpu", "1.0", {"v1": ["x86_64 :: level :: v1"], "null": {}})
    result = pip(
        *("install", "--dry-run", "torch", "vision", "cpu", "requests", *torch),
        *("--variant", "cu126"),
        env=forced("12.9"),
    )
    assert "Using the variant cu126 of torch 2.8.0" in result.stdout
    assert "Using the variant cu126 of vision 1.0" in result.stdout
    assert "of cpu 1.0" in result.stdout


def test_a_choice_without_variant_packages_is_no_error(
    pip: Pip, torch: list[str]
) -> None:
    result = pip("install", "requests", *torch, env={"PIP_VARIANT": "cu128"})
    assert "Successfully installed requests-2.0" in result.stdout
    assert result.stderr == ""


def test_no_variants(venv: Environment, torch: list[str]) -> None:
    venv.pip("install", "torch", *torch, "--no-variants", env=forced("12.9"))
    assert venv.eval("torch.variant_label", "torch") == ""
    result = venv.pip(
        *("install", "--dry-run", "--force-reinstall", "torch", *torch),
        env={**forced("12.9"), "PIP_NO_VARIANTS": "1"},
    )
    assert chosen(result) is None
    assert "Using" not in result.output


def test_a_label_that_nothing_has(pip: Pip, torch: list[str], host: WriteHost) -> None:
    options = [*torch, "--variant-host", host(make_host(cuda="12.8", capability="9.0"))]
    result = pip("install", "torch", *options, "--variant", "cu999", code=1)
    assert (
        result.stderr
        == """\
error: variant-label-not-found

× No variant is labelled cu999.
╰─> torch 2.8.0 has cu129 (not supported here), cu128, cu126, 00000000

hint: Choose one of these with --variant LABEL or --variant PACKAGE=LABEL, leave it to pip, or describe another machine with --variant-host FILE.
"""
    )
    result = pip("install", "torch", *options, "--variant", "torch=cu999", code=1)
    assert "× No variant is labelled cu999." in result.stderr
    assert "torch 2.8.0 has cu129 (not supported here), cu128" in result.stderr


def test_a_label_that_the_target_cannot_run(pip: Pip, torch: list[str]) -> None:
    for choice in ("cu129", "torch=cu129"):
        result = pip(
            "install", "torch", *torch, "--variant", choice, code=1, env=forced("12.8")
        )
        assert (
            result.stderr
            == """\
error: unsupported-variant

× The variant cu129 of torch 2.8.0 cannot run on the target machine.
╰─> cu129 needs nvidia :: cuda_version_lower_bound :: 12.9 (the target has 12.8, 12.7, 12.6 …)

hint: If it is meant for another machine, describe that one with --variant-host FILE. Without a label chosen by hand, pip takes the best variant that runs.
"""
        )


def test_a_label_that_an_older_release_has(
    pip: Pip, index: IndexServer, torch: list[str]
) -> None:
    index.add_release("torch", "2.9.0", {"cu130": cuda("12.9"), "null": {}})
    result = pip(
        "install",
        "--dry-run",
        "torch",
        *torch,
        "--variant=torch=cu126",
        env=forced("12.9"),
    )
    assert "Using the variant cu126 of torch 2.8.0" in result.stdout


def test_a_package_without_variants_has_no_label(pip: Pip, torch: list[str]) -> None:
    result = pip("install", "requests", *torch, "--variant=requests=cu128", code=1)
    assert (
        "requests has no variant wheels for this platform and Python" in result.stderr
    )


@pytest.mark.parametrize(
    "value", ["CU128", "torch=", "=cu128", "to rch=cu128", "a=b=c"]
)
def test_an_invalid_choice(pip: Pip, torch: list[str], value: str) -> None:
    result = pip("install", "torch", *torch, f"--variant={value}", code=2)
    assert "option --variant: invalid" in result.stderr


def test_what_hashes_leave_does_not_run(
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
    assert "× No variant of torch==2.8.0 " in result.stderr
    assert "add the hash of one that runs" in result.stderr
    # They may stand in a constraint too.
    lines.write_text(f"torch==2.8.0 --hash=sha256:{digest}\n")
    command = ["install", "torch", "-c", str(lines), *torch]
    result = venv.pip(*command, env=forced("12.8"), code=1)
    assert "add the hash of one that runs" in result.stderr
    result = venv.pip(*command, "--dry-run", env=forced("12.9"))
    assert "Would install torch-2.8.0 (cu129)" in result.stdout


def test_a_conflict_of_which_variants_are_a_part(
    pip: Pip, index: IndexServer, torch: list[str]
) -> None:
    """The usual error tells the rest."""
    index.add_release("kernels", "1.0", {"cu130": cuda("13.0")}, plain=False)
    index.add(make_wheel("other", "1.0"))
    index.add(make_wheel("app", "1.0", requires=["other>1"]))
    index.add(make_wheel("app", "2.0", requires=["kernels<2"]))
    result = pip("install", "app", *torch, env=forced("12.8"), code=1)
    assert "kernels 1.0:\n" in result.stderr
    assert "  cu130 needs nvidia :: cuda_version_lower_bound :: 13.0" in result.stderr
    assert "app 2.0 depends on kernels<2" in result.output
    assert "app 1.0 depends on other>1" in result.output


def test_an_invalid_host_file(pip: Pip, index: IndexServer, torch: list[str]) -> None:
    result = pip("install", "torch", *torch, "--variant-host", "none.json", code=1)
    assert "× The variant host none.json cannot be used." in result.stderr
    assert "It cannot be read: No such file or directory." in result.stderr
    assert index.log() == []


def test_another_platform_is_not_this_machine(
    pip: Pip, index: IndexServer, host: WriteHost
) -> None:
    variants: Mapping[str, Properties] = {"v1": ["x86_64 :: level :: v1"], "null": {}}
    index.add_release("cpu", "1.0", {}, manifest=make_manifest(variants))
    options = ["--index-url", index.index_url, "--only-binary=:all:", "-d", "out"]
    target = ["--platform", "manylinux_2_28_x86_64"]
    pip("download", "cpu", *options, *target)
    assert "cpu-1.0-py3-none-any-null.whl" in index.log()[-1][1]
    # The override variables and a host file are the user's word about the target.
    pip("download", "cpu", *options, *target, "--variant-host", host("x86_64-v2"))
    assert "cpu-1.0-py3-none-any-v1.whl" in index.log()[-1][1]


def test_debug_shows_what_is_supported(pip: Pip, host: WriteHost) -> None:
    assert "pass --verbose to show what is supported" in pip("debug").stdout
    result = pip("debug", "--verbose", env=forced("12.8", "9.0"))
    assert "  nvidia (built in, from NV_VARIANT_PROVIDER_FORCE_" in result.stdout
    assert "    sm_arch: 90_real, 90_virtual" in result.lines
    described = host("x86_64-v3")
    result = pip("debug", "--verbose", "--variant-host", described)
    assert f"  x86_64 (host file, from {described})" in result.lines
    assert "    level: v3, v2, v1" in result.lines


def test_what_the_picture_of_the_readme_shows(
    pip: Pip, index: IndexServer, host: WriteHost
) -> None:
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
