"""Parse names of machines, such as ``cuda-12.8-sm_90-aarch64-py312``.

A name has parts in any order, joined by dashes, and at most one part of each kind:

======== ===================================================================
system   ``linux``, ``macos``, ``macos-14`` or ``macos-14.4``, ``windows``
libc     ``glibc-2.35``, ``musl-1.2``: Linux
machine  ``x86_64``, ``x86_64-v3`` (the level; the lowest by default), ``aarch64`` or
         ``arm64`` (the same), ``tegra`` (a Jetson: Linux on a 64-bit Arm)
Python   ``py312``, ``py3.12.4``, ``py313t`` (free-threaded)
devices  ``cuda-12.8-sm_90`` or ``cuda-12.8-h100`` (driver, GPU), ``rocm``,
         ``rocm-gfx942``, ``rocm-7.1-gfx942`` or ``rocm-7.1-mi300x``, ``xpu``,
         ``xpu-20.1.0``, ``tpu``; ``cpu``: none
======== ===================================================================

This machine is the default for all other facts, except that the named machine has no other
devices, and that a machine with devices does not run macOS.

Loaded only if the user names a host.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from importlib import import_module

from pip._vendor.packaging.tags import mac_platforms
from pip._vendor.wheel_variants.properties import SupportedFeature

from pip._internal.models.target_python import TargetPython
from pip._internal.variants.errors import InvalidHostFile, UnknownHost
from pip._internal.variants.providers import amd, intel, nvidia, target, tpu
from pip._internal.variants.providers.host_file import HostDescription, read_host_file

#: The compute capability (NVIDIA) or architecture (AMD) of a GPU, by its name.
_GPUS: Mapping[str, str] = {
    "v100": "sm_70",
    "t4": "sm_75",
    **dict.fromkeys(("a100", "a30"), "sm_80"),
    **dict.fromkeys(("a10", "a10g", "a40", "rtx3090"), "sm_86"),
    **dict.fromkeys(("l4", "l40s", "rtx4090"), "sm_89"),
    **dict.fromkeys(("h100", "h200", "gh200"), "sm_90"),
    **dict.fromkeys(("b200", "gb200"), "sm_100"),
    "b300": "sm_103",
    "rtx5090": "sm_120",
    "gb10": "sm_121",
    "mi250x": "gfx90a",
    **dict.fromkeys(("mi300x", "mi325x"), "gfx942"),
    **dict.fromkeys(("mi350x", "mi355x"), "gfx950"),
    "rx7900xtx": "gfx1100",
    "rx9070xt": "gfx1201",
}
_SM = "|".join(["sm_[0-9]{2,3}", *(n for n, v in _GPUS.items() if v[:2] == "sm")])
_GFX = "|".join(
    ["gfx[0-9]+[0-9a-f]*", *(n for n, v in _GPUS.items() if v[:3] == "gfx")]
)
_FORMS = {
    "system": r"linux|windows|macos(?:-(?P<macos>10\.[0-9]{1,2}|(?:1[1-9]|2[0-9])(?:\.[0-9]{1,2})?))?",
    "libc": r"glibc-2\.(?P<glibc>[0-9]{1,2})|musl-1\.(?P<musl>[0-9])",
    "machine": r"x86_64(?:-v(?P<level>[1-4]))?|aarch64|arm64|tegra",
    "python": r"py3\.?(?P<minor>[1-3]?[0-9])(?:\.(?P<micro>[0-9]{1,2}))?(?P<threads>t?)",
    "devices": rf"cuda-(?P<cuda>[0-9]+\.[0-9]+)(?:-(?P<sm>{_SM}))?"
    rf"|rocm(?:-(?P<rocm>[0-9]{{1,3}}\.[0-9]{{1,3}}))?(?:-(?P<gfx>{_GFX}))?"
    r"|xpu(?:-(?P<ip>[0-9]+\.[0-9]+\.[0-9]+))?|tpu|cpu"
    rf"|(?P<only_sm>{_SM})|(?P<only_gfx>{_GFX})",
}
#: The first minor version of Python 3 with a free-threaded build.
_FREE_THREADED = 13
#: The values of ``sys_platform``.
_SYSTEMS = {"linux": "linux", "macos": "darwin", "windows": "win32"}
_ARM = ("aarch64", "arm64", "tegra")
#: The namespaces of devices.
_NAMESPACES = {"cuda": "nvidia", "rocm": "amd", "xpu": "intel", "tpu": "tpu"}
#: Current Intel GPUs (Arc B and similar) run code for this device IP.
_DEVICE_IP = "20.1.0"
#: The oldest minor version of glibc 2 for wheels, in general and on x86 processors.
_OLDEST_GLIBC, _OLDEST_ON_X86 = 17, 5
_GLIBC_ALIASES = {17: "manylinux2014", 12: "manylinux2010", 5: "manylinux1"}
#: The words of names, to suggest corrections of mistyped names.
_WORDS = (
    *("linux", "macos", "windows", "glibc", "musl", "x86_64", "aarch64", "arm64"),
    *("tegra", "cuda", "rocm", "xpu", "tpu", "cpu", *_GPUS, *_GPUS.values()),
)


def read_host(file_or_name: str) -> HostDescription:
    """Return the machine of a host file or, if there is no such file, of a name.

    :raises InvalidHostFile: if the file is invalid, or if a named GPU does not exist.
    :raises UnknownHost: if *file_or_name* is neither a file nor a valid name.
    """
    is_name = file_or_name == os.path.basename(file_or_name)
    # A folder is not a file, whatever its name is.
    if not os.path.exists(file_or_name) or (is_name and os.path.isdir(file_or_name)):
        host = named_host(file_or_name) if is_name else None
        if host is not None:
            return host
        if is_name and not file_or_name.endswith(".json"):
            raise UnknownHost(file_or_name, nearest_name(file_or_name))
    return read_host_file(file_or_name)


def named_platform(name: str) -> HostDescription:
    """Return the platform and the Python of a name.

    :raises InvalidHostFile: if there is no such machine, or if the name includes hardware.
    :raises UnknownHost: if the name is invalid.
    """
    host = named_host(name)
    if host is None:
        raise UnknownHost(name, nearest_name(name))
    parts = _parts(name) or {}
    if "devices" in parts or ("machine" in parts and parts["machine"]["level"]):
        raise InvalidHostFile(
            name,
            "The name includes hardware, but a lock file always contains the variants "
            "for all hardware.",
            "Name a platform and a Python, as in: --environment linux-x86_64-py313",
        )
    return host


def named_host(name: str) -> HostDescription | None:
    """Return the machine of a name; None if the name is invalid.

    :raises InvalidHostFile: if there is no such machine.
    """
    parts = _parts(name)
    if parts is None:
        return None
    data: dict[str, str] = {}
    for match in parts.values():
        data |= {key: text for key, text in match.groupdict().items() if text}
    # Without details
    words = {kind: match[0].partition("-")[0] for kind, match in parts.items()}
    machine = words.get("machine")
    supported = _devices(name, words.get("devices", "cpu"), data) | _cpu(machine, data)
    system = _system(name, words)
    python, abis = _python(name, data)
    if not (system or machine or python):
        return HostDescription(name, supported, {})
    environment = target.environment_of(
        sys_platform=system,
        machine="aarch64" if machine in _ARM else machine,
        python=python,
    )
    if machine == "tegra":
        # Kernels for Tegra have this word in their release.
        environment["platform_release"] = machine
    tags = _platform_tags(name, data, environment)
    abis = abis or tuple(target.tags_of(TargetPython())["abis"])
    return HostDescription(name, supported, environment, tags, abis)


def _parts(name: str) -> Mapping[str, re.Match[str]] | None:
    """Return the parts of a name, or None if the name is invalid."""
    found: dict[str, re.Match[str]] = {}
    rest: str | None = name.strip().lower()
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
    """Return the ``sys_platform`` in a name, or None if this machine's ``sys_platform`` counts.

    :raises InvalidHostFile: if the parts of the name contradict each other.
    """
    system = _SYSTEMS.get(words.get("system", ""))
    if "libc" in words or words.get("machine") == "tegra":
        if system not in (None, "linux"):
            other = words.get("libc", "tegra")
            raise InvalidHostFile(
                name, f"'{other}' is only for Linux, not for '{words['system']}'."
            )
        return "linux"
    has_devices = words.get("devices", "cpu") != "cpu"
    if has_devices and system == "darwin":
        raise InvalidHostFile(name, f"macOS does not support '{words['devices']}'.")
    if has_devices and target.this_machine()["sys_platform"] == "darwin":
        return system or "linux"
    return system


def _cpu(
    machine: str | None, data: Mapping[str, str]
) -> dict[str, tuple[SupportedFeature, ...]]:
    """Return the features of the CPU in a name."""
    if machine == "x86_64":
        # Every x86-64 CPU supports the first level.
        levels = tuple(f"v{each}" for each in range(int(data.get("level", 1)), 0, -1))
        return {"x86_64": (SupportedFeature("level", levels),)}
    if machine in _ARM:
        return {"aarch64": (SupportedFeature("version", ("8a",)),)}
    return {}


def nearest_name(name: str) -> str | None:
    """Return a similar valid name with the same numbers, or None."""
    words = []
    for word in name.lower().split("-"):
        same = [each for each in _WORDS if _digits(each) == _digits(word)]
        words.append(next(iter(get_close_matches(word, same, 1)), word))
    nearest = "-".join(words)
    try:
        return nearest if named_host(nearest) is not None else None
    except InvalidHostFile:
        return None


def _digits(text: str) -> str:
    return "".join(filter(str.isdigit, text))


def _devices(
    name: str, devices: str, data: Mapping[str, str]
) -> dict[str, tuple[SupportedFeature, ...]]:
    """Query a device provider through its override variables.

    :raises InvalidHostFile: if there is no such device, or the name is incomplete.
    """
    if devices == "cpu":
        return {}
    _require_pair(name, data)
    sm = _GPUS.get(data.get("sm", ""), data.get("sm", "")).removeprefix("sm_")
    variables = {
        nvidia.CUDA_VARIABLE: data.get("cuda", ""),
        nvidia.SM_VARIABLE: f"{sm[:-1]}.{sm[-1:]}",
        amd.GFX_VARIABLE: _GPUS.get(data.get("gfx", ""), data.get("gfx", "")),
        amd.ROCM_VARIABLE: f"{data['rocm']}.0" if "rocm" in data else "",
        intel.DEVICE_VARIABLE: data.get("ip", _DEVICE_IP),
        tpu.PRESENT_VARIABLE: "true",
    }
    namespace = _NAMESPACES[devices]
    provider = import_module(f"pip._internal.variants.providers.{namespace}")
    answer = provider.detect(variables, hardware=False)
    needed = {"cuda": ["cuda_version_lower_bound", "sm_arch"], "xpu": ["device_ip"]}
    if not all(map(answer.values, needed.get(devices, ()))):
        raise InvalidHostFile(name, "No variant supports this driver or GPU.")
    return {namespace: answer.features}


def _require_pair(name: str, data: Mapping[str, str]) -> None:
    """Check that a name has both a CUDA version and a GPU, or neither."""
    for given, example, missing in (
        (data.get("only_sm"), "cuda-13.0-{}", "CUDA version (nvidia-smi shows it)"),
        (data.get("only_gfx"), "rocm-7.1-{}", "ROCm version"),
        (
            f"cuda-{data['cuda']}" if "cuda" in data and "sm" not in data else None,
            "{}-sm_90",
            "GPU or its compute capability",
        ),
    ):
        if given is not None:
            hint = name.lower().replace(given, example.format(given))
            why = f"The name lacks the {missing}."
            raise InvalidHostFile(name, why, f"For example: {hint}")


def _python(name: str, data: Mapping[str, str]) -> tuple[str | None, tuple[str, ...]]:
    """Return the version and ABI tags of the Python in a name; None and empty without one.

    :raises InvalidHostFile: if there is no such interpreter.
    """
    if "minor" not in data:
        return None, ()
    minor, threads = int(data["minor"]), data.get("threads", "")
    if threads and minor < _FREE_THREADED:
        raise InvalidHostFile(
            name, f"Free-threaded Python needs version 3.{_FREE_THREADED} or newer."
        )
    return f"3.{minor}.{int(data.get('micro', 0))}", (f"cp3{minor}{threads}",)


def _platform_tags(
    name: str, data: Mapping[str, str], environment: Mapping[str, str]
) -> tuple[str, ...]:
    """Return the platform tags of a machine, best first.

    :raises InvalidHostFile: if the tags are unknown.
    """
    here, machine = target.this_machine(), target.usual(environment["platform_machine"])
    system = environment["sys_platform"]
    if "musl" in data:
        versions = range(int(data["musl"]), -1, -1)
        musl = (f"musllinux_1_{each}_{machine}" for each in versions)
        return (f"linux_{machine}", *musl)
    is_as_here = not any(
        target.differs(here, environment, each)
        for each in ("sys_platform", "platform_machine")
    )
    if is_as_here and not {"glibc", "macos"} & data.keys():
        return tuple(target.tags_of(TargetPython())["platforms"])
    if system == "linux":
        # Most wheels are built for this glibc.
        return tuple(_glibc_tags(int(data.get("glibc", 28)), machine))
    if system == "darwin":
        # The oldest macOS that Apple supports.
        major, _, minor = data.get("macos", "14").partition(".")
        arch = environment["platform_machine"]
        return tuple(mac_platforms((int(major), int(minor or 0)), arch))
    windows = {"x86_64": "win_amd64", "aarch64": "win_arm64", "x86": "win32"}
    if system == "win32" and machine in windows:
        return (windows[machine],)
    raise InvalidHostFile(
        name,
        f"pip knows no platform tags for {system} on {machine}.",
        "Write a file on that machine: pip variants host --json",
    )


def _glibc_tags(minor: int, machine: str) -> Iterator[str]:
    """Yield the platform tags of a Linux system with glibc 2."""
    oldest = _OLDEST_ON_X86 if machine in ("x86_64", "i686") else _OLDEST_GLIBC
    yield f"linux_{machine}"
    for each in range(minor, oldest - 1, -1):
        yield f"manylinux_2_{each}_{machine}"
        if each in _GLIBC_ALIASES:
            yield f"{_GLIBC_ALIASES[each]}_{machine}"
