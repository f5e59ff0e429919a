"""Wheels as ZIP archives: damaged ones, and ``variant.json`` of a hostile size."""

from __future__ import annotations

import errno
import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager

from pip._internal.exceptions import UnsupportedWheel
from pip._internal.variants.core.manifest_parser import MAX_MANIFEST_SIZE
from pip._internal.variants.errors import InvalidVariantWheel

try:
    from lzma import LZMAError
except ImportError:  # A Python can be built without it.
    LZMAError = zlib.error  # type: ignore[misc, assignment]

__all__ = ["UNREADABLE", "read_manifest", "undamaged"]

#: What reading an archive raises that is damaged, or of a kind that cannot be read.
_DAMAGED: tuple[type[Exception], ...] = (
    zipfile.BadZipFile,
    zlib.error,
    LZMAError,
    EOFError,
    struct.error,
    NotImplementedError,
    UnicodeDecodeError,
)
#: And for a member that is not there, or is encrypted.
UNREADABLE: tuple[type[Exception], ...] = (*_DAMAGED, KeyError, RuntimeError)


class UnreadableManifest(UnsupportedWheel):
    """A wheel's ``variant.json`` cannot be read."""


@contextmanager
def undamaged(filename: str) -> Iterator[None]:
    """Refuse the variant wheel *filename* if its archive turns out to be damaged.

    :raises InvalidVariantWheel: then, or if its ``variant.json`` cannot be read.
    """
    try:
        yield
    except UnreadableManifest as error:
        raise InvalidVariantWheel(filename, str(error)) from None
    except _DAMAGED as error:
        raise InvalidVariantWheel(filename, _problem(error)) from None
    except OSError as error:
        # Decompressors give none; a place before the file's beginning gives this one.
        if error.errno not in (None, errno.EINVAL):
            raise
        raise InvalidVariantWheel(filename, _problem(error)) from None


def _problem(error: Exception) -> str:
    return f"its archive cannot be read: {error}"


def read_manifest(archive: zipfile.ZipFile, path: str) -> bytes:
    """Read a wheel's ``variant.json``: a few bytes of an archive can stand for many.

    :raises UnreadableManifest: if it cannot be read, or is too large.
    """
    try:
        info = archive.getinfo(path)
        names = [each.filename.casefold() for each in archive.infolist()]
        if names.count(path.casefold()) > 1:
            # Which one is installed, and read again, would be the file system's choice.
            raise UnreadableManifest(f"{path!r} is in the archive more than once")
        if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            # Only of these two does zipfile decompress no more than is asked for.
            raise UnreadableManifest(f"{path!r} is compressed in an unusual way")
        with archive.open(info) as file:
            data = file.read(MAX_MANIFEST_SIZE + 1)
    except UNREADABLE as error:
        raise UnreadableManifest(f"could not read {path!r} file: {error!r}") from None
    if len(data) > MAX_MANIFEST_SIZE:
        raise UnreadableManifest(
            f"{path!r} is larger than {MAX_MANIFEST_SIZE >> 20} MiB"
        )
    return data
