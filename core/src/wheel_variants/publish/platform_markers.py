"""Environment markers (PEP 508) of the machines that a platform tag is for. Pure."""

from __future__ import annotations

import re

__all__ = ["markers_of_platform"]

#: By the beginning of a tag: os_name, sys_platform and platform_system.
_SYSTEMS = {
    "win": ("nt", "win32", "Windows"),
    "macosx": ("posix", "darwin", "Darwin"),
    **dict.fromkeys(("linux", "manylinux", "musllinux"), ("posix", "linux", "Linux")),
}
_TAG = re.compile(rf"({'|'.join(_SYSTEMS)})[0-9]*(?:_[0-9]+_[0-9]+)?_?(.*)")
_WINDOWS_MACHINES = {"": "x86", "amd64": "AMD64", "arm64": "ARM64"}


def markers_of_platform(tag: str) -> dict[str, str]:
    """Return the markers of machines for a platform tag; empty for other systems.

    A tag of several CPU architectures, such as ``universal2``, has no machine.
    """
    match = _TAG.fullmatch(tag)
    if match is None:
        return {}
    system, machine = match.groups()
    os_name, sys_platform, platform_system = _SYSTEMS[system]
    if system == "win":
        machine = _WINDOWS_MACHINES.get(machine, machine)
    elif machine.startswith(("universal", "intel", "fat")):
        machine = ""
    return {
        "os_name": os_name,
        "sys_platform": sys_platform,
        "platform_system": platform_system,
        "platform_machine": machine,
        # The kernel of this machine is of no interest.
        "platform_release": "",
        "platform_version": "",
    }
