"""Read the CPU with vendored archspec.

Flags come from ``/proc/cpuinfo`` on Linux, from the ``cpuid`` instruction on Windows
(x86-64 only), and from ``sysctl`` on macOS. pip cannot read CPUs on other systems.
"""

from __future__ import annotations

import platform
import sys
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from pip._vendor.wheel_variants.properties import SupportedFeature

from pip._internal.variants.providers.result import NOT_THIS_MACHINE, ProviderResult

if TYPE_CHECKING:
    from pip._vendor.archspec.cpu import Microarchitecture


class CpuUnreadable(Exception):
    """The features of the CPU cannot be read; the message explains why."""


def ask_cpu(
    architecture: str,
    detect: Callable[[], tuple[SupportedFeature, ...]],
    baseline: SupportedFeature,
    *,
    hardware: bool,
) -> ProviderResult:
    """Return the result for the namespace of a CPU architecture.

    :param detect: a function that reads a CPU of that architecture.
    :param baseline: the feature of every such CPU, which is the result if *detect* fails.
    :param hardware: whether pip may inspect this machine.
    """
    if not hardware:
        return ProviderResult(reason=NOT_THIS_MACHINE)
    machine = platform.machine().lower()
    # Windows and macOS have other names.
    if {"amd64": "x86_64", "arm64": "aarch64"}.get(machine, machine) != architecture:
        return ProviderResult(reason=f"the CPU architecture is {machine or 'unknown'}")
    try:
        return ProviderResult(detect(), "CPU")
    except CpuUnreadable as error:
        cause = str(error)
    except Exception as error:  # archspec may fail on unusual systems
        cause = f"{type(error).__name__}: {error}"
    return ProviderResult(
        (baseline,),
        "assumption",
        f"CPU features beyond {baseline.values[0]} are unknown: {cause}",
    )


def read_cpu() -> Microarchitecture:
    """Return the CPU, with the names that Linux uses for its flags.

    If the system reports only the model (Apple), the flags are archspec's for that model.

    :raises CpuUnreadable: if the system provides no data.
    """
    from pip._vendor.archspec.cpu import TARGETS, detect

    cpu: Microarchitecture
    if sys.platform == "linux":
        cpu = detect.proc_cpuinfo()
    elif sys.platform == "win32":  # pragma: no cover (needs its DLLs)
        cpu = detect.cpuid_info()
    elif sys.platform == "darwin":
        cpu = detect.sysctl_info()
        # sysctl_info() reads only the model of Apple's CPUs.
        cpu = TARGETS.get(cpu.name, cpu)
        # macOS lists the flags of AVX-512 even if AVX-512 is disabled.
        cpu.features = {each for each in cpu.features if not each.startswith("avx512")}
    else:
        raise CpuUnreadable(f"pip cannot read CPU features on {sys.platform}")
    if not cpu.features:
        raise CpuUnreadable("the system lists no CPU flags")
    return cpu


def flag_features(
    cpu: Microarchitecture, flags: Iterable[str]
) -> tuple[SupportedFeature, ...]:
    """Return a feature with the value ``on`` for each flag that *cpu* has."""
    return tuple(SupportedFeature(flag, ("on",)) for flag in flags if flag in cpu)
