"""Make ``pip-variants.pyz``: the fork's pip in one file, run without being installed."""

from __future__ import annotations

import zipfile
from pathlib import Path

from tools.release.archives import zipped
from tools.release.errors import ReleaseError

__all__ = ["zipapp"]

_MAIN = Path(__file__).with_name("zipapp_main.py")
_SHEBANG = b"#!/usr/bin/env python3\n"


def zipapp(wheel: Path) -> bytes:
    """Return the zipapp of a wheel of the fork.

    It holds the package and, in ``licenses/``, the licences that must travel with it. It
    is no installed distribution: pip does not find itself in it.

    :raises ReleaseError: the wheel has no pip in it.
    """
    files = {"__main__.py": _MAIN.read_bytes()}
    with zipfile.ZipFile(wheel) as archive:
        for name in sorted(archive.namelist()):
            _, of_licenses, path = name.partition(".dist-info/licenses/")
            if name.startswith("pip/"):
                files[name] = archive.read(name)
            elif of_licenses:
                files[f"licenses/{path}"] = archive.read(name)
    if "pip/__init__.py" not in files:
        raise ReleaseError(f"no pip in the wheel; build it anew. Wheel: {str(wheel)!r}")
    return _SHEBANG + zipped(files)
