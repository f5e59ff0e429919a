"""Which GPUs the builds of PyTorch have code for.

Facts of the scripts that build PyTorch, by toolkit: another project on its index is
built for the same GPUs as torch. Newer toolkits than those here are taken to cover what
the newest of the same major does. Pure: no I/O and nothing from the rest of pip.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TypeVar

from pip._internal.variants.pytorch.backends import Backend, Kind

__all__ = ["INTEL_DEVICES", "NAMESPACES", "amd_architectures", "nvidia_architectures"]

_Values = TypeVar("_Values")


#: In which namespace the devices of each kind of backend are.
NAMESPACES: Mapping[Kind, str] = MappingProxyType(
    {Kind.CUDA: "nvidia", Kind.ROCM: "amd", Kind.XPU: "intel"}
)


def _real(text: str) -> tuple[str, ...]:
    return tuple(f"{architecture}_real" for architecture in text.split())


# From a CUDA version on, up to the next one: values of ``nvidia :: sm_arch``.
_NVIDIA: Mapping[tuple[int, ...], tuple[str, ...]] = MappingProxyType(
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

_GFX_4 = ("gfx900", "gfx906", "gfx908")
_GFX_5 = (*_GFX_4, "gfx90a", "gfx1030")
_GFX_6 = (*_GFX_5, "gfx942", "gfx1100")
_GFX_6_2_4 = (*_GFX_6, "gfx1101", "gfx1102", "gfx1200", "gfx1201")

# From a ROCm version on, up to the next one: values of ``amd :: gfx_arch``.
_AMD: Mapping[tuple[int, ...], tuple[str, ...]] = MappingProxyType(
    {
        (4, 0): _GFX_4,
        (5, 0): _GFX_5,
        (5, 5): (*_GFX_5, "gfx1100"),
        (6, 0): _GFX_6,
        (6, 1): (*_GFX_6, "gfx1101"),
        (6, 2): _GFX_6,
        (6, 2, 4): _GFX_6_2_4,
        (7, 0): (*_GFX_6_2_4, "gfx950", "gfx1150", "gfx1151"),
    }
)

#: Values of ``intel :: device_ip``: Arc A and B, Data Center Max and Flex, and what is
#: built into Core Ultra processors.
INTEL_DEVICES = (
    *("12.55.8", "12.56.5", "12.57.0", "12.60.7", "12.70.4", "12.71.4", "12.74.4"),
    *("20.1.0", "20.2.0", "20.4.4", "30.0.4", "30.1.0"),
)


def nvidia_architectures(backend: Backend) -> tuple[str, ...]:
    """Give the values of ``sm_arch`` of a CUDA build; none for an unknown major."""
    assert backend.kind is Kind.CUDA, backend
    found = _newest_row(_NVIDIA, backend.version)
    known = found is not None and found[0][0] == backend.version[0]
    return found[1] if found is not None and known else ()


def amd_architectures(backend: Backend) -> tuple[str, ...]:
    """Give the values of ``gfx_arch`` of a ROCm build."""
    assert backend.kind is Kind.ROCM, backend
    found = _newest_row(_AMD, backend.version)
    return _GFX_4 if found is None else found[1]


def _newest_row(
    table: Mapping[tuple[int, ...], _Values], version: tuple[int, ...]
) -> tuple[tuple[int, ...], _Values] | None:
    key = max((key for key in table if key <= version), default=None)
    return None if key is None else (key, table[key])
