"""Names of machines, such as ``cuda-12.8-sm_90-aarch64-py312``.

A name is made of parts, in any order, with dashes between; of each kind there may be one:

======== ===================================================================
system   ``linux``, ``macos``, ``macos-14`` or ``macos-14.4``, ``windows``
libc     ``glibc-2.35``, ``musl-1.2``: Linux
machine  ``x86_64``, ``x86_64-v3`` (its level; without, the lowest), ``aarch64`` or
         ``arm64`` (they are one), ``tegra`` (a Jetson: Linux on a 64-bit Arm)
Python   ``py312``, ``py3.12.4``, ``py313t`` (free-threaded), ``pypy311`` (release 7.3),
         ``pypy311-8.0``
devices  ``cuda-12.8``, ``cuda-12.8-sm_90``, ``rocm-gfx1100``,
         ``rocm-7.0-gfx1100``, ``xpu``, ``xpu-20.1.0``, ``tpu``; ``cpu``: none
======== ===================================================================

What a name does not say is as on this machine, but that it has no other devices, and that
a machine with devices does not run macOS.

Loaded only when a name was typed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from importlib import import_module
from types import MappingProxyType

from pip._vendor.packaging.markers import default_environment
from pip._vendor.wheel_variants.properties import SupportedFeature, SupportedProperties

from pip._internal.variants.errors import InvalidHostFile
from pip._internal.variants.providers import platforms
from pip._internal.variants.providers.host_file import HostDescription

__all__ = ["EXAMPLES", "named_host"]

#: For people who typed something else.
EXAMPLES = "cuda-12.8-sm_90, rocm-gfx1100, cpu-x86_64-v3 or macos-arm64-py313"

_FORMS = MappingProxyType(
    {
        "system": r"linux|windows|macos(?:-(?P<macos>10\.[0-9]{1,2}|(?:1[1-9]|2[0-9])(?:\.[0-9]{1,2})?))?",
        "libc": r"glibc-2\.(?P<glibc>[0-9]{1,2})|musl-1\.(?P<musl>[0-9])",
        "machine": r"x86_64(?:-v(?P<level>[1-4]))?|aarch64|arm64|tegra",
        "python": r"pypy3(?P<pypy>[0-9]{1,2})(?:-(?P<release>[0-9]{1,2}\.[0-9]))?"
        r"|py3\.?(?P<minor>[0-9]{1,2})(?:\.(?P<micro>[0-9]{1,2}))?(?P<threads>t?)",
        "devices": r"cuda-(?P<driver>[0-9]+\.[0-9]+)"
        r"(?:-sm_(?P<sm>[0-9]{1,2})(?P<sm_minor>[0-9]))?"
        r"|rocm(?:-(?P<rocm>[0-9]+\.[0-9]+))?(?:-(?P<gfx>gfx[0-9]+[0-9a-f]*))?"
        r"|xpu(?:-(?P<ip>[0-9]+\.[0-9]+\.[0-9]+))?|tpu|cpu",
    }
)
#: A CUDA version has no more letters.
_LONGEST = len("12.88")
#: The first minor version of Python 3 without the lock.
_FREE_THREADED = 13
#: As environment markers have them.
_SYSTEMS = MappingProxyType({"linux": "linux", "macos": "darwin", "windows": "win32"})
_ARM = ("aarch64", "arm64", "tegra")
#: Intel's GPUs of today, Arc B and its kin, run what is built for this one.
_DEVICE_IP = "20.1.0"


def named_host(name: str) -> HostDescription | None:
    """Return the machine of that name; None if there is none.

    :raises InvalidHostFile: if there is no such machine.
    """
    parts = _parts(name.strip())
    if parts is None:
        return None
    said: dict[str, str] = {}
    for match in parts.values():
        said |= {key: text for key, text in match.groupdict().items() if text}
    # Without its details.
    words = {kind: match[0].partition("-")[0] for kind, match in parts.items()}
    devices, machine = words.get("devices", "cpu"), words.get("machine")
    system = _system(name, words)
    supported = _devices(name, devices, said)
    if machine == "x86_64":
        # Every one is of the first level.
        levels = tuple(f"v{each}" for each in range(int(said.get("level", 1)), 0, -1))
        supported["x86_64"] = (SupportedFeature("level", levels),)
    if machine in _ARM:
        supported["aarch64"] = (SupportedFeature("version", ("8a",)),)
    environment, abis = _python(name, said)
    if system is not None:
        environment["sys_platform"] = system
    if machine is not None:
        here = default_environment()["sys_platform"]
        common = "aarch64" if machine in _ARM else machine
        environment["platform_machine"] = platforms.called(common, system or here)
    if machine == "tegra":
        # What kernels for Tegra have in their release tells them from those of servers.
        environment["platform_release"] = machine
    return HostDescription(
        name,
        SupportedProperties(supported),
        platforms.completed(environment),
        _platform_tags(said, environment),
        abis,
    )


def _parts(name: str) -> Mapping[str, re.Match[str]] | None:
    """Split a name into its parts; None if it is none."""
    found: dict[str, re.Match[str]] = {}
    rest: str | None = name
    while rest is not None:
        for kind, form in _FORMS.items():
            match = re.match(f"(?:{form})(?=-|$)", rest)
            if match is not None:
                break
        else:
            return None
        if kind in found:
            return None
        found[kind] = match
        rest = rest[match.end() + 1 :] if match.end() < len(rest) else None
    return found


def _system(name: str, words: Mapping[str, str]) -> str | None:
    """Return the ``sys_platform`` of a machine; None if it is this one's.

    :raises InvalidHostFile: if the parts of its name contradict each other.
    """
    system = _SYSTEMS.get(words.get("system", ""))
    if "libc" in words or words.get("machine") == "tegra":
        if system not in (None, "linux"):
            other = words.get("libc", "tegra")
            raise InvalidHostFile(
                name, f"{other} is of Linux, and not of {words['system']}."
            )
        return "linux"
    has_devices = words.get("devices", "cpu") != "cpu"
    if has_devices and system == "darwin":
        raise InvalidHostFile(name, "macOS has no such devices.")
    if has_devices and default_environment()["sys_platform"] == "darwin":
        return system or "linux"
    return system


def _devices(
    name: str, devices: str, said: Mapping[str, str]
) -> dict[str, tuple[SupportedFeature, ...]]:
    """Ask the provider of a machine's devices through its override variables.

    :raises InvalidHostFile: if there are no such devices.
    """
    if devices == "cpu":
        return {}
    namespace, environ, asked = _provider(devices, said)
    provider = import_module(f"pip._internal.variants.providers.{namespace}")
    answer = provider.detect(environ, hardware=False)
    told = {feature.name for feature in answer.features}
    if answer.warnings or not told.issuperset(asked):
        raise InvalidHostFile(name, f"No GPU is like that. Names are {EXAMPLES}.")
    return {namespace: answer.features}


def _provider(
    devices: str, said: Mapping[str, str]
) -> tuple[str, Mapping[str, str], set[str]]:
    """Return the namespace of devices, override variables, and features to be told."""
    if devices == "cuda":
        from pip._internal.variants.providers import nvidia

        if len(said["driver"]) > _LONGEST:
            raise InvalidHostFile(
                f"cuda-{said['driver']}",
                "It is not the driver's own version, but that of CUDA, which nvidia-smi "
                "shows beside it: cuda-12.8.",
            )
        capability = f"{said['sm']}.{said['sm_minor']}" if "sm" in said else ""
        environ = {nvidia.CUDA_VARIABLE: said["driver"], nvidia.SM_VARIABLE: capability}
        return "nvidia", environ, {"sm_arch"} if capability else set()
    if devices == "rocm":
        from pip._internal.variants.providers import amd

        environ = {}
        if "gfx" in said:
            environ[amd.GFX_VARIABLE] = said["gfx"]
        if "rocm" in said:
            environ[amd.ROCM_VARIABLE] = f"{said['rocm']}.0"
        return "amd", environ, set()
    if devices == "xpu":
        from pip._internal.variants.providers import intel

        return (
            "intel",
            {intel.DEVICE_VARIABLE: said.get("ip", _DEVICE_IP)},
            {"device_ip"},
        )
    from pip._internal.variants.providers import tpu

    return "tpu", {tpu.PRESENT_VARIABLE: "true"}, {"present"}


def _python(
    name: str, said: Mapping[str, str]
) -> tuple[dict[str, str], tuple[str, ...]]:
    """Return what markers tell of an interpreter, and its ABIs; empty if it is this one.

    :raises InvalidHostFile: if there is no such interpreter.
    """
    minor = said.get("pypy") or said.get("minor")
    if minor is None:
        return {}, ()
    if "threads" in said and int(minor) < _FREE_THREADED:
        raise InvalidHostFile(
            name, f"Free-threaded Pythons there are from 3.{_FREE_THREADED} on."
        )
    told = {
        "implementation_name": "pypy" if "pypy" in said else "cpython",
        "python_full_version": f"3.{int(minor)}.{int(said.get('micro', '0'))}",
    }
    release = said.get("release")
    if release is not None:
        told["implementation_version"] = f"{release}.0"
    environment = platforms.completed(told)
    abi = f"{platforms.usual_abi(environment)}{said.get('threads', '')}"
    if release is not None:
        abi = f"pypy3{int(minor)}_pp{release.replace('.', '')}"
    return environment, (abi,)


def _platform_tags(
    said: Mapping[str, str], environment: Mapping[str, str]
) -> tuple[str, ...]:
    """Return the platform tags of a machine of which the name tells enough, else none."""
    here = default_environment()["platform_machine"]
    machine = platforms.usual(environment.get("platform_machine", here))
    if "glibc" in said:
        return platforms.of_glibc(int(said["glibc"]), machine)
    if "musl" in said:
        return platforms.of_musl(int(said["musl"]), machine)
    if "macos" in said:
        major, _, minor = said["macos"].partition(".")
        return platforms.of_mac_os((int(major), int(minor or 0)), machine)
    return ()
