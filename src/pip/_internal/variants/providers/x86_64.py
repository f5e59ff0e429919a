"""Namespace ``x86_64``: features of x86-64 CPUs.

Properties, most preferred first; names and order are those of provider-variant-x86-64
0.0.1.post2:

``level``
    The microarchitecture level and all lower levels: a v3 CPU supports v3, v2, v1. Up to v4.
    The successor, x86_64-variant-provider 0.2, has only this feature.
CPU flags (``avx2``, ``sse4_1``, …)
    The single value ``on``, newest first.

Differences: a flag counts if this CPU has it, even if archspec's closest model lacks it; v1
is supported if the older provider supports nothing. Limits: an unreadable CPU counts as v1,
which every x86-64 CPU supports. There are no override variables, so nothing is supported if
the target is another machine.
"""

from __future__ import annotations

from collections.abc import Mapping

from pip._vendor.wheel_variants.cpu_flags import X86_64_FLAGS
from pip._vendor.wheel_variants.properties import SupportedFeature

from pip._internal.variants.providers.cpu import ask_cpu, flag_features, read_cpu
from pip._internal.variants.providers.result import ProviderResult

_HIGHEST_LEVEL = 4


def detect(environ: Mapping[str, str], *, hardware: bool) -> ProviderResult:
    """Return the level and the flags of this machine's CPU."""
    return ask_cpu("x86_64", _features, _levels(1), hardware=hardware)


def _features() -> tuple[SupportedFeature, ...]:
    cpu = read_cpu()
    from pip._vendor.archspec.cpu import TARGETS

    level = next(
        (
            level
            for level in range(_HIGHEST_LEVEL, 1, -1)
            if TARGETS[f"x86_64_v{level}"].features <= cpu.features
        ),
        1,
    )
    return (_levels(level), *flag_features(cpu, X86_64_FLAGS))


def _levels(highest: int) -> SupportedFeature:
    return SupportedFeature("level", tuple(f"v{n}" for n in range(highest, 0, -1)))
