"""Find an installed release and read it, verified against its RECORD."""

from __future__ import annotations

import csv
import hashlib
from base64 import urlsafe_b64encode
from dataclasses import dataclass
from importlib.metadata import Distribution
from pathlib import Path

from fork.errors import ForkError
from fork.pins import PINS, Pin

__all__ = ["Release", "read_release"]

_HOW_TO_GET = (
    "A build in isolation (without --no-build-isolation) gets it by itself; for anything "
    "else type: python -m pip install --target DIR "
    + " ".join(f"'{pin.requirement}'" for pin in PINS)
    + ", then python -m fork assemble --from DIR."
)


@dataclass(frozen=True, slots=True)
class Release:
    """Hold the verified files of one release.

    :param digest: SHA-256 (hexadecimal) of the sorted RECORD rows of all files here.
    :param files: contents by RECORD path.
    :param licenses: contents by path below ``.dist-info/``.
    """

    pin: Pin
    version: str
    digest: str
    files: dict[str, bytes]
    licenses: dict[str, bytes]


def read_release(
    pin: Pin, folder: Path | None = None, *, exact: bool = True
) -> Release:
    """Read a release from the running environment, or from a folder.

    :param folder: a ``pip install --target`` folder, or an unpacked wheel.
    :param exact: refuse any version but the pinned one.
    :raises ForkError: the release is absent, another version, or was changed.
    """
    distribution = _find(pin, folder)
    if exact and distribution.version != pin.version:
        raise ForkError(_wrong_version(pin, distribution.version))
    record = distribution.read_text("RECORD")
    if record is None:
        raise ForkError(
            f"{pin.name} {distribution.version} has no RECORD, so its files cannot be "
            f"verified (a Linux distribution's package?). {_HOW_TO_GET}"
        )
    rows: list[str] = []
    files: dict[str, bytes] = {}
    licenses: dict[str, bytes] = {}
    for path, expected, size in csv.reader(record.splitlines()):
        if "__pycache__/" in path or path.endswith(".pyc"):
            continue
        _, _, below = path.partition(".dist-info/")
        if below and path.count("/", 0, -len(below)) == 1:
            if not below.startswith(pin.licenses or ("\0",)):
                continue
            kept, name = licenses, below
        elif path.startswith(pin.roots):
            kept, name = files, path
        else:
            continue
        kept[name] = _read(
            pin, Path(str(distribution.locate_file(path))), path, expected
        )
        rows.append(f"{path},{expected},{size}")
    digest = hashlib.sha256("\n".join(sorted(rows)).encode()).hexdigest()
    return Release(pin, distribution.version, digest, files, licenses)


def _find(pin: Pin, folder: Path | None) -> Distribution:
    if folder is None:
        found = Distribution.discover(name=pin.name)
    else:
        found = Distribution.discover(name=pin.name, path=[str(folder)])
    for distribution in found:
        return distribution
    where = "the running environment" if folder is None else f"{str(folder)!r}"
    raise ForkError(f"{pin.name} {pin.version} is not in {where}. {_HOW_TO_GET}")


def _read(pin: Pin, file: Path, path: str, expected: str) -> bytes:
    try:
        data = file.read_bytes()
    except OSError as error:
        raise ForkError(
            f"{pin.name}: a file of its RECORD cannot be read ({error.strerror}). "
            f"{_HOW_TO_GET} File: {path!r}"
        ) from error
    algorithm, _, _ = expected.partition("=")
    if algorithm != "sha256" or expected != _record_hash(data):
        raise ForkError(
            f"{pin.name}: a file differs from its RECORD; the installation was changed "
            f"(patched by hand or by a Linux distribution). {_HOW_TO_GET} "
            f"File: {path!r}"
        )
    return data


def _record_hash(data: bytes) -> str:
    digest = urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    return f"sha256={digest}"


def _wrong_version(pin: Pin, version: str) -> str:
    if pin.name == "pip" and "+variants" in version:
        return (
            "this pip is already the fork, which cannot be assembled from itself. "
            f"{_HOW_TO_GET} Found: {version!r}"
        )
    return (
        f"the fork is made from {pin.name} {pin.version} and no other version. "
        f"{_HOW_TO_GET} Found: {version!r}"
    )
