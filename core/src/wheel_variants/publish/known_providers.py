"""Providers that publishers need not describe, because installers include them.

Each declaration has one requirement without extras and markers, and uv's entry point, so
that uv also uses its own provider.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from wheel_variants.cpu_flags import AARCH64_FLAGS, X86_64_FLAGS
from wheel_variants.manifest import ABI_DEPENDENCY
from wheel_variants.properties import Property

__all__ = [
    "BUILT_IN_PACKAGES",
    "DECLARATIONS",
    "KNOWN_PROVIDERS",
    "KnownProvider",
    "unsupported_reason",
]

_CUDA = r"1[1-5](\.(20|1?[0-9]))?"
_ON = "on"


class KnownProvider(NamedTuple):
    """A provider that is built into installers.

    :ivar declaration: the provider in a manifest of schema 0.2.0 (PEP 850).
    :ivar features: regular expressions for the values, by name of the feature.
    """

    declaration: Mapping[str, Any]
    features: Mapping[str, str] = MappingProxyType({})


def _plugin(
    package: str, version: str, plugin_class: str | None = None
) -> dict[str, Any]:
    """Return the declaration of a plugin.

    :param version: the oldest supported version.
    :param plugin_class: the class of the plugin; None if the module is the plugin.
    """
    declaration: dict[str, Any] = {"requires": [f"{package}>={version},<1.0.0"]}
    if plugin_class is not None:
        module = package.replace("-", "_")
        declaration["plugin-api"] = f"{module}.plugin:{plugin_class}"
    return declaration


KNOWN_PROVIDERS: Mapping[str, KnownProvider] = {
    "nvidia": KnownProvider(
        _plugin("nvidia-variant-provider", "0.0.1", "NvidiaVariantPlugin"),
        {
            "cuda_version_lower_bound": _CUDA,
            "cuda_version_upper_bound": _CUDA,
            "sm_arch": r"[0-9]{2,3}_real|[0-9]{1,2}0_virtual",
        },
    ),
    "amd": KnownProvider(
        _plugin("amd-variant-provider", "0.0.2", "AMDVariantPlugin"),
        {"gfx_arch": r"gfx[0-9]+[0-9a-f]*", "rocm_version": r"[0-9]+\.[0-9]+"},
    ),
    "intel": KnownProvider(
        _plugin("intel-variant-provider", "0.0.2", "IntelVariantPlugin"),
        {"device_ip": r"[0-9]+\.[0-9]+\.[0-9]+"},
    ),
    "tpu": KnownProvider(
        _plugin("tpu-variant-provider", "0.1.0", "TpuVariantPlugin"),
        {"present": "true|false"},
    ),
    "x86_64": KnownProvider(
        _plugin("x86_64-variant-provider", "0.2.0"),
        {"level": "v[1-4]", **dict.fromkeys(X86_64_FLAGS, _ON)},
    ),
    "aarch64": KnownProvider(
        _plugin("aarch64-variant-provider", "0.2.0"),
        {"version": r"8a|8\.[1-9]a|9\.0a", **dict.fromkeys(AARCH64_FLAGS, _ON)},
    ),
    ABI_DEPENDENCY: KnownProvider({"builtin": ABI_DEPENDENCY}),
}

#: The declarations by namespace.
DECLARATIONS = {
    namespace: known.declaration for namespace, known in KNOWN_PROVIDERS.items()
}

#: The packages that installers replace with built-in code, by namespace.
BUILT_IN_PACKAGES: Mapping[str, frozenset[str]] = {
    "nvidia": frozenset({"nvidia-variant-provider", "variant-provider"}),
    "amd": frozenset({"amd-variant-provider", "rocm-bootstrap"}),
    "intel": frozenset({"intel-variant-provider"}),
    "tpu": frozenset({"tpu-variant-provider"}),
    "x86_64": frozenset({"x86-64-variant-provider", "provider-variant-x86-64"}),
    "aarch64": frozenset({"aarch64-variant-provider", "provider-variant-aarch64"}),
}


def unsupported_reason(stated: Property) -> str | None:
    """Return why no machine can support a property of a known namespace, or None."""
    known = KNOWN_PROVIDERS.get(stated.namespace)
    if known is None or not known.features:
        return None
    form = known.features.get(stated.feature)
    if form is None:
        return (
            f"the provider for {stated.namespace!r} has no feature {stated.feature!r}"
        )
    if re.fullmatch(form, stated.value) is None:
        feature = f"{stated.namespace} :: {stated.feature}"
        return f"'{feature}' never has the value {stated.value!r}"
    return None
