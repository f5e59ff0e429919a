"""NVIDIA's driver under WSL, which is the one of Windows.

Windows shows the driver's libraries for Linux in a folder of WSL. The packages of a Linux
driver do not work there, and their library may be found first.
"""

from __future__ import annotations

import os

__all__ = ["find", "problem"]

#: Only a Windows with an NVIDIA driver puts libraries of NVIDIA there.
FOLDER = "/usr/lib/wsl/lib"


def find(soname: str) -> str | None:
    """Return the path of a driver's library under WSL; None if there is none."""
    path = os.path.join(FOLDER, soname)
    return path if os.path.exists(path) else None


def problem(path: str, error: str) -> str:
    """Return what is wrong with a driver that does not answer, and what to do.

    :param path: of its library.
    """
    return (
        f"the NVIDIA driver of Windows ({path}) does not answer WSL: {error}; 'wsl "
        "--update' and 'wsl --shutdown' in Windows may help"
    )
