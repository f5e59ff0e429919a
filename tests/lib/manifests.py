"""Create manifests of every schema version from labels and properties.

A label's properties are either nested (``{namespace: {feature: [value, ...]}}``) or a
list of ``"namespace :: feature :: value"`` lines.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tests.lib.wheels import DistFile, escape_name, normalize_name

Properties = Mapping[str, Mapping[str, Sequence[str]]] | Sequence[str]

SCHEMAS: Mapping[str, str] = {
    "0.0.2": "https://variants-schema.wheelnext.dev/v0.0.2.json",
    "0.0.3": "https://variants-schema.wheelnext.dev/v0.0.3.json",
    "0.1.1": "https://variants-schema.wheelnext.dev/peps/825/v0.1.1.json",
    "0.2.0": "https://variants-schema.wheelnext.dev/peps/850/v0.2.0.json",
}

LINUX_OR_WINDOWS = "platform_system == 'Linux' or platform_system == 'Windows'"


@dataclass(frozen=True, slots=True)
class PluginSpec:
    """The provider of one namespace in a manifest.

    :ivar requires: the packages of the plugin; empty for a static provider.
    :ivar static: the values that need no plugin, by feature; best features and values
        first.
    :ivar builtin: the name of a provider built into installers (0.2.0 only).
    """

    requires: Sequence[str] = ()
    plugin_api: str | None = None
    enable_if: str | None = None
    optional: bool = False
    static: Mapping[str, Sequence[str]] | None = None
    builtin: str | None = None


KNOWN_PROVIDERS: Mapping[str, PluginSpec] = {
    "nvidia": PluginSpec(
        ["nvidia-variant-provider>=0.0.1,<1.0.0"],
        "nvidia_variant_provider.plugin:NvidiaVariantPlugin",
    ),
    "amd": PluginSpec(
        ["amd-variant-provider>=0.0.2,<1.0.0"],
        "amd_variant_provider.plugin:AMDVariantPlugin",
    ),
    "intel": PluginSpec(
        ["intel-variant-provider>=0.0.2,<1.0.0"],
        "intel_variant_provider.plugin:IntelVariantPlugin",
    ),
    "x86_64": PluginSpec(
        ["provider-variant-x86-64"], "provider_variant_x86_64.plugin:X8664Plugin"
    ),
    "aarch64": PluginSpec(
        ["provider-variant-aarch64"], "provider_variant_aarch64.plugin:AArch64Plugin"
    ),
    "blas_lapack": PluginSpec(static={"provider": ["accelerate", "openblas", "mkl"]}),
    "priority": PluginSpec(static={"order": ["1", "2", "3"]}),
    "abi_dependency": PluginSpec(builtin="abi_dependency"),
}


def for_versions_of(project: str, *versions: str) -> dict[str, Properties]:
    """Return variants for single versions of a project, such as 2.7."""
    return {
        f"t{version.replace('.', '')}": [f"abi_dependency :: {project} :: {version}"]
        for version in versions
    }


def make_manifest(
    variants: Mapping[str, Properties],
    *,
    schema: str = "0.2.0",
    namespaces: Sequence[str] | None = None,
    providers: Mapping[str, PluginSpec] | None = None,
) -> dict[str, Any]:
    """Return a manifest of one of the versions in :data:`SCHEMAS`.

    :param variants: the properties by label.
    :param namespaces: the namespaces, best first; by default in the order of first use.
    :param providers: the providers by namespace, which override :data:`KNOWN_PROVIDERS`.
    """
    nested = {label: nest(properties) for label, properties in variants.items()}
    if namespaces is None:
        namespaces = list(dict.fromkeys(ns for each in nested.values() for ns in each))
    known = {**KNOWN_PROVIDERS, **(providers or {})}
    chosen = {ns: known.get(ns, PluginSpec()) for ns in namespaces}
    priorities: dict[str, Any] = {"namespace": list(namespaces)}
    manifest: dict[str, Any] = {
        "$schema": SCHEMAS[schema],
        "default-priorities": priorities,
    }
    if schema != "0.1.1":
        manifest["providers"] = {
            ns: _provider(provider, schema) for ns, provider in chosen.items()
        }
    static = _static_of(chosen)
    if static and schema in ("0.0.2", "0.0.3"):
        priorities["feature"] = {ns: list(features) for ns, features in static.items()}
        if schema == "0.0.2":
            priorities["property"] = static
        else:
            manifest["static-properties"] = static
    manifest["variants"] = nested
    return manifest


def _static_of(chosen: Mapping[str, PluginSpec]) -> dict[str, dict[str, list[str]]]:
    """Return the static lists of properties, by namespace."""
    return {
        ns: {feature: list(values) for feature, values in provider.static.items()}
        for ns, provider in chosen.items()
        if provider.static is not None
    }


def variant_json(manifest: Mapping[str, Any], label: str) -> dict[str, Any]:
    """Return the ``variant.json`` for one label of a manifest."""
    properties = manifest["variants"][label]
    return {**manifest, "variants": {label: properties}}


def manifest_file(
    name: str,
    version: str,
    manifest: Mapping[str, Any] | bytes,
    *,
    filename: str | None = None,
) -> DistFile:
    """Return the manifest file of a release."""
    content = (
        manifest
        if isinstance(manifest, bytes)
        else json.dumps(manifest, indent=2).encode()
    )
    return DistFile(
        project=normalize_name(name),
        version=version,
        filename=filename or f"{escape_name(name)}-{version}-variants.json",
        content=content,
    )


def nest(properties: Properties) -> dict[str, dict[str, list[str]]]:
    """Return properties in the nested form of a manifest."""
    nested: dict[str, dict[str, list[str]]] = {}
    if isinstance(properties, Mapping):
        for namespace, features in properties.items():
            nested[namespace] = {f: list(values) for f, values in features.items()}
        return nested
    for line in properties:
        namespace, feature, value = (part.strip() for part in line.split("::"))
        nested.setdefault(namespace, {}).setdefault(feature, []).append(value)
    return nested


def cuda(lower_bound: str, architectures: Iterable[str] = ()) -> Properties:
    """Return ``nvidia`` properties: a minimum CUDA version, and any of these ``sm_arch``.

    An architecture without ``_real`` or ``_virtual`` becomes ``_real``.
    """
    values = [a if "_" in a else f"{a}_real" for a in architectures]
    features: dict[str, list[str]] = {"cuda_version_lower_bound": [lower_bound]}
    if values:
        features["sm_arch"] = values
    return {"nvidia": features}


def _provider(provider: PluginSpec, schema: str) -> dict[str, Any]:
    entry: dict[str, Any] = {}
    if provider.requires:
        entry["requires"] = list(provider.requires)
    if provider.plugin_api is not None:
        entry["plugin-api"] = provider.plugin_api
    if provider.optional:
        entry["optional"] = True
    if schema == "0.2.0":
        if provider.static is not None:
            entry["static-properties"] = {
                feature: list(values) for feature, values in provider.static.items()
            }
            if len(provider.static) > 1:
                entry["feature-order"] = list(provider.static)
        if provider.builtin is not None:
            entry["builtin"] = provider.builtin
        return entry
    entry.setdefault("requires", [])
    if provider.enable_if is not None:
        entry["enable-if"] = provider.enable_if
    if provider.static is not None and schema == "0.0.2":
        entry["plugin-use"] = "none"
    elif schema == "0.0.3":
        entry["install-time"] = provider.static is None
    return entry


_NEWER = ["75", "80", "86", "90", "100", "120"]

#: The manifest of torch 2.8.0 on the PyTorch preview's index.
PREVIEW_TORCH: Mapping[str, Any] = make_manifest(
    {
        "00000000": {},
        "cu126": cuda("12.6", ["50", "60", "70", "75", "80", "86", "90"]),
        "cu128": cuda("12.8", _NEWER),
        "cu129": cuda("12.9", [*_NEWER, "120_virtual"]),
    },
    schema="0.0.2",
    providers={
        "nvidia": PluginSpec(
            ["nvidia-variant-provider>=0.0.1,<1.0.0"],
            "nvidia_variant_provider.plugin:NvidiaVariantPlugin",
            enable_if=LINUX_OR_WINDOWS,
        )
    },
)
