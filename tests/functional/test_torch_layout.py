"""Torch as PyTorch publishes it since 2.10: which machine gets which build."""

from __future__ import annotations

import itertools
import platform
import shlex
import sys
from collections.abc import Callable, Mapping
from io import StringIO
from pathlib import Path

import pytest

from tests.lib.environments import Environment, Result
from tests.lib.guides import block
from tests.lib.hosts import forced
from tests.lib.index import IndexServer
from tests.lib.torch_layout import AARCH64, MACOS, WINDOWS, X86_64, XPU, add
from tests.lib.wheels import make_wheel

Pip = Callable[..., Result]

on_linux = pytest.mark.skipif(
    (sys.platform, platform.machine()) != ("linux", "x86_64"),
    reason="the replicas' wheels are for Linux on x86-64",
)

NO_GPU: Mapping[str, str] = {}


@pytest.fixture
def torch(index: IndexServer) -> IndexServer:
    """Return PyTorch's index of variants."""
    add(index)
    return index


@pytest.fixture
def download(pip: Pip, torch: IndexServer, tmp_path: Path) -> Callable[..., Result]:
    """Return a function that fetches torch for platforms, each time to a new folder."""
    folders = itertools.count()

    def fetch(*platforms: str, env: Mapping[str, str | None]) -> Result:
        target = [word for each in platforms for word in ("--platform", each)]
        target += ["--only-binary", ":all:", "--no-deps", "-i", torch.index_url]
        folder = tmp_path / str(next(folders))
        return pip("download", "torch", "-d", folder, *target, env=env)

    return fetch


def fetched(result: Result) -> tuple[str, str]:
    """Return platform and label of the one wheel that a download ended with."""
    (line,) = (each for each in result.lines if each.strip().startswith("Saved "))
    name = line.rpartition("torch-2.10.0-py3-none-")[2].removesuffix(".whl")
    its_platform, _, label = name.rpartition("-")
    return its_platform, label


def amd(gfx: str, rocm: str) -> dict[str, str]:
    return {
        "AMD_VARIANT_PROVIDER_FORCE_GFX_ARCH": gfx,
        "AMD_VARIANT_PROVIDER_FORCE_ROCM_VERSION": rocm,
    }


def intel(device: str) -> dict[str, str]:
    return {"INTEL_VARIANT_PROVIDER_FORCE_DEVICE_IP": device}


LINUX = (X86_64, XPU)


@pytest.mark.parametrize(
    ("platforms", "machine", "its_platform", "label", "idle"),
    [
        (LINUX, forced("12.0", "7.5"), X86_64, "cuda12.6", None),
        (LINUX, forced("13.0", "6.1"), X86_64, "cuda12.6", None),
        (LINUX, forced("13.0", "10.3"), X86_64, "cuda13.0", None),
        ((AARCH64,), forced("12.0", "12.1"), AARCH64, "cuda12.8", None),
        ((WINDOWS,), forced("13.1", "8.6"), WINDOWS, "cuda13.0", None),
        # No build for macOS is for a GPU of NVIDIA's, whatever is said of one.
        ((MACOS,), forced("12.8", "9.0"), MACOS, "null", None),
        (LINUX, amd("gfx1151", "7.1.1"), X86_64, "rocm7.1", None),
        (LINUX, amd("gfx1151", "7.0.2"), X86_64, "rocm7.0", None),
        # A part that no build is for does not hide the card beside it.
        (LINUX, amd("gfx1036,gfx1100", "7.1.0"), X86_64, "rocm7.1", None),
        (LINUX, amd("gfx1036", "7.1.0"), X86_64, "null", "an AMD GPU"),
        (LINUX, amd("gfx1151", "7.2.0"), X86_64, "null", "an AMD GPU"),
        ((AARCH64,), amd("gfx942", "7.1.0"), AARCH64, "null", "an AMD GPU"),
        (LINUX, intel("20.1.0"), XPU, "xpu", None),
        (LINUX, intel("12.0.0"), X86_64, "null", "an Intel GPU"),
        ((WINDOWS,), intel("20.1.0"), WINDOWS, "xpu", None),
        (LINUX, {**intel("20.1.0"), **amd("gfx950", "7.1.0")}, XPU, "xpu", None),
        (
            *(LINUX, {**forced("13.0"), **amd("gfx950", "7.1.0")}),
            *(X86_64, "cuda13.0", None),
        ),
        (LINUX, NO_GPU, X86_64, "null", None),
        ((MACOS,), NO_GPU, MACOS, "null", None),
    ],
)
def test_machines(
    download: Callable[..., Result],
    platforms: tuple[str, ...],
    machine: Mapping[str, str | None],
    its_platform: str,
    label: str,
    idle: str | None,
) -> None:
    result = download(*platforms, env=machine)
    assert fetched(result) == (its_platform, label)
    said = "does not use an accelerator" in result.stderr
    assert said is (idle is not None)


#: A driver for CUDA 12.8 and a GPU that only the build without a wheel has code for.
BLACKWELL = forced("12.8", "12.0")
IDLE = (
    "WARNING: torch 2.10.0 (null) does not use an accelerator. The nearest other "
    "variant: cuda13.0 needs CUDA 13.0 (available: CUDA 12.8). The variant 'cuda12.8' would "
    "run, but cannot be installed: no wheel for this platform and Python (available: "
    "py3 on manylinux_2_28_aarch64, py3 on win_amd64). To see all variants: "
    "pip variants list torch==2.10.0 "
)


@on_linux
def test_a_plain_wheel_beside_a_build_without_gpu(
    pip: Pip, make_index: Callable[[], IndexServer], torch: IndexServer
) -> None:
    usual = make_index()
    usual.add(make_wheel("torch", "2.10.0", requires=["sympy"]))
    usual.add(make_wheel("sympy", "1.14.0"))
    where = ["--index-url", usual.index_url, "--extra-index-url", torch.index_url]
    result = pip("install", "torch", *where, env=BLACKWELL)
    assert result.stderr.startswith(f"{IDLE}{shlex.join(where)}\n")
    assert "torch-2.10.0 (null)" in result.lines[-1]


def words_of(page: str, name: str) -> list[list[str]]:
    """Return the commands of a block with this name, as words."""
    return [shlex.split(line)[1:] for line in block(page, name).splitlines()]


@on_linux
@pytest.mark.scoped
@pytest.mark.parametrize(
    ("page", "name"),
    [("pytorch.md", "variants"), ("pytorch.md", "setup"), ("amd.md", "variants")],
)
def test_the_document_ends_with_an_installed_torch(
    venv: Environment,
    make_index: Callable[[], IndexServer],
    monkeypatch: pytest.MonkeyPatch,
    page: str,
    name: str,
) -> None:
    usual, publishers = make_index(), make_index()
    for project, version, needs in (
        ("torch", "2.10.0", "sympy>=1.13.3"),
        ("torchvision", "0.25.0", "torch==2.10.0"),
    ):
        add(publishers, project, version, requires=[needs])
        # Newer ones that are not asked for, and cannot slip in.
        usual.add(make_wheel(project, "99.0"))
    usual.add(make_wheel("sympy", "1.14.0"))
    monkeypatch.setattr(sys, "stdin", StringIO())
    machines: Mapping[str, Mapping[str, str | None]] = {
        "pytorch.md": forced("13.0"),
        "amd.md": {
            "AMD_VARIANT_PROVIDER_FORCE_GFX_ARCH": "gfx1151",
            "AMD_VARIANT_PROVIDER_FORCE_ROCM_VERSION": "7.0.0",
        },
    }
    env = {**machines[page], "PIP_INDEX_URL": usual.index_url, "PIP_CONFIG_FILE": None}
    # What the machine has configured for all does not bear on it.
    env["XDG_CONFIG_DIRS"] = str(venv.home)
    url = "https://download.pytorch.org/whl/variant"
    for words in words_of(page, name):
        # There is nobody to ask.
        yes = ["--yes"] if words[0] == "variants" else []
        typed = [word.replace(url, publishers.index_url) for word in words]
        result = venv.pip(*typed, *yes, env=env)
        for config in venv.venv.glob("pip.*"):
            text = config.read_text(encoding="utf-8")
            config.write_text(text.replace(url, publishers.index_url), encoding="utf-8")
    installed = venv.installed()
    assert installed["torch"] == "2.10.0"
    assert installed["sympy"] == "1.14.0"
    label = {"pytorch.md": "cuda13.0", "amd.md": "rocm7.0"}[page]
    assert f"torch-2.10.0 ({label})" in result.lines[-1]
    if page == "pytorch.md":
        assert installed["torchvision"] == "0.25.0"
        assert f"torchvision-0.25.0 ({label})" in result.lines[-1]
