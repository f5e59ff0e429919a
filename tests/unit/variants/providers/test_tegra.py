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
    found = find("6.12.0", str(tmp_path))
    assert found == Tegra(release)
    told = f"a Jetson (Jetson Linux {release})" if release else "a Jetson"
    assert str(found) == told


@pytest.mark.parametrize(
    ("tree", "is_one"),
    [
        (ORIN, True),
        ("raspberrypi,5\0brcm,bcm2712\0", False),
        ("not-nvidia,tegra\0", False),
    ],
)
def test_device_tree(tmp_path: Path, tree: str, is_one: bool) -> None:
    write(tmp_path, "proc/device-tree/compatible", tree)
    assert find("6.12.0", str(tmp_path)) == (Tegra() if is_one else None)


@pytest.mark.parametrize(
    ("kernel", "is_one"),
    [
        ("5.15.148-tegra", True),
        ("6.8.0-1008-nvidia-TEGRA-36", True),
        *((kernel, False) for kernel in SERVERS),
    ],
)
def test_kernel_which_containers_see(tmp_path: Path, kernel: str, is_one: bool) -> None:
    assert find(kernel, str(tmp_path)) == (Tegra() if is_one else None)


def test_what_cannot_be_read(tmp_path: Path) -> None:
    # As a file without permissions, which does not stop a test that runs as root.
    tmp_path.joinpath("proc/device-tree/compatible").mkdir(parents=True)
    assert find("6.8.0", str(tmp_path)) is None
    tmp_path.joinpath("etc/nv_tegra_release").mkdir(parents=True)
    assert find("6.8.0", str(tmp_path)) == Tegra()


@pytest.mark.parametrize(
    ("release", "cuda", "runs"),
    [
        *(("38.2.0", cuda, False) for cuda in ("11.4", "12.9", "x")),
        *(("36.4.3", cuda, True) for cuda in ("13.0", "13")),
        # Without a driver the release decides.
        ("38.2.0", None, True),
        ("36.4.3", None, False),
        (None, None, False),
    ],
)
def test_from_cuda_13_on_builds_for_servers_run(
    release: str | None, cuda: str | None, runs: bool
) -> None:
    assert runs_sbsa(Tegra(release), cuda) is runs


def test_cuda_of_a_driver() -> None:
    environ = {nvidia.CUDA_VARIABLE: "12.6", nvidia.SM_VARIABLE: "8.7"}
    assert cuda_of(nvidia.detect(environ, hardware=False)) == "12.6"
    del environ[nvidia.CUDA_VARIABLE]
    assert cuda_of(nvidia.detect(environ, hardware=False)) is None
    assert cuda_of(ProviderResult()) is None


def test_the_target_of_a_run(monkeypatch: pytest.MonkeyPatch) -> None:
    def told(
        kernel: str, host: str | None = None, *, hardware: bool = True
    ) -> Tegra | None:
        return ProviderChain(
            environ={},
            environment={"platform_release": kernel},
            host=None if host is None else named_host(host),
            hardware=hardware,
        ).tegra()

    found = {"5.15": Tegra("36.4")}
    monkeypatch.setattr(tegra, "find", found.__getitem__)
    assert told("5.15") == Tegra("36.4")
    # A described machine is what is said of it, whatever this one is.
    assert told("x-tegra", "cuda-12.6-sm_87") is None
    assert told("x", "cuda-12.6-sm_87-tegra") == Tegra()
    assert told("x-tegra", hardware=False) is None


@pytest.mark.parametrize(
    ("kernel", "said"),
    [("6.12.0", "6.12.0-tegra"), ("5.15.148-tegra", "5.15.148-tegra"), ("", "tegra")],
)
def test_a_described_host_tells_that_it_is_one(
    monkeypatch: pytest.MonkeyPatch, kernel: str, said: str
) -> None:
    here = ProviderChain(
        environ={}, environment={"platform_release": kernel}, hardware=True
    )
    for found, expected in ((Tegra("36.4"), said), (None, kernel)):
        monkeypatch.setattr(tegra, "find", lambda _, found=found: found)
        described = here.described_host({}, TargetPython())["environment"]
        assert described == {"platform_release": expected}
    assert tegra.described(said) == Tegra()
