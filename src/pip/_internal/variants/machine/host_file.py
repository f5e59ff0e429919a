"""Read a machine's description from the file given with ``--variant-host``."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from pip._internal.variants.core.properties import (
    SupportedFeature,
    SupportedProperties,
    is_valid_feature_name,
    is_valid_namespace,
    is_valid_value,
)
from pip._internal.variants.errors import InvalidHostFile

__all__ = ["HOST_SCHEMA", "MARKER_VARIABLES", "Host", "read_host_file"]

HOST_SCHEMA = 1
#: Bytes; those of a real machine have a few thousand.
_MAX_SIZE = 2 * 1024 * 1024
#: What a host file may say of the target's environment (PEP 508).
MARKER_VARIABLES = frozenset(
    (
        "implementation_name",
        "implementation_version",
        "os_name",
        "platform_machine",
        "platform_python_implementation",
        "platform_release",
        "platform_system",
        "platform_version",
        "python_full_version",
        "python_version",
        "sys_platform",
    )
)


class Host(NamedTuple):
    """A machine that a file describes.

    :ivar path: that file.
    :ivar environment: environment markers (PEP 508) that differ from this machine's.
    """

    path: str
    supported: SupportedProperties
    environment: Mapping[str, str]


def read_host_file(path: str) -> Host:
    """Read a host file.

    :raises InvalidHostFile: if it cannot be read or does not describe a machine.
    """
    try:
        with Path(path).open("rb") as file:
            data = file.read(_MAX_SIZE + 1)
    except OSError as error:
        raise InvalidHostFile(path, f"It cannot be read: {error.strerror}.") from None
    if len(data) > _MAX_SIZE:
        size = _MAX_SIZE >> 20
        raise InvalidHostFile(path, f"It is larger than {size} MiB.")
    try:
        root = json.loads(data.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise InvalidHostFile(path, f"It is not JSON: {error}.") from None
    try:
        return _host(path, root)
    except _Problem as problem:
        raise InvalidHostFile(path, f"{problem}.") from None


class _Problem(Exception):
    pass


def _host(path: str, root: object) -> Host:
    description = _object(root, "The file")
    schema = description.get("host-schema")
    if schema != HOST_SCHEMA or isinstance(schema, bool):
        raise _Problem(f"Its 'host-schema' is not {HOST_SCHEMA}: {schema!r}")
    unknown = sorted(set(description) - {"host-schema", "supported", "environment"})
    if unknown:
        raise _Problem(f"Its keys {unknown!r} mean nothing")
    supported = {}
    for namespace, features in _object(
        description.get("supported"), "'supported'"
    ).items():
        if not is_valid_namespace(namespace):
            raise _Problem(f"This is no namespace: {namespace!r}")
        if not isinstance(features, list):
            raise _Problem(f"The features of {namespace!r} are not a list")
        supported[namespace] = [_feature(item, namespace) for item in features]
        names = [feature.name for feature in supported[namespace]]
        if len(set(names)) != len(names):
            raise _Problem(f"A feature of {namespace!r} is repeated: {names!r}")
    environment = _object(description.get("environment", {}), "'environment'")
    for name, value in environment.items():
        if name not in MARKER_VARIABLES:
            raise _Problem(f"'environment' has no marker variable: {name!r}")
        if not isinstance(value, str):
            raise _Problem(f"{name!r} in 'environment' is not a string: {value!r}")
    return Host(path, SupportedProperties(supported), environment)


def _object(value: object, what: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise _Problem(f"{what} is not a JSON object: {value!r}")
    return value


def _feature(item: object, namespace: str) -> SupportedFeature:
    feature = _object(item, f"A feature of {namespace!r}")
    name, values = feature.get("feature"), feature.get("values")
    if not isinstance(name, str) or not is_valid_feature_name(name):
        raise _Problem(f"This names no feature of {namespace!r}: {name!r}")
    if not isinstance(values, list) or not values:
        raise _Problem(f"The values of '{namespace} :: {name}' are not a list")
    for value in values:
        if not isinstance(value, str) or not is_valid_value(value):
            raise _Problem(f"This is no value of '{namespace} :: {name}': {value!r}")
    return SupportedFeature(name, tuple(dict.fromkeys(values)))
