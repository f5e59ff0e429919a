"""Make ``pip-variants.pyz``: the fork in one file that runs directly."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

from tools.release.errors import ReleaseError

__all__ = ["zipapp"]

_MAIN = Path(__file__).with_name("zipapp_main.py")
_SHEBANG = b"#!/usr/bin/env python3\n"
#: The time that hatchling sets for the files of a wheel.
_TIME = (2020, 2, 2, 0, 0, 0)
_UNIX, _REGULAR_FILE = 3, 0o100644


def zipapp(wheel: Path) -> bytes:
    """Return the zipapp of a wheel of the fork.

    The zipapp contains the package and, in ``licenses/``, the required licenses. The zipapp
    is not an installed distribution, so its pip does not list itself. The standard
    library's ``zipapp`` would write file times, and therefore different bytes each time.

    :raises ReleaseError: if the wheel contains no pip.
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
    content = io.BytesIO(_SHEBANG)
    with zipfile.ZipFile(content, "a") as archive:
        for name, data in files.items():
            info = zipfile.ZipInfo(name, _TIME)
            info.create_system, info.external_attr = _UNIX, _REGULAR_FILE << 16
            archive.writestr(info, data, zipfile.ZIP_DEFLATED, compresslevel=9)
    return content.getvalue()
