"""Namespace ``intel``: features of Intel GPUs.

Properties, most preferred first; equal to those of intel-variant-provider 0.0.3 (commit
9516bd2):

``device_ip``
    The device IP of each GPU, in the order of Level Zero, each followed by the device IP
    whose code the GPU also runs (20.2.0: 20.2.0, 20.1.0); without duplicates and unknown
    device IPs. A forced device IP has no second value.

Limits: pip finds no GPU if Intel's Level Zero is missing (builds for these GPUs need it), if
the driver is too old to report device IPs, or if ``ZE_AFFINITY_MASK`` hides the GPU. pip
calls Level Zero by its specification 1.x and the extension for device IP versions. The
specification deprecates ``zeInit``, but old and new drivers have this function.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable
from contextlib import suppress

from pip._internal.variants.providers.driver import call_driver
from pip._internal.variants.providers.result import (
    DriverFault,
    Environ,
    Findings,
    NotDetected,
    ProviderResult,
    forced,
    require_this_machine,
)

DEVICE_VARIABLE = "INTEL_VARIANT_PROVIDER_FORCE_DEVICE_IP"

# The known device IPs, each with another device IP whose code the GPU also runs.
_COMPATIBLE_WITH = {
    "12.0.0": None,  # Tiger Lake
    "12.1.0": None,  # Rocket Lake
    "12.2.0": None,  # Alder Lake S, Raptor Lake S
    "12.3.0": None,  # Alder Lake P, Raptor Lake P
    "12.4.0": None,  # Alder Lake N
    "12.10.0": None,  # DG1
    "12.55.8": None,  # Arc A and Data Center Flex: DG2
    "12.56.5": "12.55.8",
    "12.57.0": "12.55.8",
    "12.60.7": None,  # Data Center Max: Ponte Vecchio
    "12.70.4": None,  # Meteor Lake
    "12.71.4": "12.70.4",
    "12.74.4": None,  # Arrow Lake H
    "20.1.0": None,  # Arc B: Battlemage
    "20.2.0": "20.1.0",
    "20.4.4": "20.1.0",  # Lunar Lake
    "30.0.4": None,  # Panther Lake H
    "30.1.0": "30.0.4",
    "30.3.1": "30.0.4",  # Wildcat Lake
    "30.4.4": "30.0.4",  # Nova Lake
    "30.5.4": "30.0.4",
    "35.10.4": None,
    "35.11.0": None,  # Crescent Island
}


# More drivers than any machine has, and more devices than any driver has: a driver that
# reports nonsense must not keep the thread busy forever.
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
        # pip does not need the rest, about 350 bytes.
        ("rest", ctypes.c_uint64 * 64),
    )


class _CallFailed(Exception):
    """A Level Zero function returned the error code *result*."""

    def __init__(self, result: int) -> None:
        super().__init__(f"error {result:#x}")
        self.result = result


def detect(environ: Environ, *, hardware: bool) -> ProviderResult:
    """Return the features of this machine, or those forced by *environ*."""
    found = Findings(
        f"so pip skips variants for Intel GPUs; to name the GPU, set {DEVICE_VARIABLE}"
    )
    values = found.attempt(lambda: _device_ips(environ, hardware, found))
    found.add("device_ip", values or ())
    return found.answer()


def _device_ips(
    environ: Environ, hardware: bool, found: Findings
) -> tuple[list[str], str]:
    def known(text: str) -> list[str] | None:
        return [text] if text in _COMPATIBLE_WITH else None

    expected = "a known device_ip, such as '20.1.0'"
    given = forced(environ, DEVICE_VARIABLE, known, expected)
    if given is not None:
        return given
    require_this_machine(hardware)
    versions = call_driver("Level Zero", _query)
    if not versions:
        raise NotDetected("Level Zero shows no readable Intel GPU")
    values: list[str | None] = []
    unknown: list[str] = []
    for version in versions:
        # Properties use 10, 8 and the last 6 of the 32 bits.
        device_ip = f"{version >> 22}.{version >> 14 & 0xFF}.{version & 0x3F}"
        if device_ip in _COMPATIBLE_WITH:
            values += (device_ip, _COMPATIBLE_WITH[device_ip])
        else:
            unknown.append(device_ip)
    if unknown:
        listed = ", ".join(dict.fromkeys(unknown))
        found.note(f"the provider does not know the device_ip {listed}")
    return [*filter(None, dict.fromkeys(values))], "Level Zero"


def _query() -> list[int]:
    """Return the IP version of each Intel GPU, in the order of Level Zero.

    :return: 0 for an unknown IP version.
    """
    windows = sys.platform == "win32"
    try:
        library = ctypes.CDLL("ze_loader.dll" if windows else "libze_loader.so.1")
    except OSError as error:
        raise NotDetected("Level Zero is not installed") from error
    try:
        _check(library.zeInit(_GPU_ONLY))
        drivers = _handles(library.zeDriverGet)
    except _CallFailed as error:
        if error.result == _UNINITIALIZED:
            raise NotDetected("Level Zero shows no GPU to this user") from error
        raise DriverFault(
            f"Intel's GPU driver cannot be used: Level Zero returned {error}"
        ) from error
    versions: list[int] = []
    # Skip drivers and GPUs that cannot be read (lost, not permitted).
    for driver in drivers:
        with suppress(_CallFailed):
            for device in _handles(library.zeDeviceGet, driver):
                with suppress(_CallFailed):
                    version = _intel_gpu(library, device)
                    if version is not None:
                        versions.append(version)
    return versions


def _handles(
    function: Callable[..., int], *owner: ctypes.c_void_p
) -> list[ctypes.c_void_p]:
    """Return the handles from a function that reports their number first."""
    count = ctypes.c_uint32(0)
    _check(function(*owner, ctypes.byref(count), None))
    if not count.value:
        return []
    handles = (ctypes.c_void_p * min(count.value, _MAX_HANDLES))()
    count.value = len(handles)
    _check(function(*owner, ctypes.byref(count), handles))
    return [ctypes.c_void_p(handle) for handle in handles[: count.value] if handle]


def _intel_gpu(library: ctypes.CDLL, device: ctypes.c_void_p) -> int | None:
    """Return the IP version of a device, or None if the device is not an Intel GPU."""
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
