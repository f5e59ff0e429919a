"""An entry of the cache: one wheel, as upstream has installed it.

Its folder holds

- ``files/``: what the wheel has besides metadata and data, and its bytecode if any;
- one wheel: the metadata and the data, which upstream installs in its own way. Its RECORD
  names the bytecode too;
- ``entry.json``: what should be there.
"""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import groupby
from typing import Any, NamedTuple

from pip._internal.parallel.digests import sha256_of
from pip._internal.parallel.downloads.trees import gives_nothing_on, is_faithful
from pip._internal.parallel.unpacked.placing import Placer
from pip._internal.utils.misc import ensure_dir
from pip._internal.utils.unpacking import current_umask

__all__ = ["CONTENTS", "FILES", "Damaged", "Entry", "Row", "is_own", "is_plain"]

CONTENTS, FILES = "entry.json", "files"
_SCHEMA = 1


class Damaged(Exception):
    """An entry is not as it was made; the message says in what."""


class Row(NamedTuple):
    """A file of an entry.

    :ivar path: below the folder of packages, with ``/``
    :ivar size: in bytes
    :ivar time: at which it was changed last, in nanoseconds
    :ivar digest: its sha256, in hexadecimal digits
    :ivar is_executable: whether upstream makes it so
    """

    path: str
    size: int
    time: int
    digest: str
    is_executable: bool


class Entry(NamedTuple):
    """A wheel that lies unpacked.

    :ivar folder: of the entry
    :ivar rest: the wheel of what upstream installs
    :ivar rows: the files besides
    """

    folder: str
    rest: Row
    rows: Sequence[Row]

    @property
    def wheel(self) -> str:
        """Return the path of the wheel of what upstream installs."""
        return os.path.join(self.folder, self.rest.path)

    @property
    def size(self) -> int:
        """Return its bytes, as far as files hold them."""
        return self.rest.size + sum(row.size for row in self.rows)

    def write(self) -> None:
        """Write down what it holds.

        :raises OSError: if that is not possible
        """
        content = {"schema": _SCHEMA, "wheel": self.rest, "files": self.rows}
        with open(os.path.join(self.folder, CONTENTS), "w", encoding="utf-8") as file:
            # One call: what writes in parts is written in Python.
            file.write(json.dumps(content))

    @classmethod
    def read(cls, folder: str) -> Entry:
        """Read what an entry should hold.

        :raises Damaged: if it does not say
        """
        try:
            if not is_own(os.lstat(folder)):
                raise Damaged("it is somebody else's")
            with open(os.path.join(folder, CONTENTS), "rb") as file:
                if not is_own(os.fstat(file.fileno())):
                    raise Damaged("its list is somebody else's")
                content = json.loads(file.read())
            if content["schema"] != _SCHEMA:
                raise Damaged(f"it has the schema {content['schema']!r}")
            rest, *rows = (_row(each) for each in (content["wheel"], *content["files"]))
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise Damaged(repr(error)) from None
        if "/" in rest.path:
            raise Damaged(f"its wheel is {rest.path!r}")
        return cls(folder, rest, rows)

    def verify(self, *, thoroughly: bool = False) -> None:
        """See to it that all files are as they were when the entry was made.

        A file of the same size that was changed at another time is read. If it is the same
        all the same, it gets its time back, which its bytecode tells.

        :param thoroughly: read all of them
        :raises Damaged: if one is not
        """
        for path, row in self._files():
            try:
                status = os.lstat(path)
                if not stat.S_ISREG(status.st_mode) or not is_own(status):
                    raise Damaged(f"{path} is no file of this user's")
                is_other = status.st_mtime_ns != row.time
                if status.st_size != row.size or (
                    (thoroughly or is_other) and sha256_of(path) != row.digest
                ):
                    raise Damaged(f"{path} was changed")
                if is_other:
                    os.utime(path, ns=(status.st_atime_ns, row.time))
            except OSError as error:
                raise Damaged(repr(error)) from None

    def _files(self) -> Iterator[tuple[str, Row]]:
        yield self.wheel, self.rest
        files = os.path.join(self.folder, FILES)
        for row in self.rows:
            yield f"{files}/{row.path}", row

    def put(self, lib: str, placer: Placer, put: list[str]) -> None:
        """Put all files in their places, as upstream would.

        :param lib: the folder of packages
        :param put: gets the paths of those that are there
        :raises OSError: if that is not possible
        """
        files = os.path.join(self.folder, FILES)
        rights = _Rights()
        for below, rows in groupby(self.rows, lambda row: os.path.dirname(row.path)):
            source, target = os.path.join(files, below), os.path.join(lib, below)
            ensure_dir(target)
            is_like_new = rights.are_plain_in(target)
            for row in rows:
                name = os.path.basename(row.path)
                old, new = os.path.join(source, name), os.path.join(target, name)
                # A link has the rights of its source.
                may_link = is_like_new and rights.suit(old, row)
                # Bytecode tells when its source was changed.
                time = row.time if name.endswith(".py") else None
                place = partial(
                    placer.place,
                    old,
                    new,
                    is_executable=row.is_executable,
                    may_link=may_link,
                    time=time,
                )
                try:
                    place()
                except FileExistsError:
                    os.unlink(new)
                    place()
                put.append(new)


class _Rights:
    """What a new file is like, made by this process now."""

    def __init__(self) -> None:
        umask = current_umask()
        self._modes = 0o666 & ~umask, 0o777 & ~umask | 0o111
        self._is_faithful = is_faithful()

    def are_plain_in(self, folder: str) -> bool:
        """Tell whether new files in a folder get nothing from it."""
        try:
            return self._is_faithful and gives_nothing_on(folder)
        except OSError:
            return False

    def suit(self, path: str, row: Row) -> bool:
        """Tell whether a file has the rights, owner and group of a new one."""
        status = os.lstat(path)
        return (
            stat.S_IMODE(status.st_mode) == self._modes[row.is_executable]
            and status.st_uid == os.geteuid()
            and status.st_gid == os.getegid()
        )


def _row(fields: Any) -> Row:
    path, size, time, digest, is_executable = fields
    row = Row(str(path), int(size), int(time), str(digest), bool(is_executable))
    if not is_plain(row.path):
        raise ValueError(row.path)
    return row


def is_plain(path: str) -> bool:
    """Tell whether a path leads downwards only, however it is read."""
    return "\\" not in path and not {"", ".", ".."} & set(path.split("/"))


def is_own(status: os.stat_result) -> bool:
    """Tell whether a file belongs to this user, and not everybody may change it."""
    return status.st_uid == os.geteuid() and not status.st_mode & stat.S_IWOTH
