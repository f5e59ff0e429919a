"""The target of a run, from its options and host.

Options and names describe only some facts. :func:`environment_of` derives all environment
markers (PEP 508) from these; this machine is the default for the rest.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from pip._vendor.packaging.markers import default_environment

from pip._internal.variants.errors import ContradictoryOptions
from pip._internal.variants.providers.host_file import HostDescription, release_of

if TYPE_CHECKING:
    from pip._internal.models.target_python import TargetPython
    from pip._internal.variants.settings import Settings

#: The names, for messages, of the marker variables that affect wheels.
_CALLED = {
    "sys_platform": "system",
    "platform_machine": "CPU architecture",
    "implementation_name": "interpreter",
    "python_version": "Python",
}
#: The ``os_name`` and ``platform_system`` for each ``sys_platform``.
_SYSTEMS: Mapping[str, tuple[str, str]] = {
    "linux": ("posix", "Linux"),
    "darwin": ("posix", "Darwin"),
    "win32": ("nt", "Windows"),
}
#: The names of x86_64 and aarch64 on systems other than Linux.
_MACHINES: Mapping[str, Mapping[str, str]] = {
    "win32": {"x86_64": "AMD64", "aarch64": "ARM64"},
    "darwin": {"aarch64": "arm64"},
}
#: The Linux names of CPU architectures in platform tags and on other systems.
_USUAL = {
    **{"amd64": "x86_64", "intel": "x86_64", "fat64": "x86_64", "universal": "x86_64"},
    **{"arm64": "aarch64", "universal2": "aarch64", "": "x86"},
}
#: The ``sys_platform`` of platform tags, by their first part.
_OF_TAGS = {"win": "win32", "macosx": "darwin"}
_TAG = re.compile(r"(win|macosx|linux|manylinux|musllinux)[0-9]*_?(?:[0-9]+_){0,2}(.*)")
#: The implementation_name and platform_python_implementation of interpreter tags.
_IMPLEMENTATIONS = {"cp": ("cpython", "CPython"), "pp": ("pypy", "PyPy")}


def is_this_machine(settings: Settings) -> bool:
    """Return whether the target is this machine."""
    of_python = settings.python_version or settings.implementation
    return not (settings.platforms or settings.abis or of_python)


def this_machine() -> dict[str, str]:
    """Return the environment markers of this machine."""
    return {name: str(value) for name, value in default_environment().items()}


def usual(machine: str) -> str:
    """Return the Linux name of a CPU architecture."""
    return _USUAL.get(machine.lower(), machine.lower())


def differs(one: Mapping[str, str], other: Mapping[str, str], name: str) -> bool:
    """Return whether two machines have different values of a marker variable."""
    return usual(one[name]) != usual(other[name])


def environment_of(
    *,
    sys_platform: str | None = None,
    machine: str | None = None,
    python: str | None = None,
    implementation: str | None = None,
) -> dict[str, str]:
    """Return all environment markers of a machine; this machine is the default.

    :param sys_platform: ``linux``, ``darwin`` or ``win32``.
    :param machine: the CPU architecture, by its name on any system.
    :param python: the Python version, as ``3.12.4``.
    :param implementation: the tag of the Python implementation; CPython if only *python*
        is given.
    """
    environment = this_machine()
    if sys_platform is not None:
        os_name, platform_system = _SYSTEMS[sys_platform]
        environment |= {"os_name": os_name, "platform_system": platform_system}
        environment["sys_platform"] = sys_platform
    if sys_platform or machine:
        # This machine's kernel may differ from the other machine's.
        environment |= dict.fromkeys(("platform_release", "platform_version"), "")
        linux_name = usual(machine or environment["platform_machine"])
        names = _MACHINES.get(environment["sys_platform"], {})
        environment["platform_machine"] = names.get(linux_name, linux_name)
    if python is not None:
        environment["python_version"] = python.rpartition(".")[0]
        environment["python_full_version"] = python
        environment["implementation_version"] = python
    if (python or implementation) and (implementation or "cp") in _IMPLEMENTATIONS:
        name, title = _IMPLEMENTATIONS[implementation or "cp"]
        environment["implementation_name"] = name
        environment["platform_python_implementation"] = title
    return environment


def marker_environment(
    settings: Settings, host: HostDescription | None
) -> dict[str, str]:
    """Return the values of environment markers (PEP 508) for the target.

    :param host: the machine that the user described, which takes precedence.
    """
    described = {} if host is None else host.environment
    if host is not None and host.is_complete:
        return dict(described)
    sys_platform = machine = python = None
    match = _TAG.fullmatch(settings.platforms[0]) if settings.platforms else None
    if match is not None:
        sys_platform, machine = _OF_TAGS.get(match[1], "linux"), usual(match[2])
    if settings.python_version:
        # In the form that upstream compares with Requires-Python.
        python = ".".join(map(str, [*settings.python_version, 0, 0][:3]))
    environment = environment_of(
        sys_platform=sys_platform,
        machine=machine,
        python=python,
        implementation=settings.implementation,
    )
    return {**environment, **described}


def tags_of(python: TargetPython) -> dict[str, list[str]]:
    """Return the platform and ABI tags of an interpreter, as in a host file."""
    tags = python.get_sorted_tags()
    of_many = ("none", "abi3", "abi3t")
    return {
        "platforms": [*dict.fromkeys(t.platform for t in tags if t.platform != "any")],
        "abis": [*dict.fromkeys(tag.abi for tag in tags if tag.abi not in of_many)],
    }


def target_of(settings: Settings, host: HostDescription | None) -> Target | None:
    """Return the target's platform and interpreter, or None if this machine's count.

    :raises ContradictoryOptions: if the host and the options contradict each other.
    """
    if host is None or (is_this_machine(settings) and not host.environment):
        return None
    return Target(settings, host)


class Target:
    """The platform and interpreter of a host or of the options.

    :ivar host: the host.
    :ivar environment: the values of all environment markers.
    :ivar python: the Python that determines the tags.
    """

    def __init__(self, settings: Settings, host: HostDescription) -> None:
        """Describe the target of a command.

        :raises ContradictoryOptions: if the host and the options contradict each other.
        """
        from pip._internal.models.target_python import TargetPython

        self.host = host
        self.environment = marker_environment(settings, host)
        if host.is_complete:
            if not is_this_machine(settings):
                raise ContradictoryOptions(
                    "An option such as --platform or --python-version",
                    f"--variant-host {host.path}",
                    "The variant host already sets the platform and the Python.",
                    "Remove either option, or put the Python in the name: "
                    "cuda-12.8-sm_90-py312.",
                )
            name = self.environment["implementation_name"]
            short = {known: tag for tag, (known, _) in _IMPLEMENTATIONS.items()}
            implementation: str | None = short.get(name, name)
            full_version = self.environment["python_full_version"]
            version: tuple[int, ...] | None = release_of(full_version)
            platforms, abis = [*host.platforms], [*host.abis]
        else:
            implementation, version = settings.implementation, settings.python_version
            platforms, abis = [*settings.platforms], [*settings.abis]
        self.python = TargetPython(
            platforms or None, version, abis or None, implementation
        )
        if settings.installs_here and not self.is_elsewhere:
            # This interpreter installs there, even if the user named another patch release.
            names = ("python_full_version", "python_version", "implementation_version")
            self.environment |= {name: this_machine()[name] for name in names}
            self.python.py_version_info = sys.version_info[:3]

    @property
    def distinguishing_markers(self) -> Mapping[str, str]:
        """The markers of this kind of machine; empty if unknown."""
        is_known = self.host.is_complete or self.is_elsewhere
        return {name: self.environment[name] for name in _CALLED if is_known}

    @cached_property
    def is_elsewhere(self) -> bool:
        """Whether the target accepts other wheels than this machine."""
        from pip._internal.models.target_python import TargetPython

        return self.python.get_unsorted_tags() != TargetPython().get_unsorted_tags()

    @cached_property
    def differences(self) -> Sequence[str]:
        """The differences between the target and this machine, as sentences."""
        here = this_machine()
        lines = [
            f"Its {called} is {self.environment[name]}; on this machine, it is {here[name]}."
            for name, called in _CALLED.items()
            if differs(here, self.environment, name)
        ]
        return lines or ["Its wheel tags differ from the wheel tags of this machine."]
