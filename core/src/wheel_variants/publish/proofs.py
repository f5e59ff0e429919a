"""Derive properties from the local version or the requirements of a wheel.

Nothing is guessed. A wheel with ``cu128`` was built with CUDA 12.8 and runs with any driver
for CUDA 12, so it gets the lower bound 12.0; its GPUs are unknown. If two wheels have the
same needs, the wheel with the newer toolkit comes first. Pure: no I/O.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from wheel_variants.manifest import ABI_DEPENDENCY
from wheel_variants.properties import Property

__all__ = [
    "TOOLKIT",
    "TOOLKITS",
    "Proof",
    "markers_of_platform",
    "needs_line",
    "newest_cuda",
    "other_abi",
    "proved_by_local",
    "proved_by_twin",
]

#: The namespace that ranks variants by the CUDA toolkit of their build.
TOOLKIT = "cuda_toolkit"
#: The provider of that namespace, the same for all wheels.
TOOLKITS: Mapping[str, Any] = {
    "static-properties": {
        "version": [f"{n // 10}.{n % 10}" for n in range(159, 109, -1)]
    }
}


class Proof(NamedTuple):
    """The properties of a wheel, and the evidence for them.

    :ivar properties: the properties that a machine must support.
    :ivar rule: the evidence for the properties, as text for messages.
    """

    properties: frozenset[Property]
    rule: str


#: A part of a local version, and its meaning.
_PARTS = (
    (re.compile(r"cpu"), "CPU only"),
    (re.compile(r"cu(?P<cuda>1[1-5])(?P<minor>[0-9])?"), "CUDA {cuda}"),
    (re.compile(r"rocm(?P<rocm>[0-9]+\.[0-9]+)(?:\.[0-9]+)*"), "ROCm {rocm}"),
    (re.compile(r"torch(?P<torch>[0-9]+\.[0-9]+)(?:\.[0-9]+)?"), "torch {torch}"),
    (re.compile(r"pt(?P<pt>[1-9][0-9]{1,2})(?![0-9])"), "torch {torch}"),
    (re.compile(r"cxx11abi(?:true|false)"), "the C++ ABI of that torch"),
    (re.compile(r"\."), ""),
)
#: The features of the groups in these patterns.
_FEATURES = {
    "cuda": ("nvidia", "cuda_version_lower_bound"),
    "rocm": ("amd", "rocm_version"),
    "torch": (ABI_DEPENDENCY, "torch"),
    "toolkit": (TOOLKIT, "version"),
}
_OF_CUDA = re.compile(r"nvidia-.+-cu(1[1-5])")
#: Packages that have the CUDA major version in their version, not in their name.
_WITH_VERSION = frozenset(("cuda-toolkit", "nvidia-cuda-runtime", "nvidia-cublas"))
#: The first CUDA version that supports an architecture, and the first that dropped it.
_ARCHITECTURES = {
    **dict.fromkeys(("50", "60", "70"), ((11, 0), (13, 0))),
    **dict.fromkeys(("75", "80", "86"), ((11, 1), (99, 0))),
    **dict.fromkeys(("89", "90"), ((11, 8), (99, 0))),
    **dict.fromkeys(("100", "120"), ((12, 8), (99, 0))),
}
_VERSION = re.compile(r"1[1-5](\.[0-9]{1,2})?")
_TWIN = re.compile(r"cu(?:da)?(1[1-5])x?")
_ABI = re.compile(r"torch([0-9]+)\.([0-9]+).*cxx11abi(true|false)")
#: The first torch version with the C++11 ABI on Linux.
_CXX11 = (2, 7)


def proved_by_local(local: str) -> Proof | None:
    """Return the properties that a local version proves, or None if a part is unknown.

    :param local: the local version as packaging normalizes it:
        ``cu12torch2.9cxx11abitrue``.
    """
    properties: set[Property] = set()
    rules = []
    position = 0
    while position < len(local):
        matches = ((form.match(local, position), rule) for form, rule in _PARTS)
        match, rule = next((each for each in matches if each[0]), (None, ""))
        if match is None:
            return None
        groups = {name: text for name, text in match.groupdict().items() if text}
        if "pt" in groups:
            # 28 is 2.8, and 210 is 2.10.
            groups["torch"] = f"{groups['pt'][0]}.{groups['pt'][1:]}"
        if "minor" in groups:
            groups["toolkit"] = f"{groups['cuda']}.{groups['minor']}"
        properties |= _properties(groups)
        if rule:
            rules.append(f"{match[0]}: {rule.format(**groups)}")
        position = match.end()
    is_cpu = any(rule.startswith("cpu:") for rule in rules)
    if not rules or _contradict(properties, is_cpu=is_cpu):
        return None
    return Proof(frozenset(properties), ", ".join(rules))


def _contradict(properties: set[Property], *, is_cpu: bool) -> bool:
    """Return whether the properties contradict each other."""
    devices = {each.namespace for each in properties} - {ABI_DEPENDENCY, TOOLKIT}
    features = {(each.namespace, each.feature) for each in properties}
    return len(features) < len(properties) or len(devices) + is_cpu > 1


def _properties(groups: Mapping[str, str]) -> set[Property]:
    return {
        # A driver runs all builds for its major version of CUDA.
        Property(*_FEATURES[name], f"{text}.0" if name == "cuda" else text)
        for name, text in groups.items()
        if name in _FEATURES
    }


def proved_by_twin(label: str, requirements: Iterable[Requirement]) -> Proof | None:
    """Return the properties that a twin's name and requirements prove, or None.

    :param label: the part of the twin's name after the project's name: ``cuda13x``,
        ``gpu``.
    """
    found = dict(filter(None, map(_of_requirement, requirements)))
    by_name = _TWIN.fullmatch(label)
    if by_name:
        found.setdefault(by_name[1], f"{label}: CUDA {by_name[1]}")
    if len(found) != 1:
        return None
    ((major, rule),) = found.items()
    return Proof(frozenset(_properties({"cuda": major})), rule)


def _of_requirement(requirement: Requirement) -> tuple[str, str] | None:
    """Return the CUDA major version that a requirement implies, and the evidence."""
    name = canonicalize_name(requirement.name)
    if match := _OF_CUDA.fullmatch(name):
        return match[1], f"requires {name}"
    for each in requirement.specifier if name in _WITH_VERSION else ():
        major = each.version.partition(".")[0]
        if each.operator in ("==", "~=") and re.fullmatch("1[1-5]", major):
            return major, f"requires {name}{each}"
    return None


def other_abi(local: str) -> str | None:
    """Return why torch cannot load a wheel with a local version, or None."""
    match = _ABI.search(local)
    if match is None:
        return None
    is_cxx11 = (int(match[1]), int(match[2])) >= _CXX11
    if is_cxx11 == (match[3] == "true"):
        return None
    own = "with" if is_cxx11 else "without"
    return f"torch {match[1]}.{match[2]} for Linux is built {own} the C++11 ABI"


def newest_cuda(properties: Iterable[Property], *namespaces: str) -> tuple[int, ...]:
    """Return the newest CUDA version in the values of *namespaces*, or an empty tuple."""
    texts = (each.value for each in properties if each.namespace in namespaces)
    versions = filter(_VERSION.fullmatch, texts)
    return max((tuple(map(int, each.split("."))) for each in versions), default=())


def needs_line(label: str, properties: Iterable[Property]) -> str:
    """Return a line for ``[variant.properties]`` that lists all possible GPUs.

    Users remove the GPUs that the wheel does not support.

    :param properties: the properties of the label, which contain the CUDA version.
    """
    stated = sorted(properties)
    cuda = newest_cuda(stated, "nvidia", TOOLKIT) or (12,)
    lines = [str(each) for each in stated]
    lines += (
        f"nvidia :: sm_arch :: {arch}_real"
        for arch, (first, last) in _ARCHITECTURES.items()
        if first <= cuda < last
    )
    return f'"{label}" = {json.dumps(lines)}'


#: The os_name, sys_platform and platform_system, by the start of a tag.
_SYSTEMS = {
    "win": ("nt", "win32", "Windows"),
    "macosx": ("posix", "darwin", "Darwin"),
    **dict.fromkeys(("linux", "manylinux", "musllinux"), ("posix", "linux", "Linux")),
}
_TAG = re.compile(rf"({'|'.join(_SYSTEMS)})[0-9]*(?:_[0-9]+_[0-9]+)?_?(.*)")
_WINDOWS_MACHINES = {"": "x86", "amd64": "AMD64", "arm64": "ARM64"}


def markers_of_platform(tag: str) -> dict[str, str]:
    """Return the environment markers (PEP 508) for a platform tag.

    :return: the markers; empty for unknown systems. A tag for several CPU architectures,
        such as ``universal2``, has an empty ``platform_machine``.
    """
    match = _TAG.fullmatch(tag)
    if match is None:
        return {}
    system, machine = match.groups()
    if system == "win":
        machine = _WINDOWS_MACHINES.get(machine, machine)
    elif machine.startswith(("universal", "intel", "fat")):
        machine = ""
    names = ("os_name", "sys_platform", "platform_system", "platform_machine")
    # The kernel of this machine does not matter.
    kernel = {"platform_release": "", "platform_version": ""}
    return {**dict(zip(names, (*_SYSTEMS[system], machine), strict=True)), **kernel}
