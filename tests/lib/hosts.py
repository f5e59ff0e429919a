"""Create host files for other machines."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

_LAST_MINOR = 20
_FIRST_MAJOR = 11
_LAST_MAJOR = 15


def nvidia_features(driver: str, capability: str | None) -> list[dict[str, Any]]:
    """Return the ``nvidia`` features for a driver and its best GPU.

    :param driver: the CUDA version of the driver, ``"12.8"``.
    :param capability: the compute capability of the GPU, ``"8.6"``; ``None``: unknown.
    """
    major, minor = (int(part) for part in driver.split("."))
    lower = _falling(major, minor, 0)
    for older in range(major - 1, _FIRST_MAJOR - 1, -1):
        lower += _falling(older, _LAST_MINOR, 0)
    upper: list[str] = []
    for newer in range(_LAST_MAJOR, major, -1):
        upper += _falling(newer, _LAST_MINOR, 0)
    upper += _falling(major, _LAST_MINOR, minor + 1)
    features = [
        {"feature": "cuda_version_lower_bound", "values": lower},
        {"feature": "cuda_version_upper_bound", "values": upper},
    ]
    if capability is not None:
        generation, revision = capability.split(".")
        real = [f"{generation}{r}_real" for r in range(int(revision), -1, -1)]
        features.append(
            {"feature": "sm_arch", "values": [*real, f"{generation}0_virtual"]}
        )
    return features


def x86_64_features(level: str) -> list[dict[str, Any]]:
    """Return the ``x86_64`` features for a level (``"v3"``)."""
    values = [f"v{n}" for n in range(int(level.removeprefix("v")), 0, -1)]
    return [{"feature": "level", "values": values}]


def make_host(
    *,
    cuda: str | None = None,
    capability: str | None = None,
    x86_64: str | None = None,
    environment: Mapping[str, str] | None = None,
    **namespaces: list[dict[str, Any]],
) -> dict[str, Any]:
    """Return the content of a host file.

    :param cuda: the CUDA version of the driver; ``None``: no GPU.
    :param capability: the compute capability of the GPU.
    :param x86_64: the level of the CPU, ``"v1"`` to ``"v4"``.
    :param environment: the variables of dependency markers (PEP 508) on that machine.
    :param namespaces: the features of any other namespace, best first.
    """
    supported: dict[str, Any] = {}
    if cuda is not None:
        supported["nvidia"] = nvidia_features(cuda, capability)
    if x86_64 is not None:
        supported["x86_64"] = x86_64_features(x86_64)
    host: dict[str, Any] = {"host-schema": 1, "supported": {**supported, **namespaces}}
    if environment is not None:
        host["environment"] = dict(environment)
    return host


def forced(driver: str, capability: str = "9.0") -> dict[str, str | None]:
    """Return the variables that override the NVIDIA driver and GPU."""
    return {
        "NV_VARIANT_PROVIDER_FORCE_CUDA_DRIVER_VERSION": driver,
        "NV_VARIANT_PROVIDER_FORCE_SM_ARCH": capability,
    }


def write_host(path: Path, host: Mapping[str, Any] | str) -> Path:
    """Write a host file, custom or from :data:`HOSTS`, and return its path."""
    content = HOSTS[host] if isinstance(host, str) else host
    path.write_text(json.dumps(content, indent=2), encoding="utf-8")
    return path


def _falling(major: int, first: int, last: int) -> list[str]:
    versions = [f"{major}.{minor}" for minor in range(first, last - 1, -1)]
    return [*versions, str(major)] if last == 0 else versions


CUDA_HOSTS: Mapping[str, dict[str, Any]] = {
    f"cuda{driver}-sm{capability}": make_host(
        cuda=driver, capability=capability, x86_64="v3"
    )
    for driver in ("12.6", "12.8", "13.0")
    for capability in ("7.5", "8.6", "9.0", "12.0")
}
CPU_HOSTS: Mapping[str, dict[str, Any]] = {
    f"x86_64-{level}": make_host(x86_64=level) for level in ("v2", "v3", "v4")
}

#: The simulated machines: every GPU with an x86-64 v3 CPU, CPUs without a GPU, and a
#: machine without any properties.
HOSTS: Mapping[str, dict[str, Any]] = {**CUDA_HOSTS, **CPU_HOSTS, "none": make_host()}
