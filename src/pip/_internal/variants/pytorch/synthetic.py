"""Create manifests for releases with one build per local version.

A build for ``cu128`` becomes the variant ``cu128``, with properties of its GPU's namespace,
and with ``pytorch :: backend :: cu128``, which ranks the newer of two equally suitable builds
first. Since CUDA 11, a driver for one version runs builds for all versions with the same major
version ("minor version compatibility"). Pure: no I/O.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from pip._vendor.wheel_variants.manifest import Manifest
from pip._vendor.wheel_variants.manifest_parser import parse_document

from pip._internal.variants.providers.tegra import FIRST_UNIFIED_CUDA
from pip._internal.variants.pytorch.backends import (
    DEVICES,
    Backend,
    BackendKind,
    newest_first,
)
from pip._internal.variants.pytorch.settings import Gpus

if TYPE_CHECKING:
    from pip._vendor.packaging.version import Version

    from pip._internal.variants.selection.installed_records import InstalledBuild

NAMESPACE, FEATURE = "pytorch", "backend"

_SCHEMA = "https://variants-schema.wheelnext.dev/peps/850/v0.2.0.json"
_Properties = dict[str, dict[str, list[str]]]
#: The oldest major version with properties in the namespace ``nvidia``.
_OLDEST_MAJOR = 11


def manifest_for(
    backends: Iterable[Backend], gpus: Gpus, *, is_tegra: bool = False
) -> Manifest:
    """Return the manifest of a release with builds for *backends*.

    Requirements on a GPU come first; then newer builds precede older ones.

    :param backends: the backends of the builds.
    :param gpus: the GPUs that the builds support; without GPUs for a backend, pip does not
        check the code of its builds.
    :param is_tegra: whether the target is a Tegra (Jetson), which runs builds for ARM servers
        only with a unified CUDA version; PyTorch has no other builds.
    """
    ordered = newest_first(backends)
    variants = {
        each.label: _properties(each, gpus.of(each), is_tegra=is_tegra)
        for each in ordered
    }
    providers: dict[str, Any] = {
        namespace: {"requires": [f"{namespace}-variant-provider"]}
        for namespace, _ in DEVICES.values()
        if any(namespace in properties for properties in variants.values())
    }
    providers[NAMESPACE] = _static(FEATURE, [each.label for each in ordered])
    return _manifest(providers, variants)


def manifest_of_choice(
    choice: Sequence[Backend], backends: Iterable[Backend]
) -> Manifest:
    """Return the manifest of a release for a target that supports only *choice*.

    The manifest lists the supported values, so no machine is queried.
    """
    variants: dict[str, _Properties] = {}
    values: dict[tuple[str, str], dict[str, None]] = {}
    for each in newest_first(backends):
        variants[each.label] = {NAMESPACE: {FEATURE: [each.label]}}
        if each.kind in DEVICES:
            # The property shows which accelerator the build uses.
            (namespace, feature), value = DEVICES[each.kind], each.label
            if each.kind is BackendKind.CUDA:
                feature = "cuda_version_lower_bound"
                value = _lower_bound(each, is_tegra=False)
            values.setdefault((namespace, feature), {})[value] = None
            variants[each.label][namespace] = {feature: [value]}
    # A feature needs a value; no build has this one.
    supported = [each.label for each in choice] or ["none"]
    providers = {NAMESPACE: _static(FEATURE, supported)}
    for (namespace, feature), listed in values.items():
        providers[namespace] = _static(feature, list(listed))
    return _manifest(providers, variants)


def backend_of(version: Version, build: InstalledBuild | None) -> Backend | None:
    """Return the backend of an installed package; None if unknown.

    :param build: the record of the installation; a version need not name the backend.
    """
    backend = Backend.find(version.local)
    if backend is None and build is not None and NAMESPACE in build.manifest.namespaces:
        return Backend.find(build.label)
    return backend


def _properties(
    backend: Backend, gpus: Sequence[str], *, is_tegra: bool
) -> _Properties:
    properties: _Properties = {NAMESPACE: {FEATURE: [backend.label]}}
    if backend.kind in DEVICES:
        namespace, feature = DEVICES[backend.kind]
        properties[namespace] = {feature: list(gpus)} if gpus else {}
    if backend.kind is BackendKind.CUDA:
        bound = _lower_bound(backend, is_tegra=is_tegra)
        properties["nvidia"]["cuda_version_lower_bound"] = [bound]
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


def _lower_bound(backend: Backend, *, is_tegra: bool) -> str:
    """Return the oldest CUDA driver version that runs a build.

    :return: a value of ``nvidia :: cuda_version_lower_bound``.
    """
    major = backend.version[0]
    if is_tegra:
        major = max(major, FIRST_UNIFIED_CUDA[0])
    # Every driver in the namespace is newer than the oldest version.
    return f"{major}.0" if major >= _OLDEST_MAJOR else str(_OLDEST_MAJOR)
