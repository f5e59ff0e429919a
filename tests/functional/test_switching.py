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
    assert "Uninstalling torch-2.8.0 (cu128):\n" in result.stdout
    assert "Successfully uninstalled torch-2.8.0 (cu128)\n" in result.stdout
    assert "already satisfied: torch" not in result.stdout
    assert label(venv) == "cu126"
    # Asked for again, it is there.
    torch.clear_log()
    result = venv.pip("install", "--variant", "torch=cu126", "torch", *index, env=GPU)
    assert "already satisfied: torch" in result.stdout
    assert " (2.8.0, variant cu126)\n" in result.stdout
    assert torch.log() == []


@pytest.mark.parametrize("named", ["torch", "vision"])
def test_a_switch_installs_what_extras_need(
    venv: Environment, index: IndexServer, named: str
) -> None:
    """An installed package asks for an extra, which needs more in the other variant."""
    more = 'fast-kernels; extra == "opt" and "nvidia" in variant_namespaces'
    metadata = [f"Requires-Dist: {more}", "Provides-Extra: opt"]
    variants = {"cu128": cuda("12.8"), "null": {}}
    index.add_release("torch", "2.8.0", variants, metadata=metadata, plain=False)
    index.add(make_wheel("app", "1.0", requires=["torch[opt]"]))
    index.add(make_wheel("vision", "1.0", requires=["torch"]))
    index.add(make_wheel("fast-kernels", "1.0"))
    there = ["-i", index.index_url]
    venv.pip("install", "app", "vision", *there, env=CPU)
    assert "fast-kernels" not in venv.installed()
    command = ["install", "--upgrade-variants", named, *there]
    result = venv.pip(*command, env=GPU)
    assert (
        "Successfully installed fast-kernels-1.0 torch-2.8.0 (cu128)" in result.stdout
    )
    # As with stock pip, another version may lack what an extra needs.
    metadata = ["Requires-Dist: gone; extra == 'opt'", "Provides-Extra: opt"]
    index.add_release("torch", "2.9.0", variants, metadata=metadata)
    result = venv.pip("install", "-U", "torch", *there, env=GPU)
    assert "Successfully installed torch-2.9.0 (cu128)" in result.stdout


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
    (hint,) = (line for line in result.lines if "is a better match" in line)
    assert hint.startswith(
        "torch 2.8.0 is installed as the variant '00000000', but the variant 'cu128' is a "
        "better match (CUDA 12.8, sm_90). To switch: "
    )
    command = hint.partition("To switch: ")[2].partition("pip ")[2].split()
    assert command == [
        *("install", "--upgrade-variants", "torch"),
        *("--index-url", torch.index_url),
    ]
    venv.pip(*command, env=GPU)
    assert label(venv) == "cu128"
    assert "better match" not in venv.pip("install", "torch", *index, env=GPU).stdout


def test_no_hint_about_what_was_chosen_by_hand(
    venv: Environment, torch: IndexServer
) -> None:
    index = ["-i", torch.index_url]
    venv.pip("install", "torch", "--variant", "cu126", *index, env=GPU)
    assert "better match" not in venv.pip("install", "torch", *index, env=GPU).stdout
    # The best one is what --upgrade-variants means all the same.
    venv.pip("install", "torch", "--upgrade-variants", *index, env=GPU)
    assert label(venv) == "cu128"


def test_a_plain_build_gives_way_too(venv: Environment, index: IndexServer) -> None:
    index.add_release("kernels", "1.0", {"cu128": cuda("12.8")})
    options = ["kernels", "-i", index.index_url]
    venv.pip("install", *options, env=CPU)
    assert label(venv, "kernels") == ""
    result = venv.pip("install", *options, env=GPU)
    assert "kernels 1.0 is installed as a plain wheel, but the variant 'cu128'" in (
        result.stdout
    )
    venv.pip("install", "--upgrade-variants", *options, env=GPU)
    assert label(venv, "kernels") == "cu128"
    # And back, where the GPU has gone.
    result = venv.pip("install", *options, env=CPU)
    assert "better match" not in result.stdout
    venv.pip("install", "--upgrade-variants", *options, env=CPU)
    assert label(venv, "kernels") == ""


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
    "which other versions have": (["-U", "--variant=torch=cu126"], "2.8.0", "cu126"),
    "which another version has": (["--variant", "cu120"], "2.9.0", "cu120"),
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


def test_a_label_for_all_that_nothing_has(
    venv: Environment, two_versions: IndexServer
) -> None:
    index = ["-i", two_versions.index_url]
    venv.pip("install", "torch==2.8.0", *index, env=CPU)
    command = ["install", "torch", "--variant", "cu118", *index]
    result = venv.pip(*command, env=GPU, code=1)
    assert result.stderr.startswith(
        "error: nothing-to-install\n\n× No variant has the label 'cu118'.\n"
        "╰─> torch 2.9.0 has cu130, cu128, cu120\n"
        "    torch 2.8.0 has 00000000, cu129, cu128, cu126\n\nhint: Choose another label "
    )
    command = ["install", "torch", "--variant", "00000000", *index]
    assert venv.pip(*command, env=GPU).stderr == ""
    # In the environment it may stand for something else.
    result = venv.pip("install", "torch", *index, env={**GPU, "PIP_VARIANT": "cu118"})
    assert result.stderr == ""
    assert (
        "The configuration or PIP_VARIANT sets the label 'cu118', but no package "
        "has a variant with this label: torch 2.8.0 has 00000000, cu129, cu128, cu126"
    ) in result.lines


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
