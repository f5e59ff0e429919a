"""Write zip archives that hold nothing of who wrote them, when, and where."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping

__all__ = ["zipped"]

#: What hatchling gives to the files of a wheel.
_TIME = (2020, 2, 2, 0, 0, 0)
_REGULAR_FILE = 0o100644
_UNIX = 3


def zipped(files: Mapping[str, bytes]) -> bytes:
    """Return an archive of these files, in their order.

    The bytes depend on the files and on the version of zlib alone.
    """
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for path, data in files.items():
            info = zipfile.ZipInfo(path, _TIME)
            info.create_system = _UNIX
            info.external_attr = _REGULAR_FILE << 16
            archive.writestr(info, data, zipfile.ZIP_DEFLATED, compresslevel=9)
    return content.getvalue()
