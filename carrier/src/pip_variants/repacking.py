"""Build a wheel from an installed package, with the files that RECORD lists.

This module never changes installed files.
"""

from __future__ import annotations

import base64
import csv
import hashlib
import io
import os
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path

__all__ = ["UnpackableError", "damage", "repack"]

#: Metadata files that installers write, or that are no longer valid.
_WRITTEN = {"RECORD", "INSTALLER", "REQUESTED", "direct_url.json", "RECORD.jws"}
#: Scripts that an installer generates from entry_points.txt.
_MADE = re.compile(r"pip[-.\d]*(\.exe|-script\.py|-script\.pyw)?")
_TIME = (1980, 1, 1, 0, 0, 0)


class UnpackableError(Exception):
    """A package that cannot be packed into a wheel; the message is the reason."""


def repack(info: Path, scripts: Path, data: Path, folder: Path) -> Path:
    """Build a wheel from an installed package.

    The wheel contains the current files, even changed ones, and a new RECORD that matches
    them.

    :param info: the ``.dist-info`` folder of the package.
    :param scripts: the folder of the package's scripts.
    :param data: the root folder of the environment.
    :param folder: the folder for the wheel.
    :raises UnpackableError: if RECORD or a listed file is missing.
    """
    stem = info.name.removesuffix(".dist-info")
    try:
        members = {
            name: (path, path.read_bytes())
            for name, path in sorted(_members(info, stem, scripts, data))
        }
    except (OSError, UnicodeDecodeError) as error:
        raise UnpackableError(str(error)) from None
    target = folder / f"{stem}-py3-none-any.whl"
    record = io.StringIO(newline="")
    rows = csv.writer(record, lineterminator="\n")
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, (path, content) in members.items():
            archive.writestr(_entry(name, path), content)
            rows.writerow((name, _digest(content), len(content)))
        name = f"{info.name}/RECORD"
        rows.writerow((name, "", ""))
        archive.writestr(_entry(name), record.getvalue())
    return target


def damage(wheel: Path) -> str | None:
    """Return the damage of a wheel that :func:`repack` built, or ``None``."""
    try:
        with zipfile.ZipFile(wheel) as archive:
            damaged = archive.testzip()
    except Exception as error:  # Damaged zip files cause many kinds of errors.
        return str(error)
    return None if damaged is None else f"the checksum of {damaged} is wrong"


def _members(
    info: Path, stem: str, scripts: Path, data: Path
) -> Iterator[tuple[str, Path]]:
    """Yield the name in the wheel, and the path, of each file.

    :raises OSError: if RECORD is missing.
    :raises UnpackableError: if a file is outside *data*.
    """
    lib = info.parent
    for path in _files(info):
        if path.suffix == ".pyc" or (path.parent == info and path.name in _WRITTEN):
            continue
        if path.parent == scripts and _MADE.fullmatch(path.name):
            continue
        if path.is_relative_to(lib):
            yield path.relative_to(lib).as_posix(), path
        elif path.parent == scripts:
            yield f"{stem}.data/scripts/{path.name}", path
        elif path.is_relative_to(data):
            yield f"{stem}.data/data/{path.relative_to(data).as_posix()}", path
        else:
            raise UnpackableError(
                f"RECORD lists '{path}', but this path is outside '{data}'"
            )


def _files(info: Path) -> Iterator[Path]:
    """Yield the files that RECORD lists, including the files in listed folders.

    virtualenv lists a folder if it links to that folder. It also lists folders for
    bytecode, even if they do not exist yet.

    :raises OSError: if RECORD is missing.
    """
    text = (info / "RECORD").read_text(encoding="utf-8")
    for row in filter(None, csv.reader(io.StringIO(text))):
        path = Path(os.path.normpath(info.parent / row[0]))
        if path.name == "__pycache__":
            continue
        if path.is_dir():
            yield from (each for each in path.rglob("*") if each.is_file())
        else:
            yield path


def _entry(name: str, path: Path | None = None) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(name, _TIME)
    entry.compress_type = zipfile.ZIP_DEFLATED
    entry.create_system = 3
    mode = 0o644 if path is None or not os.access(path, os.X_OK) else 0o755
    entry.external_attr = (0o100000 | mode) << 16
    return entry


def _digest(content: bytes) -> str:
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest())
    return "sha256=" + digest.decode().rstrip("=")
