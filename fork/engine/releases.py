"""Read an installed release, and verify its files against RECORD."""

from __future__ import annotations

import csv
import hashlib
from base64 import urlsafe_b64encode
from dataclasses import dataclass
from importlib.metadata import Distribution
from pathlib import Path

from fork.engine.errors import ForkError

__all__ = ["Pin", "Sources", "read_release", "record_hash"]


@dataclass(frozen=True, slots=True)
class Pin:
    """A pinned release, and the part of the release that is verified and used.

    :ivar name: the project name.
    :ivar version: the only accepted version, compared as a string.
    :ivar digest: the digest of the reviewed release, see :class:`Sources`.
    :ivar roots: the paths of the project's files, as prefixes of RECORD paths.
    :ivar licenses: the license files, as prefixes of paths below ``.dist-info/``.
    """

    name: str
    version: str
    digest: str
    roots: tuple[str, ...]
    licenses: tuple[str, ...] = ()

    @property
    def requirement(self) -> str:
        """The requirement for exactly this release."""
        return f"{self.name}==={self.version}"


@dataclass(frozen=True, slots=True)
class Sources:
    """The verified files of one release.

    :ivar digest: the SHA-256 (hexadecimal) of the sorted RECORD rows of all *files*.
    :ivar files: contents by RECORD path.
    :ivar licenses: license texts by path below ``.dist-info/``.
    """

    pin: Pin
    version: str
    digest: str
    files: dict[str, bytes]
    licenses: dict[str, bytes]


def read_release(
    pin: Pin, how_to_get: str, folder: Path | None = None, *, exact: bool = True
) -> Sources:
    """Read a release from the running environment, or from a folder.

    :param how_to_get: instructions for installing the release, for error messages.
    :param folder: the folder of the installed release, or an unpacked wheel.
    :param exact: whether to refuse any release but the pinned one.
    :raises ForkError: if the release is missing, has another version, or was changed.
    """
    distribution = _find(pin, folder, how_to_get)
    if exact and distribution.version != pin.version:
        raise ForkError(
            f"the fork is made from {pin.name} {pin.version} and no other version. "
            f"{how_to_get} Found: {distribution.version!r}"
        )
    record = distribution.read_text("RECORD")
    if record is None:
        raise ForkError(
            f"{pin.name} {distribution.version} has no RECORD, so its files cannot be "
            f"verified (a Linux distribution's package?). {how_to_get}"
        )
    rows: list[str] = []
    files: dict[str, bytes] = {}
    licenses: dict[str, bytes] = {}
    for path, expected, size in csv.reader(record.splitlines()):
        if "__pycache__/" in path or path.endswith(".pyc"):
            continue
        _, _, below = path.partition(".dist-info/")
        if below and path.count("/", 0, -len(below)) == 1:
            if not below.startswith(pin.licenses):
                continue
            kept, name = licenses, below
        elif path.startswith(pin.roots):
            kept, name = files, path
        else:
            continue
        file = Path(str(distribution.locate_file(path)))
        data, problem = _read(file, expected)
        if problem:
            raise ForkError(
                f"{pin.name}: a file {problem}. {how_to_get} File: {path!r}"
            )
        kept[name] = data
        rows.append(f"{path},{expected},{size}")
    digest = hashlib.sha256("\n".join(sorted(rows)).encode()).hexdigest()
    if exact and digest != pin.digest:
        raise ForkError(
            f"{pin.name} {pin.version} is not the release that was reviewed: its digest "
            f"is {digest}, and fork/pins.py has {pin.digest}. Get it from the Python "
            "Package Index. To accept the change, read it first (python tools/rebase.py "
            "VERSION), adapt the fork, then write the digest into fork/pins.py"
        )
    return Sources(pin, distribution.version, digest, files, licenses)


def _find(pin: Pin, folder: Path | None, how_to_get: str) -> Distribution:
    if folder is None:
        found = Distribution.discover(name=pin.name)
    else:
        found = Distribution.discover(name=pin.name, path=[str(folder)])
    for distribution in found:
        return distribution
    where = "the running environment" if folder is None else f"{str(folder)!r}"
    raise ForkError(f"{pin.name} {pin.version} is not in {where}. {how_to_get}")


def _read(file: Path, expected: str) -> tuple[bytes, str]:
    """Return the contents of a file, and the problem with the file, if any."""
    try:
        data = file.read_bytes()
    except OSError as error:
        return b"", f"of its RECORD cannot be read ({error.strerror})"
    if expected != record_hash(data):
        return b"", (
            "differs from its RECORD; the installation was changed "
            "(patched manually or by a Linux distribution)"
        )
    return data, ""


def record_hash(data: bytes) -> str:
    """Return the hash of a file in the format of RECORD."""
    digest = urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    return f"sha256={digest}"
