"""The errors from reading a damaged archive. Pure: no I/O."""

from __future__ import annotations

import struct
import zipfile
import zlib

__all__ = ["DAMAGED"]

try:
    from lzma import LZMAError
except ImportError:  # Python may lack lzma.
    LZMAError = zlib.error  # type: ignore[misc, assignment]

#: The errors from reading a damaged zip archive, or one of an unknown kind.
DAMAGED: tuple[type[Exception], ...] = (
    *(zipfile.BadZipFile, zlib.error, LZMAError, EOFError, struct.error),
    *(NotImplementedError, UnicodeDecodeError),
)
