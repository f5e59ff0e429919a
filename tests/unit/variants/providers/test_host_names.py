"""Names of machines, in one grammar."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from pip._internal.variants.errors import InvalidHostFile
from pip._internal.variants.providers import target
from pip._internal.variants.providers.host_names import (
    named_host,
    nearest_name,
    read_host,
)

LOWEST = "cuda_version_lower_bound 13.0"
LINUX = {"sys_platform": "linux", "platform_system": "Linux", "os_name": "posix"}
WINDOWS = {"sys_platform": "win32", "platform_system": "Windows", "os_name": "nt"}
MAC_OS = {"sys_platform": "darwin", "platform_system": "Darwin", "os_name": "posix"}
ARM = {"platform_machine": "aarch64"}


def python(version: str) -> Mapping[str, str]:
    """Return what markers say of a CPython."""
    return {
        "implementation_name": "cpython",
        "implementation_version": version,
        "platform_python_implementation": "CPython",
        "python_full_version": version,
        "python_version": version.rpartition(".")[0],
    }


@pytest.mark.parametrize(
    ("name", "supported", "environment"),
    [
        ("cpu", {}, {}),
        ("tpu", {"tpu": "present true"}, {}),
        (
            "tpu-x86_64-v2",
            {"tpu": "present true", "x86_64": "level v2"},
            {"platform_machine": "x86_64"},
        ),
        ("cuda-13.0-sm_121-aarch64", {"nvidia": LOWEST, "aarch64": "version 8a"}, ARM),
        ("arm64-cuda-13.0-gb10", {"nvidia": LOWEST, "aarch64": "version 8a"}, ARM),
        (
            "cuda-13.0-sm_110-tegra",
            {"nvidia": LOWEST, "aarch64": "version 8a"},
            {**LINUX, **ARM, "platform_release": "tegra"},
        ),
        ("rocm", {}, {}),
        ("rocm-gfx1100", {"amd": "gfx_arch gfx1100"}, {}),
        ("rocm-7.0-gfx90a", {"amd": "gfx_arch gfx90a"}, {}),
        ("rocm-7.0", {"amd": "rocm_version 7.0"}, {}),
        ("xpu", {"intel": "device_ip 20.1.0"}, {}),
        ("xpu-12.60.7", {"intel": "device_ip 12.60.7"}, {}),
        (
            "macos-arm64-py313",
            {"aarch64": "version 8a"},
            {**MAC_OS, **python("3.13.0"), "platform_machine": "arm64"},
        ),
        (
            "windows-x86_64-v3-py3.12.4",
            {"x86_64": "level v3"},
            {**WINDOWS, **python("3.12.4"), "platform_machine": "AMD64"},
        ),
        ("glibc-2.31", {}, LINUX),
        ("linux-musl-1.2", {}, LINUX),
    ],
)
def test_names(
    name: str, supported: Mapping[str, str], environment: Mapping[str, str]
) -> None:
    host = read_host(name)
    assert host.is_complete == bool(environment)
    assert environment.items() <= host.environment.items()
    best = {
        namespace: features[0]
        for namespace, features in host.supported.items()
        if features
    }
    assert {
        namespace: f"{feature.name} {feature.values[0]}"
        for namespace, feature in best.items()
    } == supported


@pytest.mark.parametrize(
    ("name", "platforms", "abis"),
    [
        ("linux-aarch64-py312", (), ("cp312",)),
        ("py313t", (), ("cp313t",)),
        ("py3.13.2t", (), ("cp313t",)),
        (
            "musl-1.1-aarch64",
            ("linux_aarch64", "musllinux_1_1_aarch64", "musllinux_1_0_aarch64"),
            (),
        ),
        (
            "glibc-2.18-aarch64",
            (
                *("linux_aarch64", "manylinux_2_18_aarch64", "manylinux_2_17_aarch64"),
                "manylinux2014_aarch64",
            ),
            (),
        ),
    ],
)
def test_tags(name: str, platforms: tuple[str, ...], abis: tuple[str, ...]) -> None:
    host = read_host(name)
    assert platforms in ((), host.platforms)
    assert abis in ((), host.abis)


def test_a_version_of_mac_os() -> None:
    host = read_host("macos-12.3-x86_64")
    assert host.platforms[:2] == ("macosx_12_0_x86_64", "macosx_12_0_intel")
    assert host.environment["platform_machine"] == "x86_64"


@pytest.mark.parametrize(
    "name",
    [
        *("tegra-", "-tegra", "", "x86_64-v5", "py3", "py27", "cuda", "cuda-12"),
        *("cpu-tpu", "aarch64-arm64", "linux-windows", "py312-py313", "cpu--py312"),
        *("glibc-3.1", "sm_90-cuda-12.8", "xpu-1", "macos-", "cpu-x86_64_v3"),
    ],
)
def test_no_such_name(name: str) -> None:
    assert named_host(name) is None


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("cuda-99.9-sm_90", "No variant supports this driver or GPU"),
        ("cuda-10.2-sm_70", "No variant supports this driver or GPU"),
        ("cuda-12.8-sm_10", "No variant supports this driver or GPU"),
        ("xpu-99.0.0", "No variant supports this driver or GPU"),
        ("sm_90", "lacks the CUDA version"),
        ("linux-gfx1100", "lacks the ROCm version"),
        ("macos-cuda-12.8-sm_90", "macOS does not support 'cuda'"),
        ("windows-glibc-2.35", "'glibc' is only for Linux, not for 'windows'"),
        ("macos-tegra", "'tegra' is only for Linux, not for 'macos'"),
    ],
)
def test_there_is_no_such_machine(name: str, why: str) -> None:
    with pytest.raises(InvalidHostFile) as error:
        read_host(name)
    assert why in str(error.value.context)


def test_devices_on_a_mac_are_those_of_another_machine(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """On a Mac, such a name means a host that is no Mac."""
    here = {"sys_platform": "darwin", "platform_machine": "arm64"}
    monkeypatch.setattr(target, "default_environment", lambda: here)
    assert read_host("cuda-12.8-sm_90").environment["sys_platform"] == "linux"
    assert "sys_platform" not in read_host("cpu").environment


@pytest.mark.parametrize("name", ["py312t", "linux-py3.12.4t", "py39t"])
def test_no_free_threaded_python_before_there_were_any(name: str) -> None:
    with pytest.raises(InvalidHostFile) as error:
        read_host(name)
    assert "needs version 3.13 or newer" in str(error.value.context)


@pytest.mark.parametrize(
    "name", ["mine", "monitoring", "box64", "cuda-13", "rocm-7-gfx942", "", "-", "a--b"]
)
def test_no_machine_with_other_numbers_is_proposed(name: str) -> None:
    assert nearest_name(name) is None
    assert nearest_name("cuda-12.9-sm91") is None
