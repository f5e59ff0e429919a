"""Read wheels as zip archives, which may be damaged or malicious."""

from __future__ import annotations

import errno
import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager

from pip._vendor.wheel_variants.manifest_parser import MAX_MANIFEST_SIZE

from pip._internal.exceptions import UnsupportedWheel
from pip._internal.variants.errors import InvalidVariantWheel

try:
    from lzma import LZMAError
except ImportError:  # Python may have been built without it.
    LZMAError = zlib.error  # type: ignore[misc, assignment]

#: What reading raises if an archive is damaged, or of an unknown kind.
_DAMAGED: tuple[type[Exception], ...] = (
    zipfile.BadZipFile,
    zlib.error,
    LZMAError,
    EOFError,
    struct.error,
    NotImplementedError,
    UnicodeDecodeError,
)
#: The same, and errors of the system, of which some mean that too.
_FAILED: tuple[type[Exception], ...] = (*_DAMAGED, OSError)
#: What reading raises also if a member is missing or encrypted.
_UNREADABLE: tuple[type[Exception], ...] = (*_DAMAGED, KeyError, RuntimeError)


@contextmanager
def undamaged(filename: str) -> Iterator[None]:
    """Raise an error if the variant wheel *filename* is damaged or invalid.

    :raises InvalidVariantWheel: then.
    """
    try:
        yield
    except UnsupportedWheel as error:
        # Some messages of pip's begin with the project; the file name is enough.
        problem = str(error).rpartition("has an invalid wheel, ")[2]
        raise InvalidVariantWheel(filename, problem) from None
    except _FAILED as error:
        # Decompressors set none; seeking before the file's beginning sets EINVAL.
        if getattr(error, "errno", None) not in (None, errno.EINVAL):
            raise
        problem = f"its archive cannot be read: {error}"
        raise InvalidVariantWheel(filename, problem) from None


def read_manifest(archive: zipfile.ZipFile, path: str) -> bytes:
    """Read a wheel's ``variant.json``, up to the allowed size.

    :raises UnsupportedWheel: if it cannot be read, or is larger.
    """
    try:
        info = archive.getinfo(path)
        names = [each.filename.casefold() for each in archive.infolist()]
        if names.count(path.casefold()) > 1:
            # The file system would choose which one is installed and read later.
            raise UnsupportedWheel(f"{path!r} is in the archive more than once")
        if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            # With these two alone, zipfile decompresses no more than it is asked for.
            raise UnsupportedWheel(f"{path!r} is compressed in an unusual way")
        with archive.open(info) as file:
            data = file.read(MAX_MANIFEST_SIZE + 1)
    except _UNREADABLE as error:
        raise UnsupportedWheel(f"could not read {path!r} file: {error!r}") from None
    if len(data) > MAX_MANIFEST_SIZE:
        raise UnsupportedWheel(f"{path!r} is larger than {MAX_MANIFEST_SIZE >> 20} MiB")
    return data
