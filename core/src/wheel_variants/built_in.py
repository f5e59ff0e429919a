"""The providers that installers include instead of plugins. Pure: no I/O."""

from __future__ import annotations

from collections.abc import Collection, Mapping

__all__ = ["BUILT_IN_PLUGINS"]

#: By namespace, the names of equivalent plugins on indexes.
BUILT_IN_PLUGINS: Mapping[str, Collection[str]] = {
    "nvidia": ("nvidia-variant-provider", "variant-provider"),
    "amd": ("amd-variant-provider", "rocm-bootstrap"),
    "intel": ("intel-variant-provider",),
    "tpu": ("tpu-variant-provider",),
    "x86_64": ("provider-variant-x86-64", "x86-64-variant-provider"),
    "aarch64": ("provider-variant-aarch64", "aarch64-variant-provider"),
}
