"""The machine that a run chooses for, as its options and a host describe it."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from itertools import groupby
from typing import TYPE_CHECKING, Protocol

from pip._vendor.packaging.markers import default_environment

from pip._internal.variants.errors import (
    ContradictoryOptions,
    InvalidHostFile,
    VariantError,
)
from pip._internal.variants.providers.platforms import (
    INTERPRETERS,
    OF_MANY,
    SYSTEMS,
    called,
    completed,
    of_abi,
    of_system,
    of_tag,
    release_of,
    usual,
    usual_abi,
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

#: The variables that tell which platform it is.
_OF_PLATFORM = ("sys_platform", "platform_machine")
#: And those that tell which interpreter.
_OF_INTERPRETER = ("implementation_name", "python_full_version")
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
    """Tell whether the target is this machine: no option names another one."""
    of_python = settings.python_version or settings.implementation
    return not (settings.platforms or settings.abis or of_python)


def marker_environment(
    settings: TargetSettings, host: HostDescription | None
) -> dict[str, str]:
    """Return the values of environment markers (PEP 508) for the target.

    :param host: a machine that the user described, which takes precedence.
    """
    here = _this_machine()
    said = _typed(settings) | ({} if host is None else dict(host.environment))
    if any(_differs(here, said, name) for name in _OF_INTERPRETER):
        said = completed({**{name: here[name] for name in _OF_INTERPRETER}, **said})
    environment = {**here, **said}
    if any(_differs(here, said, name) for name in _OF_PLATFORM):
        # This machine's kernel says nothing of another one's.
        kernel = dict.fromkeys(("platform_release", "platform_version"), "")
        environment = {**here, **kernel, **said}
    if environment["sys_platform"] in SYSTEMS:
        # Each has words of its own for the same type of machine.
        machine = usual(environment["platform_machine"])
        environment["platform_machine"] = called(machine, environment["sys_platform"])
    return environment


def _this_python() -> dict[str, str]:
    """Return what markers say of this interpreter."""
    names = ("python_full_version", "python_version", "implementation_version")
    return {name: value for name, value in _this_machine().items() if name in names}


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


def _differs(one: Mapping[str, str], other: Mapping[str, str], name: str) -> bool:
    """Tell whether two machines differ in a variable, as far as both have it."""
    return name in other and usual(one[name]) != usual(other[name])


def tags_of(python: TargetPython) -> dict[str, list[str]]:
    """Return the platform and ABI tags of an interpreter, as a host file has them."""
    tags = python.get_sorted_tags()
    return {
        "platforms": [*dict.fromkeys(t.platform for t in tags if t.platform != "any")],
        "abis": [*dict.fromkeys(tag.abi for tag in tags if tag.abi not in OF_MANY)],
    }


def target_of(settings: TargetSettings, host: HostDescription | None) -> Target | None:
    """Return what a host tells of platform and interpreter; None if that is nothing.

    :raises ContradictoryOptions: if it contradicts the options.
    :raises InvalidHostFile: if it does not tell enough.
    """
    if host is None:
        return None
    says = host.platforms or host.environment
    if not says and is_this_machine(settings):
        return None
    return Target(settings, host)


class Target:
    """The platform and the interpreter of a host that tells them.

    :ivar host: the host.
    :ivar environment: the values of all environment markers there.
    :ivar python: what upstream goes by; it makes the tags.
    """

    def __init__(self, settings: TargetSettings, host: HostDescription) -> None:
        """Combine what a host and the options say; what neither says is as here.

        :raises ContradictoryOptions: if they contradict each other.
        :raises InvalidHostFile: if the host does not tell enough.
        """
        from pip._internal.models.target_python import TargetPython

        self.host = host
        self.environment = marker_environment(settings, host)
        self._settings = settings
        self._said = host.environment
        self.python = TargetPython(
            platforms=self._platforms(),
            py_version_info=self._version(),
            abis=self._abis(),
            implementation=self._implementation(),
        )
        if host.platforms:
            # Upstream puts what it derives from a tag next to it.
            tags = self.python.get_sorted_tags()
            self.python._valid_tags = _in_order(tags, host.platforms)
        if settings.installs_here and not self.is_elsewhere:
            # This interpreter runs it, whatever patch release was named.
            self.environment |= _this_python()
            self.python.py_version_info = sys.version_info[:3]

    @property
    def telling(self) -> Mapping[str, str]:
        """Return what markers say of machines of its kind.

        What neither the host nor the options say is left out where it is as here.
        """
        said = {**_typed(self._settings), **self._said}
        names = _CALLED if self.is_elsewhere else _CALLED.keys() & said.keys()
        return {name: self.environment[name] for name in _CALLED if name in names}

    @cached_property
    def is_elsewhere(self) -> bool:
        """Tell whether wheels for this machine and interpreter may not suit there."""
        from pip._internal.models.target_python import TargetPython

        return self.python.get_sorted_tags() != TargetPython().get_sorted_tags()

    @property
    def is_of_this_type(self) -> bool:
        """Tell whether it has the same type of processor as this machine."""
        return not _differs(_this_machine(), self.environment, "platform_machine")

    @cached_property
    def differences(self) -> Sequence[str]:
        """Say in what the target is another one than this machine."""
        here = _this_machine()
        told = [
            f"Its {called} is {self.environment[name]}, this one's is {here[name]}."
            for name, called in _CALLED.items()
            if _differs(here, self.environment, name)
        ]
        return told or ["The tags of wheels that suit there are others than here."]

    def _contradiction(self, option: str, why: str) -> ContradictoryOptions:
        return ContradictoryOptions(option, f"--variant-host {self.host.path}", why)

    def _version(self) -> tuple[int, ...] | None:
        typed, told = (
            self._settings.python_version,
            self._said.get("python_full_version"),
        )
        if told is None:
            return typed
        version = release_of(told)
        assert version is not None, "it was looked at when the host was read"
        if typed is not None and typed != version[: len(typed)]:
            written = ".".join(map(str, typed))
            raise self._contradiction(
                f"--python-version {written}", f"Its Python is {told}."
            )
        is_here = told == default_environment()["python_full_version"]
        return None if is_here and typed is None else version

    def _implementation(self) -> str | None:
        typed, name = (
            self._settings.implementation,
            self._said.get("implementation_name"),
        )
        if name is None:
            return typed
        told = INTERPRETERS.get(name, name)
        if typed is None:
            is_here = name == default_environment()["implementation_name"]
            return None if is_here else told
        if typed not in (told, "py"):
            raise self._contradiction(
                f"--implementation {typed}", f"Its interpreter is {name}."
            )
        return typed

    def _abis(self) -> list[str] | None:
        typed, told = self._settings.abis, self.host.abis
        both = [abi for abi in told if abi in typed] if typed and told else []
        if typed and {*typed} <= OF_MANY:
            # They are among what there is for any of them.
            return [*typed]
        if typed and told and not both:
            raise self._contradiction(
                f"--abi {typed[0]}", f"Its ABIs are {', '.join(told)}."
            )
        if typed or told:
            return both or [*typed] or [*told]
        return self._usual_abis()

    def _usual_abis(self) -> list[str] | None:
        here = _this_machine()
        is_here = not any(
            _differs(here, self._said, name)
            for name in ("implementation_name", "python_version")
        )
        # That of this interpreter may be a rare one.
        if is_here:
            return None
        usual = usual_abi(self.environment)
        assert usual is not None, "names are of CPython and PyPy"
        return [usual]

    def _platforms(self) -> list[str] | None:
        typed, told = self._settings.platforms, self.host.platforms
        if typed and told:
            allowed = _platforms_of(typed)
            found = [tag for tag in told if tag in allowed]
        elif typed:
            found = [tag for tag in typed if self._suits(tag)]
        elif told:
            found = [*told]
        elif any(_differs(_this_machine(), self._said, name) for name in _OF_PLATFORM):
            found = [*of_system(*(self.environment[name] for name in _OF_PLATFORM))]
        else:
            return None
        if not found:
            raise self._no_platform(typed)
        return found

    def _no_platform(self, typed: Sequence[str]) -> VariantError:
        told = {n: self._said[n] for n in _OF_PLATFORM if n in self._said}
        if typed:
            parts = (f"{_CALLED[name]} is {value}" for name, value in told.items())
            why = f"Its {' and its '.join(parts)}."
            if all(map(self._suits, typed)):
                why = f"It takes wheels for {self.host.platforms[0]}, best first."
            return self._contradiction(f"--platform {typed[0]}", why)
        return InvalidHostFile(
            self.host.path,
            "Nothing tells which platform tags a machine like that has: "
            f"{', '.join(told.values())}.",
            "Type --platform TAG.",
        )

    def _suits(self, tag: str) -> bool:
        told = {name: value for name, value in of_tag(tag).items() if value}
        return not any(
            name in told and _differs(told, self._said, name) for name in _OF_PLATFORM
        )


def _in_order(tags: Iterable[Tag], platforms: Sequence[str]) -> list[Tag]:
    """Order tags by platform, where they differ in nothing else."""
    rank = {platform: number for number, platform in enumerate(platforms)}
    ordered: list[Tag] = []
    for _, alike in groupby(tags, lambda tag: (tag.interpreter, tag.abi)):
        ordered += sorted(alike, key=lambda tag: rank.get(tag.platform, len(rank)))
    return ordered


def _platforms_of(typed: Sequence[str]) -> set[str]:
    """Return all platform tags that upstream makes of those that were typed."""
    from pip._internal.models.target_python import TargetPython

    tags = TargetPython(platforms=[*typed]).get_unsorted_tags()
    return {tag.platform for tag in tags}
