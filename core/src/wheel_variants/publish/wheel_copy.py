"""Copy a wheel with other metadata about variants.

The copy takes over the compressed data of the original. It depends on nothing else: not
on the time, the system, the umask or the version of zlib. Wheels of any size are copied
piece by piece.
"""

from __future__ import annotations

import base64
import copy
import csv
import hashlib
import io
import os
import struct
from collections.abc import Mapping
from typing import BinaryIO
from zipfile import ZIP_STORED, ZipFile, ZipInfo

from wheel_variants.publish.files import file_sha256, replacing
from wheel_variants.publish.output import Advance, byte_progress
from wheel_variants.publish.wheel_file import (
    PIECE,
    SIGNATURES,
    UnreadableWheel,
    WheelFile,
)

__all__ = ["copy_wheel", "record_hash", "write_copy"]

# The local header of a member (section 4.3.7 of the ZIP format).
_LOCAL_HEADER = struct.Struct("<4s5H3L2H")
_LOCAL_SIGNATURE = b"PK\3\4"
_ENCRYPTED, _SIZES_FOLLOW, _UTF8_NAME = 0x1, 0x8, 0x800


def write_copy(
    wheel: WheelFile,
    path: str,
    files: Mapping[str, bytes],
    stem: str | None = None,
) -> str:
    """Verify *wheel*, copy it to *path*, and return the sha256 of the copy.

    The parameters are those of :func:`copy_wheel`.

    :raises UnreadableWheel: if *wheel* is damaged.
    :raises OSError: if the copy cannot be written.
    """
    with byte_progress(wheel.bytes_to_read) as advance:
        wheel.check_integrity(advance)
        os.makedirs(os.path.dirname(path) or os.curdir, exist_ok=True)
        with replacing(path) as target:
            copy_wheel(wheel, target, files, advance, stem)
    return file_sha256(path)


def copy_wheel(
    wheel: WheelFile,
    target: BinaryIO,
    files: Mapping[str, bytes],
    advance: Advance = lambda _: None,
    stem: str | None = None,
) -> None:
    """Copy *wheel* to *target*.

    Signatures of RECORD are left out, since they are no longer valid.

    :param target: an empty, seekable file.
    :param files: new files of the ``.dist-info`` folder; without ``variant.json``, the
        copy has none.
    :param advance: called with the size of each piece.
    :param stem: ``{name}-{version}`` of its folders for metadata and data, if they are to
        be called otherwise.
    :raises UnreadableWheel: if the archive contradicts itself.
    """
    archive, dist_info = wheel.archive, wheel.dist_info
    old = dist_info.removesuffix(".dist-info")
    new = old if stem is None else stem
    folders = {f"{old}{kind}": f"{new}{kind}" for kind in (".dist-info", ".data")}
    names = ("RECORD", "variant.json", *SIGNATURES, *files)
    left_out = {f"{dist_info}/{name}" for name in names}
    rows = [
        [_renamed(row[0], folders), *row[1:]]
        for row in wheel.record()
        if row[0] not in left_out
    ]
    added = {f"{new}.dist-info/{name}": each for name, each in files.items()}
    rows += [[path, record_hash(each), str(len(each))] for path, each in added.items()]
    rows.append([f"{new}.dist-info/RECORD", "", ""])
    added[f"{new}.dist-info/RECORD"] = _csv(rows)
    # The end of each member, by the position of its header.
    starts = sorted(info.header_offset for info in archive.infolist())
    ends = dict(zip(starts, [*starts[1:], archive.start_dir], strict=True))
    with ZipFile(target, "w") as output:
        for info in archive.infolist():
            if info.filename not in left_out:
                name = _renamed(info.filename, folders)
                end = ends[info.header_offset]
                _copy_member(archive, info, name, end, output, advance)
        # New members have the date and permissions of the old RECORD.
        model = archive.getinfo(f"{dist_info}/RECORD")
        for path, content in added.items():
            output.writestr(_new_member(model, path), content)


def _renamed(path: str, folders: Mapping[str, str]) -> str:
    """Return a path with another folder at its beginning."""
    folder, slash, rest = path.partition("/")
    return f"{folders.get(folder, folder)}{slash}{rest}"


def record_hash(content: bytes) -> str:
    """Return the hash of a file in the form that RECORD has."""
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest())
    return f"sha256={digest.decode('ascii').rstrip('=')}"


def _csv(rows: list[list[str]]) -> bytes:
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue().encode("utf-8")


def _new_member(model: ZipInfo, path: str) -> ZipInfo:
    member = ZipInfo(path, model.date_time)
    # Not compressed, since the result would depend on the version of zlib.
    member.compress_type = ZIP_STORED
    member.create_system = model.create_system
    member.external_attr = model.external_attr
    return member


def _copy_member(
    archive: ZipFile,
    info: ZipInfo,
    path: str,
    end: int,
    output: ZipFile,
    advance: Advance,
) -> None:
    """Copy a member without decompressing it, to another path."""
    source, target = archive.fp, output.fp
    assert source is not None
    assert target is not None
    source.seek(info.header_offset)
    header = source.read(_LOCAL_HEADER.size)
    if len(header) < _LOCAL_HEADER.size or not header.startswith(_LOCAL_SIGNATURE):
        raise UnreadableWheel(f"its archive has no header for {info.filename}")
    *_, name_length, extra_length = _LOCAL_HEADER.unpack(header)
    name = source.read(name_length)
    encoding = "utf-8" if info.flag_bits & _UTF8_NAME else "cp437"
    position = source.tell() + extra_length
    # Readers of the directory at the end, and of the headers in between, must see the
    # same.
    if (
        name != info.orig_filename.encode(encoding)
        or position + info.compress_size > end
        or info.flag_bits & _ENCRYPTED
    ):
        raise UnreadableWheel(f"its archive contradicts itself about {info.filename}")
    member = copy.copy(info)
    member.filename = path
    # The sizes are known by now, and further fields belong to the old place.
    member.flag_bits &= ~_SIZES_FOLLOW
    member.extra = b""
    member.header_offset = target.tell()
    target.write(member.FileHeader())
    source.seek(position)
    left = info.compress_size
    while left:
        piece = source.read(min(left, PIECE))
        if not piece:
            raise UnreadableWheel(f"its archive ends within {info.filename}")
        target.write(piece)
        advance(len(piece))
        left -= len(piece)
    output.filelist.append(member)
    output.NameToInfo[member.filename] = member
    output.start_dir = target.tell()
