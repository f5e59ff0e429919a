"""Create releases in PyTorch's variant layout since torch 2.10.

The files and manifests have the form of the index in 2026: labels with dots, schema 0.0.3,
and a static namespace that orders the CUDA variants. The index has no ``cuda12.8`` for
Linux on x86-64, because the plain wheel of the default index is that variant.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tests.lib.manifests import manifest_file, variant_json
from tests.lib.repository import Repository
from tests.lib.wheels import make_wheel

VERSION = "2.10.0"
X86_64, AARCH64 = "manylinux_2_28_x86_64", "manylinux_2_28_aarch64"
#: The wheels for Intel's GPUs have another platform tag than other wheels for Linux.
XPU, WINDOWS, MACOS = "linux_x86_64", "win_amd64", "macosx_11_0_arm64"

_LINUX = "platform_system == 'Linux'"
_LINUX_OR_WINDOWS = f"{_LINUX} or platform_system == 'Windows'"


def _plugin(vendor: str, name: str, least: str, where: str) -> dict[str, Any]:
    package = f"{vendor}_variant_provider"
    return {
        "enable-if": where,
        "plugin-api": f"{package}.plugin:{name}VariantPlugin",
        "requires": [f"{package.replace('_', '-')}>={least},<1.0.0"],
    }


def _cuda(bound: str, order: int, *architectures: str) -> dict[str, Any]:
    nvidia = {"cuda_version_lower_bound": [bound], "sm_arch": list(architectures)}
    return {"nvidia": nvidia, "priority": {"order": [str(order)]}}


def _real(*numbers: int) -> list[str]:
    return [f"{number}_real" for number in numbers]


def _rocm(version: str) -> dict[str, Any]:
    gpus = "1030 1100 1101 1102 1150 1151 1200 1201 900 906 908 90a 942 950"
    gfx = [f"gfx{each}" for each in gpus.split()]
    return {"amd": {"gfx_arch": gfx, "rocm_version": [version]}}


_NEWER = _real(75, 80, 86, 90, 100, 120)
_INTEL = [
    *("12.55.8", "12.60.7", "12.71.4", "12.74.4"),
    *("20.1.0", "20.4.4", "30.0.4", "30.1.0"),
]

#: The manifest of torch 2.10.0 on the index, which torchvision shares.
MANIFEST: Mapping[str, Any] = {
    "$schema": "https://variants-schema.wheelnext.dev/v0.0.3.json",
    "default-priorities": {"namespace": ["nvidia", "intel", "amd", "priority"]},
    "providers": {
        "nvidia": _plugin("nvidia", "Nvidia", "0.0.2", _LINUX_OR_WINDOWS),
        "intel": _plugin("intel", "Intel", "0.0.3", _LINUX_OR_WINDOWS),
        "amd": _plugin("amd", "AMD", "0.0.2", _LINUX),
        "priority": {"install-time": False, "requires": []},
    },
    "static-properties": {"priority": {"order": ["1", "2", "3"]}},
    "variants": {
        "cuda12.6": _cuda("12.0", 3, *_real(50, 60, 70, 75, 80, 86, 90)),
        "cuda12.8": _cuda("12.0", 2, *_real(70), *_NEWER),
        "cuda13.0": _cuda("13.0", 1, *_NEWER, "120_virtual"),
        "null": {},
        "rocm7.0": _rocm("7.0"),
        "rocm7.1": _rocm("7.1"),
        "xpu": {"intel": {"device_ip": _INTEL}},
    },
}

_ALL_CUDA = ("cuda12.6", "cuda12.8", "cuda13.0")
_LABELS: Mapping[str, Sequence[str]] = {
    X86_64: ("cuda12.6", "cuda13.0", "null", "rocm7.0", "rocm7.1"),
    XPU: ("xpu",),
    AARCH64: (*_ALL_CUDA, "null"),
    WINDOWS: (*_ALL_CUDA, "null", "xpu"),
    MACOS: ("null",),
}


def add(
    repository: Repository,
    project: str = "torch",
    version: str = VERSION,
    requires: Sequence[str] = (),
) -> None:
    """Add a release in this layout, and an older plain release."""
    repository.add(make_wheel(project, "0.1", requires=requires))
    repository.add(manifest_file(project, version, MANIFEST))
    for platform, labels in _LABELS.items():
        for label in labels:
            repository.add(
                make_wheel(
                    project,
                    version,
                    tag=f"py3-none-{platform}",
                    label=label,
                    variant_json=variant_json(MANIFEST, label),
                    requires=requires,
                )
            )
