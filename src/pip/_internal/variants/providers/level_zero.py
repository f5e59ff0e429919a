"""Ask Intel's GPU driver through Level Zero.

This follows the Level Zero specification 1.x and its extension for device IP versions.
There, zeInit is deprecated; but drivers of every age have it.
"""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Callable
from contextlib import suppress

from pip._internal.variants.providers.driver import (
    DriverUnavailable,
    call_driver,
    load_library,
    windows_folder,
)

__all__ = ["query"]

# More drivers than any machine has, and more devices than any driver has: one that
# reports nonsense must not keep the thread busy for ever.
_MAX_HANDLES = 256

_GPU_ONLY = 1  # a flag of zeInit
_TYPE_GPU = 1
_VENDOR_INTEL = 0x8086
_DEVICE_PROPERTIES = 0x3  # kinds of structures
_DEVICE_IP_VERSION = 0x1000F
_UNINITIALIZED = 0x78000001  # also: there is no GPU


class _IpVersion(ctypes.Structure):
    _fields_ = (
        ("kind", ctypes.c_uint32),
        ("next", ctypes.c_void_p),
        ("version", ctypes.c_uint32),
    )


class _Properties(ctypes.Structure):
    _fields_ = (
        ("kind", ctypes.c_uint32),
        ("next", ctypes.c_void_p),
        ("type", ctypes.c_uint32),
        ("vendor", ctypes.c_uint32),
        # The rest, about 350 bytes, is not needed.
        ("rest", ctypes.c_uint64 * 64),
    )


class _CallFailed(Exception):
    """A function of Level Zero returned an error, *result*."""

    def __init__(self, result: int) -> None:
        super().__init__(f"error {result:#x}")
        self.result = result


def query() -> tuple[int, ...]:
    """Ask for the IP version of each Intel GPU that can be read, in the driver's order.

    The version is 0 if the driver does not tell it.

    :raises DriverUnavailable: if there is no driver, or none that answers.
    """
    return call_driver("Level Zero", _query)


def _query() -> tuple[int, ...]:
    library = _load()
    try:
        _check(library.zeInit(_GPU_ONLY))
        drivers = _handles(library.zeDriverGet)
    except _CallFailed as error:
        absent = error.result == _UNINITIALIZED
        raise DriverUnavailable(
            "Level Zero finds no GPU that this user may use"
            if absent
            else f"Intel's GPU driver cannot be used: {error} of Level Zero",
            fault=not absent,
        ) from error
    versions: list[int] = []
    # A driver or GPU that cannot be read (lost, not permitted) is passed over.
    for driver in drivers:
        with suppress(_CallFailed):
            for device in _handles(library.zeDeviceGet, driver):
                with suppress(_CallFailed):
                    version = _intel_gpu(library, device)
                    if version is not None:
                        versions.append(version)
    return tuple(versions)


def _load() -> ctypes.CDLL:
    path = "libze_loader.so.1"
    if sys.platform == "win32":
        path = os.path.join(windows_folder(), "ze_loader.dll")
    return load_library("Level Zero", path, "Level Zero is not installed")


def _handles(
    function: Callable[..., int], *owner: ctypes.c_void_p
) -> list[ctypes.c_void_p]:
    """Return the handles of a function that must be asked for their number first."""
    count = ctypes.c_uint32(0)
    _check(function(*owner, ctypes.byref(count), None))
    if not count.value:
        return []
    handles = (ctypes.c_void_p * min(count.value, _MAX_HANDLES))()
    count.value = len(handles)
    _check(function(*owner, ctypes.byref(count), handles))
    return [ctypes.c_void_p(handle) for handle in handles[: count.value] if handle]


def _intel_gpu(library: ctypes.CDLL, device: ctypes.c_void_p) -> int | None:
    """Return the IP version of a device; None if it is not a GPU of Intel's."""
    ip = _IpVersion(kind=_DEVICE_IP_VERSION)
    properties = _Properties(kind=_DEVICE_PROPERTIES)
    properties.next = ctypes.addressof(ip)
    _check(library.zeDeviceGetProperties(device, ctypes.byref(properties)))
    if properties.type != _TYPE_GPU or properties.vendor != _VENDOR_INTEL:
        return None
    return int(ip.version)


def _check(result: int) -> None:
    if result:
        raise _CallFailed(result)
