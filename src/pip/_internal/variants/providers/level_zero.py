"""Ask Intel's GPU driver through Level Zero, in this process and for two seconds at most.

The calls run in a daemon thread: one that never returns is left behind and does not
keep the process from ending. Only the loading of the library itself cannot be given
up, since the dynamic loader's lock is held meanwhile.

Facts are those of the Level Zero specification 1.x and its extension for device IP
versions; zeInit is deprecated there, but what drivers of every age have.
"""

from __future__ import annotations

import ctypes
import errno
import os
import sys
import threading
from collections.abc import Callable

__all__ = ["LevelZeroUnavailable", "query"]

_TIMEOUT = 2.0  # seconds

# More than any machine has of drivers, or a driver of devices: one that reports
# nonsense must not keep the thread busy for ever.
_MAX_HANDLES = 256

_GPU_ONLY = 1  # of the flags of zeInit
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
        # The rest, which is not needed, is of about 350 bytes.
        ("rest", ctypes.c_uint64 * 64),
    )


class LevelZeroUnavailable(Exception):
    """Level Zero gives no answer.

    :ivar fault: whether something is broken that the user can mend, rather than just
        not there.
    """

    def __init__(self, reason: str, *, fault: bool = False) -> None:
        super().__init__(reason)
        self.fault = fault


class _CallFailed(Exception):
    """A function of Level Zero returned an error, *result*."""

    def __init__(self, result: int) -> None:
        super().__init__(f"error {result:#x}")
        self.result = result


def query() -> tuple[int, ...]:
    """Ask for the IP version of each Intel GPU that can be read, in the driver's order.

    A driver that does not tell the version of a GPU leaves it at 0.

    :raises LevelZeroUnavailable: if there is no driver, or none that answers; the text
        says why, in one sentence without a final period.
    """
    outcome: list[tuple[int, ...] | LevelZeroUnavailable] = []
    thread = threading.Thread(
        target=_query_into, args=(outcome,), name="level-zero", daemon=True
    )
    try:
        thread.start()
    except RuntimeError as error:
        raise LevelZeroUnavailable(f"Level Zero cannot be asked: {error}") from error
    thread.join(_TIMEOUT)
    if not outcome:
        raise LevelZeroUnavailable(
            f"Level Zero did not answer within {_TIMEOUT:.0f} seconds", fault=True
        )
    if isinstance(outcome[0], LevelZeroUnavailable):
        raise outcome[0]
    return outcome[0]


def _query_into(outcome: list[tuple[int, ...] | LevelZeroUnavailable]) -> None:
    """Append what :func:`_query` returns or raises: a thread has no other way out."""
    try:
        outcome.append(tuple(_query()))
    except LevelZeroUnavailable as error:
        outcome.append(error)
    except Exception as error:  # whatever a broken driver makes of ctypes
        outcome.append(
            LevelZeroUnavailable(
                f"Level Zero cannot be asked: {type(error).__name__}: {error}",
                fault=True,
            )
        )


def _query() -> list[int]:
    library = _load()
    try:
        _check(library.zeInit(_GPU_ONLY))
        drivers = _handles(library.zeDriverGet)
    except _CallFailed as error:
        absent = error.result == _UNINITIALIZED
        raise LevelZeroUnavailable(
            "Level Zero finds no GPU that this user may use"
            if absent
            else f"Intel's GPU driver cannot be used: {error} of Level Zero",
            fault=not absent,
        ) from error
    versions: list[int] = []
    for driver in drivers:
        try:
            devices = _handles(library.zeDeviceGet, driver)
        except _CallFailed:
            continue
        for device in devices:
            # One that cannot be read (lost, not permitted) leaves the others as they
            # are.
            try:
                version = _intel_gpu(library, device)
            except _CallFailed:
                continue
            if version is not None:
                versions.append(version)
    return versions


def _load() -> ctypes.CDLL:
    if sys.platform == "win32":
        windows = os.getenv("WINDIR", "C:/Windows")
        name = os.path.join(windows, "System32", "ze_loader.dll")
    else:
        name = "libze_loader.so.1"
    try:
        return ctypes.CDLL(name)
    except OSError as error:
        missing = isinstance(error, FileNotFoundError)
        if missing or os.strerror(errno.ENOENT) in str(error):
            raise LevelZeroUnavailable("Level Zero is not installed") from error
        raise LevelZeroUnavailable(f"Level Zero cannot be loaded: {error}") from error


def _handles(
    function: Callable[..., int], *owner: ctypes.c_void_p
) -> list[ctypes.c_void_p]:
    """Call a function that first tells how many handles it has and then gives them."""
    count = ctypes.c_uint32(0)
    _check(function(*owner, ctypes.byref(count), None))
    if not count.value:
        return []
    handles = (ctypes.c_void_p * min(count.value, _MAX_HANDLES))()
    count.value = len(handles)
    _check(function(*owner, ctypes.byref(count), handles))
    return [ctypes.c_void_p(handle) for handle in handles[: count.value] if handle]


def _intel_gpu(library: ctypes.CDLL, device: ctypes.c_void_p) -> int | None:
    """Return the IP version of a device, None if it is not a GPU of Intel's."""
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
