"""Names of machines, such as ``cuda-12.8-sm_90-aarch64-py312``.

A name has parts in any order, joined by dashes, and at most one part of each kind:

======== ===================================================================
system   ``linux``, ``macos``, ``macos-14`` or ``macos-14.4``, ``windows``
libc     ``glibc-2.35``, ``musl-1.2``: Linux
machine  ``x86_64``, ``x86_64-v3`` (its level; without, the lowest), ``aarch64`` or
         ``arm64`` (the same), ``tegra`` (a Jetson: Linux on a 64-bit Arm)
Python   ``py312``, ``py3.12.4``, ``py313t`` (free-threaded), ``pypy311`` (release 7.3),
         ``pypy311-8.0``
devices  ``cuda-12.8-sm_90`` or ``cuda-12.8-h100`` (driver, GPU), ``rocm``,
         ``rocm-gfx942``, ``rocm-7.1-gfx942`` or ``rocm-7.1-mi300x``, ``xpu``,
         ``xpu-20.1.0``, ``tpu``; ``cpu``: none
======== ===================================================================

What a name does not say is as on this machine, except that it has no other devices, and
that a machine with devices does not run macOS.

Loaded only when a host was named.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from importlib import import_module
from types import MappingProxyType

from pip._vendor.packaging.markers import default_environment
from pip._vendor.wheel_variants.properties import SupportedFeature, SupportedProperties

from pip._internal.models.target_python import TargetPython
from pip._internal.variants.errors import (
    InvalidEnvironment,
    InvalidHostFile,
    UnknownHost,
)
from pip._internal.variants.providers import platforms
from pip._internal.variants.providers.host_file import HostDescription, read_host_file
from pip._internal.variants.providers.target import tags_of

__all__ = ["named_host", "named_platform", "nearest_name", "read_host"]

#: By the name of an NVIDIA GPU, its compute capability; of an AMD one, its architecture.
_NVIDIA = MappingProxyType(
    {
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
    }
)
_AMD = MappingProxyType(
    {
        "mi250x": "gfx90a",
        **dict.fromkeys(("mi300x", "mi325x"), "gfx942"),
        **dict.fromkeys(("mi350x", "mi355x"), "gfx950"),
        "rx7900xtx": "gfx1100",
        "rx9070xt": "gfx1201",
    }
)


def _one_of(form: str, models: Iterable[str]) -> str:
    """Return a pattern for GPUs; a model may have a dash before its number."""
    return "|".join((form, *(re.sub("^(rt?x)", r"\1-?", each) for each in models)))


_NVIDIA_GPU = _one_of("sm_[0-9]{2,3}", _NVIDIA)
_AMD_GPU = _one_of("gfx[0-9]+[0-9a-f]*", _AMD)
_FORMS = MappingProxyType(
    {
        "system": r"linux|windows|macos(?:-(?P<macos>10\.[0-9]{1,2}|(?:1[1-9]|2[0-9])(?:\.[0-9]{1,2})?))?",
        "libc": r"glibc-2\.(?P<glibc>[0-9]{1,2})|musl-1\.(?P<musl>[0-9])",
        "machine": r"x86_64(?:-v(?P<level>[1-4]))?|aarch64|arm64|tegra",
        "python": r"pypy3(?P<pypy>[0-9]{1,2})(?:-(?P<release>[0-9]{1,2}\.[0-9]))?"
        r"|py3\.?(?P<minor>[0-9]{1,2})(?:\.(?P<micro>[0-9]{1,2}))?(?P<threads>t?)",
        "devices": rf"cuda-(?P<cuda>[0-9]+\.[0-9]+)(?:-(?P<nvidia>{_NVIDIA_GPU}))?"
        rf"|rocm(?:-(?P<rocm>[0-9]+\.[0-9]+))?(?:-(?P<amd>{_AMD_GPU}))?"
        r"|xpu(?:-(?P<ip>[0-9]+\.[0-9]+\.[0-9]+))?|tpu|cpu"
        rf"|(?P<bare_nvidia>{_NVIDIA_GPU})|(?P<bare_amd>{_AMD_GPU})",
    }
)
#: The first minor version of Python 3 without the lock.
_FREE_THREADED = 13
#: As environment markers have them.
_SYSTEMS = MappingProxyType({"linux": "linux", "macos": "darwin", "windows": "win32"})
_ARM = ("aarch64", "arm64", "tegra")
#: Intel's GPUs of today, Arc B and its kin, run what is built for this one.
_DEVICE_IP = "20.1.0"
#: What the parts of names are made of, to propose one for what was mistyped.
_WORDS = (
    *("linux", "macos", "windows", "glibc", "musl", "x86_64", "aarch64", "arm64"),
    *(
        "tegra",
        "cuda",
        "rocm",
        "xpu",
        "tpu",
        "cpu",
        *(f"py3{n}" for n in range(10, 16)),
    ),
    *(*_NVIDIA, *_NVIDIA.values(), *_AMD, *_AMD.values()),
)


def read_host(file_or_name: str) -> HostDescription:
    """Return the machine that a file describes or, if there is no such file, a name.

    :raises InvalidHostFile: if the file cannot be used, or if there is no such GPU.
    :raises UnknownHost: if there is neither such a file nor such a name.
    """
    is_name = file_or_name == os.path.basename(file_or_name)
    # A folder is no file, whatever it is called.
    if not os.path.exists(file_or_name) or (is_name and os.path.isdir(file_or_name)):
        host = named_host(file_or_name) if is_name else None
        if host is not None:
            return host
        if is_name and not file_or_name.endswith(".json"):
            raise UnknownHost(file_or_name, nearest_name(file_or_name))
    return read_host_file(file_or_name)


def named_platform(name: str) -> HostDescription:
    """Return the platform and the Python of that name.

    :raises InvalidEnvironment: if it names hardware.
    :raises InvalidHostFile: if there are none such.
    :raises UnknownHost: if it is no name.
    """
    parts = _parts(name.strip().lower())
    if parts is None:
        raise UnknownHost(name, nearest_name(name))
    hardware = [parts["devices"][0]] if "devices" in parts else []
    if "machine" in parts and parts["machine"]["level"]:
        hardware.append(f"v{parts['machine']['level']}")
    if hardware:
        rest = name.strip().lower()
        for each in hardware:
            rest = re.sub(f"(^|-){re.escape(each)}(?=-|$)", "", rest, count=1).strip(
                "-"
            )
        raise InvalidEnvironment(
            name,
            f"'{'-'.join(hardware)}' is hardware, and the lock file has the variants for "
            "all hardware.",
            f"Leave it out: --environment {rest or 'linux-x86_64-py313'}",
        )
    host = named_host(name)
    assert host is not None, "it has parts"
    return host


def named_host(name: str) -> HostDescription | None:
    """Return the machine of that name; None if there is none.

    :raises InvalidHostFile: if there is no such machine.
    """
    parts = _parts(name.strip().lower())
    if parts is None:
        return None
    said: dict[str, str] = {}
    for match in parts.values():
        said |= {key: text for key, text in match.groupdict().items() if text}
    # Without its details.
    words = {kind: match[0].partition("-")[0] for kind, match in parts.items()}
    devices, machine = words.get("devices", "cpu"), words.get("machine")
    system = _system(name, words)
    supported = _devices(name, devices, said) | _cpu(machine, said)
    environment, abis = _python(name, said)
    if system is not None:
        environment["sys_platform"] = system
    if machine is not None:
        environment["platform_machine"] = "aarch64" if machine in _ARM else machine
        # What kernels for Tegra have in their release tells them from those of servers.
        environment["platform_release"] = machine if machine == "tegra" else ""
    if not environment:
        return HostDescription(name, SupportedProperties(supported), {})
    here = {key: str(value) for key, value in default_environment().items()}
    environment = platforms.expanded(platforms.completed(environment), here)
    tags = _platform_tags(name, said, environment, here)
    abis = abis or tuple(tags_of(TargetPython())["abis"])
    return HostDescription(
        name, SupportedProperties(supported), environment, tags, abis
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


def _cpu(
    machine: str | None, said: Mapping[str, str]
) -> dict[str, tuple[SupportedFeature, ...]]:
    """Return what the processor supports."""
    if machine == "x86_64":
        # Every one is of the first level.
        levels = tuple(f"v{each}" for each in range(int(said.get("level", 1)), 0, -1))
        return {"x86_64": (SupportedFeature("level", levels),)}
    if machine in _ARM:
        return {"aarch64": (SupportedFeature("version", ("8a",)),)}
    return {}


def nearest_name(name: str) -> str | None:
    """Return a valid name that looks like *name* and has the same numbers, if any."""
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


def _incomplete(name: str, said: Mapping[str, str]) -> InvalidHostFile:
    """Return the error for a GPU without a driver, or a driver without a GPU."""
    if "cuda" in said:
        given = f"cuda-{said['cuda']}"
        hint = " or, by the name of the GPU, ".join(
            name.lower().replace(given, f"{given}-{gpu}") for gpu in ("sm_90", "h100")
        )
        why = f"'{given}' lacks the compute capability of the GPU."
        return InvalidHostFile(name, why, f"To add it: {hint}")
    if "bare_nvidia" in said:
        gpu, driver = said["bare_nvidia"], "cuda-13.0"
        what, shown = "CUDA version that its driver supports", " (nvidia-smi shows it)"
    else:
        gpu, driver, what, shown = said["bare_amd"], "rocm-7.1", "ROCm version", ""
    hint = f"To add it{shown}: {name.lower().replace(gpu, f'{driver}-{gpu}')}"
    return InvalidHostFile(name, f"'{gpu}' is a GPU; the name lacks the {what}.", hint)


def _devices(
    name: str, devices: str, said: Mapping[str, str]
) -> dict[str, tuple[SupportedFeature, ...]]:
    """Ask the provider of a machine's devices through its override variables.

    :raises InvalidHostFile: if there are no such devices, or the name says too little.
    """
    if devices == "cpu":
        return {}
    lacks_gpu = "cuda" in said and "nvidia" not in said
    if lacks_gpu or not said.keys().isdisjoint({"bare_nvidia", "bare_amd"}):
        raise _incomplete(name, said)
    namespace, environ, problems = _provider(devices, said)
    provider = import_module(f"pip._internal.variants.providers.{namespace}")
    features = provider.detect(environ, hardware=False).features
    found = {feature.name for feature in features}
    for feature, problem in problems.items():
        if feature not in found:
            raise InvalidHostFile(name, problem)
    return {namespace: features}


def _provider(
    devices: str, said: Mapping[str, str]
) -> tuple[str, Mapping[str, str], Mapping[str, str]]:
    """Return the namespace of devices, and the variables that override detection.

    :return: and by feature, what is wrong if the provider does not find it.
    """
    if devices == "cuda":
        from pip._internal.variants.providers import nvidia

        cuda, gpu = said["cuda"], said["nvidia"].replace("-", "")
        sm = _NVIDIA.get(gpu, gpu)[3:]
        capability = f"{sm[:-1]}.{sm[-1]}"
        known = "nvidia-smi shows it beside the driver's own version"
        problems = {
            "cuda_version_lower_bound": f"There is no CUDA {cuda}; {known}.",
            "sm_arch": f"No variant is for compute capability {capability}.",
        }
        environ = {nvidia.CUDA_VARIABLE: cuda, nvidia.SM_VARIABLE: capability}
        return "nvidia", environ, problems
    if devices == "rocm":
        from pip._internal.variants.providers import amd

        environ, problems = {}, {}
        if "amd" in said:
            gpu = said["amd"].replace("-", "")
            environ[amd.GFX_VARIABLE] = _AMD.get(gpu, gpu)
            problems["gfx_arch"] = f"There is no AMD GPU {gpu}."
        if "rocm" in said:
            environ[amd.ROCM_VARIABLE] = f"{said['rocm']}.0"
            problems["rocm_version"] = f"There is no ROCm {said['rocm']}."
        return "amd", environ, problems
    if devices == "xpu":
        from pip._internal.variants.providers import intel

        ip = said.get("ip", _DEVICE_IP)
        problem = f"There is no Intel GPU with the device IP {ip}."
        return "intel", {intel.DEVICE_VARIABLE: ip}, {"device_ip": problem}
    from pip._internal.variants.providers import tpu

    return "tpu", {tpu.PRESENT_VARIABLE: "true"}, {}


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
    name: str,
    said: Mapping[str, str],
    environment: Mapping[str, str],
    here: Mapping[str, str],
) -> tuple[str, ...]:
    """Return the platform tags of a machine.

    :raises InvalidHostFile: if nothing tells them.
    """
    machine = platforms.usual(environment["platform_machine"])
    if "glibc" in said:
        return platforms.of_glibc(int(said["glibc"]), machine)
    if "musl" in said:
        return platforms.of_musl(int(said["musl"]), machine)
    if "macos" in said:
        major, _, minor = said["macos"].partition(".")
        return platforms.of_mac_os((int(major), int(minor or 0)), machine)
    if not any(platforms.differs(here, environment, n) for n in platforms.OF_PLATFORM):
        return tuple(tags_of(TargetPython())["platforms"])
    tags = platforms.of_system(environment["sys_platform"], machine)
    if not tags:
        raise InvalidHostFile(
            name,
            f"No platform tags are known for {environment['sys_platform']} on {machine}.",
            "Write a file on that machine: pip variants host --json",
        )
    return tags
