"""Namespace ``aarch64``: features of 64-bit Arm CPUs.

Properties, most preferred first; names and order are those of provider-variant-aarch64
0.0.1.post2:

``version``
    The version of the architecture and all versions that it includes: an Armv8.2 CPU
    supports 8.2a, 8.1a, 8a. Up to 9.0a, after which 8.5a follows. The successor,
    aarch64-variant-provider 0.2, has only this feature.
CPU flags (``sve2``, ``bf16``, …)
    The single value ``on``, newest first.

Differences: a flag counts if this CPU has it, even if archspec's closest model lacks it.
``bti``, ``ecv``, ``asimdrdm`` and ``atomics``, which the older provider concatenates, are
separate flags. Limits: CPUs do not report their version, so pip uses the version of the
closest model in archspec. An unreadable CPU, and any CPU on Windows, counts as 8a. There are
no override variables, so nothing is supported if the target is another machine.
"""

from __future__ import annotations

from collections.abc import Mapping

from pip._vendor.wheel_variants.cpu_flags import AARCH64_FLAGS
from pip._vendor.wheel_variants.properties import SupportedFeature

from pip._internal.variants.providers.cpu import ask_cpu, flag_features, read_cpu
from pip._internal.variants.providers.result import ProviderResult

_NEWEST = "armv9.0a"
_OLDEST = "aarch64"


def detect(environ: Mapping[str, str], *, hardware: bool) -> ProviderResult:
    """Return the architecture version and the flags of this machine's CPU."""
    return ask_cpu("aarch64", _features, _versions([_OLDEST]), hardware=hardware)


def _features() -> tuple[SupportedFeature, ...]:
    cpu = read_cpu()
    from pip._vendor.archspec.cpu import TARGETS, host

    # Only on Linux, the model may be unknown; elsewhere host() would start a process.
    model = TARGETS[cpu.name] if cpu.name else host()
    generic = model.generic
    if _NEWEST in [ancestor.name for ancestor in generic.ancestors]:
        generic = TARGETS[_NEWEST]
    names = [generic.name, *(ancestor.name for ancestor in generic.ancestors)]
    return (_versions(names), *flag_features(cpu, AARCH64_FLAGS))


def _versions(architectures: list[str]) -> SupportedFeature:
    """Return the versions of archspec's generic architectures."""
    names = ("8a" if each == _OLDEST else each for each in architectures)
    return SupportedFeature("version", tuple(x.removeprefix("armv") for x in names))
