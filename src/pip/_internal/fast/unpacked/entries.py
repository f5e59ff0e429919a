"""An entry of the cache: one wheel, as upstream has installed it.

Its folder holds

- one wheel: the metadata and the data, which upstream installs in its own way. Its RECORD
  names the bytecode too;
- ``pack``: small files that the wheel has besides, and their bytecode if any, one after the
  other. To make a file takes the system longer than to read or to write it;
- ``files/``: the others of them, and all where those are links;
- ``contents``: the sha256 of a list, and the list: what should be there.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import stat
import sys
from collections.abc import Sequence
from functools import partial
from itertools import groupby
from typing import BinaryIO, NamedTuple

from pip._internal.fast.digests import sha256_read
from pip._internal.fast.downloads.trees import (
    gives_nothing_on,
    is_faithful,
    is_own,
)
from pip._internal.fast.unpacked.placing import Placer
from pip._internal.utils.misc import ensure_dir
from pip._internal.utils.unpacking import current_umask

__all__ = ["CONTENTS", "FILES", "PACK", "Damaged", "Entry", "Row", "is_plain"]

CONTENTS, FILES, PACK = "contents", "files", "pack"
#: How large a list may be, in bytes: that of a million files is.
_MOST_LISTED = 1 << 27
#: From here on no file has so many bytes, and no clock such a time.
_MOST = 1 << 62


class Damaged(Exception):
    """An entry is not as it was made; the message says in what."""


class Row(NamedTuple):
    """A file of an entry.

    :ivar path: below the folder of packages, with ``/``
    :ivar size: in bytes
    :ivar time: at which it was changed last, in nanoseconds
    :ivar digest: its sha256, in hexadecimal digits
    :ivar is_executable: whether upstream makes it so
    :ivar is_packed: whether it is a part of the pack
    """

    path: str
    size: int
    time: int
    digest: str
    is_executable: bool = False
    is_packed: bool = False


#: Of the values of a row.
_KINDS = str, int, int, str, bool, bool


class Entry(NamedTuple):
    """A wheel that lies unpacked.

    :ivar folder: of the entry
    :ivar rest: the wheel of what upstream installs
    :ivar pack: of small files, in the order of the rows
    :ivar rows: the files besides
    """

    folder: str
    rest: Row
    pack: Row
    rows: Sequence[Row]

    @property
    def wheel(self) -> str:
        """Return the path of the wheel of what upstream installs."""
        return os.path.join(self.folder, self.rest.path)

    @property
    def size(self) -> int:
        """Return its bytes, as far as files hold them."""
        alone = sum(row.size for row in self.rows if not row.is_packed)
        return self.rest.size + self.pack.size + alone

    def write(self, name: str) -> None:
        """Write down what it holds.

        :param name: that its folder will have
        :raises OSError: if that is not possible
        :raises ValueError: if that is too much
        """
        content = {"wheel": self.rest, "pack": self.pack, "files": self.rows}
        text = json.dumps({"name": name, **content}).encode("ascii")
        if len(text) + 65 > _MOST_LISTED:
            raise ValueError(f"there are too many files: {len(self.rows)}")
        with open(os.path.join(self.folder, CONTENTS), "wb") as file:
            # One call: what writes in parts is written in Python.
            file.write(b"%s\n%s" % (_seal(text), text))

    @classmethod
    def read(cls, folder: str) -> Entry:
        """Read what an entry should hold.

        :raises Damaged: if it does not say
        """
        try:
            if not is_own(os.lstat(folder)):
                raise Damaged("it is somebody else's")
            seal, _, text = _contents(folder).partition(b"\n")
        except OSError as error:
            raise Damaged(repr(error)) from None
        if seal != _seal(text):
            raise Damaged("its list was changed")
        try:
            content = json.loads(text)
            name, listed = content["name"], [content["wheel"], content["pack"]]
            listed += content["files"]
            rest, pack, *rows = map(_row, listed)
        except (ValueError, TypeError, KeyError, RecursionError):
            # Another release of this pip may have made it, against its name.
            raise Damaged("its list has another form") from None
        if name != os.path.basename(folder):
            raise Damaged(f"it is that of {name!r}")
        packed = sum(row.size for row in rows if row.is_packed)
        if packed != pack.size or len({row.path for row in rows}) < len(rows):
            raise Damaged("its list is not of these files")
        return cls(folder, rest, pack, rows)

    def verify(self) -> Sequence[bool]:
        """See to it that all files are as they were when the entry was made.

        A file of the same size that was changed at another time is read. If it is the same
        all the same, it gets its time back, which its bytecode tells.

        :return: for each row, whether its file has the rights and the group of a new one
        :raises Damaged: if one is not as it was
        """
        rights = _Rights()
        files = os.path.join(self.folder, FILES)
        try:
            # It is small; what upstream finds wrong with a wheel it does not try again.
            _verify(self.wheel, self.rest, thoroughly=True)
            _verify(os.path.join(self.folder, PACK), self.pack)
            return [
                not row.is_packed
                and rights.suit(_verify(f"{files}/{row.path}", row), row)
                for row in self.rows
            ]
        except (OSError, UnicodeError) as error:
            # Not every locale has every name.
            raise Damaged(repr(error)) from None

    def put(
        self, lib: str, placer: Placer, suit: Sequence[bool], put: list[str]
    ) -> None:
        """Put all files in their places, as upstream would.

        :param lib: the folder of packages
        :param suit: what :meth:`verify` returned
        :param put: gets the paths of those that are there
        :raises OSError: if that is not possible
        """
        files = os.path.join(self.folder, FILES)
        rows = zip(self.rows, suit, strict=True)
        with open(os.path.join(self.folder, PACK), "rb") as pack:
            for below, here in groupby(rows, lambda e: os.path.dirname(e[0].path)):
                source, target = os.path.join(files, below), os.path.join(lib, below)
                ensure_dir(target)
                is_plain_here = _gives_nothing_on(target)
                start = len(below) + 1 if below else 0
                for row, suits in here:
                    name = row.path[start:]
                    new = f"{target}{os.sep}{name}"
                    if row.is_packed:
                        content = _read(pack, row.size)
                        place = partial(placer.write, content)
                    else:
                        old = f"{source}{os.sep}{name}"
                        # A link has the permissions of its source.
                        can_link = suits and is_plain_here
                        place = partial(placer.place, old, may_link=can_link)
                    # Bytecode tells the time of its module.
                    time = row.time if name.endswith(".py") else None
                    try:
                        place(new, row.is_executable, time)
                    except FileExistsError:
                        os.unlink(new)
                        place(new, row.is_executable, time)
                    put.append(new)


def _row(told: list[object]) -> Row:
    """Make a row of what a list tells.

    :raises TypeError: if it tells something else
    :raises ValueError: if its path leads elsewhere
    """
    row = Row(*told)  # type: ignore[arg-type]
    if tuple(map(type, row)) != _KINDS:
        raise TypeError(told)
    if not is_plain(row.path):
        raise ValueError(row.path)
    if not 0 <= row.size < _MOST or abs(row.time) >= _MOST:
        raise ValueError(row)
    # Not every locale has every name.
    os.fsencode(row.path)
    return row


def _verify(path: str, row: Row, *, thoroughly: bool = False) -> os.stat_result:
    """Return what is told of a file, which is as it was.

    :raises Damaged: if it is not
    :raises OSError: if it cannot be looked at
    """
    status = os.lstat(path)
    if not stat.S_ISREG(status.st_mode) or not is_own(status):
        raise Damaged(f"{path} is no file of this user's")
    is_other = status.st_mtime_ns != row.time
    if status.st_size != row.size or (
        (thoroughly or is_other) and sha256_read(path) != row.digest
    ):
        raise Damaged(f"{path} was changed")
    if is_other:
        os.utime(path, ns=(status.st_atime_ns, row.time))
    return status


def _read(pack: BinaryIO, size: int) -> bytes:
    """Return what comes next in a pack.

    :raises OSError: if there is less
    """
    content = pack.read(size)
    if len(content) < size:
        raise OSError(errno.EIO, "It was changed while it was used", pack.name)
    return content


def _gives_nothing_on(folder: str) -> bool:
    try:
        return gives_nothing_on(folder)
    except OSError:
        return False


class _Rights:
    """What a new file is like, made by this process now."""

    def __init__(self) -> None:
        umask = current_umask()
        modes = 0o666 & ~umask, 0o777 & ~umask | 0o111
        #: By whether it is executable: its mode, with the kind of a file.
        self._modes = [stat.S_IFREG | mode for mode in modes]
        # Where this module cannot see all that rights depend on, no file suits.
        self._group = -1
        if sys.platform == "linux" and is_faithful():
            self._group = os.getegid()

    def suit(self, status: os.stat_result, row: Row) -> bool:
        """Tell whether a file of this user's has the rights and the group of a new one."""
        is_group = status.st_gid == self._group
        return is_group and status.st_mode == self._modes[row.is_executable]


def _contents(folder: str) -> bytes:
    """Read what an entry says of itself; nothing but a file says anything."""
    if sys.platform == "win32":
        raise Damaged("there is none on Windows")
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK
    with open(os.open(os.path.join(folder, CONTENTS), flags), "rb") as file:
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode) or not is_own(status):
            raise Damaged("its list is no file of this user's")
        if status.st_size > _MOST_LISTED:
            raise Damaged("its list is too large")
        return file.read()


def _seal(text: bytes) -> bytes:
    return hashlib.sha256(text).hexdigest().encode("ascii")


def is_plain(path: str) -> bool:
    """Tell whether a path leads downwards only, however it is read."""
    is_odd = "\\" in path or "\0" in path
    return not is_odd and not {"", ".", ".."} & set(path.split("/"))
