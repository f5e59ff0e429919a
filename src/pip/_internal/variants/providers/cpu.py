"""Read the CPU with vendored archspec, but start no process, as archspec might.

Flags come from ``/proc/cpuinfo`` on Linux, from the ``cpuid`` instruction on Windows
(x86-64 only), and from ``sysctlbyname`` on macOS. Other systems tell nothing.
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

__all__ = ["CpuUnreadable", "ask_cpu", "flag_features", "read_cpu", "read_sysctl"]

# What platforms other than Linux call these architectures.
_ARCHITECTURES = {"amd64": "x86_64", "arm64": "aarch64"}

_INTEL_SYSCTLS = (
    "machdep.cpu.vendor",
    "machdep.cpu.features",
    "machdep.cpu.leaf7_features",
    "machdep.cpu.extfeatures",
)
_APPLE_SYSCTLS = ("machdep.cpu.brand_string",)


class CpuUnreadable(Exception):
    """The features of the CPU cannot be read; the text says why."""


def ask_cpu(
    architecture: str,
    detect: Callable[[], tuple[SupportedFeature, ...]],
    baseline: SupportedFeature,
    *,
    hardware: bool,
) -> ProviderResult:
    """Answer for a namespace that is named after an architecture.

    :param detect: reads a CPU of that architecture.
    :param baseline: what every such CPU supports; answered if *detect* fails.
    :param hardware: whether this machine may be asked.
    """
    if not hardware:
        return ProviderResult(reason=NOT_THIS_MACHINE)
    machine = platform.machine().lower()
    if _ARCHITECTURES.get(machine, machine) != architecture:
        return ProviderResult(reason=f"this machine is {machine or 'unknown'}")
    try:
        return ProviderResult(detect(), "CPU")
    except CpuUnreadable as error:
        cause = str(error)
    except Exception as error:  # whatever archspec makes of an unusual system
        cause = f"{type(error).__name__}: {error}"
    return ProviderResult(
        (baseline,),
        "assumption",
        f"what the CPU supports beyond {baseline.values[0]} is unknown: {cause}",
    )


def read_cpu() -> Microarchitecture:
    """Return the CPU's flags, under the names of Linux, as archspec holds them.

    Where the system tells only the model (Apple), the flags are archspec's for it.

    :raises CpuUnreadable: if the system tells nothing.
    """
    from pip._vendor.archspec.cpu import detect

    # archspec itself would start sysctl(8) on macOS, and turn a failure into a Python
    # warning.
    cpu: Microarchitecture
    if sys.platform == "linux":
        cpu = detect.proc_cpuinfo()
    elif sys.platform == "win32":  # pragma: no cover (needs its DLLs)
        cpu = detect.cpuid_info()
    elif sys.platform == "darwin":
        apple = platform.machine() == "arm64"
        names = _APPLE_SYSCTLS if apple else _INTEL_SYSCTLS
        cpu = cpu_from_sysctls({name: read_sysctl(name) for name in names})
    else:
        raise CpuUnreadable(f"there is no way to read it on {sys.platform}")
    if not cpu.features:
        raise CpuUnreadable("the system lists no CPU flags")
    return cpu


def cpu_from_sysctls(values: dict[str, str]) -> Microarchitecture:
    """Return the CPU that values of macOS's ``sysctl`` describe.

    AVX-512 is left out, since macOS lists its flags even where it is disabled.
    """
    from pip._vendor.archspec.cpu import TARGETS, detect

    # archspec has no public function for values that somebody else has read.
    if values.get("machdep.cpu.brand_string"):
        model: Microarchitecture = TARGETS[detect._sysctl_info_apple(values).name]
        return model
    cpu = detect._sysctl_info_x86_64(values)
    cpu.features = {flag for flag in cpu.features if not flag.startswith("avx512")}
    return cpu


def read_sysctl(name: str) -> str:
    """Return the text that macOS's kernel has under *name*; empty if there is none."""
    import ctypes

    function = ctypes.CDLL(None).sysctlbyname
    pointer, size_t = ctypes.c_void_p, ctypes.c_size_t
    size_pointer = ctypes.POINTER(size_t)
    function.argtypes = (ctypes.c_char_p, pointer, size_pointer, pointer, size_t)
    size = size_t()
    if function(name.encode(), None, ctypes.byref(size), None, 0) != 0:
        return ""
    buffer = ctypes.create_string_buffer(size.value)
    if function(name.encode(), buffer, ctypes.byref(size), None, 0) != 0:
        return ""
    return buffer.value.decode("ascii", "replace")


def flag_features(
    cpu: Microarchitecture, flags: Iterable[str]
) -> tuple[SupportedFeature, ...]:
    """Return a feature with the value ``on`` for each of *flags* that *cpu* has."""
    return tuple(SupportedFeature(flag, ("on",)) for flag in flags if flag in cpu)
