"""Read host files: the features, platform and Python of a machine."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple, TypeVar

from pip._vendor.packaging.markers import Environment
from pip._vendor.wheel_variants import properties
from pip._vendor.wheel_variants.properties import SupportedFeature, SupportedProperties
from pip._vendor.wheel_variants.safe_repr import safe_repr

from pip._internal.variants.errors import InvalidHostFile
from pip._internal.variants.providers.result import Device

HOST_SCHEMA = 1
#: Bytes; the host file of a real machine has a few thousand.
_MAX_SIZE = 2 * 1024 * 1024
#: The environment markers of a host file (PEP 508).
MARKER_VARIABLES = frozenset(Environment.__annotations__)

_T = TypeVar("_T")
_KINDS: Mapping[type, str] = {dict: "a JSON object", list: "a list", str: "a string"}
#: The keys of a host file.
_KEYS = {"host-schema", "supported", "devices", "environment", "platforms", "abis"}
#: Upstream derives all older tags from some tags; with huge numbers it would never end.
_TAG = re.compile(r"(?!(?i:macosx|ios|android)_[\d_]*\d{3})(?!.*\d{5})\w+", re.ASCII)
_DEVICE_NAME = re.compile(r"[A-Za-z0-9_. ]{1,100}")


class HostDescription(NamedTuple):
    """A machine described by a file or a name.

    :ivar path: the path of the file, or the name.
    :ivar supported: the supported features.
    :ivar environment: the environment markers (PEP 508): all of them, or only those of
        hardware.
    :ivar platforms: the platform tags, best first; empty if only hardware is described.
    :ivar abis: the ABI tags of the interpreter, best first; empty if only hardware is
        described.
    :ivar devices: the GPUs by namespace, if the machine has several.
    """

    path: str
    supported: SupportedProperties
    environment: Mapping[str, str]
    platforms: tuple[str, ...] = ()
    abis: tuple[str, ...] = ()
    devices: Mapping[str, tuple[Device, ...]] = MappingProxyType({})

    @property
    def is_complete(self) -> bool:
        """Whether the description includes a platform and a Python."""
        return bool(self.platforms)


def read_host_file(path: str) -> HostDescription:
    """Read a host file.

    :raises InvalidHostFile: if the file is unreadable or does not describe a machine.
    """
    hints: Sequence[str] = ()
    try:
        with open(path, "rb") as file:
            data = file.read(_MAX_SIZE + 1)
        if len(data) > _MAX_SIZE:
            raise _Problem(f"The file is larger than {_MAX_SIZE >> 20} MiB")
        # Windows shells may write files in UTF-16.
        return _host(path, json.loads(data))
    except OSError as error:
        problem = f"The file cannot be read: {error.strerror}"
    except ValueError as error:
        problem = f"The file is not JSON: {error}"
    except RecursionError:
        problem = "The file is nested too deeply"
    except _Problem as error:
        problem, hints = error.args[0], error.args[1:]
    raise InvalidHostFile(path, f"{problem}.", *hints)


class _Problem(Exception):
    """A host file is invalid; the arguments are the problem and, if known, a hint."""


def _host(path: str, root: object) -> HostDescription:
    description = _typed(root, dict, "The file")
    schema = description.get("host-schema")
    if schema != HOST_SCHEMA or isinstance(schema, bool):
        raise _Problem(f"'host-schema' must be {HOST_SCHEMA}, not {safe_repr(schema)}")
    unknown = sorted(set(description) - _KEYS)
    if unknown:
        raise _Problem(f"The file has unknown keys: {safe_repr(unknown)}")
    supported = _supported(description.get("supported"))
    devices = _devices(description.get("devices", {}), supported)
    environment = _environment(description.get("environment", {}))
    tags, abis = _tags(description, "platforms"), _tags(description, "abis")
    # This marker identifies a Jetson, also in a file that describes only hardware.
    if tags or abis or environment.keys() - {"platform_release"}:
        _check_complete(environment, tags, abis)
    return HostDescription(path, supported, environment, tags, abis, devices)


def _check_complete(
    environment: Mapping[str, str], tags: Sequence[str], abis: Sequence[str]
) -> None:
    """Check that a host file describes only hardware or a complete machine."""
    missing = sorted(MARKER_VARIABLES - environment.keys())
    lacking = [f"in 'environment': {', '.join(missing)}"] if missing else []
    lists = {"platforms": tags, "abis": abis}
    lacking += [repr(key) for key, value in lists.items() if not value]
    if lacking:
        raise _Problem(
            f"The file describes only part of a machine. Missing: {' and '.join(lacking)}",
            "Write a complete file on that machine: pip variants host --json. To "
            "describe only hardware, omit 'environment', 'platforms' and 'abis'.",
        )
    if release_of(environment["python_full_version"]) is None:
        full = safe_repr(environment["python_full_version"])
        raise _Problem(f"Invalid 'python_full_version': {full}")


def release_of(python: str) -> tuple[int, int, int] | None:
    """Return the release in a ``python_full_version``, or None if the version is invalid."""
    release = r"([1-9])\.(0|[1-9]|[1-3][0-9])(?:\.(0|[1-9][0-9]?))?"
    form = rf"{release}(?:(?:a|b|rc)[0-9]{{1,3}})?\+?"
    match = re.fullmatch(form, python)
    return None if match is None else (int(match[1]), int(match[2]), int(match[3] or 0))


def _supported(root: object) -> SupportedProperties:
    supported: dict[str, tuple[SupportedFeature, ...]] = {}
    for namespace, features in _typed(root, dict, "'supported'").items():
        if not properties.is_valid_namespace(namespace):
            raise _Problem(f"Invalid namespace: {safe_repr(namespace)}")
        listed = _typed(features, list, f"{safe_repr(namespace)} in 'supported'")
        supported[namespace] = tuple(_feature(item, namespace) for item in listed)
        names = [feature.name for feature in supported[namespace]]
        if len(set(names)) != len(names):
            raise _Problem(
                f"A feature of {safe_repr(namespace)} is repeated: {safe_repr(names)}"
            )
    return supported


def _devices(
    root: object, supported: SupportedProperties
) -> dict[str, tuple[Device, ...]]:
    """Read the GPUs of a machine with several GPUs."""
    devices: dict[str, tuple[Device, ...]] = {}
    for namespace, devices_of in _typed(root, dict, "'devices'").items():
        if not supported.get(namespace):
            raise _Problem(
                f"The file lists devices of {safe_repr(namespace)}, but no supported "
                "features of that namespace"
            )
        listed = _typed(devices_of, list, f"{safe_repr(namespace)} in 'devices'")
        devices[namespace] = tuple(_device(item, namespace) for item in listed)
    return devices


def _device(item: object, namespace: str) -> Device:
    device = _typed(item, dict, f"A device of {safe_repr(namespace)}")
    name, number = device.get("name"), device.get("number")
    if not isinstance(name, str) or not _DEVICE_NAME.fullmatch(name):
        raise _Problem(f"Invalid device of {namespace!r}: {safe_repr(name)}")
    if type(number) is not int or number < 1:
        raise _Problem(f"Invalid number of devices: {safe_repr(number)}")
    feature = _feature(device, namespace)
    return Device(name, feature.name, feature.values, number)


def _environment(root: object) -> dict[str, str]:
    """Read environment markers."""
    environment: dict[str, str] = _typed(root, dict, "'environment'")
    for name, value in environment.items():
        if name not in MARKER_VARIABLES:
            raise _Problem(
                f"'environment' has an unknown marker variable: {safe_repr(name)}"
            )
        _typed(value, str, f"{safe_repr(name)} in 'environment'")
    return environment


def _tags(description: Mapping[str, Any], key: str) -> tuple[str, ...]:
    given = _typed(description.get(key, []), list, repr(key))
    for tag in given:
        if not isinstance(tag, str) or not _TAG.fullmatch(tag):
            raise _Problem(f"Invalid tag in {key!r}: {safe_repr(tag)}")
    # Tags are not case-sensitive.
    return tuple(dict.fromkeys(map(str.lower, given)))


def _typed(value: Any, kind: type[_T], what: str) -> _T:
    """Return a value of the right type."""
    if not isinstance(value, kind):
        raise _Problem(f"{what} is not {_KINDS[kind]}: {safe_repr(value)}")
    return value


def _feature(item: object, namespace: str) -> SupportedFeature:
    feature = _typed(item, dict, f"A feature of {safe_repr(namespace)}")
    name, values = feature.get("feature"), feature.get("values")
    if not isinstance(name, str) or not properties.is_valid_feature_name(name):
        raise _Problem(f"Invalid feature of {safe_repr(namespace)}: {safe_repr(name)}")
    if not isinstance(values, list) or not values:
        raise _Problem(f"The values of '{namespace} :: {name}' are not a list")
    for value in values:
        if not isinstance(value, str) or not properties.is_valid_value(value):
            raise _Problem(
                f"Invalid value of '{namespace} :: {name}': {safe_repr(value)}"
            )
    return SupportedFeature(name, tuple(dict.fromkeys(values)))
