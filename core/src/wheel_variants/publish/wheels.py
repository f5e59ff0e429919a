"""Read the parts of a wheel that describe it, and copy wheels with other metadata.

A copy takes over the compressed data of the original. It depends on nothing else: not
on the time, the system, the umask or the version of zlib. Wheels of any size are read and
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
import zlib
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

from wheel_variants.labels import split_label
from wheel_variants.markers import is_about_variant
from wheel_variants.publish.files import file_sha256, open_regular, replacing
from wheel_variants.publish.output import Advance, byte_progress

try:
    from lzma import LZMAError
except ImportError:  # Python may have been built without it.
    LZMAError = zlib.error  # type: ignore[misc, assignment]

__all__ = [
    "UnreadableWheel",
    "WheelFile",
    "WheelName",
    "copy_wheel",
    "fields",
    "is_safe_name",
    "open_wheel",
    "record_hash",
    "variant_marked",
    "wheel_in",
    "write_copy",
]

#: Signatures of RECORD, beside it; RECORD cannot list them.
_SIGNATURES = ("RECORD.jws", "RECORD.p7s")

_SAFE = re.compile(r"[A-Za-z0-9._+!-]+")
# Names that may lead outside: with a drive, an absolute path, the separator of another
# system, or a null character.
_STRAY = re.compile(r"[A-Za-z]:|/|.*[\\\0]", re.DOTALL)

#: How many bytes are read at once.
_PIECE = 1 << 20

# No honest file in a .dist-info folder is larger.
_LARGEST_TEXT = 64 << 20
#: What reading raises if an archive is damaged or encrypted, or a member is missing.
_UNREADABLE = (
    *(BadZipFile, zlib.error, LZMAError, EOFError, struct.error, NotImplementedError),
    *(UnicodeDecodeError, csv.Error, KeyError, RuntimeError),
)


# The local header of a member (section 4.3.7 of the ZIP format).
_LOCAL_HEADER = struct.Struct("<4s5H3L2H")
_LOCAL_SIGNATURE = b"PK\3\4"
_ENCRYPTED, _SIZES_FOLLOW, _UTF8_NAME = 0x1, 0x8, 0x800


class UnreadableWheel(ValueError):
    """A file is not a wheel, or not the wheel that its name says.

    :ivar rule: the name of the rule that it breaks.
    """

    def __init__(self, problem: str, rule: str = "wheel-readable") -> None:
        super().__init__(problem)
        self.rule = rule


class WheelName:
    """The parts of a wheel's file name (PEP 825, "Variant label").

    :ivar plain: the name without its label.
    :ivar label: None for a plain wheel.
    """

    def __init__(self, filename: str) -> None:
        """Parse a file name.

        :raises UnreadableWheel: if it is not the name of a wheel.
        """
        self.plain, self.label = split_label(filename)
        try:
            self.name, self.version, _, self.tags = parse_wheel_filename(self.plain)
        except ValueError as error:
            problem = f"its name is invalid: {error}"
            raise UnreadableWheel(problem, "wheel-name") from None
        if not is_safe_name(filename, self.name):
            raise UnreadableWheel(f"its name is invalid: {filename!r}", "wheel-name")
        self.filename = filename

    def without_local(self) -> WheelName:
        """Return the name of the same build of the version without its local part."""
        name, _, rest = self.filename.split("-", 2)
        return WheelName(f"{name}-{self.version.public}-{rest}")

    def labelled(self, label: str | None) -> str:
        """Return the file name with another label, or with none."""
        stem = self.plain[: -len(".whl")]
        return self.plain if label is None else f"{stem}-{label}.whl"


def is_safe_name(filename: str, project: NormalizedName) -> bool:
    """Return whether the file name of a distribution has only characters that it may have.

    The parsers of packaging do not check all of it; pages and paths are made of it.

    :param project: the name of the project, as parsed.
    """
    return _SAFE.fullmatch(filename) is not None and is_normalized_name(project)


class WheelFile:
    """An open wheel.

    :ivar versions: those that its metadata may have.
    :ivar dist_info: the name of its ``.dist-info`` folder.
    """

    def __init__(
        self, archive: ZipFile, name: WheelName, *, may_be_renamed: bool = False
    ) -> None:
        """Look into an archive.

        :param may_be_renamed: whether the name alone may have the local version.
        :raises UnreadableWheel: if it does not have exactly one ``.dist-info`` folder, of
            its release, or has unsafe entries.
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
            raise UnreadableWheel(f"it should have one .dist-info folder, not {listed}")
        project, _, version = found[0][: -len(".dist-info")].partition("-")
        try:
            same_version = Version(version) in self.versions
        except ValueError:
            same_version = False
        if canonicalize_name(project) != self.name.name or not same_version:
            raise UnreadableWheel(f"its folder {found[0]!r} is of another release")
        return found[0]

    def read(self, name: str) -> bytes | None:
        """Read a file of the ``.dist-info`` folder; None if there is none.

        :raises UnreadableWheel: if it cannot be read.
        """
        path = f"{self.dist_info}/{name}"
        if path not in self.archive.NameToInfo:
            return None
        if self.archive.getinfo(path).file_size > _LARGEST_TEXT:
            size = f"{_LARGEST_TEXT >> 20} MiB"
            raise UnreadableWheel(f"its {name} is larger than {size}")
        with _readable(name):
            return self.archive.read(path)

    def _required(self, name: str) -> bytes:
        data = self.read(name)
        if data is None:
            raise UnreadableWheel(f"it has no {name}")
        return data

    def metadata(self) -> bytes:
        """Read the core metadata.

        :raises UnreadableWheel: if there is none.
        """
        return self._required("METADATA")

    def record(self) -> list[list[str]]:
        """Read the rows of RECORD: path, hash, size.

        :raises UnreadableWheel: if there is none, or it has another form.
        """
        data = self._required("RECORD")
        with _readable("RECORD"):
            text = io.StringIO(data.decode("utf-8"), newline="")
            rows = [row for row in csv.reader(text) if row]
        if any(len(row) != 3 for row in rows):
            raise UnreadableWheel("its RECORD has a row without three columns")
        return rows

    @property
    def signatures(self) -> list[str]:
        """The names of the signatures of its RECORD."""
        paths = {name: f"{self.dist_info}/{name}" for name in _SIGNATURES}
        return [name for name, path in paths.items() if path in self.members]

    @property
    def bytes_to_read(self) -> int:
        """The number of bytes to check and then to copy."""
        members = self.archive.infolist()
        return sum(info.file_size + info.compress_size for info in members)

    def check_integrity(self, advance: Advance = lambda _: None) -> None:
        """Read everything, piece by piece, and verify the archive's checksums.

        :param advance: called with the size of each piece.
        :raises UnreadableWheel: if it is damaged.
        """
        with _readable("archive"):
            for info in self.archive.infolist():
                try:
                    with self.archive.open(info) as member:
                        while piece := member.read(_PIECE):
                            advance(len(piece))
                except BadZipFile:
                    problem = f"its archive is damaged at {info.filename}"
                    raise UnreadableWheel(problem) from None


def _check_entries(archive: ZipFile) -> None:
    seen: set[str] = set()
    for info in archive.infolist():
        # The name as it stands in the archive; zipfile changes the other one.
        name = info.orig_filename
        parts = name.removesuffix("/").split("/")
        if _STRAY.match(name) or not {"", ".", ".."}.isdisjoint(parts):
            problem = "is no path below its root"
        elif name in seen:
            problem = "is there more than once"
        else:
            seen.add(name)
            continue
        raise UnreadableWheel(f"its entry {name!r} {problem}", "wheel-entries")


@contextmanager
def open_wheel(
    path: str, folder: str | None = None, *, may_be_renamed: bool = False
) -> Iterator[WheelFile]:
    """Open a wheel for reading.

    :param folder: the folder that the file must be in, if links must not leave it; then
        *path* is relative to it.
    :param may_be_renamed: whether the name alone may have the local version.
    :raises UnreadableWheel: if it is not a wheel of its name.
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
    file: IO[bytes], name: WheelName, *, may_be_renamed: bool = False
) -> Iterator[WheelFile]:
    """Read a wheel from an open file.

    :param may_be_renamed: whether the name alone may have the local version.
    :raises UnreadableWheel: if it is not a wheel of its name.
    """
    try:
        archive = ZipFile(file)
    except (BadZipFile, NotImplementedError, ValueError) as error:
        raise UnreadableWheel(f"it is not a zip archive: {error}") from None
    with archive:
        yield WheelFile(archive, name, may_be_renamed=may_be_renamed)


@contextmanager
def _readable(name: str) -> Iterator[None]:
    try:
        yield
    except _UNREADABLE as e:
        raise UnreadableWheel(f"its {name} cannot be read: {e}") from None


def fields(metadata: bytes) -> RawMetadata:
    """Return the fields of core metadata, as written."""
    return parse_email(metadata)[0]


def variant_marked(metadata: bytes) -> list[str]:
    """Return the dependencies with markers about variants (PEP 825)."""
    return [*filter(is_about_variant, fields(metadata).get("requires_dist", ()))]


def write_copy(
    wheel: WheelFile, path: str, files: Mapping[str, bytes], stem: str | None = None
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
        piece = source.read(min(left, _PIECE))
        if not piece:
            raise UnreadableWheel(f"its archive ends within {info.filename}")
        target.write(piece)
        advance(len(piece))
        left -= len(piece)
    output.filelist.append(member)
    output.NameToInfo[member.filename] = member
    output.start_dir = target.tell()
