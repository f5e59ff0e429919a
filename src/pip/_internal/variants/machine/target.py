"""The machine that a run installs for, in terms of environment markers."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Protocol

from pip._vendor.packaging.markers import default_environment

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from pip._internal.variants.machine.hosts import Host

__all__ = [
    "TargetSettings",
    "is_this_machine",
    "marker_environment",
    "refuse_other_machine",
]

#: The os_name, sys_platform and platform_system of platform tags.
_SYSTEMS = (
    (re.compile(r"win(32|_.+)"), ("nt", "win32", "Windows")),
    (re.compile(r"macosx_.+"), ("posix", "darwin", "Darwin")),
    (re.compile(r"(many|musl)?linux.+"), ("posix", "linux", "Linux")),
)
_MACHINES = ("x86_64", "aarch64", "arm64", "i686", "armv7l", "ppc64le", "s390x")
#: Other names of machine types, with the names of Linux.
_SAME_MACHINE = {"amd64": "x86_64", "arm64": "aarch64"}
#: Namespaces that only one type of machine supports.
_NAMESPACES = ("x86_64", "aarch64")
#: Variables on which the wheels of a machine depend, and what people call them.
_KIND_OF_MACHINE = {"platform_machine": "machine type", "sys_platform": "system"}
_WINDOWS_MACHINES = {"win32": "x86", "win_amd64": "AMD64", "win_arm64": "ARM64"}


class TargetSettings(Protocol):
    """What the options of a command say of the target; empty or None if not given.

    :ivar has_platforms: whether the command has an option for the platform.
    """

    platforms: Sequence[str]
    has_platforms: bool
    python_version: tuple[int, ...] | None
    implementation: str | None
    abis: Sequence[str]


def is_this_machine(settings: TargetSettings) -> bool:
    """Tell whether the target is this machine: no option names another one."""
    of_python = settings.python_version or settings.implementation
    return not (settings.platforms or settings.abis or of_python)


def marker_environment(
    settings: TargetSettings, described: Mapping[str, str]
) -> dict[str, str]:
    """Return the values of environment markers (PEP 508) for the target.

    :param described: values that the user stated, which take precedence.
    """
    environment = {name: str(value) for name, value in default_environment().items()}
    if settings.platforms:
        environment |= _of_platform(settings.platforms[0])
    if version := settings.python_version:
        environment["python_full_version"] = ".".join(map(str, version))
        environment["python_version"] = ".".join(map(str, version[:2]))
    return {**environment, **described}


def _of_platform(tag: str) -> dict[str, str]:
    for pattern, (os_name, sys_platform, system) in _SYSTEMS:
        if pattern.fullmatch(tag):
            break
    else:
        return {}
    machine = _WINDOWS_MACHINES.get(tag) or next(
        (machine for machine in _MACHINES if tag.endswith(f"_{machine}")), ""
    )
    return {
        "os_name": os_name,
        "sys_platform": sys_platform,
        "platform_system": system,
        "platform_machine": machine,
        # This machine's kernel says nothing of another one's.
        "platform_release": "",
        "platform_version": "",
    }


def refuse_other_machine(settings: TargetSettings, host: Host) -> None:
    """Refuse a host that could not use the wheels of the target.

    :raises OtherMachine: if system or machine type differ from the target's.
    """
    targets = [_of_platform(tag) for tag in settings.platforms]
    targets = targets or [marker_environment(settings, {})]
    described = dict(host.environment)
    own = [each for each in _NAMESPACES if host.supported.features(each)]
    if len(own) == 1:
        described.setdefault("platform_machine", own[0])
    different = [list(_differences(described, target)) for target in targets]
    if not all(different):
        return
    from pip._internal.variants.errors import OtherMachine

    tag = _tag_of(*({**targets[0], **described}[name] for name in _KIND_OF_MACHINE))
    platform = f"--platform {tag} --only-binary :all:"
    if settings.has_platforms:
        hint = f"To choose its wheels, add {platform} (pip install: --target DIR too)"
    else:
        hint = (
            f"Run this on such a machine, or fetch its wheels: pip download {platform}"
        )
    raise OtherMachine(host.path, different[0], hint)


def _differences(
    described: Mapping[str, str], target: Mapping[str, str]
) -> Iterator[str]:
    for name, what in _KIND_OF_MACHINE.items():
        one, other = described.get(name), target.get(name)
        if one and other and _usual(one) != _usual(other):
            yield f"Its {what} is {one}, and wheels are chosen for {other}."


def _usual(value: str) -> str:
    return _SAME_MACHINE.get(value.lower(), value.lower())


def _tag_of(machine: str, system: str) -> str:
    """Return a platform tag for a machine; ``TAG`` if it is unknown."""
    machine = _usual(machine)
    tags = {
        "linux": f"manylinux_2_28_{machine}",
        "darwin": f"macosx_14_0_{'arm64' if machine == 'aarch64' else machine}",
        "win32": f"win_{'arm64' if machine == 'aarch64' else 'amd64'}",
    }
    return tags.get(system, "TAG") if machine else "TAG"
