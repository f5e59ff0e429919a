"""Which GPUs the builds of PyTorch have code for, and which drivers run CUDA builds.

The GPUs are facts of the scripts that build PyTorch, by toolkit: another project on its
index is built for the same ones as torch. Newer toolkits than those here are taken to cover
what the newest of the same major does.

What drivers run is as NVIDIA publishes it: since CUDA 11, a driver for one version of a
major runs builds for all of that major ("minor version compatibility"), if it is as new as
the release notes of each CUDA toolkit demand. Pure: no I/O and nothing from the rest of pip.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Literal

from pip._internal.variants.pytorch.backends import Backend, Kind

__all__ = [
    "FIRST_ROCM_WITH_EXTRAS",
    "INTEL_DEVICES",
    "NAMESPACES",
    "amd_architectures",
    "lower_bound",
    "nvidia_architectures",
    "runs",
]

_Version = tuple[int, ...]


#: In which namespace the devices of each kind of backend are.
NAMESPACES: Mapping[Kind, str] = MappingProxyType(
    {Kind.CUDA: "nvidia", Kind.ROCM: "amd", Kind.XPU: "intel"}
)


def _real(text: str) -> tuple[str, ...]:
    return tuple(f"{architecture}_real" for architecture in text.split())


# From a CUDA version on, up to the next one: values of ``nvidia :: sm_arch``.
_NVIDIA: Mapping[_Version, tuple[str, ...]] = MappingProxyType(
    {
        (8, 0): _real("50 60"),
        (9, 0): _real("50 60 70"),
        (10, 0): _real("50 60 70 75"),
        (11, 0): _real("50 60 70 75 80"),
        (11, 1): _real("50 60 70 75 80 86"),
        (11, 8): _real("50 60 70 75 80 86 90"),
        (12, 0): _real("50 60 70 75 80 86 90"),
        (12, 8): _real("70 75 80 86 90 100 120"),
        (12, 9): (*_real("70 75 80 86 90 100 120"), "120_virtual"),
        (13, 0): (*_real("75 80 86 90 100 110 120"), "120_virtual"),
    }
)

#: From this version of ROCm on, the code for each GPU is in an extra.
FIRST_ROCM_WITH_EXTRAS = (10, 0)

_GFX_4 = ("gfx900", "gfx906", "gfx908")
_GFX_5 = (*_GFX_4, "gfx90a", "gfx1030")
_GFX_6 = (*_GFX_5, "gfx942", "gfx1100")
_GFX_6_2_4 = (*_GFX_6, "gfx1101", "gfx1102", "gfx1200", "gfx1201")
_GFX_7 = (*_GFX_6_2_4, "gfx950", "gfx1150", "gfx1151")

_GFX_7_14 = (*_GFX_7[2:], "gfx1103")
# Of gfx103x not what is built into processors: of few compute units, it would take
# gigabytes unasked.
_GFX_10 = (
    *_GFX_7_14,
    *("gfx1010", "gfx1011", "gfx1012", "gfx1031", "gfx1032", "gfx1034"),
    *("gfx1152", "gfx1153"),
)

# From a ROCm version on, up to the next one: values of ``amd :: gfx_arch``.
_AMD: Mapping[_Version, tuple[str, ...]] = MappingProxyType(
    {
        (4, 0): _GFX_4,
        (5, 0): _GFX_5,
        (5, 5): (*_GFX_5, "gfx1100"),
        (6, 0): _GFX_6,
        (6, 1): (*_GFX_6, "gfx1101"),
        (6, 2): _GFX_6,
        (6, 2, 4): _GFX_6_2_4,
        (7, 0): _GFX_7,
        (7, 14): _GFX_7_14,
        FIRST_ROCM_WITH_EXTRAS: _GFX_10,
    }
)

#: Values of ``intel :: device_ip``: Arc A and B, Data Center Max and Flex, and what is
#: built into Core Ultra processors.
INTEL_DEVICES = (
    *("12.55.8", "12.56.5", "12.57.0", "12.60.7", "12.70.4", "12.71.4", "12.74.4"),
    *("20.1.0", "20.2.0", "20.4.4", "30.0.4", "30.1.0"),
)


def nvidia_architectures(backend: Backend) -> tuple[str, ...]:
    """Return the values of ``sm_arch`` of a CUDA build; none for an unknown major."""
    assert backend.kind is Kind.CUDA, backend
    since = _row(_NVIDIA, backend.version)
    return _NVIDIA[since] if since and since[0] == backend.version[0] else ()


def amd_architectures(backend: Backend) -> tuple[str, ...]:
    """Return the values of ``gfx_arch`` of a ROCm build."""
    assert backend.kind is Kind.ROCM, backend
    since = _row(_AMD, backend.version)
    return _GFX_4 if since is None else _AMD[since]


def _row(table: Iterable[_Version], version: _Version) -> _Version | None:
    """Return the version from which on a row of a table counts for this one."""
    return max((since for since in table if since <= version), default=None)


System = Literal["linux", "windows"]

#: For builds from a CUDA version on, up to the next one here: the oldest drivers.
MINIMUM_DRIVERS: Mapping[_Version, Mapping[System, _Version]] = MappingProxyType(
    {
        (13, 0): {"linux": (580, 65, 6), "windows": (580, 0)},
        (12, 0): {"linux": (525, 60, 13), "windows": (528, 33)},
        (11, 1): {"linux": (450, 80, 2), "windows": (452, 39)},
        (11, 0): {"linux": (450, 36, 6), "windows": (451, 22)},
        (10, 2): {"linux": (440, 33), "windows": (441, 22)},
        (10, 1): {"linux": (418, 39), "windows": (418, 96)},
        (10, 0): {"linux": (410, 48), "windows": (411, 31)},
        (9, 2): {"linux": (396, 26), "windows": (398, 26)},
        (9, 1): {"linux": (390, 46), "windows": (391, 29)},
        (9, 0): {"linux": (384, 81), "windows": (385, 54)},
        (8, 0): {"linux": (375, 26), "windows": (376, 51)},
    }
)
#: The oldest major of which a driver runs all minor versions, and the oldest that the
#: properties of the namespace ``nvidia`` speak of.
_FIRST_COMPATIBLE_MAJOR = 11


def runs(cuda: _Version, driver: str, system: System) -> bool | None:
    """Tell whether a driver runs builds for a CUDA version.

    :param driver: its version, ``"535.104.05"``.
    :return: None if the table does not say, as of majors that came after it.
    """
    numbers = tuple(map(int, re.findall(r"[0-9]{1,9}", driver)))
    since = _row(MINIMUM_DRIVERS, cuda)
    if not numbers or since is None or since[0] != cuda[0]:
        return None
    return numbers >= MINIMUM_DRIVERS[since][system]


def lower_bound(cuda: _Version, driver: str | None, system: System = "linux") -> str:
    """Return the oldest CUDA version that a driver may report and run builds for *cuda*.

    :param driver: the version of the driver in question, if that is known.
    :return: a value of ``nvidia :: cuda_version_lower_bound``.
    """
    major, minor = cuda
    if major < _FIRST_COMPATIBLE_MAJOR:
        # Any driver that the namespace speaks of is newer.
        return str(_FIRST_COMPATIBLE_MAJOR)
    if driver is not None and runs(cuda, driver, system) is False:
        # It is older than the promise, and runs what it was made for.
        return f"{major}.{minor}"
    return f"{major}.0"
