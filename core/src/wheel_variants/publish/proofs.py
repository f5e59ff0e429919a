"""The properties that a local version, or the requirements of a wheel, prove.

Nothing is guessed. ``cu128`` was built with CUDA 12.8, and runs with any driver for CUDA
12: so it needs the lower bound 12.0, and nothing is known of GPUs. Of builds that need the
same, the one with the newer toolkit comes first. Pure: no I/O.
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
    "other_abi",
    "proved_by_local",
    "proved_by_twin",
]

#: The namespace that orders builds by the CUDA toolkit they were built with.
TOOLKIT = "cuda_toolkit"
#: Its provider: the same for all wheels, whichever toolkits there are.
TOOLKITS: Mapping[str, Any] = {
    "static-properties": {
        "version": [f"{n // 10}.{n % 10}" for n in range(159, 109, -1)]
    }
}


class Proof(NamedTuple):
    """What something proves.

    :ivar properties: what a machine must have.
    :ivar rule: what proves it, for people.
    """

    properties: frozenset[Property]
    rule: str


#: A part of a local version, and its meaning.
_PARTS = (
    (re.compile(r"cpu"), "a build without a GPU"),
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
#: The packages of CUDA 13 that have its version, and no longer its number in their names.
_WITH_VERSION = frozenset(("cuda-toolkit", "nvidia-cuda-runtime", "nvidia-cublas"))
#: By architecture, the first CUDA that compiles for it, and the first that no longer does.
_ARCHITECTURES = {
    **dict.fromkeys(("50", "60", "70"), ((11, 0), (13, 0))),
    **dict.fromkeys(("75", "80", "86"), ((11, 1), (99, 0))),
    **dict.fromkeys(("89", "90"), ((11, 8), (99, 0))),
    **dict.fromkeys(("100", "120"), ((12, 8), (99, 0))),
}
_VERSION = re.compile(r"1[1-5](\.[0-9]{1,2})?")
_TWIN = re.compile(r"cu(?:da)?(1[1-5])x?")
_ABI = re.compile(r"torch([0-9]+)\.([0-9]+).*cxx11abi(true|false)")
#: From this one on, torch for Linux has the C++11 ABI, and before it did not.
_CXX11 = (2, 7)


def proved_by_local(local: str) -> Proof | None:
    """Return what a local version proves; None if a part of it is not understood.

    :param local: as packaging writes it: ``cu12torch2.9cxx11abitrue``.
    """
    properties: set[Property] = set()
    rules = []
    position = 0
    while position < len(local):
        matches = ((form.match(local, position), rule) for form, rule in _PARTS)
        match, rule = next((each for each in matches if each[0]), (None, ""))
        if match is None:
            return None
        said = {name: text for name, text in match.groupdict().items() if text}
        if "pt" in said:
            # 28 is 2.8, and 210 is 2.10.
            said["torch"] = f"{said['pt'][0]}.{said['pt'][1:]}"
        if "minor" in said:
            said["toolkit"] = f"{said['cuda']}.{said['minor']}"
        properties |= _properties(said)
        if rule:
            rules.append(f"{match[0]}: {rule.format(**said)}")
        position = match.end()
    is_cpu = any(rule.startswith("cpu:") for rule in rules)
    if not rules or _contradict(properties, is_cpu=is_cpu):
        return None
    return Proof(frozenset(properties), ", ".join(rules))


def _contradict(properties: set[Property], *, is_cpu: bool) -> bool:
    """Return whether no wheel can have all properties, so that nothing is proved."""
    devices = {each.namespace for each in properties} - {ABI_DEPENDENCY, TOOLKIT}
    features = {(each.namespace, each.feature) for each in properties}
    return len(features) < len(properties) or len(devices) + is_cpu > 1


def _properties(said: Mapping[str, str]) -> set[Property]:
    return {
        # Any driver for a major version of CUDA runs what is built with that version.
        Property(*_FEATURES[name], f"{text}.0" if name == "cuda" else text)
        for name, text in said.items()
        if name in _FEATURES
    }


def proved_by_twin(label: str, requirements: Iterable[Requirement]) -> Proof | None:
    """Return what the name of a twin and its requirements prove; None if nothing.

    :param label: what its name has beside that of the project: ``cuda13x``, ``gpu``.
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
    """Return the major version of CUDA that a requirement settles, and its rule."""
    name = canonicalize_name(requirement.name)
    if match := _OF_CUDA.fullmatch(name):
        return match[1], f"it requires {name}"
    for each in requirement.specifier if name in _WITH_VERSION else ():
        major = each.version.partition(".")[0]
        if each.operator in ("==", "~=") and re.fullmatch("1[1-5]", major):
            return major, f"it requires {name}{each}"
    return None


def other_abi(local: str) -> str | None:
    """Return why no torch of a version loads a wheel; None if nothing speaks against it.

    :param local: the local version of the wheel.
    """
    match = _ABI.search(local)
    if match is None:
        return None
    is_cxx11 = (int(match[1]), int(match[2])) >= _CXX11
    if is_cxx11 == (match[3] == "true"):
        return None
    own = "with" if is_cxx11 else "without"
    return f"torch {match[1]}.{match[2]} for Linux is built {own} the C++11 ABI"


def needs_line(label: str, properties: Iterable[Property]) -> str:
    """Return a line of ``[variant.properties]`` with GPUs, from which users take some away.

    :param properties: of the label; the GPUs are those that its CUDA can compile for.
    """
    stated = sorted(properties)
    cuda = max(
        (
            tuple(map(int, each.value.split(".")))
            for each in stated
            if each.namespace in ("nvidia", TOOLKIT) and _VERSION.fullmatch(each.value)
        ),
        default=(12,),
    )
    lines = [str(each) for each in stated]
    lines += (
        f"nvidia :: sm_arch :: {arch}_real"
        for arch, (first, last) in _ARCHITECTURES.items()
        if first <= cuda < last
    )
    return f'"{label}" = {json.dumps(lines)}'


#: By the beginning of a tag: os_name, sys_platform and platform_system.
_SYSTEMS = {
    "win": ("nt", "win32", "Windows"),
    "macosx": ("posix", "darwin", "Darwin"),
    **dict.fromkeys(("linux", "manylinux", "musllinux"), ("posix", "linux", "Linux")),
}
_TAG = re.compile(rf"({'|'.join(_SYSTEMS)})[0-9]*(?:_[0-9]+_[0-9]+)?_?(.*)")
_WINDOWS_MACHINES = {"": "x86", "amd64": "AMD64", "arm64": "ARM64"}


def markers_of_platform(tag: str) -> dict[str, str]:
    """Return the environment markers (PEP 508) of machines for a platform tag.

    :return: empty for other systems. A tag of several CPU architectures, such as
        ``universal2``, has no machine.
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
    # The kernel of this machine is of no interest.
    kernel = {"platform_release": "", "platform_version": ""}
    return {**dict(zip(names, (*_SYSTEMS[system], machine), strict=True)), **kernel}
