"""The machine that a run chooses for, as its options and a host describe it."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from itertools import groupby
from typing import TYPE_CHECKING, Protocol

from pip._vendor.packaging.markers import default_environment

from pip._internal.variants.errors import ContradictoryOptions
from pip._internal.variants.providers.platforms import (
    INTERPRETERS,
    OF_MANY,
    completed,
    differs,
    expanded,
    of_abi,
    of_tag,
    release_of,
)

if TYPE_CHECKING:
    from pip._vendor.packaging.tags import Tag

    from pip._internal.models.target_python import TargetPython
    from pip._internal.variants.providers.host_file import HostDescription

__all__ = [
    "Target",
    "TargetSettings",
    "is_this_machine",
    "marker_environment",
    "tags_of",
    "target_of",
]

#: What people call the variables on which wheels depend.
_CALLED = {
    "sys_platform": "system",
    "platform_machine": "machine type",
    "implementation_name": "interpreter",
    "python_version": "Python",
}


class TargetSettings(Protocol):
    """What the options of a command say of the target; empty or None if not given."""

    platforms: Sequence[str]
    python_version: tuple[int, ...] | None
    implementation: str | None
    abis: Sequence[str]

    @property
    def installs_here(self) -> bool:
        """Tell whether what is chosen would be installed for this interpreter."""


def is_this_machine(settings: TargetSettings) -> bool:
    """Return whether the target is this machine: no option names another one."""
    of_python = settings.python_version or settings.implementation
    return not (settings.platforms or settings.abis or of_python)


def marker_environment(
    settings: TargetSettings, host: HostDescription | None
) -> dict[str, str]:
    """Return the values of environment markers (PEP 508) for the target.

    :param host: a machine that the user described, which takes precedence.
    """
    told = {} if host is None else host.environment
    if host is not None and host.is_complete:
        return dict(told)
    return {**expanded(_typed(settings), _this_machine()), **told}


def _typed(settings: TargetSettings) -> dict[str, str]:
    """Return what the options that upstream has say of the environment."""
    said = of_tag(settings.platforms[0]) if settings.platforms else {}
    said |= of_abi(settings.abis[0]) if settings.abis else {}
    if settings.python_version:
        # As upstream compares it with Requires-Python.
        version = [*settings.python_version, 0, 0][:3]
        said["python_full_version"] = ".".join(map(str, version))
        said["python_version"] = ".".join(map(str, version[:2]))
    for name, of_tags in INTERPRETERS.items():
        if settings.implementation == of_tags:
            said["implementation_name"] = name
    return completed(said)


def _this_machine() -> dict[str, str]:
    return {name: str(value) for name, value in default_environment().items()}


def tags_of(python: TargetPython) -> dict[str, list[str]]:
    """Return the platform and ABI tags of an interpreter, as a host file has them."""
    tags = python.get_sorted_tags()
    return {
        "platforms": [*dict.fromkeys(t.platform for t in tags if t.platform != "any")],
        "abis": [*dict.fromkeys(tag.abi for tag in tags if tag.abi not in OF_MANY)],
    }


def target_of(settings: TargetSettings, host: HostDescription | None) -> Target | None:
    """Return the platform and the interpreter beside a host; None if they are this one's.

    :raises ContradictoryOptions: if both the host and the options name them.
    """
    if host is None or (is_this_machine(settings) and not host.environment):
        return None
    return Target(settings, host)


class Target:
    """The platform and the interpreter of a host, or of the options beside hardware.

    :ivar host: the host.
    :ivar environment: the values of all environment markers there.
    :ivar python: what upstream goes by; it makes the tags.
    """

    def __init__(self, settings: TargetSettings, host: HostDescription) -> None:
        """Describe the target of a command.

        :raises ContradictoryOptions: if both the host and the options name it.
        """
        from pip._internal.models.target_python import TargetPython

        self.host = host
        self.environment = marker_environment(settings, host)
        if host.is_complete:
            _refuse_options(settings, host)
            name = self.environment["implementation_name"]
            self.python = TargetPython(
                platforms=[*host.platforms],
                py_version_info=release_of(self.environment["python_full_version"]),
                abis=[*host.abis],
                implementation=INTERPRETERS.get(name, name),
            )
            # Upstream puts what it derives from a tag next to it.
            tags = self.python.get_sorted_tags()
            self.python._valid_tags = _in_order(tags, host.platforms)
        else:
            self.python = TargetPython(
                platforms=[*settings.platforms] or None,
                py_version_info=settings.python_version,
                abis=[*settings.abis] or None,
                implementation=settings.implementation,
            )
        if settings.installs_here and not self.is_elsewhere:
            # This interpreter runs it, whatever patch release was named.
            names = ("python_full_version", "python_version", "implementation_version")
            self.environment |= {name: _this_machine()[name] for name in names}
            self.python.py_version_info = sys.version_info[:3]

    @property
    def telling(self) -> Mapping[str, str]:
        """Return what markers say of machines of its kind; nothing if any may be meant."""
        is_told = self.host.is_complete or self.is_elsewhere
        return {name: self.environment[name] for name in _CALLED if is_told}

    @cached_property
    def is_elsewhere(self) -> bool:
        """Whether wheels for this machine and interpreter may not suit there."""
        from pip._internal.models.target_python import TargetPython

        return self.python.get_sorted_tags() != TargetPython().get_sorted_tags()

    @property
    def is_of_this_type(self) -> bool:
        """Whether it has the same type of processor as this machine."""
        return not differs(_this_machine(), self.environment, "platform_machine")

    @cached_property
    def differences(self) -> Sequence[str]:
        """Say in what the target is another one than this machine."""
        here = _this_machine()
        told = [
            f"Its {called} is {self.environment[name]}, this one's is {here[name]}."
            for name, called in _CALLED.items()
            if differs(here, self.environment, name)
        ]
        return told or ["The tags of wheels that suit there are others than here."]


def _refuse_options(settings: TargetSettings, host: HostDescription) -> None:
    """Refuse options of upstream that name what a host describes.

    :raises ContradictoryOptions: if there is one.
    """
    version = settings.python_version
    given = {
        "--platform": settings.platforms,
        "--python-version": version and [".".join(map(str, version))],
        "--implementation": settings.implementation and [settings.implementation],
        "--abi": settings.abis,
    }
    for option, values in given.items():
        if values:
            raise ContradictoryOptions(
                f"{option} {values[0]}",
                f"--variant-host {host.path}",
                "The host describes a platform and a Python.",
                "Leave one of the two out, or write the Python into the name: "
                "cuda-12.8-sm_90-py312.",
            )


def _in_order(tags: Iterable[Tag], platforms: Sequence[str]) -> list[Tag]:
    """Order tags by platform, where they differ in nothing else."""
    rank = {platform: number for number, platform in enumerate(platforms)}
    ordered: list[Tag] = []
    for _, alike in groupby(tags, lambda tag: (tag.interpreter, tag.abi)):
        ordered += sorted(alike, key=lambda tag: rank.get(tag.platform, len(rank)))
    return ordered
