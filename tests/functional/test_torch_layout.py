"""Torch as PyTorch publishes it since 2.10: which machine gets which build."""

from __future__ import annotations

import itertools
import platform
import shlex
import sys
from collections.abc import Callable, Mapping
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from tests.lib.environments import Environment, Result
from tests.lib.guides import block
from tests.lib.hosts import forced, make_host
from tests.lib.index import IndexServer
from tests.lib.manifests import cuda
from tests.lib.torch_layout import AARCH64, MACOS, WINDOWS, X86_64, XPU, add
from tests.lib.wheels import make_wheel

Pip = Callable[..., Result]
WriteHost = Callable[[str | Mapping[str, Any]], Path]

on_linux = pytest.mark.skipif(
    (sys.platform, platform.machine()) != ("linux", "x86_64"),
    reason="the replicas' wheels are for Linux on x86-64",
)

NO_GPU: Mapping[str, str] = {}
CAPABILITIES = (
    "6.1",
    "7.5",
    "8.0",
    "8.6",
    "8.9",
    "9.0",
    "10.0",
    "10.3",
    "12.0",
    "12.1",
)
#: By platform and the CUDA version of the driver: the label for each compute capability.
# On Linux with x86-64 nothing has code for 10.0 and newer unless the driver is for 13.0.
TABLE: Mapping[str, Mapping[str, str]] = {
    X86_64: {
        "12.0": "cuda12.6 " * 6 + "null " * 4,
        "12.6": "cuda12.6 " * 6 + "null " * 4,
        "12.8": "cuda12.6 " * 6 + "null " * 4,
        "12.9": "cuda12.6 " * 6 + "null " * 4,
        "13.0": "cuda12.6 " + "cuda13.0 " * 9,
        "13.2": "cuda12.6 " + "cuda13.0 " * 9,
    },
    AARCH64: {
        "12.0": "cuda12.6 " + "cuda12.8 " * 9,
        "12.8": "cuda12.6 " + "cuda12.8 " * 9,
        "13.0": "cuda12.6 " + "cuda13.0 " * 9,
    },
    WINDOWS: {
        "12.0": "cuda12.6 " + "cuda12.8 " * 9,
        "12.9": "cuda12.6 " + "cuda12.8 " * 9,
        "13.1": "cuda12.6 " + "cuda13.0 " * 9,
    },
    # No build for macOS is for a GPU of NVIDIA's, whatever is said of one.
    MACOS: {"12.8": "null " * 10},
}


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


@pytest.mark.parametrize(
    ("target", "driver"),
    [(target, driver) for target, drivers in TABLE.items() for driver in drivers],
)
def test_nvidia(download: Callable[..., Result], target: str, driver: str) -> None:
    found = {}
    for capability in CAPABILITIES:
        result = download(target, env=forced(driver, capability))
        found[capability] = fetched(result)
        # A GPU for which there is nothing is told of, and no other is.
        is_idle = found[capability][1] == "null" and target != MACOS
        assert ("The target machine has an NVIDIA GPU" in result.stderr) is is_idle
    labels = TABLE[target][driver].split()
    expected = {
        capability: (target, label)
        for capability, label in zip(CAPABILITIES, labels, strict=True)
    }
    assert found == expected


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
        (LINUX, amd("gfx1151", "7.1.1"), X86_64, "rocm7.1", None),
        (LINUX, amd("gfx1151", "7.0.2"), X86_64, "rocm7.0", None),
        (LINUX, amd("gfx950", "7.1.0"), X86_64, "rocm7.1", None),
        # A part that no build is for does not hide the card beside it.
        (LINUX, amd("gfx1036,gfx1100", "7.1.0"), X86_64, "rocm7.1", None),
        (LINUX, amd("gfx1036", "7.1.0"), X86_64, "null", "an AMD GPU"),
        (LINUX, amd("gfx1151", "7.2.0"), X86_64, "null", "an AMD GPU"),
        ((AARCH64,), amd("gfx942", "7.1.0"), AARCH64, "null", "an AMD GPU"),
        ((WINDOWS,), amd("gfx1151", "7.1.0"), WINDOWS, "null", None),
        (LINUX, intel("20.1.0"), XPU, "xpu", None),
        (LINUX, intel("30.0.4"), XPU, "xpu", None),
        (LINUX, intel("12.0.0"), X86_64, "null", "an Intel GPU"),
        ((WINDOWS,), intel("20.1.0"), WINDOWS, "xpu", None),
        (LINUX, {**intel("20.1.0"), **amd("gfx950", "7.1.0")}, XPU, "xpu", None),
        (
            *(LINUX, {**forced("13.0"), **amd("gfx950", "7.1.0")}),
            *(X86_64, "cuda13.0", None),
        ),
        (LINUX, NO_GPU, X86_64, "null", None),
        ((AARCH64,), NO_GPU, AARCH64, "null", None),
        ((WINDOWS,), NO_GPU, WINDOWS, "null", None),
        ((MACOS,), NO_GPU, MACOS, "null", None),
    ],
)
def test_other_machines(
    download: Callable[..., Result],
    platforms: tuple[str, ...],
    machine: Mapping[str, str | None],
    its_platform: str,
    label: str,
    idle: str | None,
) -> None:
    result = download(*platforms, env=machine)
    assert fetched(result) == (its_platform, label)
    said = "The target machine has " in result.stderr
    assert said is (idle is not None)
    if idle is not None:
        assert f"The target machine has {idle}, but" in result.stderr


#: A driver for CUDA 12.8 and a GPU that only the build without a wheel has code for.
BLACKWELL = forced("12.8", "12.0")
IDLE = (
    "WARNING: The target machine has an NVIDIA GPU, but the variant null of torch 2.10.0 "
    "without support for it was chosen. The nearest other variant: cuda13.0 needs nvidia "
    ":: cuda_version_lower_bound :: 13.0 (the target has 12.8, 12.7, 12.6 …). cuda12.8 "
    "would run, but cannot be installed: no wheel is for this platform and Python (they "
    "are for py3 on manylinux_2_28_aarch64, py3 on win_amd64). To see all variants: pip "
    "variants list torch==2.10.0 "
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
    plain = usual.file_url("torch-2.10.0-py3-none-any.whl")
    said, _, typed = result.stderr.strip().rpartition("To take it: ")
    assert said == (
        f"{IDLE}{shlex.join(where)}\nWARNING: A plain wheel of torch 2.10.0 is there too, on "
        f"{usual.index_url}torch/, and may have that support: nothing says what it is "
        "for. "
    )
    assert shlex.split(typed) == ["pip", "install", "torch", plain, *where]
    assert "torch-2.10.0 (null)" in result.lines[-1]
    # What is proposed takes the place of what was installed, and brings what it needs.
    again = pip(*shlex.split(typed)[1:], env=BLACKWELL)
    assert again.stderr == ""
    assert "Successfully installed sympy-1.14.0 torch-2.10.0" in again.lines[-1]
    assert "torch @ " in pip("freeze").stdout
    assert "null" not in pip("list").stdout
    # It is what the user wants, also where no other is installed.
    fresh = pip(
        *shlex.split(typed)[1:], "--dry-run", "--force-reinstall", env=BLACKWELL
    )
    assert fresh.stderr == ""
    assert "Using a plain build" not in fresh.stdout


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


@on_linux
def test_without_a_plain_wheel(pip: Pip, torch: IndexServer) -> None:
    result = pip("install", "--dry-run", "torch", "-i", torch.index_url, env=BLACKWELL)
    assert result.stderr == f"{IDLE}--index-url {torch.index_url}\n"


@on_linux
@pytest.mark.parametrize(
    ("options", "machine"),
    [
        ((), NO_GPU),
        (("--variant", "null"), BLACKWELL),
        (("--disable-variant-provider", "nvidia"), BLACKWELL),
        (("--no-variants",), BLACKWELL),
        ((), forced("13.0", "12.0")),
    ],
    ids=["no GPU", "by hand", "disabled", "off", "another build"],
)
def test_no_word_of_a_plain_wheel(
    pip: Pip,
    torch: IndexServer,
    options: tuple[str, ...],
    machine: Mapping[str, str | None],
) -> None:
    torch.add(make_wheel("torch", "2.10.0"))
    where = ["-i", torch.index_url]
    result = pip("install", "--dry-run", "torch", *where, *options, env=machine)
    assert result.stderr == ""


def test_a_build_for_the_cpu_alone_and_a_plain_build(
    pip: Pip, index: IndexServer, host: WriteHost
) -> None:
    level: Mapping[str, Any] = {"x86_64": {"level": ["v3"]}}
    index.add_release("math", "1.0", {"cu13": cuda("13.0"), "v3": level})
    machine = host(make_host(cuda="12.8", capability="9.0", x86_64="v3"))
    where = ["-i", index.index_url, "--variant-host", machine]
    result = pip("install", "--dry-run", "math", *where)
    assert "GPU, but the variant v3 of math 1.0 without support for it" in result.stderr
    plain = index.file_url("math-1.0-py3-none-any.whl")
    assert result.stderr.rpartition("To take it: ")[2].split()[2:5] == [
        *("math", plain, "--dry-run")
    ]
    index.add_release("only", "1.0", {"cu13": cuda("13.0")})
    result = pip("install", "--dry-run", "only", *where)
    assert (
        "but a plain build of only 1.0, of which nothing says what it is for, was "
        "chosen. The nearest other variant: cu13 needs"
    ) in result.stderr
    assert "To take it" not in result.stderr
