"""Platforms: their tags, and what environment markers (PEP 508) say of them.

Pure: nothing here looks at this machine.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from types import MappingProxyType

from pip._vendor.packaging.tags import mac_platforms

__all__ = [
    "INTERPRETERS",
    "OF_INTERPRETER",
    "OF_MANY",
    "OF_PLATFORM",
    "SYSTEMS",
    "called",
    "completed",
    "differs",
    "expanded",
    "following",
    "of_abi",
    "of_glibc",
    "of_mac_os",
    "of_musl",
    "of_system",
    "of_tag",
    "release_of",
    "usual",
    "usual_abi",
]

#: The variables that tell which platform it is.
OF_PLATFORM = ("sys_platform", "platform_machine")
#: And those that tell which interpreter.
OF_INTERPRETER = ("implementation_name", "python_full_version")
#: By sys_platform: os_name and platform_system.
SYSTEMS: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "linux": ("posix", "Linux"),
        "darwin": ("posix", "Darwin"),
        "win32": ("nt", "Windows"),
        "ios": ("posix", "iOS"),
        "android": ("posix", "Android"),
    }
)
#: The sys_platform of platform tags, and where they tell the type of the machine.
_OF_TAGS = (
    (re.compile(r"win_(?P<machine>.+)|win32"), "win32"),
    (re.compile(r"macosx_[0-9]+_[0-9]+_(?P<machine>.+)"), "darwin"),
    (re.compile(r"ios_[0-9]+_[0-9]+_(?P<machine>arm64|x86_64)_.+"), "ios"),
    (re.compile(r"android_[0-9]+_(?P<machine>.+)"), "android"),
    (
        re.compile(r"(?:manylinux[0-9]+|manylinux_[0-9]+_[0-9]+)_(?P<machine>.+)"),
        "linux",
    ),
    (re.compile(r"(?:musllinux_[0-9]+_[0-9]+|linux)_(?P<machine>.+)"), "linux"),
)
#: What tags call types of machines that markers call otherwise; empty for several.
_MACHINES = {
    **{"arm64_v8a": "aarch64", "armeabi_v7a": "armv7l"},
    **dict.fromkeys(("universal", "universal2", "intel", "fat", "fat3", "fat32"), ""),
    "fat64": "",
}
#: What systems call machine types that Linux calls x86_64 and aarch64.
_NAMES: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        "win32": {"x86_64": "AMD64", "aarch64": "ARM64"},
        "darwin": {"aarch64": "arm64"},
        "ios": {"aarch64": "arm64"},
    }
)
_SAME_MACHINE = {"amd64": "x86_64", "arm64": "aarch64"}
#: By implementation_name, what tags call an interpreter.
INTERPRETERS: Mapping[str, str] = MappingProxyType({"cpython": "cp", "pypy": "pp"})
#: And the usual ABI of version X.Y, as XY: that of most PyPys is the one of release 7.3.
_ABIS = {"cpython": "cp{}", "pypy": "pypy{}_pp73"}
#: ABI tags that several interpreters have.
OF_MANY = frozenset({"none", "abi3", "abi3t"})
#: Before this minor version of CPython 3, its ABI tells how it allocates memory.
_NO_PYMALLOC = 8
#: By implementation_name, ABIs of any release of it.
_FORMS = {
    "cpython": re.compile(r"cp([23])([0-9]{1,2})(?![0-9])"),
    "pypy": re.compile(r"pypy([23])([0-9]{1,2})_pp[0-9]+$"),
}
#: By implementation_name: platform_python_implementation, and implementation_version if it
#: is not that of Python.
_IMPLEMENTATIONS = {
    "cpython": ("CPython", ""),
    "pypy": ("PyPy", "7.3.0"),
    "graalpy": ("GraalVM", ""),
}
#: What a machine is taken for of which only system and type are known: the glibc that most
#: is built for, and the oldest macOS that Apple mends.
_GLIBC, _MAC_OS = 28, (14, 0)
#: The oldest minor version of glibc 2 that wheels are built for, and on x86 processors.
_OLDEST_GLIBC, _OLDEST_ON_X86 = 17, 5
_ALIASES = {17: "manylinux2014", 12: "manylinux2010", 5: "manylinux1"}


def called(machine: str, sys_platform: str) -> str:
    """Return what a system calls a type of machines that Linux calls *machine*."""
    return _NAMES.get(sys_platform, {}).get(machine, machine)


def usual(machine: str) -> str:
    """Return what Linux calls a type of machines."""
    return _SAME_MACHINE.get(machine.lower(), machine.lower())


def of_tag(tag: str) -> dict[str, str]:
    """Return what markers say of a machine for which wheels with a platform tag are.

    :return: empty if the tag is of no known system.
    """
    for pattern, sys_platform in _OF_TAGS:
        match = pattern.fullmatch(tag)
        if match is not None:
            break
    else:
        return {}
    # There is no other one without its name.
    called_there = match["machine"] or "x86"
    common = usual(_MACHINES.get(called_there, called_there))
    machine = called(common, sys_platform)
    said = completed({"sys_platform": sys_platform})
    # This machine's kernel says nothing of another one's.
    unknown = dict.fromkeys(("platform_release", "platform_version"), "")
    return {**said, "platform_machine": machine, **unknown}


def differs(one: Mapping[str, str], other: Mapping[str, str], name: str) -> bool:
    """Return whether two machines differ in a variable, as far as the other has it."""
    return name in other and usual(one[name]) != usual(other[name])


def expanded(said: Mapping[str, str], here: Mapping[str, str]) -> dict[str, str]:
    """Return all markers of a machine of which some are said.

    :param here: the markers of this machine, from which the others are taken.
    """
    if any(differs(here, said, name) for name in OF_INTERPRETER):
        said = completed({**{name: here[name] for name in OF_INTERPRETER}, **said})
    kernel: Mapping[str, str] = {}
    if any(differs(here, said, name) for name in OF_PLATFORM):
        # This machine's kernel says nothing of another one's.
        kernel = dict.fromkeys(("platform_release", "platform_version"), "")
    environment = {**here, **kernel, **said}
    if environment["sys_platform"] in SYSTEMS:
        # Each has words of its own for the same type of machine.
        machine = usual(environment["platform_machine"])
        environment["platform_machine"] = called(machine, environment["sys_platform"])
    return environment


def completed(said: Mapping[str, str]) -> dict[str, str]:
    """Add to what is said of a machine what follows from that.

    :param said: values of environment markers.
    """
    environment = dict(said)
    if "python_version" in environment:
        version = f"{environment['python_version']}.0"
        environment.setdefault("python_full_version", version)
    environment = {**following(environment), **environment}
    implementation = environment.get("implementation_name")
    if implementation is not None:
        name, version = _IMPLEMENTATIONS.get(implementation, (implementation, ""))
        environment.setdefault("platform_python_implementation", name)
        version = version or environment.get("python_full_version", "")
        if version:
            environment.setdefault("implementation_version", version)
    return environment


def following(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the values of markers that follow from those of others."""
    found: dict[str, str] = {}
    sys_platform = environment.get("sys_platform", "")
    if sys_platform in SYSTEMS:
        found["os_name"], found["platform_system"] = SYSTEMS[sys_platform]
    if "python_full_version" in environment:
        parts = environment["python_full_version"].split(".")
        found["python_version"] = ".".join(parts[:2])
    implementation = environment.get("implementation_name", "")
    if implementation in _IMPLEMENTATIONS:
        found["platform_python_implementation"] = _IMPLEMENTATIONS[implementation][0]
    return found


def release_of(python: str) -> tuple[int, int, int] | None:
    """Return a ``python_full_version`` in numbers; None if it is none."""
    number = "(0|[1-9][0-9]{0,2})"
    form = rf"{number}\.{number}(?:\.{number})?(?:(?:a|b|rc)[0-9]{{1,3}})?\+?"
    match = re.fullmatch(form, python)
    if match is None:
        return None
    return int(match[1]), int(match[2]), int(match[3] or 0)


def of_abi(abi: str) -> dict[str, str]:
    """Return what markers say of an interpreter with an ABI; empty if that is unknown."""
    for implementation, form in _FORMS.items():
        match = form.match(abi)
        if match is not None:
            version = f"{match[1]}.{int(match[2])}"
            return {"implementation_name": implementation, "python_version": version}
    return {}


def usual_abi(environment: Mapping[str, str]) -> str | None:
    """Return the ABI tag that an interpreter mostly has; None if it is of a rare kind.

    :param environment: of its machine, complete.
    """
    form = _ABIS.get(environment["implementation_name"])
    major, _, minor = environment["python_version"].partition(".")
    if form is None or major == "2":
        return None
    is_old = form.startswith("cp") and int(minor) < _NO_PYMALLOC
    return form.format(f"{major}{minor}") + ("m" if is_old else "")


def of_system(sys_platform: str, machine: str) -> tuple[str, ...]:
    """Return the platform tags of a machine of which no more is known, best first.

    :param machine: its type, in the words of any system.
    :return: none if there is no such system.
    """
    machine = usual(machine)
    if sys_platform == "linux":
        return of_glibc(_GLIBC, machine)
    if sys_platform == "darwin":
        return of_mac_os(_MAC_OS, machine)
    if sys_platform == "win32":
        names = {"x86_64": "win_amd64", "aarch64": "win_arm64", "x86": "win32"}
        return (names[machine],) if machine in names else ()
    return ()


def of_glibc(minor: int, machine: str) -> tuple[str, ...]:
    """Return the platform tags of a Linux with glibc 2."""
    oldest = _OLDEST_ON_X86 if machine in ("x86_64", "i686") else _OLDEST_GLIBC

    def tags() -> Iterator[str]:
        yield f"linux_{machine}"
        for each in range(minor, oldest - 1, -1):
            yield f"manylinux_2_{each}_{machine}"
            if each in _ALIASES:
                yield f"{_ALIASES[each]}_{machine}"

    return tuple(tags())


def of_musl(minor: int, machine: str) -> tuple[str, ...]:
    """Return the platform tags of a Linux with musl 1."""
    versions = range(minor, -1, -1)
    return (f"linux_{machine}", *(f"musllinux_1_{each}_{machine}" for each in versions))


def of_mac_os(version: tuple[int, int], machine: str) -> tuple[str, ...]:
    """Return the platform tags of a Mac."""
    return tuple(mac_platforms(version, "arm64" if machine == "aarch64" else machine))
