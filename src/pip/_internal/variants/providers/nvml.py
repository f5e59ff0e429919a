"""Query the NVIDIA driver through NVML.

WSL uses the driver of Windows, whose libraries for Linux are in a folder of WSL. Packages of
a Linux driver do not work in WSL, but the loader may find their library first.
"""

from __future__ import annotations

import contextlib
import os
import sys
from types import ModuleType
from typing import NamedTuple

from pip._internal.variants.providers.driver import call_driver
from pip._internal.variants.providers.result import DriverFault, NotDetected

#: The variable that hides GPUs.
MASK = "CUDA_VISIBLE_DEVICES"

_LIBRARY = "libnvidia-ml.so.1"
#: The library of WSL; only a Windows with an NVIDIA driver installs it.
_WSL_LIBRARY = f"/usr/lib/wsl/lib/{_LIBRARY}"

# More than any machine has: a driver that reports nonsense must not keep the thread busy
# forever.
_MAX_DEVICES = 256


class Driver(NamedTuple):
    """The unchecked data of a driver about itself and its GPUs.

    :ivar cuda_version: the major and minor number of the newest CUDA that the driver
        supports; None if unknown.
    :ivar compute_capabilities: the major and minor number of each readable GPU.
    :ivar version: the version of the driver, as ``"535.104.05"``; None if unknown.
    """

    cuda_version: tuple[int, int] | None
    compute_capabilities: tuple[tuple[int, int], ...]
    version: str | None = None


def query(visible: str | None = None) -> Driver:
    """Query the driver's CUDA version and the compute capabilities of GPUs.

    :param visible: the value of :data:`MASK`, which lists the visible GPUs; None if not set.
        Numbers in the list follow the order of the bus.
    :raises NotDetected: if no driver responds, or if all GPUs are hidden.
    """
    return call_driver("NVML", lambda: _query(visible))


def _query(visible: str | None) -> Driver:
    is_wsl = os.path.exists(_WSL_LIBRARY)
    if sys.platform != "win32":
        import ctypes

        try:
            # pynvml, which is slow to import, finds the loaded library by name.
            ctypes.CDLL(_WSL_LIBRARY if is_wsl else _LIBRARY)
        except OSError as error:
            raise NotDetected("no NVIDIA driver found") from error
    from pip._vendor import pynvml

    nvml: ModuleType = pynvml
    try:
        nvml.nvmlInit()
    except nvml.NVMLError as error:
        reason = str(error).rstrip(".")
        if is_wsl:
            raise DriverFault(
                f"the NVIDIA driver of Windows ({_WSL_LIBRARY}) does not answer WSL: "
                f"{reason}; try 'wsl --update' and 'wsl --shutdown' in Windows"
            ) from error
        # Many machines and images have the driver's packages installed, but currently no GPU.
        absent = (nvml.NVML_ERROR_DRIVER_NOT_LOADED, nvml.NVML_ERROR_LIBRARY_NOT_FOUND)
        kind = NotDetected if error.value in absent else DriverFault
        raise kind(f"the NVIDIA driver cannot be used: {reason}") from error
    try:
        capabilities = tuple(_compute_capabilities(nvml, visible))
        return Driver(_cuda_version(nvml), capabilities, _version(nvml))
    finally:
        # The result is valid even if this fails.
        with contextlib.suppress(nvml.NVMLError):
            nvml.nvmlShutdown()


def _cuda_version(nvml: ModuleType) -> tuple[int, int] | None:
    # Old drivers have only the second function, which returns the version that NVML was
    # built for.
    for function in (
        nvml.nvmlSystemGetCudaDriverVersion_v2,
        nvml.nvmlSystemGetCudaDriverVersion,
    ):
        with contextlib.suppress(nvml.NVMLError):
            number = function()
            return number // 1000, number % 1000 // 10
    return None


def _version(nvml: ModuleType) -> str | None:
    with contextlib.suppress(nvml.NVMLError, UnicodeDecodeError):
        return str(nvml.nvmlSystemGetDriverVersion()) or None
    return None


def _compute_capabilities(
    nvml: ModuleType, visible: str | None
) -> list[tuple[int, int]]:
    capabilities: list[tuple[int, int]] = []
    hidden = 0
    # Skip GPUs that cannot be read (lost, not permitted).
    with contextlib.suppress(nvml.NVMLError):
        count = min(nvml.nvmlDeviceGetCount(), _MAX_DEVICES)
        for index in range(count):
            with contextlib.suppress(nvml.NVMLError):
                device = nvml.nvmlDeviceGetHandleByIndex(index)
                if visible is not None:
                    uuid = str(nvml.nvmlDeviceGetUUID(device))
                    if not _is_visible(visible, index, uuid, count):
                        hidden += 1
                        continue
                capabilities.append(nvml.nvmlDeviceGetCudaComputeCapability(device))
        if visible is not None and hidden == count > 0:
            raise NotDetected.hidden("NVIDIA GPU", MASK, visible)
    return capabilities


def _is_visible(visible: str, index: int, uuid: str, count: int) -> bool:
    """Return whether a GPU is visible to CUDA."""
    for item in map(str.strip, visible.split(",")):
        name = item.removeprefix("MIG-")
        if name.startswith("GPU-"):
            if uuid.startswith(name.partition("/")[0]):
                return True
        elif item.startswith("MIG-"):
            return True  # a part of some GPU, which the name does not identify
        elif not item.isascii() or not item.isdigit() or int(item[:6]) >= count:
            return False
        elif int(item[:6]) == index:
            return True
    return False
