"""Distinguish NVIDIA's Tegra systems (Jetson) from ARM servers.

Both are ``aarch64`` with an NVIDIA GPU, and no namespace of variants distinguishes them.
Published CUDA builds for ARM are for servers (SBSA), such as a GH200 or a GB10. Since CUDA 13
(JetPack 7 with Jetson Linux (L4T) 38), in which NVIDIA unified the two platforms, these builds
also run on a Jetson. With an older CUDA, they install but fail at use.

A machine is a Tegra if any of these is true: it has ``/etc/nv_tegra_release``, which also
has the release of Jetson Linux if readable; the release of the kernel, which is also visible
in containers and in the ``platform_release`` of a host file, contains "tegra"; the device
tree contains ``nvidia,tegra...``.
"""

from __future__ import annotations

import os
import re
from typing import NamedTuple

from pip._internal.variants.providers.result import ProviderResult, system_file

#: The first CUDA version that supports both Tegra and servers.
FIRST_UNIFIED_CUDA = (13, 0)
#: The first such release of Jetson Linux, which is part of JetPack 7.
_FIRST_UNIFIED_RELEASE = 38

#: Matches ``# R36 (release), REVISION: 4.3, GCID: ...``.
_RELEASE_FORM = (
    r"# *R([0-9]{1,3}) *\(release\), *REVISION: *([0-9]{1,3}(?:\.[0-9]{1,3})?)"
)


class Tegra(NamedTuple):
    """A Tegra system.

    :ivar release: the release of Jetson Linux, as ``36.4.3``; None if unknown.
    """

    release: str | None = None

    def __str__(self) -> str:
        """Return the name for messages: ``a Jetson (Jetson Linux 36.4.3)``."""
        return f"a Jetson (Jetson Linux {self.release})" if self.release else "a Jetson"


def described(platform_release: str) -> Tegra | None:
    """Return the Tegra system for a kernel release.

    :return: the system; None if the machine is not a Tegra.
    """
    return Tegra() if "tegra" in platform_release.lower() else None


def named(platform_release: str) -> str:
    """Return the kernel release of a Tegra, with a ``-tegra`` suffix."""
    if described(platform_release) is not None:
        return platform_release
    return f"{platform_release}-tegra".lstrip("-")


def find(platform_release: str, root: str = "/") -> Tegra | None:
    """Return the Tegra system of this machine, or None.

    :param platform_release: the release of the kernel.
    :param root: the folder with ``etc`` and ``proc``.
    """
    path = os.path.join(root, "etc/nv_tegra_release")
    if os.path.exists(path):
        # If the file is unreadable, only the release is unknown.
        match = re.match(_RELEASE_FORM, system_file(path))
        return Tegra(None if match is None else f"{match[1]}.{match[2]}")
    # Servers and other systems lack this file; containers may hide it.
    tree = system_file(os.path.join(root, "proc/device-tree/compatible"))
    # The file lists names, each followed by a null character.
    if any(name.startswith("nvidia,tegra") for name in tree.split("\0")):
        return Tegra()
    return described(platform_release)


def cuda_of(nvidia: ProviderResult) -> str | None:
    """Return the CUDA version of a driver, as ``12.6``.

    :param nvidia: the result for the namespace ``nvidia``.
    :return: the version; None if unknown.
    """
    return next(iter(nvidia.values("cuda_version_lower_bound")), None)


def runs_sbsa(tegra: Tegra, cuda: str | None) -> bool:
    """Return whether a Tegra is known to run builds for Arm servers.

    :param cuda: the CUDA version of the driver; None to decide by the Jetson Linux release.
    """
    number, first = cuda, FIRST_UNIFIED_CUDA[0]
    if cuda is None:
        number, first = tegra.release, _FIRST_UNIFIED_RELEASE
    major, _, _ = (number or "").partition(".")
    return major.isdecimal() and int(major) >= first


def problem(tegra: Tegra, cuda: str | None) -> str:
    """Return a warning for users of a Tegra, without a final period.

    :param cuda: the CUDA version of the driver, if known.
    """
    driver = "" if cuda is None else f", and its driver has CUDA {cuda}"
    return (
        f"This is {tegra}{driver}. Published CUDA wheels for ARM are built for servers "
        "(SBSA) and run on a Jetson only with CUDA 13 (JetPack 7) or newer"
    )
