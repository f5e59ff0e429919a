"""The properties that a local version, or the requirements of a wheel, prove.

Nothing is guessed. ``cu128`` was built with CUDA 12.8, and runs with any driver for CUDA
12: so it needs the lower bound 12.0, and nothing is known of GPUs. Pure: no I/O.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from wheel_variants.manifest import ABI_DEPENDENCY
from wheel_variants.properties import Property

__all__ = ["Proof", "markers_of_platform", "proved_by_local", "proved_by_requirements"]


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
    (re.compile(r"cu(?P<cuda>1[1-5])[0-9]?"), "CUDA {cuda}"),
    (re.compile(r"rocm(?P<rocm>[0-9]+\.[0-9]+)(?:\.[0-9]+)*"), "ROCm {rocm}"),
    (re.compile(r"torch(?P<torch>[0-9]+\.[0-9]+)(?:\.[0-9]+)?"), "torch {torch}"),
    (re.compile(r"pt(?P<pt>[1-9][0-9]{1,2})(?![0-9])"), "torch {torch}"),
    (re.compile(r"cxx11abi(?:true|false)"), "a C++ ABI, which no property describes"),
    (re.compile(r"\."), ""),
)
#: The features of the groups in these patterns.
_FEATURES = {
    "cuda": ("nvidia", "cuda_version_lower_bound"),
    "rocm": ("amd", "rocm_version"),
    "torch": (ABI_DEPENDENCY, "torch"),
}
_OF_CUDA = re.compile(r"nvidia-.+-cu(1[1-5])")


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
    devices = {each.namespace for each in properties} - {ABI_DEPENDENCY}
    features = {(each.namespace, each.feature) for each in properties}
    return len(features) < len(properties) or len(devices) + is_cpu > 1


def _properties(said: Mapping[str, str]) -> set[Property]:
    return {
        # Any driver for a major version of CUDA runs what is built with that version.
        Property(*_FEATURES[name], f"{text}.0" if name == "cuda" else text)
        for name, text in said.items()
        if name in _FEATURES
    }


def proved_by_requirements(names: Iterable[str]) -> Proof | None:
    """Return what the names of required packages prove; None if that is nothing.

    :param names: normalised.
    """
    found = {match[1]: name for name in names if (match := _OF_CUDA.fullmatch(name))}
    if len(found) != 1:
        return None
    ((major, name),) = found.items()
    return Proof(frozenset(_properties({"cuda": major})), f"it requires {name}")


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
