"""Read wheels as zip archives, which may be damaged or malicious."""

from __future__ import annotations

import errno
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager

from pip._vendor.requests.exceptions import RequestException
from pip._vendor.wheel_variants.damage import DAMAGED
from pip._vendor.wheel_variants.manifest_parser import MAX_MANIFEST_SIZE

from pip._internal.exceptions import UnsupportedWheel
from pip._internal.variants.errors import InvalidVariantWheel

#: Damage, and errors of the system, some of which mean the same.
_FAILED: tuple[type[Exception], ...] = (*DAMAGED, OSError)
#: The errors from reading a member that is missing, encrypted or damaged.
_UNREADABLE: tuple[type[Exception], ...] = (*DAMAGED, KeyError, RuntimeError)


@contextmanager
def undamaged(filename: str) -> Iterator[None]:
    """Raise an error if the variant wheel *filename* is damaged or invalid.

    :raises InvalidVariantWheel: if an error in the block shows that the wheel is damaged or
        invalid.
    """
    try:
        yield
    except UnsupportedWheel as error:
        # Some of pip's messages start with the project; the file name is enough.
        problem = str(error).rpartition("has an invalid wheel, ")[2]
        raise InvalidVariantWheel(filename, problem) from None
    except RequestException:
        raise  # A server's error, although it is an OSError.
    except _FAILED as error:
        # Decompressors set no errno; seeking before the start of the file sets EINVAL.
        if getattr(error, "errno", None) not in (None, errno.EINVAL):
            raise
        problem = f"its archive cannot be read: {error}"
        raise InvalidVariantWheel(filename, problem) from None


def read_manifest(archive: zipfile.ZipFile, path: str) -> bytes:
    """Read a wheel's ``variant.json``, up to the allowed size.

    :raises UnsupportedWheel: if the file is unreadable or too large.
    """
    try:
        info = archive.getinfo(path)
        names = [each.filename.casefold() for each in archive.infolist()]
        if names.count(path.casefold()) > 1:
            # The file system would determine which file is installed and read later.
            raise UnsupportedWheel(f"{path!r} is in the archive more than once")
        if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            # Only for these two, zipfile limits decompression to the requested size.
            raise UnsupportedWheel(f"{path!r} has an unsupported compression method")
        with archive.open(info) as file:
            data = file.read(MAX_MANIFEST_SIZE + 1)
    except _UNREADABLE as error:
        raise UnsupportedWheel(f"could not read {path!r} file: {error!r}") from None
    if len(data) > MAX_MANIFEST_SIZE:
        raise UnsupportedWheel(f"{path!r} is larger than {MAX_MANIFEST_SIZE >> 20} MiB")
    return data
