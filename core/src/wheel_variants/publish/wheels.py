"""Read the metadata of wheels, and copy wheels with changed metadata.

A copy reuses the compressed data of the original. A copy is reproducible: the time, the
system, the umask and the version of zlib do not matter. Wheels of any size are read and
copied piece by piece.
"""

from __future__ import annotations

import base64
import copy
import csv
import hashlib
import io
import os
import re
import struct
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import IO, BinaryIO
from zipfile import ZIP_STORED, BadZipFile, ZipFile, ZipInfo

from packaging.metadata import RawMetadata, parse_email
from packaging.utils import (
    NormalizedName,
    canonicalize_name,
    is_normalized_name,
    parse_wheel_filename,
)
from packaging.version import Version

from wheel_variants.damage import DAMAGED
from wheel_variants.labels import split_label
from wheel_variants.markers import is_about_variant
from wheel_variants.publish.files import file_sha256, open_regular, replacing
from wheel_variants.publish.output import track

__all__ = [
    "ATTESTATIONS",
    "UnreadableWheel",
    "WheelFile",
    "WheelName",
    "copy_wheel",
    "fields",
    "is_of",
    "is_safe_name",
    "open_wheel",
    "record_hash",
    "variant_marked",
    "wheel_in",
    "write_copy",
]

#: Suffixes of files next to a wheel that attest its origin.
ATTESTATIONS = (".publish.attestation", ".provenance", ".asc", ".sig", ".sigstore")
#: Signatures of RECORD, which RECORD cannot list.
_SIGNATURES = ("RECORD.jws", "RECORD.p7s")

_SAFE = re.compile(r"[A-Za-z0-9._+!-]+")
# Names that may point outside the wheel: with a drive, an absolute path, the separator of
# another system, or a null character.
_STRAY = re.compile(r"[A-Za-z]:|/|.*[\\\0]", re.DOTALL)

#: The number of bytes per read, from a file and from a server.
_PIECE, _BUFFER = 1 << 20, 16 << 10

# Legitimate files in a .dist-info folder are smaller.
_LARGEST_TEXT = 64 << 20
#: The errors for damaged or encrypted archives, and for missing members.
_UNREADABLE: tuple[type[Exception], ...] = (*DAMAGED, csv.Error, KeyError, RuntimeError)


# The local header of a member ends with the lengths of its name and of its extra fields
# (section 4.3.7 of the ZIP format).
_LOCAL_HEADER = struct.Struct("<26x2H")
_SIZES_FOLLOW = 0x8


class UnreadableWheel(ValueError):
    """A file that is not a wheel, or whose content does not match its name.

    :ivar rule: the name of the broken rule.
    """

    def __init__(self, problem: str, rule: str = "wheel-readable") -> None:
        super().__init__(problem)
        self.rule = rule


class WheelName:
    """The parts of a wheel's file name (PEP 825, "Variant label").

    :ivar plain: the name without its label.
    :ivar label: the label; None for a plain wheel.
    """

    def __init__(self, filename: str) -> None:
        """Parse a file name.

        :raises UnreadableWheel: if *filename* is not the name of a wheel.
        """
        self.plain, self.label = split_label(filename)
        try:
            self.name, self.version, _, self.tags = parse_wheel_filename(self.plain)
        except ValueError as error:
            problem = f"invalid file name: {error}"
            raise UnreadableWheel(problem, "wheel-name") from None
        if not is_safe_name(filename, self.name):
            raise UnreadableWheel(f"invalid file name: {filename!r}", "wheel-name")
        self.filename = filename

    def __str__(self) -> str:
        return self.filename

    @property
    def release(self) -> tuple[NormalizedName, Version]:
        """The project and the version."""
        return self.name, self.version

    @property
    def stem(self) -> str:
        """The name and version as written, which also start the wheel's folder names."""
        return "-".join(self.filename.split("-")[:2])

    def without_local(self) -> WheelName:
        """Return the name of this wheel without the local version."""
        name, _, rest = self.filename.split("-", 2)
        return WheelName(f"{name}-{self.version.public}-{rest}")

    def labeled(self, label: str | None) -> str:
        """Return the file name with *label*, or without a label if *label* is None."""
        stem = self.plain[: -len(".whl")]
        return self.plain if label is None else f"{stem}-{label}.whl"


def is_safe_name(filename: str, project: NormalizedName) -> bool:
    """Return whether the file name of a distribution has only valid characters.

    The parsers of packaging do not check all of the name, which is used in pages and paths.

    :param project: the parsed name of the project.
    """
    return _SAFE.fullmatch(filename) is not None and is_normalized_name(project)


class WheelFile:
    """An open wheel.

    :ivar versions: the valid versions in its metadata.
    :ivar dist_info: the name of its ``.dist-info`` folder.
    """

    def __init__(
        self, archive: ZipFile, name: WheelName, *, may_be_renamed: bool = False
    ) -> None:
        """Inspect an archive.

        :param may_be_renamed: whether the metadata may lack the local version.
        :raises UnreadableWheel: if the archive does not have exactly one ``.dist-info``
            folder, with the right name and a file WHEEL, or has unsafe entries.
        """
        self.archive = archive
        self.name = name
        self.members = [info.filename for info in archive.infolist()]
        _check_entries(archive)
        self.versions = {name.version}
        if may_be_renamed:
            self.versions.add(Version(name.version.public))
        self.dist_info = self._find_dist_info()

    def _find_dist_info(self) -> str:
        folders = {member.partition("/")[0] for member in self.members}
        found = sorted(each for each in folders if each.endswith(".dist-info"))
        if len(found) != 1:
            listed = " and ".join(found) or "none"
            raise UnreadableWheel(
                f"a wheel must have exactly one .dist-info folder; found {listed}"
            )
        project, _, version = found[0][: -len(".dist-info")].partition("-")
        try:
            same_version = Version(version) in self.versions
        except ValueError:
            same_version = False
        if canonicalize_name(project) != self.name.name or not same_version:
            raise UnreadableWheel(f"the folder {found[0]!r} belongs to another release")
        if f"{found[0]}/WHEEL" not in self.members:
            raise UnreadableWheel("WHEEL is missing")
        return found[0]

    def read(self, name: str) -> bytes | None:
        """Read a file of the ``.dist-info`` folder, or return None if it is missing.

        :raises UnreadableWheel: if the file cannot be read.
        """
        path = f"{self.dist_info}/{name}"
        if path not in self.archive.NameToInfo:
            return None
        if self.archive.getinfo(path).file_size > _LARGEST_TEXT:
            size = f"{_LARGEST_TEXT >> 20} MiB"
            raise UnreadableWheel(f"{name} is larger than {size}")
        with _readable(name):
            return self.archive.read(path)

    def _required(self, name: str) -> bytes:
        data = self.read(name)
        if data is None:
            raise UnreadableWheel(f"{name} is missing")
        return data

    def metadata(self) -> bytes:
        """Read the core metadata.

        :raises UnreadableWheel: if METADATA is missing, or is of another release.
        """
        data = self._required("METADATA")
        if not any(is_of(data, self.name.name, each) for each in self.versions):
            raise UnreadableWheel(
                "the name or version in METADATA differs from the file name"
            )
        return data

    def record(self) -> list[list[str]]:
        """Read the rows of RECORD: path, hash, size.

        :raises UnreadableWheel: if RECORD is missing or malformed.
        """
        data = self._required("RECORD")
        with _readable("RECORD"):
            text = io.StringIO(data.decode("utf-8"), newline="")
            rows = [row for row in csv.reader(text) if row]
        if any(len(row) != 3 for row in rows):
            raise UnreadableWheel("a row of RECORD does not have three columns")
        return rows

    @property
    def signatures(self) -> list[str]:
        """The names of the signature files for RECORD."""
        paths = {name: f"{self.dist_info}/{name}" for name in _SIGNATURES}
        return [name for name, path in paths.items() if path in self.members]

    def check_integrity(self) -> None:
        """Read all members, piece by piece, and verify their checksums.

        :raises UnreadableWheel: if the archive is damaged.
        """
        with _readable("the archive"):
            for info in track(self.archive.infolist(), "Verifying"):
                try:
                    with self.archive.open(info) as member:
                        while member.read(_PIECE):
                            pass
                except BadZipFile:
                    problem = f"the archive is damaged at {info.filename}"
                    raise UnreadableWheel(problem) from None


def _check_entries(archive: ZipFile) -> None:
    seen: set[str] = set()
    for info in archive.infolist():
        # The name in the archive; zipfile normalizes ``filename``.
        name = info.orig_filename
        parts = name.removesuffix("/").split("/")
        if _STRAY.match(name) or not {"", ".", ".."}.isdisjoint(parts):
            problem = "is not a path inside the archive"
        elif name in seen:
            problem = "appears more than once"
        elif not 0 <= info.header_offset < archive.start_dir:
            problem = "starts outside the archive"
        else:
            seen.add(name)
            continue
        raise UnreadableWheel(f"entry {name!r} {problem}", "wheel-entries")


@contextmanager
def open_wheel(
    path: str, folder: str | None = None, *, may_be_renamed: bool = False
) -> Iterator[WheelFile]:
    """Open a wheel for reading.

    :param folder: the folder that links must not leave; *path* is relative to it.
    :param may_be_renamed: whether the metadata may lack the local version.
    :raises UnreadableWheel: if the file is not a wheel, or does not match its name.
    :raises OSError: if the file cannot be read.
    """
    name = WheelName(os.path.basename(path))
    with (
        open_regular(path, folder) as file,
        wheel_in(file, name, may_be_renamed=may_be_renamed) as wheel,
    ):
        yield wheel


@contextmanager
def wheel_in(
    file: IO[bytes] | io.RawIOBase, name: WheelName, *, may_be_renamed: bool = False
) -> Iterator[WheelFile]:
    """Read a wheel from an open file.

    :param file: the open file; a raw file is buffered.
    :param may_be_renamed: whether the metadata may lack the local version.
    :raises UnreadableWheel: if the file is not a wheel, or does not match its name.
    """
    try:
        if isinstance(file, io.RawIOBase):
            file = io.BufferedReader(file, _BUFFER)
        archive = ZipFile(file)
    except (BadZipFile, NotImplementedError, ValueError) as error:
        raise UnreadableWheel(f"not a zip archive: {error}") from None
    with archive:
        yield WheelFile(archive, name, may_be_renamed=may_be_renamed)


@contextmanager
def _readable(name: str) -> Iterator[None]:
    try:
        yield
    except _UNREADABLE as e:
        raise UnreadableWheel(f"cannot read {name}: {e}") from None


def fields(metadata: bytes) -> RawMetadata:
    """Return the fields of core metadata, as written."""
    return parse_email(metadata)[0]


def is_of(metadata: bytes, project: NormalizedName, version: Version) -> bool:
    """Return whether core metadata has the name and version of a release."""
    found = fields(metadata)
    try:
        is_same = Version(found.get("version", "").strip()) == version
    except ValueError:
        return False
    return is_same and canonicalize_name(found.get("name", "").strip()) == project


def variant_marked(metadata: bytes) -> list[str]:
    """Return the dependencies with variant markers (PEP 825)."""
    return [*filter(is_about_variant, fields(metadata).get("requires_dist", ()))]


def write_copy(
    wheel: WheelFile, path: str, files: Mapping[str, bytes], stem: str | None = None
) -> str:
    """Verify *wheel*, copy it to *path*, and return the sha256 of the copy.

    For the parameters, see :func:`copy_wheel`.

    :raises UnreadableWheel: if *wheel* is damaged.
    :raises OSError: if the copy cannot be written.
    """
    wheel.check_integrity()
    os.makedirs(os.path.dirname(path) or os.curdir, exist_ok=True)
    with replacing(path) as target:
        copy_wheel(wheel, target, files, stem)
    return file_sha256(path)


def copy_wheel(
    wheel: WheelFile,
    target: BinaryIO,
    files: Mapping[str, bytes],
    stem: str | None = None,
) -> None:
    """Copy *wheel* to *target*.

    Signatures of RECORD are omitted, because they are no longer valid.

    :param target: an empty, seekable file.
    :param files: new files for the ``.dist-info`` folder. Without ``variant.json``, the
        copy is a plain wheel.
    :param stem: the new ``{name}-{version}`` in the names of the ``.dist-info`` and
        ``.data`` folders, or None to keep the names.
    :raises UnreadableWheel: if the archive is inconsistent.
    """
    archive, dist_info = wheel.archive, wheel.dist_info
    old = dist_info.removesuffix(".dist-info")
    new = old if stem is None else stem
    folders = {f"{old}{kind}": f"{new}{kind}" for kind in (".dist-info", ".data")}
    names = ("RECORD", "variant.json", *_SIGNATURES, *files)
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
        for info in track(archive.infolist(), "Copying"):
            if info.filename not in left_out:
                name = _renamed(info.filename, folders)
                _copy_member(archive, info, name, ends[info.header_offset], output)
        # New members have the date and permissions of the old RECORD.
        model = archive.getinfo(f"{dist_info}/RECORD")
        for path, content in added.items():
            output.writestr(_new_member(model, path), content)


def _renamed(path: str, folders: Mapping[str, str]) -> str:
    """Return a path with its first folder renamed."""
    folder, slash, rest = path.partition("/")
    return f"{folders.get(folder, folder)}{slash}{rest}"


def record_hash(content: bytes) -> str:
    """Return the hash of a file in the format of RECORD."""
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest())
    return f"sha256={digest.decode('ascii').rstrip('=')}"


def _csv(rows: list[list[str]]) -> bytes:
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue().encode("utf-8")


def _new_member(model: ZipInfo, path: str) -> ZipInfo:
    member = ZipInfo(path, model.date_time)
    # Stored uncompressed, because compressed data depends on the version of zlib.
    member.compress_type = ZIP_STORED
    member.create_system = model.create_system
    member.external_attr = model.external_attr
    return member


def _copy_member(
    archive: ZipFile, info: ZipInfo, path: str, end: int, output: ZipFile
) -> None:
    """Copy a member to another path without decompressing it.

    :param end: the offset of the next member.
    """
    source, target = archive.fp, output.fp
    assert source is not None
    assert target is not None
    # Opening compares the header with the directory at the end of the archive.
    with _readable(info.filename), archive.open(info):
        source.seek(info.header_offset)
        lengths = _LOCAL_HEADER.unpack(source.read(_LOCAL_HEADER.size))
    position = info.header_offset + _LOCAL_HEADER.size + sum(lengths)
    if position + info.compress_size > end:
        raise UnreadableWheel(f"the archive is inconsistent at {info.filename}")
    member = copy.copy(info)
    member.filename = path
    # The sizes are known now, and the extra fields belong to the old header.
    member.flag_bits &= ~_SIZES_FOLLOW
    member.extra = b""
    member.header_offset = target.tell()
    target.write(member.FileHeader())
    source.seek(position)
    for start in range(0, info.compress_size, _PIECE):
        target.write(source.read(min(_PIECE, info.compress_size - start)))
    output.filelist.append(member)
    output.NameToInfo[member.filename] = member
    output.start_dir = target.tell()
