"""Jetsons are told from ARM servers by what NVIDIA's system and the kernel show."""

from __future__ import annotations

from pathlib import Path

import pytest

from pip._internal.models.target_python import TargetPython
from pip._internal.variants.providers import nvidia, tegra
from pip._internal.variants.providers.chain import ProviderChain
from pip._internal.variants.providers.host_names import named_host
from pip._internal.variants.providers.result import ProviderResult
from pip._internal.variants.providers.tegra import Tegra, cuda_of, find, runs_sbsa

ORIN = "nvidia,p3737-0000+p3701-0005\0nvidia,p3701-0005\0nvidia,tegra234\0"
#: Kernels of a GB10, a GH200, a machine of another maker, and a Raspberry Pi.
SERVERS = ["6.11.0-1016-nvidia", "6.8.0-1028-nvidia-64k", "6.8.0-45-generic", ""]


def write(root: Path, path: str, text: str) -> None:
    file = root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")


@pytest.mark.parametrize(
    ("text", "release"),
    [
        ("# R36 (release), REVISION: 4.3, GCID: 38968081, BOARD: generic", "36.4.3"),
        ("# R38 (release), REVISION: 2.0, GCID: 1, BOARD: generic\nA=b", "38.2.0"),
        ("# R35 (release), REVISION: 6.1, GCID: 2", "35.6.1"),
        ("# R8 (release), REVISION: 5, GCID: 2", "8.5"),
        ("# R36 (development)", None),
        ("", None),
        ("\ufffd" * 9000, None),
        ("# R\u0663\u0666 (release), REVISION: 4.3", None),
    ],
)
def test_release_of_jetson_linux(
    tmp_path: Path, text: str, release: str | None
) -> None:
    write(tmp_path, "etc/nv_tegra_release", text)
    # A kernel of one's own need not be called so.
    assert find("6.12.0", str(tmp_path)) == Tegra(release)


def test_device_tree(tmp_path: Path) -> None:
    write(tmp_path, "proc/device-tree/compatible", ORIN)
    assert find("6.12.0", str(tmp_path)) == Tegra()
    write(tmp_path, "proc/device-tree/compatible", "raspberrypi,5\0brcm,bcm2712\0")
    assert find("6.12.0", str(tmp_path)) is None
    write(tmp_path, "proc/device-tree/compatible", "not-nvidia,tegra\0")
    assert find("6.12.0", str(tmp_path)) is None


@pytest.mark.parametrize("kernel", ["5.15.148-tegra", "6.8.0-1008-nvidia-TEGRA-36"])
def test_kernel_which_containers_see(tmp_path: Path, kernel: str) -> None:
    assert find(kernel, str(tmp_path)) == Tegra()


@pytest.mark.parametrize("kernel", SERVERS)
def test_servers(tmp_path: Path, kernel: str) -> None:
    assert find(kernel, str(tmp_path)) is None


def test_a_release_that_cannot_be_read_is_unknown(tmp_path: Path) -> None:
    # As a file without permissions, which does not stop a test that runs as root.
    tmp_path.joinpath("etc/nv_tegra_release").mkdir(parents=True)
    assert find("6.8.0", str(tmp_path)) == Tegra()


def test_a_device_tree_that_cannot_be_read_tells_nothing(tmp_path: Path) -> None:
    tmp_path.joinpath("proc/device-tree/compatible").mkdir(parents=True)
    assert find("6.8.0", str(tmp_path)) is None


@pytest.mark.parametrize(
    ("cuda", "runs"),
    [("11.4", False), ("12.9", False), ("13.0", True), ("13", True), ("x", False)],
)
def test_from_cuda_13_on_builds_for_servers_run(cuda: str, runs: bool) -> None:
    assert runs_sbsa(Tegra("36.4.3" if runs else "38.2.0"), cuda) is runs


def test_without_a_driver_the_release_decides() -> None:
    assert runs_sbsa(Tegra("38.2.0"), None)
    assert not runs_sbsa(Tegra("36.4.3"), None)
    assert not runs_sbsa(Tegra(), None)


def test_cuda_of_a_driver() -> None:
    environ = {nvidia.CUDA_VARIABLE: "12.6", nvidia.SM_VARIABLE: "8.7"}
    assert cuda_of(nvidia.detect(environ, hardware=False)) == "12.6"
    del environ[nvidia.CUDA_VARIABLE]
    assert cuda_of(nvidia.detect(environ, hardware=False)) is None
    assert cuda_of(ProviderResult()) is None


def test_names(tmp_path: Path) -> None:
    assert str(Tegra()) == "a Jetson"
    write(tmp_path, "etc/nv_tegra_release", "# R36 (release), REVISION: 4.3, x")
    found = tegra.find("", str(tmp_path))
    assert str(found) == "a Jetson (Jetson Linux 36.4.3)"


def test_the_target_of_a_run(monkeypatch: pytest.MonkeyPatch) -> None:
    def providers(
        kernel: str, host: str | None = None, *, hardware: bool = True
    ) -> ProviderChain:
        return ProviderChain(
            environ={},
            environment={"platform_release": kernel},
            host=None if host is None else named_host(host),
            hardware=hardware,
        )

    kernels: list[str] = []

    def note(kernel: str) -> Tegra:
        kernels.append(kernel)
        return Tegra("36.4")

    monkeypatch.setattr(tegra, "find", note)
    assert providers("5.15").tegra() == Tegra("36.4")
    # A described machine is what is said of it, whatever this one is.
    assert providers("x-tegra", "cuda-12.6-sm_87").tegra() is None
    assert providers("x", "cuda-12.6-sm_87-tegra").tegra() == Tegra()
    assert providers("x-tegra", hardware=False).tegra() is None
    assert kernels == ["5.15"]


@pytest.mark.parametrize(
    ("kernel", "told"),
    [
        ("6.12.0", "6.12.0-tegra"),
        ("5.15.148-tegra", "5.15.148-tegra"),
        ("", "tegra"),
    ],
)
def test_a_described_host_tells_that_it_is_one(
    monkeypatch: pytest.MonkeyPatch, kernel: str, told: str
) -> None:
    def described(found: Tegra | None) -> object:
        monkeypatch.setattr(tegra, "find", lambda _: found)
        environment = {"platform_release": kernel}
        here = ProviderChain(environ={}, environment=environment, hardware=True)
        return here.described_host({}, TargetPython())["environment"]

    assert described(Tegra("36.4")) == {"platform_release": told}
    assert tegra.described(told) == Tegra()
    assert described(None) == {"platform_release": kernel}
