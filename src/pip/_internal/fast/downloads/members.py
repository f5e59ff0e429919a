"""The members of an archive, read from its start, and whether its directory agrees.

An archive tells of each member twice: where it lies, and in the directory at its end, which
is what counts. From the start it can be read while it arrives. Whatever the two readings do
not agree on to the letter is no :class:`Member` of ours.
"""

from __future__ import annotations

import os
import struct
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import zipfile

__all__ = ["DEFLATED", "STORED", "Member", "Scan", "Unclear"]

STORED, DEFLATED = 0, 8

_HEADER = struct.Struct("<4s2xHH4xLLLHH")
#: What follows the directory; before it, where numbers are large, two more (APPNOTE 4.3.14).
_ENDING = struct.Struct("<4sHHHHLLH")
_LARGE_ENDING, _LOCATOR = struct.Struct("<4sQ4xLLQQQQ"), struct.Struct("<4sLQL")
#: How a header, the directory and the ends of the archive begin.
_BEGINS, _DIRECTORY, _END = b"PK\3\4", b"PK\1\2", b"PK\5\6"
_LARGE_END, _LOCATES = b"PK\6\6", b"PK\6\7"
#: The name is in UTF-8.
_UTF_8 = 0x800
#: Of the flags, those that change nothing of how a member is read.
_HARMLESS = _UTF_8 | 0x6
#: A size that is told in an extra field, and which one (APPNOTE 4.5.3).
_ELSEWHERE, _LARGE = 0xFFFFFFFF, 1
#: What the fields of the end may say if they are told before it.
_FULL = None, None, None, 0xFFFF, 0xFFFF, _ELSEWHERE, _ELSEWHERE, None
#: Bytes that hold nearly every header with its name.
_MOST = 512


class Unclear(Exception):
    """An archive is not as plain as archives are; the message says in what."""


class Member(NamedTuple):
    """A member, as it is told of where it lies.

    :ivar at: where its header begins
    :ivar begins: where its data begins
    :ivar packed: bytes of its data
    :ivar size: bytes that it has when it is unpacked
    """

    at: int
    name: str
    flags: int
    method: int
    crc: int
    packed: int
    size: int
    begins: int


def read_at(file: int, size: int, at: int) -> bytes:
    """Return bytes of a file that is open, wherever it stands."""
    if sys.platform == "win32":
        os.lseek(file, at, os.SEEK_SET)
        return os.read(file, size)
    return os.pread(file, size, at)


class Scan:
    """What is found in an archive from its start on, while it grows.

    :param file: a descriptor; whoever made it closes it
    :ivar end: where the next header is expected, and at last the directory
    :ivar is_over: whether the directory has been reached
    """

    def __init__(self, file: int) -> None:
        self._file = file
        self.members: list[Member] = []
        self.end = 0
        self.is_over = False

    def advance(self, size: int) -> Iterator[Member]:
        """Yield the members whose headers lie in the first bytes.

        :param size: so many bytes are there
        :raises Unclear: if something else is found
        """
        while not self.is_over and self.end + _HEADER.size <= size:
            member = self._member(size)
            if member is None:
                return
            self.members.append(member)
            self.end = member.begins + member.packed
            yield member

    def _member(self, size: int) -> Member | None:
        """Return the next one; None if its header is not there yet, or there is none."""
        at = self.end
        data = read_at(self._file, _MOST, at)
        if data[:4] in (_DIRECTORY, _END):
            self.is_over = True
            return None
        start, flags, method, crc, packed, unpacked, named, more = _HEADER.unpack_from(
            data
        )
        if start != _BEGINS:
            raise Unclear(f"no header at {at}")
        if flags & ~_HARMLESS or method not in (STORED, DEFLATED):
            raise Unclear(f"flags {flags:#x} and method {method} at {at}")
        begins = at + _HEADER.size + named + more
        if begins > size:
            return None
        if begins - at > len(data):
            data = read_at(self._file, begins - at, at)
        name = data[_HEADER.size : _HEADER.size + named]
        if _ELSEWHERE in (packed, unpacked):
            unpacked, packed = _large_sizes(data[_HEADER.size + named : begins - at])
        if method == STORED and packed != unpacked:
            raise Unclear(f"two sizes of what is only stored at {at}")
        try:
            text = name.decode("utf-8" if flags & _UTF_8 else "cp437")
        except UnicodeDecodeError as error:
            raise Unclear(f"no name at {at}: {error}") from None
        return Member(at, text, flags, method, crc, packed, unpacked, begins)

    def check(self, archive: zipfile.ZipFile) -> None:
        """Compare what was found with what the directory says.

        :param archive: the same file, which is complete
        :raises Unclear: if they differ, or something lies before, between or behind what
            they tell of
        """
        if not self.is_over or archive.start_dir != self.end:
            raise Unclear(f"the directory is not at {self.end}")
        infos = sorted(archive.infolist(), key=lambda info: info.header_offset)
        found = [
            Member(
                info.header_offset,
                info.orig_filename,
                info.flag_bits,
                info.compress_type,
                info.CRC,
                info.compress_size,
                info.file_size,
                member.begins,
            )
            for info, member in zip(infos, self.members, strict=False)
        ]
        if len(infos) != len(self.members) or found != self.members:
            raise Unclear("the directory says something else")
        self._check_end(len(infos))

    def _check_end(self, count: int) -> None:
        """See to it that nothing but what tells of the directory follows it.

        :param count: how many members the directory tells of
        """
        last = os.fstat(self._file).st_size - _ENDING.size
        before = last - _LOCATOR.size - _LARGE_ENDING.size
        locator = read_at(self._file, _LOCATOR.size, last - _LOCATOR.size)
        is_large = locator.startswith(_LOCATES)
        length = (before if is_large else last) - self.end
        told = count, count, length, self.end
        if is_large:
            data = read_at(self._file, _LARGE_ENDING.size, before)
            large = _LARGE_ENDING.unpack(data)
            is_same = large == (_LARGE_END, _LARGE_ENDING.size - 12, 0, 0, *told)
            if not is_same or locator != _LOCATOR.pack(_LOCATES, 0, before, 1):
                raise Unclear("its two ends do not agree")
        ending = _ENDING.unpack(read_at(self._file, _ENDING.size, last))
        fields = zip(ending, (_END, 0, 0, *told, 0), _FULL, strict=True)
        if any(
            field != number and not (is_large and field == full)
            for field, number, full in fields
        ):
            raise Unclear("it does not end with its directory")


def _large_sizes(extra: bytes) -> tuple[int, int]:
    """Return the sizes that an extra field tells, unpacked and packed."""
    while len(extra) >= 4:
        kind, length = struct.unpack_from("<HH", extra)
        if kind == _LARGE and 16 <= length <= len(extra) - 4:
            unpacked, packed = struct.unpack_from("<QQ", extra, 4)
            return unpacked, packed
        extra = extra[4 + length :]
    raise Unclear("a size that is not told")
