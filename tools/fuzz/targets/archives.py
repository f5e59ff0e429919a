"""Archives of which two readings differ: what lies unpacked is what upstream would read."""

from __future__ import annotations

import io
import shutil
import struct
import tempfile
import warnings
import zipfile
from pathlib import Path
from unittest import mock

from pip._internal.fast.digests import Verified
from pip._internal.fast.downloads import staging_child
from pip._internal.fast.downloads.unpacking import Part, Unpacking
from tools.fuzz.choices import Choices
from tools.fuzz.target import MEMORY, structured

__all__ = ["TARGETS"]

_FOLDER = tempfile.TemporaryDirectory(dir=MEMORY, prefix="fuzz-archives-")
_NAMES = ("foo/a.py", "foo/b.so", "../c.py", "/d", "foo/", "foo/a.py", "e\u00e9", "")
_CONTENTS = (b"", b"x = 1\n", b"x = 1\n" * 50, bytes(range(256)) * 40, b"PK\3\4" * 9)
_METHODS = (*(zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED) * 4, zipfile.ZIP_BZIP2)
_SIGNATURES = (b"PK\1\2", b"PK\3\4", b"PK\5\6", b"PK\6\6", b"PK\6\7", b"PK\7\x08")
#: What a field may be changed to.
_VALUES = (0, 1, 8, 0x800, 0xFFFF, 0xFFFFFFFF)


def _archive(choices: Choices) -> bytes:
    buffer = io.BytesIO()
    is_large = choices.rarely()
    limit = 20 if is_large else zipfile.ZIP64_LIMIT
    with (
        mock.patch.object(zipfile, "ZIP64_LIMIT", limit),
        zipfile.ZipFile(buffer, "w") as archive,
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("ignore")  # of names that are repeated
        lines = choices.one_of(("Root-Is-Purelib: true\n", ""))
        archive.writestr("foo-1.0.dist-info/WHEEL", lines)
        for _ in range(choices.byte() % 5):
            info = zipfile.ZipInfo(choices.one_of(_NAMES) or "f")
            info.compress_type = choices.one_of(_METHODS)
            content = choices.one_of(_CONTENTS)
            told_so = is_large or choices.rarely()
            with archive.open(info, "w", force_zip64=told_so) as file:
                file.write(content)
        if choices.rarely():
            archive.comment = choices.one_of(_CONTENTS)
    return buffer.getvalue()


def _changed(choices: Choices) -> bytes:
    data = bytearray(_archive(choices))
    for _ in range(choices.byte() % 4):
        kind = choices.byte() % 5
        place = data.find(choices.one_of(_SIGNATURES), choices.byte() * 4 % len(data))
        at = max(place, 0) + choices.byte() % 48
        if kind == 0:
            data[at : at + 1] = bytes([choices.byte()])
        elif kind == 1:
            value = struct.pack("<L", choices.one_of(_VALUES))
            data[at : at + 2] = value[:2]
        elif kind == 2:
            data[at : at + 4] = struct.pack("<L", choices.one_of(_VALUES))
        elif kind == 3:
            data[at:at] = _archive(choices)[: choices.byte()]
        else:
            del data[at : at + choices.byte() % 64]
    return bytes(data)


def _check(choices: Choices) -> None:
    path = Path(_FOLDER.name, "foo-1.0-py3-none-any.whl")
    path.write_bytes(_changed(choices))
    folder = Path(_FOLDER.name, "folder")
    folder.mkdir()
    try:
        _compare(path, folder, choices.byte())
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _compare(path: Path, folder: Path, step: int) -> None:
    made = Unpacking(str(path), str(folder), {}, _do)
    size = path.stat().st_size
    made.allow(size, 1 << 40)
    for there in range(0, size, step * 8 or size):
        made.arrived(there)
    made.verified(Verified.unchecked(str(path)))
    if made.result() is None:
        assert not folder.exists(), "nothing is left"
        return
    with zipfile.ZipFile(path) as archive:
        infos = archive.infolist()
        assert {str(info.header_offset) for info in infos} == {
            path.name for path in folder.iterdir()
        }
        for info in infos:
            content = (folder / str(info.header_offset)).read_bytes()
            # An error here is a finding too: upstream would refuse it.
            assert content == archive.read(info), info


def _do(part: Part) -> None:
    if part.of.begin():
        try:
            staging_child.do(part.order)
        except Exception as error:  # As in the process of its own.
            part.of.fail(error)
        part.of.done()


TARGETS = (structured("archives", _check),)
