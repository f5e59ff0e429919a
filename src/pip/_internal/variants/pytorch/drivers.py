"""Which drivers run CUDA builds, as NVIDIA publishes it.

Since CUDA 11, a driver for one version of a major runs builds for all of that major ("minor
version compatibility"), if it is as new as the release notes of each CUDA toolkit demand.
Pure: no I/O and nothing from the rest of pip.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal

__all__ = ["System", "lower_bound", "runs"]

_Version = tuple[int, ...]
System = Literal["linux", "windows"]

#: For builds from a CUDA version on, up to the next one here: the oldest drivers.
MINIMUM_DRIVERS: Mapping[_Version, Mapping[System, _Version]] = MappingProxyType(
    {
        (13, 0): {"linux": (580, 65, 6), "windows": (580, 0)},
        (12, 0): {"linux": (525, 60, 13), "windows": (528, 33)},
        (11, 1): {"linux": (450, 80, 2), "windows": (452, 39)},
        (11, 0): {"linux": (450, 36, 6), "windows": (451, 22)},
    }
)
#: The oldest major of which a driver runs all minor versions, and the oldest that the
#: properties of the namespace ``nvidia`` speak of.
_FIRST_COMPATIBLE_MAJOR = 11


def runs(cuda: _Version, driver: str, system: System) -> bool | None:
    """Tell whether a driver runs builds for a CUDA version.

    :param driver: its version, ``"535.104.05"``.
    :return: None if the table does not say, as of majors that came after it.
    """
    numbers = tuple(map(int, re.findall(r"[0-9]{1,9}", driver)))
    since = max((each for each in MINIMUM_DRIVERS if each <= cuda), default=None)
    if not numbers or since is None or since[0] != cuda[0]:
        return None
    return numbers >= MINIMUM_DRIVERS[since][system]


def lower_bound(cuda: _Version, driver: str | None, system: System = "linux") -> str:
    """Return the oldest CUDA version that a driver may report and run builds for *cuda*.

    :param driver: the version of the driver in question, if that is known.
    :return: a value of ``nvidia :: cuda_version_lower_bound``.
    """
    major, minor = cuda
    if major < _FIRST_COMPATIBLE_MAJOR:
        # Any driver that the namespace speaks of is newer.
        return str(_FIRST_COMPATIBLE_MAJOR)
    if driver is not None and runs(cuda, driver, system) is False:
        # It is older than the promise, and runs what it was made for.
        return f"{major}.{minor}"
    return f"{major}.0"
