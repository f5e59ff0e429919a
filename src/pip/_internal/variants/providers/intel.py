"""Namespace ``intel``: which builds Intel's GPUs can run.

Properties, most preferred first; equal to those of intel-variant-provider 0.0.3 (commit
9516bd2):

``device_ip``
    The device IP of each GPU, in the order of Level Zero, and after it the one whose code
    the GPU can run as well (20.2.0: 20.2.0, 20.1.0); each once, and only known ones. A
    forced one stands alone.

Limits: no GPU is found without Intel's Level Zero, which such builds need, nor with a
driver too old to tell device IPs, nor if ``ZE_AFFINITY_MASK`` hides it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from pip._internal.variants.providers.driver import DriverUnavailable, may_find
from pip._internal.variants.providers.findings import (
    Findings,
    NotDetected,
    forced,
    require_this_machine,
)
from pip._internal.variants.providers.result import ProviderResult

__all__ = ["DEVICE_VARIABLE", "PACKAGES", "detect"]

PACKAGES = frozenset({"intel-variant-provider"})

DEVICE_VARIABLE = "INTEL_VARIANT_PROVIDER_FORCE_DEVICE_IP"

_SONAME = "libze_loader.so.1"  # on Linux

# The known device IPs, each with the one whose code it can run beside its own.
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


def detect(environ: Mapping[str, str], *, hardware: bool) -> ProviderResult:
    """Return which builds this machine, or the one that *environ* forces, can run."""
    found = Findings()
    values = found.attempt(lambda: _device_ips(environ, hardware, found.note))
    found.add("device_ip", values or ())
    return found.answer()


def _device_ips(
    environ: Mapping[str, str], hardware: bool, note: Callable[[str], None]
) -> tuple[Iterable[str], str]:
    def known(text: str) -> list[str] | None:
        return [text] if text in _COMPATIBLE_WITH else None

    expected = "a known device IP, such as '20.1.0'"
    given = forced(environ, DEVICE_VARIABLE, known, expected)
    if given is not None:
        return given
    require_this_machine(hardware)
    versions = _ask_driver()
    # Dicts keep the order, and each value once.
    values: dict[str, None] = {}
    unknown: dict[str, None] = {}
    for version in versions:
        device_ip = _device_ip(version)
        if device_ip not in _COMPATIBLE_WITH:
            unknown[device_ip] = None
            continue
        values[device_ip] = None
        base = _COMPATIBLE_WITH[device_ip]
        if base is not None:
            values[base] = None
    if not versions:
        raise NotDetected("Level Zero shows no Intel GPU that can be read")
    if unknown:
        reason = f"the provider does not know the device IP {', '.join(unknown)}"
        if not values:
            raise NotDetected(reason)
        note(reason)
    return values, "Level Zero"


def _ask_driver() -> tuple[int, ...]:
    if not may_find(_SONAME):
        raise NotDetected("Level Zero is not installed")
    try:
        from pip._internal.variants.providers import level_zero
    except ImportError as error:  # ctypes is an optional part of CPython
        raise NotDetected(f"Level Zero cannot be asked: {error}") from error
    try:
        return level_zero.query()
    except DriverUnavailable as error:
        raise error.absence(
            f"so builds for Intel's GPUs are left out; {DEVICE_VARIABLE} can tell what "
            "this machine has"
        ) from error


def _device_ip(version: int) -> str:
    """Write an IP version, of 32 bits, as properties do: 10, 8 and 6 of them."""
    return f"{version >> 22}.{version >> 14 & 0xFF}.{version & 0x3F}"
