"""Manifests for releases whose builds only local versions tell apart.

A build that is for ``cu128`` becomes the variant ``cu128``, with properties of the
namespace of its GPU, and ``pytorch :: backend :: cu128`` to tell the newer of two builds
that suit equally. Since CUDA 11, a driver for one version of a major runs builds for all of
that major ("minor version compatibility"), if it is as new as the release notes of each CUDA
toolkit demand. Pure: no I/O.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal

from pip._vendor.wheel_variants.manifest import Manifest
from pip._vendor.wheel_variants.manifest_parser import parse_document

from pip._internal.variants.providers.tegra import FIRST_UNIFIED_CUDA
from pip._internal.variants.pytorch.backends import Backend, BackendKind, newest_first
from pip._internal.variants.pytorch.description import Gpus

if TYPE_CHECKING:
    from pip._vendor.packaging.version import Version

    from pip._internal.variants.selection.installed_records import InstalledBuild

__all__ = [
    "NAMESPACE",
    "Machine",
    "backend_of",
    "lower_bound",
    "manifest_for",
    "manifest_of_choice",
    "runs",
]

NAMESPACE, FEATURE = "pytorch", "backend"

_SCHEMA = "https://variants-schema.wheelnext.dev/peps/850/v0.2.0.json"
_PLUGINS = {
    "nvidia": "nvidia-variant-provider",
    "amd": "amd-variant-provider",
    "intel": "intel-variant-provider",
}

_Properties = dict[str, dict[str, list[str]]]
_Version = tuple[int, ...]
System = Literal["linux", "windows"]

#: For builds from a CUDA version on, up to the next one here: the oldest drivers.
MINIMUM_DRIVERS: Mapping[_Version, Mapping[System, _Version]] = MappingProxyType(
    {
        (13, 0): {"linux": (580, 65, 6), "windows": (580, 0)},
        (12, 0): {"linux": (525, 60, 13), "windows": (528, 33)},
        (11, 1): {"linux": (450, 80, 2), "windows": (452, 39)},
        (11, 0): {"linux": (450, 36, 6), "windows": (451, 22)},
    }
)
#: The oldest major of which a driver runs all minor versions, and the oldest that the
#: properties of the namespace ``nvidia`` speak of.
_FIRST_COMPATIBLE_MAJOR = 11


@dataclass(frozen=True, slots=True)
class Machine:
    """What a manifest has to take into account of the machine that it is for.

    :ivar driver: the version of its NVIDIA driver, if that is known.
    :ivar has_capability: whether the compute capability of its GPU is told at all; if
        not, as by a user who stated a driver alone, builds are not judged by theirs.
    :ivar is_tegra: whether it is a Tegra (Jetson), which runs builds for ARM servers only
        if its CUDA is one for both. PyTorch has no others.
    """

    driver: str | None = None
    system: System = "linux"
    has_capability: bool = True
    is_tegra: bool = False


def manifest_for(machine: Machine, backends: Iterable[Backend], gpus: Gpus) -> Manifest:
    """Return the manifest of a release that has builds for *backends*.

    What a GPU needs comes first; of the builds that suit equally, the newest one.

    :param gpus: that builds have code for.
    """
    ordered = newest_first(backends)
    variants = {each.label: _properties(each, machine, gpus) for each in ordered}
    providers: dict[str, Any] = {
        namespace: {"requires": [plugin]}
        for namespace, plugin in _PLUGINS.items()
        if any(namespace in properties for properties in variants.values())
    }
    providers[NAMESPACE] = _static(FEATURE, [each.label for each in ordered])
    return _manifest(providers, variants)


def manifest_of_choice(
    choice: Sequence[Backend], backends: Iterable[Backend]
) -> Manifest:
    """Return the manifest of a release for a target that just has the backends of *choice*.

    The manifest says what is supported, so that no machine is asked.
    """
    variants: dict[str, _Properties] = {}
    bounds: dict[str, None] = {}
    for each in newest_first(backends):
        variants[each.label] = {NAMESPACE: {FEATURE: [each.label]}}
        if each.kind is BackendKind.CUDA:
            bound = lower_bound(each.version, None)
            bounds[bound] = None
            variants[each.label]["nvidia"] = {"cuda_version_lower_bound": [bound]}
    # A feature has a value; of none, no build has it.
    supported = [each.label for each in choice] or ["none"]
    providers = {NAMESPACE: _static(FEATURE, supported)}
    if bounds:
        providers["nvidia"] = _static("cuda_version_lower_bound", list(bounds))
    return _manifest(providers, variants)


def backend_of(version: Version, build: InstalledBuild | None) -> Backend | None:
    """Return the backend of what is installed; None if nothing tells one.

    :param build: what was recorded of it; a version need not name the backend.
    """
    backend = Backend.find(version.local)
    if backend is None and build is not None and NAMESPACE in build.manifest.namespaces:
        return Backend.find(build.label)
    return backend


def _properties(backend: Backend, machine: Machine, gpus: Gpus) -> _Properties:
    properties: _Properties = {}
    if backend.kind is BackendKind.CUDA:
        bound = lower_bound(backend.version, machine.driver, machine.system)
        if machine.is_tegra and backend.version < FIRST_UNIFIED_CUDA:
            bound = ".".join(map(str, FIRST_UNIFIED_CUDA))
        properties["nvidia"] = {"cuda_version_lower_bound": [bound]}
        architectures = gpus.of(backend)
        if architectures and machine.has_capability:
            properties["nvidia"]["sm_arch"] = list(architectures)
    elif backend.kind is BackendKind.ROCM:
        properties["amd"] = {"gfx_arch": list(gpus.of(backend))}
    elif backend.kind is BackendKind.XPU:
        properties["intel"] = {"device_ip": list(gpus.of(backend))}
    properties[NAMESPACE] = {FEATURE: [backend.label]}
    return properties


def _static(feature: str, values: list[str]) -> dict[str, Any]:
    return {"static-properties": {feature: values}}


def _manifest(providers: dict[str, Any], variants: dict[str, _Properties]) -> Manifest:
    return parse_document(
        {
            "$schema": _SCHEMA,
            "default-priorities": {"namespace": list(providers)},
            "providers": providers,
            "variants": variants,
        }
    )


def runs(cuda: _Version, driver: str, system: System) -> bool | None:
    """Tell whether a driver runs builds for a CUDA version.

    :param driver: its version, ``"535.104.05"``.
    :return: None if the table does not say, as of majors that came after it.
    """
    numbers = tuple(map(int, re.findall(r"[0-9]{1,9}", driver)))
    since = max((each for each in MINIMUM_DRIVERS if each <= cuda), default=None)
    if not numbers or since is None or since[0] != cuda[0]:
        return None
    return numbers >= MINIMUM_DRIVERS[since][system]


def lower_bound(cuda: _Version, driver: str | None, system: System = "linux") -> str:
    """Return the oldest CUDA version that a driver may report and run builds for *cuda*.

    :param driver: the version of the driver in question, if that is known.
    :return: a value of ``nvidia :: cuda_version_lower_bound``.
    """
    major, minor = cuda
    if major < _FIRST_COMPATIBLE_MAJOR:
        # Any driver that the namespace speaks of is newer.
        return str(_FIRST_COMPATIBLE_MAJOR)
    if driver is not None and runs(cuda, driver, system) is False:
        # It is older than the promise, and runs what it was made for.
        return f"{major}.{minor}"
    return f"{major}.0"
