"""Read the metadata of a wheel."""

from __future__ import annotations

import zipfile
from email.parser import Parser
from pathlib import Path

from tools.release.errors import ReleaseError

__all__ = ["licence_expression"]


def licence_expression(wheel: Path) -> str:
    """Return the licence that a wheel declares (SPDX).

    :raises ReleaseError: it declares none.
    """
    with zipfile.ZipFile(wheel) as archive:
        (path,) = (n for n in archive.namelist() if n.endswith(".dist-info/METADATA"))
        text = archive.read(path).decode("utf-8")
    licence = Parser().parsestr(text)["License-Expression"]
    if not isinstance(licence, str):
        raise ReleaseError(f"the wheel declares no licence. Wheel: {wheel.name!r}")
    return licence
