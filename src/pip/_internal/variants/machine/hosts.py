"""Machines other than this one, described by a file or, if common, by a name."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, NamedTuple

from pip._vendor.packaging.markers import Environment

from pip._internal.variants.core.properties import (
    SupportedFeature,
    SupportedProperties,
    is_valid_feature_name,
    is_valid_namespace,
    is_valid_value,
)
from pip._internal.variants.errors import InvalidHostFile, UnknownHost

__all__ = [
    "HOST_SCHEMA",
    "MARKER_VARIABLES",
    "Host",
    "named_host",
    "read_host",
    "read_host_file",
]

HOST_SCHEMA = 1
#: Bytes; the file of a real machine has a few thousand.
_MAX_SIZE = 2 * 1024 * 1024
#: What a host file may say of the target's environment (PEP 508).
MARKER_VARIABLES = frozenset(Environment.__annotations__)

_CUDA = re.compile(
    r"cuda-(?P<driver>[0-9]+\.[0-9]+)(?:-sm_(?P<major>[0-9]{1,2})(?P<minor>[0-9]))?"
    r"(?:-(?:x86_64-v(?P<level>[1-4])|(?P<arm>aarch64|tegra)))?"
)
_TPU = re.compile(r"tpu(?:-x86_64-v(?P<level>[1-4]))?")
_CPU = re.compile(r"cpu-(?:x86_64-v(?P<level>[1-4])|(?P<arm>aarch64))")
_EXAMPLES = "cuda-12.8-sm_90, cuda-12.8-sm_90-x86_64-v3, cpu-x86_64-v3 or cpu-aarch64"


class Host(NamedTuple):
    """A machine that a file or a name describes.

    :ivar path: the file or the name.
    :ivar environment: environment markers (PEP 508) that differ from this machine's.
    """

    path: str
    supported: SupportedProperties
    environment: Mapping[str, str]


def read_host(file_or_name: str) -> Host:
    """Return the machine that a file describes or, if there is no such file, a name.

    :raises InvalidHostFile: if the file cannot be used, or if there is no such GPU.
    :raises UnknownHost: if there is neither such a file nor such a name.
    """
    name = os.path.basename(file_or_name)
    if os.path.exists(file_or_name):
        return read_host_file(file_or_name)
    host = named_host(name)
    if host is None and name == file_or_name and not name.endswith(".json"):
        from pip._internal.variants.machine.host_names import nearest_name

        nearest = nearest_name(name)
        with suppress(InvalidHostFile):
            if nearest is not None and named_host(nearest) is not None:
                raise UnknownHost(name, nearest)
        raise UnknownHost(name, None)
    return host or read_host_file(file_or_name)


def named_host(name: str) -> Host | None:
    """Return the machine of that name; None if there is none.

    Names are ``cuda-DRIVER[-sm_NN][-MACHINE]``, ``tpu[-x86_64-vN]`` and ``cpu-MACHINE``,
    where a machine is ``x86_64-vN`` or ``aarch64`` and, of CUDA's, ``tegra``: a Jetson.
    """
    cuda, tpu = _CUDA.fullmatch(name), _TPU.fullmatch(name)
    match = cuda or tpu or _CPU.fullmatch(name)
    if match is None:
        return None
    supported: dict[str, tuple[SupportedFeature, ...]] = {}
    if cuda is not None:
        supported["nvidia"] = _nvidia(name, cuda)
    if tpu is not None:
        supported["tpu"] = (SupportedFeature("present", ("true",)),)
    if match["level"] is not None:
        levels = tuple(f"v{level}" for level in range(int(match["level"]), 0, -1))
        supported["x86_64"] = (SupportedFeature("level", levels),)
    arm = match.groupdict().get("arm")
    if arm is not None:
        supported["aarch64"] = (SupportedFeature("version", ("8a",)),)
    # What kernels for Tegra have in their release tells them from those of servers.
    environment = {"platform_release": arm} if arm == "tegra" else {}
    return Host(name, SupportedProperties(supported), environment)


def _nvidia(name: str, cuda: re.Match[str]) -> tuple[SupportedFeature, ...]:
    """Ask the provider through its override variables."""
    from pip._internal.variants.machine import nvidia

    environ: Mapping[str, str] = {
        nvidia.CUDA_VARIABLE: cuda["driver"],
        nvidia.SM_VARIABLE: f"{cuda['major']}.{cuda['minor']}" if cuda["major"] else "",
    }
    answer = nvidia.detect(environ, hardware=False)
    told = {feature.name for feature in answer.features}
    if answer.warnings or (cuda["major"] and "sm_arch" not in told):
        raise InvalidHostFile(name, f"No GPU is like that. Names are {_EXAMPLES}.")
    return answer.features


def read_host_file(path: str) -> Host:
    """Read a host file.

    :raises InvalidHostFile: if it cannot be read or does not describe a machine.
    """
    try:
        with open(path, "rb") as file:
            data = file.read(_MAX_SIZE + 1)
        if len(data) > _MAX_SIZE:
            raise _Problem(f"It is larger than {_MAX_SIZE >> 20} MiB")
        return _host(path, json.loads(data.decode("utf-8")))
    except OSError as error:
        problem = f"It cannot be read: {error.strerror}"
    except (ValueError, RecursionError) as error:
        problem = f"It is not JSON: {error}"
    except _Problem as error:
        problem = str(error)
    raise InvalidHostFile(path, f"{problem}.")


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
    stated = _object(description.get("supported"), "'supported'")
    supported: dict[str, list[SupportedFeature]] = {}
    for namespace, features in stated.items():
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
