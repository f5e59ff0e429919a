"""Read the parts of a wheel that describe it, whatever its size."""

from __future__ import annotations

import csv
import io
import os
import re
import struct
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO
from zipfile import BadZipFile, ZipFile

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
from wheel_variants.publish.files import open_regular
from wheel_variants.publish.output import Advance

try:
    from lzma import LZMAError
except ImportError:  # Python may have been built without it.
    LZMAError = zlib.error  # type: ignore[misc, assignment]

__all__ = [
    *("PIECE", "SIGNATURES", "UnreadableWheel", "WheelFile", "WheelName"),
    *("fields", "is_safe_name", "open_wheel", "variant_marked", "wheel_in"),
]

#: Signatures of RECORD, beside it; RECORD cannot list them.
SIGNATURES = ("RECORD.jws", "RECORD.p7s")

_SAFE = re.compile(r"[A-Za-z0-9._+!-]+")
# Names that may lead outside: with a drive, an absolute path, the separator of another
# system, or a null character.
_STRAY = re.compile(r"[A-Za-z]:|/|.*[\\\0]", re.DOTALL)

#: How many bytes are read at once.
PIECE = 1 << 20

# No honest file in a .dist-info folder is larger.
_LARGEST_TEXT = 64 << 20
#: What reading raises if an archive is damaged or encrypted, or a member is missing.
_UNREADABLE = (
    *(BadZipFile, zlib.error, LZMAError, EOFError, struct.error, NotImplementedError),
    *(UnicodeDecodeError, csv.Error, KeyError, RuntimeError),
)


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

    :ivar dist_info: the name of its ``.dist-info`` folder.
    """

    def __init__(self, archive: ZipFile, name: WheelName) -> None:
        """Look into an archive.

        :raises UnreadableWheel: if it does not have exactly one ``.dist-info`` folder, of
            its release, or has unsafe entries.
        """
        self.archive = archive
        self.name = name
        self.members = [info.filename for info in archive.infolist()]
        _check_entries(archive)
        self.dist_info = self._find_dist_info()

    def _find_dist_info(self) -> str:
        folders = {member.partition("/")[0] for member in self.members}
        found = sorted(each for each in folders if each.endswith(".dist-info"))
        if len(found) != 1:
            listed = " and ".join(found) or "none"
            raise UnreadableWheel(f"it should have one .dist-info folder, not {listed}")
        project, _, version = found[0][: -len(".dist-info")].partition("-")
        try:
            same_version = Version(version) == self.name.version
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
        paths = {name: f"{self.dist_info}/{name}" for name in SIGNATURES}
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
                        while piece := member.read(PIECE):
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
def open_wheel(path: str, folder: str | None = None) -> Iterator[WheelFile]:
    """Open a wheel for reading.

    :param folder: the folder that the file must be in, if links must not leave it; then
        *path* is relative to it.
    :raises UnreadableWheel: if it is not a wheel of its name.
    :raises OSError: if the file cannot be read.
    """
    name = WheelName(os.path.basename(path))
    with open_regular(path, folder) as file, wheel_in(file, name) as wheel:
        yield wheel


@contextmanager
def wheel_in(file: IO[bytes], name: WheelName) -> Iterator[WheelFile]:
    """Read a wheel from an open file.

    :raises UnreadableWheel: if it is not a wheel of its name.
    """
    try:
        archive = ZipFile(file)
    except (BadZipFile, NotImplementedError, ValueError) as error:
        raise UnreadableWheel(f"it is not a zip archive: {error}") from None
    with archive:
        yield WheelFile(archive, name)


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
