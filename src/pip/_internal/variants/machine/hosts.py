"""Machines other than this one: described by a file, or by a name for common ones."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping

from pip._internal.variants.core.properties import SupportedFeature, SupportedProperties
from pip._internal.variants.errors import InvalidHostFile
from pip._internal.variants.machine.host_file import Host, read_host_file

__all__ = ["Host", "named_host", "read_host"]

_CUDA = re.compile(
    r"cuda-(?P<driver>[0-9]+\.[0-9]+)(?:-sm_(?P<major>[0-9]{1,2})(?P<minor>[0-9]))?"
    r"(?:-x86_64-v(?P<level>[1-4]))?"
)
_CPU = re.compile(r"cpu-(?:x86_64-v(?P<level>[1-4])|(?P<aarch64>aarch64))")
_EXAMPLES = "cuda-12.8-sm_90, cuda-12.8-sm_90-x86_64-v3, cpu-x86_64-v3 or cpu-aarch64"


def read_host(file_or_name: str) -> Host:
    """Give the machine that a file describes; without such a file, that of the name.

    :raises InvalidHostFile: if there is no such file, or no such GPU.
    :raises UnknownHost: if it is neither a path nor a name.
    """
    name = os.path.basename(file_or_name)
    if os.path.exists(file_or_name):
        return read_host_file(file_or_name)
    host = named_host(name)
    if host is None and name == file_or_name and not name.endswith(".json"):
        from pip._internal.variants.errors import UnknownHost
        from pip._internal.variants.machine.host_names import nearest_name

        nearest = nearest_name(name)
        raise UnknownHost(name, nearest if _is_name(nearest) else None)
    return host or read_host_file(file_or_name)


def _is_name(text: str | None) -> bool:
    try:
        return text is not None and named_host(text) is not None
    except InvalidHostFile:
        return False


def named_host(name: str) -> Host | None:
    """Give the machine called *name*, None if none is.

    Names are ``cuda-DRIVER[-sm_NN][-x86_64-vN]``, ``cpu-x86_64-vN``, ``cpu-aarch64``.
    """
    cuda, cpu = _CUDA.fullmatch(name), _CPU.fullmatch(name)
    match = cuda or cpu
    if match is None:
        return None
    supported: dict[str, tuple[SupportedFeature, ...]] = {}
    if cuda is not None:
        supported["nvidia"] = _nvidia(name, cuda)
    if match["level"] is not None:
        levels = tuple(f"v{level}" for level in range(int(match["level"]), 0, -1))
        supported["x86_64"] = (SupportedFeature("level", levels),)
    if cpu is not None and cpu["aarch64"] is not None:
        supported["aarch64"] = (SupportedFeature("version", ("8a",)),)
    return Host(name, SupportedProperties(supported), {})


def _nvidia(name: str, cuda: re.Match[str]) -> tuple[SupportedFeature, ...]:
    """Ask the provider as its override variables let a user do."""
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
