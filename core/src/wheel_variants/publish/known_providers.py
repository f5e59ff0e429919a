"""Providers that publishers need not describe, because installers include them.

Each declaration has one requirement without extras and markers, and uv's entry point, so
that uv also uses its own provider.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from wheel_variants.cpu_flags import AARCH64_FLAGS, X86_64_FLAGS
from wheel_variants.manifest import ABI_DEPENDENCY
from wheel_variants.properties import Property

__all__ = ["DECLARATIONS", "unsupported_reason"]

_CUDA = r"1[1-5](\.(20|1?[0-9]))?"
_ON = "on"


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


#: The providers in a manifest of schema 0.2.0 (PEP 850), by namespace. Namespaces of
#: adopted wheels are in this order, unless the publisher states another.
DECLARATIONS: Mapping[str, Mapping[str, Any]] = {
    "nvidia": _plugin("nvidia-variant-provider", "0.0.1", "NvidiaVariantPlugin"),
    "amd": _plugin("amd-variant-provider", "0.0.2", "AMDVariantPlugin"),
    "intel": _plugin("intel-variant-provider", "0.0.2", "IntelVariantPlugin"),
    "tpu": _plugin("tpu-variant-provider", "0.1.0", "TpuVariantPlugin"),
    ABI_DEPENDENCY: {"builtin": ABI_DEPENDENCY},
    "x86_64": _plugin("x86_64-variant-provider", "0.2.0"),
    "aarch64": _plugin("aarch64-variant-provider", "0.2.0"),
}

#: Regular expressions for the values, by namespace and feature.
_FEATURES: Mapping[str, Mapping[str, str]] = {
    "nvidia": {
        "cuda_version_lower_bound": _CUDA,
        "cuda_version_upper_bound": _CUDA,
        "sm_arch": r"[0-9]{2,3}_real|[0-9]{1,2}0_virtual",
    },
    "amd": {"gfx_arch": r"gfx[0-9]+[0-9a-f]*", "rocm_version": r"[0-9]+\.[0-9]+"},
    "intel": {"device_ip": r"[0-9]+\.[0-9]+\.[0-9]+"},
    "tpu": {"present": "true|false"},
    "x86_64": {"level": "v[1-4]", **dict.fromkeys(X86_64_FLAGS, _ON)},
    "aarch64": {
        "version": r"8a|8\.[1-9]a|9\.0a",
        **dict.fromkeys(AARCH64_FLAGS, _ON),
    },
}


def unsupported_reason(stated: Property) -> str | None:
    """Return why no machine can support a property of a known namespace, or None."""
    features = _FEATURES.get(stated.namespace)
    if features is None:
        return None
    form = features.get(stated.feature)
    if form is None:
        return (
            f"the provider for {stated.namespace!r} has no feature {stated.feature!r}"
        )
    if re.fullmatch(form, stated.value) is None:
        feature = f"{stated.namespace} :: {stated.feature}"
        return f"'{feature}' never has the value {stated.value!r}"
    return None
