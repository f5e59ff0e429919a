"""Add license files to the metadata and RECORD of a built wheel.

Hatchling reads license files only from the project's folder; these files come from the
build requirements.
"""

from __future__ import annotations

import zipfile
from pathlib import Path

from fork.engine.releases import record_hash

__all__ = ["add_licenses"]


def add_licenses(wheel: Path, licenses: dict[str, bytes]) -> None:
    """Rewrite a wheel in place.

    :param licenses: license texts by path below ``.dist-info/licenses/`` (PEP 639).
    """
    with zipfile.ZipFile(wheel) as archive:
        entries = [(info, archive.read(info)) for info in archive.infolist()]
    record, _ = entries.pop()
    folder, _, last = record.filename.partition("/")
    assert last == "RECORD", record.filename
    for position, (info, data) in enumerate(entries):
        if info.filename == f"{folder}/METADATA":
            entries[position] = (info, _list_licenses(data, licenses))
    for path, data in sorted(licenses.items()):
        info = zipfile.ZipInfo(f"{folder}/licenses/{path}", record.date_time)
        info.external_attr = record.external_attr
        entries.append((info, data))
    rows = "".join(_row(info.filename, data) for info, data in entries)
    entries.append((record, f"{rows}{record.filename},,\n".encode()))
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for info, data in entries:
            archive.writestr(info, data, zipfile.ZIP_DEFLATED)


def _list_licenses(metadata: bytes, licenses: dict[str, bytes]) -> bytes:
    head, separator, body = metadata.partition(b"\n\n")
    lines = head.split(b"\n")
    own = [line for line in lines if line.startswith(b"License-File: ")]
    listed = sorted([*own, *(f"License-File: {path}".encode() for path in licenses)])
    first = lines.index(own[0])
    lines[first : first + len(own)] = listed
    return b"\n".join(lines) + separator + body


def _row(path: str, data: bytes) -> str:
    return f"{path},{record_hash(data)},{len(data)}\n"
