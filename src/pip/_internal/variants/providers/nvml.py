"""Ask the NVIDIA driver through NVML, in this process and for two seconds at most.

The calls run in a daemon thread: one that never returns is left behind and does not
keep the process from ending. Only the loading of the library itself cannot be given
up, since the dynamic loader's lock is held meanwhile.
"""

from __future__ import annotations

import contextlib
import errno
import os
import sys
import threading
from types import ModuleType
from typing import NamedTuple

__all__ = ["Driver", "NvmlUnavailable", "query"]

_TIMEOUT = 2.0  # seconds
_SONAME = "libnvidia-ml.so.1"
_NO_LIBRARY = "no NVIDIA driver library was found"

# More than any machine has: a driver that reports nonsense must not keep the thread
# busy for ever.
_MAX_DEVICES = 256


# Not a dataclass: to make one takes a quarter of the time that there is for a machine
# without a GPU.
class Driver(NamedTuple):
    """What a driver says of itself and its GPUs, unjudged.

    :ivar cuda_version: major and minor number of the newest CUDA that the driver
        supports; ``None`` if it does not tell.
    :ivar compute_capabilities: major and minor number of each GPU that can be read.
    """

    cuda_version: tuple[int, int] | None
    compute_capabilities: tuple[tuple[int, int], ...]


class NvmlUnavailable(Exception):
    """NVML gives no answer.

    :ivar fault: whether something is broken that the user can mend, rather than just
        not there.
    """

    def __init__(self, reason: str, *, fault: bool = False) -> None:
        super().__init__(reason)
        self.fault = fault


def query(visible: str | None = None) -> Driver:
    """Ask the driver for its CUDA version and the compute capabilities of its GPUs.

    :param visible: the value of ``CUDA_VISIBLE_DEVICES``, if that is set: GPUs that it
        does not name are left out. Its numbers count GPUs in the order of the bus.
    :raises NvmlUnavailable: if there is no driver, or none that answers; the text
        says why, in one sentence without a final period.
    """
    outcome: list[Driver | NvmlUnavailable] = []
    thread = threading.Thread(
        target=_query_into, args=(outcome, visible), name="nvml", daemon=True
    )
    try:
        thread.start()
    except RuntimeError as error:
        raise NvmlUnavailable(f"NVML cannot be asked: {error}") from error
    thread.join(_TIMEOUT)
    if not outcome:
        raise NvmlUnavailable(
            f"NVML did not answer within {_TIMEOUT:.0f} seconds", fault=True
        )
    if isinstance(outcome[0], NvmlUnavailable):
        raise outcome[0]
    return outcome[0]


def _query_into(outcome: list[Driver | NvmlUnavailable], visible: str | None) -> None:
    """Append what :func:`_query` returns or raises: a thread has no other way out."""
    try:
        outcome.append(_query(visible))
    except NvmlUnavailable as error:
        outcome.append(error)
    except Exception as error:  # whatever a broken driver makes of ctypes
        outcome.append(
            NvmlUnavailable(
                f"NVML cannot be asked: {type(error).__name__}: {error}", fault=True
            )
        )


def _query(visible: str | None) -> Driver:
    _require_library()
    from pip._vendor import pynvml

    return _ask(pynvml, visible)


def _ask(nvml: ModuleType, visible: str | None) -> Driver:
    try:
        nvml.nvmlInit()
    except nvml.NVMLError as error:
        # Driver packages are installed on many a machine, or in many an image, that
        # has no GPU at the moment.
        absent = error.value == nvml.NVML_ERROR_DRIVER_NOT_LOADED
        raise NvmlUnavailable(
            f"the NVIDIA driver cannot be used: {str(error).rstrip('.')}",
            fault=not absent,
        ) from error
    try:
        capabilities = tuple(_compute_capabilities(nvml, visible))
        return Driver(_cuda_version(nvml), capabilities)
    finally:
        # The answer stands, whether or not the driver says goodbye.
        with contextlib.suppress(nvml.NVMLError):
            nvml.nvmlShutdown()


def _require_library() -> None:
    """Make sure that pynvml, which is slow to import, will find a library.

    :raises NvmlUnavailable: if it will not.
    """
    if sys.platform == "darwin":
        raise NvmlUnavailable("there is no NVIDIA driver for macOS")
    if sys.platform == "win32":
        # Where pynvml looks, too.
        folders = (
            os.path.join(os.getenv("WINDIR", "C:/Windows"), "System32"),
            os.path.join(
                os.getenv("ProgramFiles", "C:/Program Files"),
                "NVIDIA Corporation",
                "NVSMI",
            ),
        )
        if not any(os.path.exists(os.path.join(f, "nvml.dll")) for f in folders):
            raise NvmlUnavailable(_NO_LIBRARY)
        return
    try:
        import ctypes
    except ImportError as error:  # an optional part of CPython
        raise NvmlUnavailable(f"NVML cannot be asked: {error}") from error
    try:
        # Only the loader knows where it looks; device files may come later than this.
        ctypes.CDLL(_SONAME)
    except OSError as error:
        if os.strerror(errno.ENOENT) in str(error):
            raise NvmlUnavailable(_NO_LIBRARY) from error
        raise NvmlUnavailable(
            f"the NVIDIA driver library cannot be loaded: {error}"
        ) from error


def _cuda_version(nvml: ModuleType) -> tuple[int, int] | None:
    # The second function tells the version that NVML was made for, which is what
    # drivers too old to know the first one have.
    for function in (
        nvml.nvmlSystemGetCudaDriverVersion_v2,
        nvml.nvmlSystemGetCudaDriverVersion,
    ):
        with contextlib.suppress(nvml.NVMLError):
            number = function()
            return number // 1000, number % 1000 // 10
    return None


def _compute_capabilities(
    nvml: ModuleType, visible: str | None
) -> list[tuple[int, int]]:
    capabilities: list[tuple[int, int]] = []
    shown = 0
    # A GPU that cannot be read (lost, not permitted) leaves the others as they are.
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
            raise NvmlUnavailable("CUDA_VISIBLE_DEVICES hides every GPU")
    return capabilities


def _is_visible(visible: str, index: int, uuid: str, count: int) -> bool:
    """Tell whether CUDA would show a GPU: a list ends at the first invalid item."""
    for item in map(str.strip, visible.split(",")):
        name = item.removeprefix("MIG-")
        if name.startswith("GPU-"):
            if uuid.startswith(name.partition("/")[0]):
                return True
        elif item.startswith("MIG-"):
            return True  # a part of a GPU; which one's, its name does not say
        elif not item.isascii() or not item.isdigit() or int(item[:6]) >= count:
            return False
        elif int(item[:6]) == index:
            return True
    return False
