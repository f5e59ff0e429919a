"""Hosts whose wheels are others than this machine's, and names that no host has."""

from __future__ import annotations

import platform
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest

from tests.lib.environments import Result
from tests.lib.hosts import make_host
from tests.lib.index import IndexServer
from tests.lib.manifests import Properties, make_manifest
from tests.lib.wheels import make_wheel

Pip = Callable[..., Result]
WriteHost = Callable[[str | Mapping[str, Any]], Any]

pytestmark = pytest.mark.skipif(
    (sys.platform, platform.machine()) != ("linux", "x86_64"),
    reason="the replicas' wheels are for Linux on x86-64",
)

ARM = "manylinux_2_28_aarch64"


@pytest.fixture
def fast(index: IndexServer) -> list[str]:
    """Return options for an index with wheels for two types of machines."""
    variants: Mapping[str, Properties] = {
        "armv8": ["aarch64 :: version :: 8a"],
        "null": {},
    }
    manifest = make_manifest(variants)
    for machine in ("x86_64", "aarch64"):
        for label in variants:
            own = {**manifest, "variants": {label: manifest["variants"][label]}}
            tag = f"py3-none-manylinux_2_28_{machine}"
            index.add(make_wheel("fast", "1.0", tag=tag, label=label, variant_json=own))
    return ["-i", index.index_url]


def refused(result: Result) -> str:
    return result.stderr.partition("error: ")[2]


def error(host: object, difference: str, tag: str) -> str:
    return (
        "variant-host-of-another-platform\n\n"
        f"× {host} is a machine of another kind than wheels are chosen for.\n"
        f"╰─> {difference}\n\n"
        f"hint: To choose its wheels, add --platform {tag} --only-binary :all: (pip "
        "install: --target DIR too)\n"
    )


OTHER_TYPE = "Its machine type is aarch64, and wheels are chosen for x86_64."


@pytest.mark.parametrize(
    "command",
    [
        ["install", "fast"],
        ["install", "--dry-run", "fast"],
        ["download", "fast"],
        ["variants", "explain", "fast"],
        ["variants", "list", "fast"],
        ["index", "versions", "fast"],
    ],
    ids=" ".join,
)
def test_another_type_of_machine(
    pip: Pip, index: IndexServer, fast: list[str], command: Sequence[str]
) -> None:
    result = pip(*command, *fast, "--variant-host", "cpu-aarch64", code=1)
    assert refused(result) == error("cpu-aarch64", OTHER_TYPE, ARM)
    environ = {"PIP_VARIANT_HOST": "cpu-aarch64"}
    assert refused(pip(*command, *fast, env=environ, code=1)) == refused(result)
    assert index.log() == []


@pytest.mark.parametrize("command", ["lock", "wheel"])
def test_commands_for_this_platform_alone(
    pip: Pip, fast: list[str], command: str
) -> None:
    host = ["--variant-host", "cpu-aarch64"]
    result = pip(command, "fast", *fast, *host, code=1)
    assert refused(result).endswith(
        f"╰─> {OTHER_TYPE}\n\nhint: Run this on such a machine, or fetch its wheels: pip "
        f"download --platform {ARM} --only-binary :all:\n"
    )


def test_its_platform_goes_with_it(pip: Pip, fast: list[str]) -> None:
    host = ["--variant-host", "cpu-aarch64"]
    target = ["--platform", ARM, "--only-binary", ":all:"]
    result = pip("download", "fast", *fast, *host, *target)
    assert f"fast-1.0-py3-none-{ARM}-armv8.whl" in result.stdout
    result = pip("variants", "list", "fast", *fast, *host, "--platform", ARM)
    assert "* 1    armv8" in result.stdout
    # The other way round it is the platform that does not go with the host.
    result = pip(
        *("download", "fast", *fast, *target, "--variant-host", "cpu-x86_64-v3"), code=1
    )
    assert refused(result) == error(
        "cpu-x86_64-v3",
        "Its machine type is x86_64, and wheels are chosen for aarch64.",
        "manylinux_2_28_x86_64",
    )
    # One of several is enough.
    target += ["--platform", "linux_x86_64"]
    pip("download", "fast", *fast, *target, "--variant-host", "cpu-x86_64-v3")


@pytest.mark.parametrize(
    ("environment", "level", "differences", "tag"),
    [
        ({"platform_machine": "aarch64"}, None, OTHER_TYPE, ARM),
        (
            {"platform_machine": "arm64", "sys_platform": "darwin"},
            None,
            (
                "Its machine type is arm64, and wheels are chosen for x86_64.\n    Its system "
                "is darwin, and wheels are chosen for linux."
            ),
            "macosx_14_0_arm64",
        ),
        (
            {"platform_machine": "AMD64", "sys_platform": "win32"},
            None,
            "Its system is win32, and wheels are chosen for linux.",
            "win_amd64",
        ),
        (
            {"sys_platform": "win32"},
            "v3",
            "Its system is win32, and wheels are chosen for linux.",
            "win_amd64",
        ),
        (
            {"sys_platform": "freebsd14"},
            None,
            "Its system is freebsd14, and wheels are chosen for linux.",
            "TAG",
        ),
    ],
    ids=str,
)
def test_a_file(
    pip: Pip,
    fast: list[str],
    host: WriteHost,
    environment: Mapping[str, str],
    level: str | None,
    differences: str,
    tag: str,
) -> None:
    described = host(make_host(environment=environment, x86_64=level))
    result = pip("install", "fast", *fast, "--variant-host", described, code=1)
    assert refused(result) == error(described, differences, tag)


@pytest.mark.parametrize(
    "described",
    [
        make_host(cuda="12.8", capability="9.0"),
        make_host(x86_64="v3", environment={"platform_machine": "AMD64"}),
        make_host(environment={"python_version": "3.9", "platform_release": "1"}),
        # It does not say which of the two it is.
        make_host(x86_64="v3", aarch64=[{"feature": "version", "values": ["8a"]}]),
        make_host(x86_64="v3", aarch64=[]),
    ],
    ids=["gpu", "spelling", "python", "both", "empty"],
)
def test_hosts_of_this_kind(
    pip: Pip, fast: list[str], host: WriteHost, described: Mapping[str, Any]
) -> None:
    result = pip(
        "install", "--dry-run", "fast", *fast, "--variant-host", host(described)
    )
    assert "Would install fast-1.0" in result.stdout


def test_what_chooses_no_wheels_may_look_at_any_host(pip: Pip, host: WriteHost) -> None:
    result = pip("variants", "host", "--variant-host", "cpu-aarch64")
    assert "aarch64: version 8a (host file)" in result.stdout
    result = pip("debug", "--verbose", "--variant-host", "cpu-aarch64")
    assert "aarch64 (host file, from cpu-aarch64)" in result.stdout
    manifest = host(make_manifest({"armv8": ["aarch64 :: version :: 8a"]}))
    explain = ["variants", "explain", "--manifest", manifest]
    assert "1. armv8" in pip(*explain, "--variant-host", "cpu-aarch64").stdout


GRAMMAR = (
    "Names are cuda-DRIVER[-sm_NN][-MACHINE], tpu[-x86_64-vN] and cpu-MACHINE, where "
    "MACHINE is x86_64-vN, aarch64 or, with CUDA, tegra (Jetson), as in cuda-12.8-sm_90: "
    "CUDA 12.8, compute capability 9.0. For any other machine: pip variants host --json > "
    "host.json there, and --variant-host host.json here."
)


@pytest.mark.parametrize(
    ("name", "nearest"),
    [
        ("h100", "cuda-12.8-sm_90"),
        ("NVIDIA-H100", "cuda-12.8-sm_90"),
        ("rtx-4090", "cuda-12.8-sm_89"),
        ("cuda-12.8-sm90", "cuda-12.8-sm_90"),
        ("cuda12.6", "cuda-12.6"),
        ("cuda-13", "cuda-13.0"),
        ("cu118", "cuda-11.8"),
        ("cuda-12.8-sm_90-x86_64_v3", "cuda-12.8-sm_90-x86_64-v3"),
        ("sm_120", "cuda-12.8-sm_120"),
        ("cpu-x86_64", "cpu-x86_64-v1"),
        ("x86_64-v3", "cpu-x86_64-v3"),
        ("arm64", "cpu-aarch64"),
        ("cpu-aarch", "cpu-aarch64"),
        ("Jetson-AGX-Orin", "cuda-12.6-sm_87-tegra"),
        ("jetson-thor", "cuda-13.0-sm_110-tegra"),
        ("cuda-12.6-sm_87-jetson", "cuda-12.6-sm_87-tegra"),
        ("cuda12.6-tegra", "cuda-12.6-tegra"),
        ("jetson", "cuda-12.6-sm_87-tegra"),
        ("cuda-13.0-arm64", "cuda-13.0-aarch64"),
        ("DGX Spark", "cuda-13.0-sm_121-aarch64"),
        ("gb10", "cuda-13.0-sm_121-aarch64"),
        ("tpu-v5e", "tpu"),
        # There is no such GPU either.
        ("cuda-12.8-sm10", None),
        ("mine", None),
    ],
)
def test_an_unknown_name(
    pip: Pip, index: IndexServer, fast: list[str], name: str, nearest: str | None
) -> None:
    result = pip("install", "fast", *fast, "--variant-host", name, code=1)
    meant = "" if nearest is None else f"╰─> Did you mean {nearest}?\n"
    assert result.stderr == (
        f"error: unknown-variant-host\n\n× {name} is neither a file nor the name of a "
        f"machine that is known.\n{meant}\nhint: {GRAMMAR}\n"
    )
    assert index.log() == []
