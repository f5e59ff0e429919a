"""The machine that a run installs for, as environment markers describe it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pip._vendor.packaging.markers import default_environment

if TYPE_CHECKING:
    import optparse
    from collections.abc import Mapping

__all__ = ["is_this_machine", "marker_environment"]

_TARGET_OPTIONS = ("platforms", "python_version", "abis", "implementation")
#: What a platform tag says of os_name, sys_platform and platform_system.
_SYSTEMS = (
    (re.compile(r"win(32|_.+)"), ("nt", "win32", "Windows")),
    (re.compile(r"macosx_.+"), ("posix", "darwin", "Darwin")),
    (re.compile(r"(many|musl)?linux.+"), ("posix", "linux", "Linux")),
)
_MACHINES = ("x86_64", "aarch64", "arm64", "i686", "armv7l", "ppc64le", "s390x")
_WINDOWS_MACHINES = {"win32": "x86", "win_amd64": "AMD64", "win_arm64": "ARM64"}


def is_this_machine(options: optparse.Values) -> bool:
    """Tell whether no option names another platform or interpreter."""
    given = vars(options)
    return not any(given.get(name) for name in _TARGET_OPTIONS)


def marker_environment(
    options: optparse.Values, described: Mapping[str, str]
) -> dict[str, str]:
    """Give the values of environment markers (PEP 508) for the target.

    :param described: the values that the user stated for it, which win.
    """
    environment = {name: str(value) for name, value in default_environment().items()}
    given = vars(options)
    if platforms := given.get("platforms"):
        environment |= _of_platform(platforms[0])
    if version := given.get("python_version"):
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
        # What this machine says of its own kernel means nothing there.
        "platform_release": "",
        "platform_version": "",
    }
