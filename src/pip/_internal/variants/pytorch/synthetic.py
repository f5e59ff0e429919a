"""Manifests for releases whose builds only local versions tell apart.

A build that is for ``cu128`` becomes the variant ``cu128``, with properties of the
namespace of its GPU, and ``pytorch :: backend :: cu128`` to tell the newer of two builds
that suit equally. Pure: no I/O.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pip._vendor.wheel_variants.manifest import Manifest
from pip._vendor.wheel_variants.manifest_parser import parse_document

from pip._internal.variants.providers.tegra import FIRST_UNIFIED_CUDA
from pip._internal.variants.pytorch.backends import Backend, BackendKind, newest_first
from pip._internal.variants.pytorch.description import Gpus
from pip._internal.variants.pytorch.drivers import System, lower_bound

if TYPE_CHECKING:
    from pip._vendor.packaging.version import Version

    from pip._internal.variants.selection.installed_records import InstalledBuild

__all__ = ["NAMESPACE", "Machine", "backend_of", "manifest_for", "manifest_of_choice"]

NAMESPACE, FEATURE = "pytorch", "backend"

_SCHEMA = "https://variants-schema.wheelnext.dev/peps/850/v0.2.0.json"
_PLUGINS = {
    "nvidia": "nvidia-variant-provider",
    "amd": "amd-variant-provider",
    "intel": "intel-variant-provider",
}

_Properties = dict[str, dict[str, list[str]]]


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
