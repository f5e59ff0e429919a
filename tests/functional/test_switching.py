"""An installed build stays, is asked about, or gives way to another one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from tests.lib.environments import Environment
from tests.lib.index import IndexServer
from tests.lib.manifests import PREVIEW_TORCH, cuda
from tests.lib.wheels import make_wheel

CPU = {"PIP_VARIANT_HOST": "cpu-x86_64-v3"}
GPU = {"PIP_VARIANT_HOST": "cuda-12.8-sm_90"}


@pytest.fixture
def torch(index: IndexServer) -> IndexServer:
    """Return an index with the preview's torch."""
    index.add_release("torch", "2.8.0", {}, manifest=PREVIEW_TORCH)
    return index


def label(venv: Environment, package: str = "torch") -> str:
    """Return the label of the build that is installed, none for a plain one."""
    return venv.eval(f"{package}.variant_label", package)


@pytest.mark.on_wheel
def test_another_label_is_installed_in_place(
    venv: Environment, torch: IndexServer
) -> None:
    index = ["-i", torch.index_url]
    venv.pip("install", "torch", *index, env=GPU)
    assert label(venv) == "cu128"
    result = venv.pip("install", "--variant", "torch=cu126", "torch", *index, env=GPU)
    assert "Uninstalling torch-2.8.0" in result.stdout
    assert "already satisfied: torch" not in result.stdout
    assert label(venv) == "cu126"
    # Asked for again, it is there.
    torch.clear_log()
    result = venv.pip("install", "--variant", "torch=cu126", "torch", *index, env=GPU)
    assert "already satisfied: torch" in result.stdout
    assert torch.log() == []


@pytest.mark.parametrize("option", [[], ["-U"]])
def test_it_stays_on_a_machine_that_has_changed(
    venv: Environment, torch: IndexServer, option: Sequence[str]
) -> None:
    index = ["-i", torch.index_url]
    venv.pip("install", "torch", *index, env=CPU)
    assert label(venv) == "00000000"
    torch.clear_log()
    result = venv.pip("install", *option, "torch", *index, env=GPU)
    assert label(venv) == "00000000"
    # No manifest, no wheel; and with -U, upstream's own look for a newer version.
    assert torch.log() == [("GET", "/simple/torch/")] * len(option)
    (hint,) = (
        line for line in result.lines if "suits the target machine better" in line
    )
    assert hint.startswith(
        "torch 2.8.0 is installed as the variant 00000000, but the variant cu128 suits "
        "the target machine better (nvidia :: cuda_version_lower_bound :: 12.8, nvidia :: "
        "sm_arch :: 90_real). To switch: "
    )
    command = hint.partition("To switch: ")[2].partition("pip ")[2].split()
    assert command == [
        *("install", "--upgrade-variants", "torch"),
        *("--index-url", torch.index_url),
    ]
    venv.pip(*command, env=GPU)
    assert label(venv) == "cu128"
    assert "suits" not in venv.pip("install", "torch", *index, env=GPU).stdout


def test_no_hint_about_what_was_chosen_by_hand(
    venv: Environment, torch: IndexServer
) -> None:
    index = ["-i", torch.index_url]
    venv.pip("install", "torch", "--variant", "cu126", *index, env=GPU)
    assert "suits" not in venv.pip("install", "torch", *index, env=GPU).stdout
    # The best one is what --upgrade-variants means all the same.
    venv.pip("install", "torch", "--upgrade-variants", *index, env=GPU)
    assert label(venv) == "cu128"


def test_no_hint_and_no_switch_without_variants(
    venv: Environment, torch: IndexServer
) -> None:
    index = ["-i", torch.index_url]
    venv.pip("install", "torch", *index, env=CPU)
    command = ["install", "torch", "--no-variants"]
    result = venv.pip(*command, *index, env={**GPU, "PIP_UPGRADE_VARIANTS": "1"})
    assert "suits" not in result.stdout
    assert label(venv) == "00000000"


def test_a_plain_build_gives_way_too(venv: Environment, index: IndexServer) -> None:
    index.add_release("kernels", "1.0", {"cu128": cuda("12.8")})
    options = ["kernels", "-i", index.index_url]
    venv.pip("install", *options, env=CPU)
    assert label(venv, "kernels") == ""
    result = venv.pip("install", *options, env=GPU)
    assert "kernels 1.0 is installed as a plain build, but the variant cu128" in (
        result.stdout
    )
    venv.pip("install", "--upgrade-variants", *options, env=GPU)
    assert label(venv, "kernels") == "cu128"
    # And back, where the GPU has gone.
    result = venv.pip("install", *options, env=CPU)
    assert "suits" not in result.stdout
    venv.pip("install", "--upgrade-variants", *options, env=CPU)
    assert label(venv, "kernels") == ""


def test_what_nobody_recorded_is_looked_up_if_it_is_named(
    venv: Environment, index: IndexServer
) -> None:
    """As after an installation by a pip without variants."""
    index.add_release("kernels", "1.0", {"cu128": cuda("12.8")})
    index.add(make_wheel("app", "1.0", requires=["kernels"]))
    options = ["-i", index.index_url]
    venv.pip("install", "app", "--no-variants", *options, env=GPU)
    index.clear_log()
    command = ["install", "app", "--variant", "cu128", *options]
    result = venv.pip(*command, env=GPU, code=1)
    assert "app has no variant wheels for this platform and Python" in result.stderr
    assert "name the package that is meant" in result.stderr
    assert index.log() == [("GET", "/simple/app/")]
    venv.pip("install", "kernels", "--variant", "cu128", *options, env=GPU)
    assert label(venv, "kernels") == "cu128"


def test_a_dependency_switches(venv: Environment, torch: IndexServer) -> None:
    torch.add(make_wheel("app", "1.0", requires=["torch[gpu]>=2"]))
    options = ["app", "-i", torch.index_url]
    venv.pip("install", *options, env=CPU)
    result = venv.pip("install", "--upgrade-variants", *options, env=GPU)
    assert label(venv) == "cu128"
    assert "Uninstalling torch-2.8.0" in result.stdout
    assert "Uninstalling app" not in result.stdout


@pytest.fixture
def two_versions(torch: IndexServer) -> IndexServer:
    """Return the same index with a newer torch, which has no cu126."""
    variants = {"cu120": cuda("12.0"), "cu128": cuda("12.8"), "cu130": cuda("13.0")}
    torch.add_release("torch", "2.9.0", variants)
    return torch


SWITCHES: Mapping[str, tuple[Sequence[str], str, str]] = {
    "the version stays": (["--upgrade-variants"], "2.8.0", "cu128"),
    "unless it is upgraded": (["-U"], "2.9.0", "cu128"),
    "the version stays with a label": (["--variant", "torch=cu126"], "2.8.0", "cu126"),
    "also with one for all": (["--variant", "cu126"], "2.8.0", "cu126"),
    "which other versions have": (["-U", "--variant=torch=cu126"], "2.8.0", "cu126"),
    "which another version has": (["--variant", "cu120"], "2.9.0", "cu120"),
    "or only older ones": (["-U", "--variant=cu126"], "2.8.0", "cu126"),
    "forced": (["--force-reinstall"], "2.9.0", "cu128"),
    "forced in its version": (["--force-reinstall", "torch==2.8.0"], "2.8.0", "cu128"),
    "ignored": (["--ignore-installed", "torch==2.8.0"], "2.8.0", "cu128"),
}


@pytest.mark.parametrize("name", SWITCHES)
def test_switches(venv: Environment, two_versions: IndexServer, name: str) -> None:
    options, version, expected = SWITCHES[name]
    index = ["-i", two_versions.index_url]
    venv.pip("install", "torch==2.8.0", *index, env=CPU)
    venv.pip("install", "torch", *options, *index, env=GPU)
    assert (venv.installed()["torch"], label(venv)) == (version, expected)
    assert len(list(venv.site_packages.glob("torch-*.dist-info"))) == 1


def test_a_label_that_nothing_has_changes_nothing(
    venv: Environment, two_versions: IndexServer
) -> None:
    index = ["-i", two_versions.index_url]
    venv.pip("install", "torch==2.8.0", *index, env=CPU)
    command = ["install", "torch", "--variant", "torch=cu118", *index]
    result = venv.pip(*command, env=GPU, code=1)
    assert "No variant is labelled cu118" in result.stderr
    assert (venv.installed()["torch"], label(venv)) == ("2.8.0", "00000000")


def test_a_label_for_all_that_nothing_has(
    venv: Environment, two_versions: IndexServer
) -> None:
    index = ["-i", two_versions.index_url]
    venv.pip("install", "torch==2.8.0", *index, env=CPU)
    command = ["install", "torch", "--variant", "cu118", *index]
    result = venv.pip(*command, env=GPU, code=1)
    assert (
        result.stderr
        == """\
error: variant-label-not-found

× No variant is labelled cu118.
╰─> torch 2.8.0, which is installed, has 00000000, cu129, cu128, cu126
    torch 2.9.0 has cu130, cu128, cu120

hint: Choose one of these with --variant LABEL or --variant PACKAGE=LABEL, leave it to pip, or describe another machine with --variant-host FILE.
"""
    )
    command = ["install", "torch", "--variant", "00000000", *index]
    assert venv.pip(*command, env=GPU).stderr == ""
    # In the environment it may stand for something else.
    result = venv.pip("install", "torch", *index, env={**GPU, "PIP_VARIANT": "cu118"})
    assert result.stderr == ""
    assert (
        "Nothing has a variant that is labelled cu118, as the configuration or "
        "PIP_VARIANT has it: torch 2.8.0, which is installed, has 00000000, cu129, "
        "cu128, cu126"
    ) in result.lines


def test_what_the_index_no_longer_has_stays(
    venv: Environment, torch: IndexServer
) -> None:
    venv.pip("install", "torch", "-i", torch.index_url, env=CPU)
    torch.projects["torch"].clear()
    torch.add_release("torch", "2.9.0", {"cu128": cuda("12.8")})
    options = ["-i", torch.index_url]
    venv.pip("install", "--upgrade-variants", "torch", *options, env=GPU)
    assert (venv.installed()["torch"], label(venv)) == ("2.8.0", "00000000")


def test_a_label_that_is_installed_is_there(
    venv: Environment, torch: IndexServer
) -> None:
    """Nothing else that is installed need have it."""
    torch.add_release("kernels", "1.0", {"cu128": cuda("12.8")})
    index = ["-i", torch.index_url]
    venv.pip("install", "torch", *index, "--variant", "cu126", env=GPU)
    command = ["install", "torch", "kernels", *index, "--dry-run", "--variant"]
    result = venv.pip(*command, "cu126", env=GPU)
    assert "Would install kernels-1.0 (cu128)" in result.stdout
    result = venv.pip(*command, "nowhere", env=GPU, code=1)
    assert "error: variant-label-not-found" in result.stderr


def test_a_wheel_file_takes_the_place_of_another_build(
    venv: Environment, torch: IndexServer
) -> None:
    index = ["-i", torch.index_url]
    for each in ("cu126", "cu128"):
        command = ["download", "torch", "--variant", each, "-d", "wheels", *index]
        venv.pip(*command, env=GPU)
    (cu126,) = venv.work.glob("wheels/*-cu126.whl")
    venv.pip("install", "torch", *index, env=GPU)
    assert label(venv) == "cu128"
    venv.pip("install", cu126, env=GPU)
    assert label(venv) == "cu126"
    result = venv.pip("install", cu126, env=GPU)
    assert "already installed with the same version" in result.stdout


@pytest.mark.parametrize(
    "where", [["--target", "there"], ["--prefix", "there"], ["--root", "there"]]
)
def test_elsewhere_it_is_recorded_too(
    venv: Environment, torch: IndexServer, where: Sequence[str]
) -> None:
    index = ["-i", torch.index_url]
    venv.pip("install", "torch", *index, env=CPU)
    # What is in the environment has no say about another place.
    venv.pip("install", "torch", *where, "--ignore-installed", *index, env=GPU)
    (record,) = venv.work.glob("there/**/variant-selection.json")
    assert '"label": "cu128"' in record.read_text(encoding="utf-8")
    assert record.name in (record.parent / "RECORD").read_text(encoding="utf-8")
    assert label(venv) == "00000000"


def test_a_failed_switch_leaves_what_was_there(
    venv: Environment, torch: IndexServer
) -> None:
    index = ["-i", torch.index_url]
    venv.pip("install", "torch", *index, env=CPU)
    torch.fault("torch-2.8.0-py3-none-any-cu128.whl", status=500)
    command = ["install", "--upgrade-variants", "torch", "--retries", "0", *index]
    venv.pip(*command, env=GPU, code=1)
    assert label(venv) == "00000000"
    venv.pip("check")
