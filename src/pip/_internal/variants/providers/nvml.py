"""Ask the NVIDIA driver through NVML."""

from __future__ import annotations

import contextlib
import os
import sys
from types import ModuleType
from typing import NamedTuple

from pip._internal.variants.providers import wsl
from pip._internal.variants.providers.driver import (
    DriverUnavailable,
    call_driver,
    load_library,
    may_find,
    windows_folder,
)

__all__ = ["Driver", "query"]

_SONAME = "libnvidia-ml.so.1"
_NO_LIBRARY = "no NVIDIA driver library was found"

# More than any machine has: a driver that reports nonsense must not keep the thread
# busy for ever.
_MAX_DEVICES = 256


# Not a dataclass: defining one takes a quarter of the time that there is for a machine
# without a GPU.
class Driver(NamedTuple):
    """What a driver says of itself and its GPUs, plausible or not.

    :ivar cuda_version: major and minor number of the newest CUDA that the driver
        supports; ``None`` if it does not tell.
    :ivar compute_capabilities: major and minor number of each GPU that can be read.
    :ivar version: of the driver itself, as ``"535.104.05"``; ``None`` if it does not tell.
    """

    cuda_version: tuple[int, int] | None
    compute_capabilities: tuple[tuple[int, int], ...]
    version: str | None = None


class GpusHidden(DriverUnavailable):
    """The user hides every GPU from CUDA."""


def query(visible: str | None = None) -> Driver:
    """Ask the driver for its CUDA version and the compute capabilities of its GPUs.

    :param visible: the value of ``CUDA_VISIBLE_DEVICES``, if set: GPUs that it does not
        name are left out. Its numbers follow the order of the bus.
    :raises GpusHidden: if it names none.
    :raises DriverUnavailable: if there is no driver, or none that answers.
    """
    if wsl.find(_SONAME) is None and not may_find(_SONAME):
        raise DriverUnavailable(_NO_LIBRARY)
    return call_driver("NVML", lambda: _query(visible))


def _query(visible: str | None) -> Driver:
    _require_library()
    from pip._vendor import pynvml

    nvml: ModuleType = pynvml
    try:
        nvml.nvmlInit()
    except nvml.NVMLError as error:
        said, of_windows = str(error).rstrip("."), wsl.find(_SONAME)
        if of_windows is not None:
            problem = wsl.problem(of_windows, said)
            raise DriverUnavailable(problem, fault=True) from error
        # Many machines and images have the driver's packages installed, but no GPU at
        # the moment.
        absent = error.value == nvml.NVML_ERROR_DRIVER_NOT_LOADED
        raise DriverUnavailable(
            f"the NVIDIA driver cannot be used: {said}", fault=not absent
        ) from error
    try:
        capabilities = tuple(_compute_capabilities(nvml, visible))
        return Driver(_cuda_version(nvml), capabilities, _version(nvml))
    finally:
        # The answer stands even if this fails.
        with contextlib.suppress(nvml.NVMLError):
            nvml.nvmlShutdown()


def _require_library() -> None:
    """Make sure that pynvml, which is slow to import, will find a library.

    :raises DriverUnavailable: if it will not.
    """
    if sys.platform == "darwin":
        raise DriverUnavailable("there is no NVIDIA driver for macOS")
    if sys.platform == "win32":
        # Where pynvml looks.
        programs = os.getenv("ProgramFiles", "C:/Program Files")
        folders = (
            windows_folder(),
            os.path.join(programs, "NVIDIA Corporation", "NVSMI"),
        )
        if not any(os.path.exists(os.path.join(f, "nvml.dll")) for f in folders):
            raise DriverUnavailable(_NO_LIBRARY)
        return
    try:
        # Once one is loaded, pynvml gets it by its name, wherever it is.
        path = wsl.find(_SONAME) or _SONAME
        load_library("the NVIDIA driver library", path, _NO_LIBRARY)
    except ImportError as error:  # ctypes is an optional part of CPython
        raise DriverUnavailable(f"NVML cannot be asked: {error}") from error


def _cuda_version(nvml: ModuleType) -> tuple[int, int] | None:
    # Drivers too old for the first function have the second one: it tells the version
    # that NVML was made for.
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
    shown = 0
    # A GPU that cannot be read (lost, not permitted) is passed over.
    with contextlib.suppress(nvml.NVMLError):
        count = min(nvml.nvmlDeviceGetCount(), _MAX_DEVICES)
        for index in range(count):
            with contextlib.suppress(nvml.NVMLError):
                device = nvml.nvmlDeviceGetHandleByIndex(index)
                if visible is not None:
                    uuid = str(nvml.nvmlDeviceGetUUID(device))
                    if not _is_visible(visible, index, uuid, count):
                        continue
                shown += 1
                capabilities.append(nvml.nvmlDeviceGetCudaComputeCapability(device))
        if visible is not None and count and not shown:
            raise GpusHidden("CUDA_VISIBLE_DEVICES hides every GPU")
    return capabilities


def _is_visible(visible: str, index: int, uuid: str, count: int) -> bool:
    """Tell whether CUDA would show a GPU: a list ends at the first invalid item."""
    for item in map(str.strip, visible.split(",")):
        name = item.removeprefix("MIG-")
        if name.startswith("GPU-"):
            if uuid.startswith(name.partition("/")[0]):
                return True
        elif item.startswith("MIG-"):
            return True  # a part of some GPU; its name does not tell of which
        elif not item.isascii() or not item.isdigit() or int(item[:6]) >= count:
            return False
        elif int(item[:6]) == index:
            return True
    return False
