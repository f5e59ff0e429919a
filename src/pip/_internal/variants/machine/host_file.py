"""Machines that a JSON file describes: what they support, their platform, their Python."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from pip._vendor.packaging.markers import Environment

from pip._internal.variants.core.properties import (
    SupportedFeature,
    SupportedProperties,
    is_valid_feature_name,
    is_valid_namespace,
    is_valid_value,
)
from pip._internal.variants.core.shown import shown
from pip._internal.variants.errors import InvalidHostFile
from pip._internal.variants.machine.platforms import (
    CPU_NAMESPACES,
    OF_MANY,
    VOCABULARY,
    completed,
    of_abi,
    of_tag,
    release_of,
    usual,
)

__all__ = [
    "HOST_SCHEMA",
    "MARKER_VARIABLES",
    "Host",
    "read_host_file",
]

HOST_SCHEMA = 1
#: Bytes; the file of a real machine has a few thousand.
_MAX_SIZE = 2 * 1024 * 1024
#: What a host file may say of the target's environment (PEP 508).
MARKER_VARIABLES = frozenset(Environment.__annotations__)

#: The keys of a host file.
_KEYS = frozenset({"host-schema", "supported", "environment", "platforms", "abis"})
_SHORT = re.compile(r"(?:0|[1-9][0-9]{0,2})\.(?:0|[1-9][0-9]{0,2})")
_TAG = re.compile(r"[A-Za-z0-9_]+")
#: Upstream makes of such tags all older ones; of huge numbers it would without end.
_EXPANDED = re.compile(r"(?:macosx|ios)_[0-9]{1,2}_[0-9]{1,2}_.+|android_[0-9]{1,3}_.+")
_GROWING = ("macosx", "ios", "android")
#: Types of machines that run a Python for the others as well.
_ALIKE = ({"x86_64", "i686", "x86"}, {"aarch64", "armv7l", "armv8l", "armv6l"})


class Host(NamedTuple):
    """A machine that a file or a name describes.

    :ivar path: the file or the name.
    :ivar environment: environment markers (PEP 508) that may differ from this machine's.
    :ivar platforms: its platform tags, best first; empty if it does not say.
    :ivar abis: the ABI tags of its interpreter, best first; likewise.
    """

    path: str
    supported: SupportedProperties
    environment: Mapping[str, str]
    platforms: tuple[str, ...] = ()
    abis: tuple[str, ...] = ()


def read_host_file(path: str) -> Host:
    """Read a host file.

    :raises InvalidHostFile: if it cannot be read or does not describe a machine.
    """
    try:
        with open(path, "rb") as file:
            data = file.read(_MAX_SIZE + 1)
        if len(data) > _MAX_SIZE:
            raise _Problem(f"It is larger than {_MAX_SIZE >> 20} MiB")
        # What a shell of Windows writes may be in UTF-16.
        return _host(path, json.loads(data))
    except OSError as error:
        problem = f"It cannot be read: {error.strerror}"
    except ValueError as error:
        problem = f"It is not JSON: {error}"
    except RecursionError:
        problem = "It is nested too deeply"
    except _Problem as error:
        problem = str(error)
    raise InvalidHostFile(path, f"{problem}.")


class _Problem(Exception):
    pass


def _host(path: str, root: object) -> Host:
    description = _object(root, "The file")
    schema = description.get("host-schema")
    if schema != HOST_SCHEMA or isinstance(schema, bool):
        raise _Problem(f"Its 'host-schema' is not {HOST_SCHEMA}: {shown(schema)}")
    unknown = sorted(set(description) - _KEYS)
    if unknown:
        raise _Problem(f"Its keys {shown(unknown)} mean nothing")
    supported = _supported(description.get("supported"))
    environment = _environment(description.get("environment", {}))
    tags, abis = _tags(description, "platforms"), _tags(description, "abis")
    for tag in tags:
        if tag == "any":
            raise _Problem("'any' is no platform: wheels for any are taken everywhere")
        # They tell the system, and mostly the machine.
        told = {name: value for name, value in of_tag(tag).items() if value}
        for name in ("sys_platform", "platform_machine"):
            if not _suits(environment.get(name), told.get(name), told):
                said = environment[name]
                raise _Problem(
                    f"Its 'environment' is of {said}, and {shown(tag)} is not"
                )
        environment = {**told, **environment}
    _check_interpreter(environment, abis)
    _check_cpu(environment, supported)
    return Host(path, supported, environment, tags, abis)


def _check_interpreter(environment: Mapping[str, str], abis: tuple[str, ...]) -> None:
    """Compare what is said of an interpreter with its ABIs."""
    if abis and {*abis} <= OF_MANY:
        raise _Problem(f"Many interpreters have {shown(list(abis))}; add its own ABI")
    for abi in abis:
        for name, value in of_abi(abi).items():
            if environment.get(name, value) != value:
                raise _Problem(
                    f"Its Python is {environment[name]}, and {abi!r} is of {value}"
                )


def _check_cpu(environment: Mapping[str, str], supported: SupportedProperties) -> None:
    """Compare what is said of a machine with what its CPU supports."""
    machine = environment.get("platform_machine")
    for namespace in supported.keys() & CPU_NAMESPACES:
        if machine is not None and not _are_alike(machine, namespace):
            raise _Problem(
                f"It supports {shown(namespace)}, and its machine is {machine}"
            )


def _supported(root: object) -> SupportedProperties:
    stated = _object(root, "'supported'")
    supported: dict[str, list[SupportedFeature]] = {}
    for namespace, features in stated.items():
        if not is_valid_namespace(namespace):
            raise _Problem(f"This is no namespace: {shown(namespace)}")
        if not isinstance(features, list):
            raise _Problem(f"The features of {shown(namespace)} are not a list")
        supported[namespace] = [_feature(item, namespace) for item in features]
        names = [feature.name for feature in supported[namespace]]
        if len(set(names)) != len(names):
            raise _Problem(
                f"A feature of {shown(namespace)} is repeated: {shown(names)}"
            )
    return SupportedProperties(supported)


def _environment(root: object) -> dict[str, str]:
    """Read environment markers, and add what follows from them."""
    environment = _object(root, "'environment'")
    for name, value in environment.items():
        if name not in MARKER_VARIABLES:
            raise _Problem(f"'environment' has no marker variable: {shown(name)}")
        if not isinstance(value, str):
            raise _Problem(
                f"{shown(name)} in 'environment' is not a string: {shown(value)}"
            )
    for name, words in VOCABULARY.items():
        _check_spelling(name, environment.get(name), words)
    _check_versions(environment)
    said = completed(environment)
    _check_system(said)
    full, short = (said.get(f"python_{kind}") for kind in ("full_version", "version"))
    if full is not None and ".".join(full.split(".")[:2]) != short:
        raise _Problem(f"Its 'python_version' is {short}, and the full one {full}")
    return said


def _check_spelling(name: str, told: str | None, words: Mapping[str, str]) -> None:
    """See whether a variable has a word that markers do not know by another one's sense."""
    meant = None if told is None else words.get(told.lower(), told)
    if meant != told:
        raise _Problem(f"{name!r} is {shown(told)}; write {meant!r}")


def _check_versions(environment: Mapping[str, str]) -> None:
    full, short = (environment.get(f"python_{k}") for k in ("full_version", "version"))
    if full is not None and release_of(full) is None:
        raise _Problem(f"This is no version of Python: {shown(full)}")
    if short is not None and not _SHORT.fullmatch(short):
        raise _Problem(
            f"This is no 'python_version': {shown(short)}; it is as '3.12', and "
            "'python_full_version' tells the rest"
        )


def _check_system(said: Mapping[str, str]) -> None:
    """Compare what is said of a system with its name."""
    system = said.get("sys_platform", "")
    for name, value in completed({"sys_platform": system}).items() if system else ():
        if said[name] != value:
            raise _Problem(f"Its {name!r} is {shown(said[name])}, not that of {system}")


def _suits(said: str | None, of_tag: str | None, told: Mapping[str, str]) -> bool:
    """Tell whether what is said of a machine goes with what a platform tag tells of it."""
    if said is None or of_tag is None:
        return True
    if _are_alike(said, of_tag):
        return True
    # Windows on Arm runs what is for x86 processors.
    is_system = of_tag == told["sys_platform"]
    return not is_system and told["sys_platform"] == "win32"


def _are_alike(one: str, other: str) -> bool:
    """Tell whether a machine of one type runs a Python for the other."""
    both = {usual(one), usual(other)}
    return len(both) == 1 or any(both <= each for each in _ALIKE)


def _tags(description: Mapping[str, Any], key: str) -> tuple[str, ...]:
    given = description.get(key, [])
    if not isinstance(given, list):
        raise _Problem(f"{key!r} is not a list: {shown(given)}")
    for tag in given:
        if not isinstance(tag, str) or not _TAG.fullmatch(tag):
            raise _Problem(f"This in {key!r} is no tag: {shown(tag)}")
        if tag.startswith(_GROWING) and not _EXPANDED.fullmatch(tag):
            raise _Problem(f"There is no such platform: {shown(tag)}")
    # Case does not matter in tags.
    return tuple(dict.fromkeys(map(str.lower, given)))


def _object(value: object, what: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise _Problem(f"{what} is not a JSON object: {shown(value)}")
    return value


def _feature(item: object, namespace: str) -> SupportedFeature:
    feature = _object(item, f"A feature of {shown(namespace)}")
    name, values = feature.get("feature"), feature.get("values")
    if not isinstance(name, str) or not is_valid_feature_name(name):
        raise _Problem(f"This names no feature of {shown(namespace)}: {shown(name)}")
    if not isinstance(values, list) or not values:
        raise _Problem(f"The values of '{namespace} :: {name}' are not a list")
    for value in values:
        if not isinstance(value, str) or not is_valid_value(value):
            raise _Problem(
                f"This is no value of '{namespace} :: {name}': {shown(value)}"
            )
    return SupportedFeature(name, tuple(dict.fromkeys(values)))
