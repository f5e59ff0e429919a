"""The store of unpacked wheels in pip's cache.

Each wheel has a folder, named after the sha256 of the wheel and the kind of bytecode. In it are

- the files of the wheel without its metadata and data, with numbers for names, and the
  bytecode of modules;
- a stand-in for the wheel: an archive with the same directory, but with the contents of the
  metadata and data alone. pip installs it as a wheel. Reading any other file of it fails;
- ``contents``: the sha256 of a list of these files, and the list.

Only files of wheels whose sha256 was checked are stored. A folder appears complete, when it
is renamed. While a command uses the store, no other process removes anything from it.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import stat
import sys
import tempfile
import zipfile
from collections.abc import Collection, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

from pip._internal.console.output import get_logger
from pip._internal.fast.digests import read_sha256
from pip._internal.fast.unpacked.unpacker import UnpackedWheel
from pip._internal.fast.upgrades.trees import is_own, own_folder, remove

if sys.platform != "win32":
    import fcntl

if TYPE_CHECKING:
    from pip._internal.utils.hashes import Hashes

__all__ = ["FOLDER", "InUse", "StoredWheel", "WheelStore"]

logger = get_logger(__name__)

#: Below pip's cache.
FOLDER = "unpacked-wheels"
_CONTENTS, _LOCK, _PARTIAL = "contents", "lock", ".partial-"
_NAME = re.compile(r"[0-9a-f]{64}-[\w.-]+")
_FILE = re.compile(r"\d+(\.pyc)?")


class InUse(Exception):
    """Another process uses the store."""


class _Damaged(Exception):
    """A stored wheel is not as pip stored it; the message says how."""


class StoredWheel(NamedTuple):
    """What the store lists of a wheel.

    :ivar entry: the name of its folder.
    :ivar wheel: the file name of the wheel, and of its stand-in.
    :ivar files: size, modification time in nanoseconds, and sha256, by name in the folder.
    """

    entry: str
    wheel: str
    files: dict[str, tuple[int, int, str]]

    @property
    def size(self) -> int:
        """The bytes of all files."""
        return sum(size for size, _, _ in self.files.values())


class WheelStore:
    """The store in a cache folder.

    :param tag: the kind of bytecode.
    :param alone: whether nobody else may use the store.
    :raises InUse: if somebody does.
    :raises OSError: if pip cannot use or lock the store.
    """

    def __init__(self, cache: str, tag: str = "", *, alone: bool = False) -> None:
        self.path = os.path.join(cache, FOLDER)
        self._tag = tag
        self._lock = -1
        self._names: Sequence[str] = ()
        if sys.platform == "win32":
            raise OSError("pip stores no unpacked wheels on Windows")
        else:  # noqa: RET506 (mypy checks the other system)
            own_folder(self.path)
            flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
            self._lock = os.open(os.path.join(self.path, _LOCK), flags, 0o600)
            try:
                fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                for name in os.listdir(self.path):
                    if name.startswith(_PARTIAL):
                        self.remove(name)
            except BlockingIOError:
                if alone and self.names():
                    self.close()
                    raise InUse(self.path) from None
            except OSError:
                self.close()
                raise
            if not alone:
                fcntl.flock(self._lock, fcntl.LOCK_SH)
            self._names = self.names()

    def close(self) -> None:
        """Let other processes remove wheels."""
        lock, self._lock = self._lock, -1
        if lock != -1:
            os.close(lock)

    def new_folder(self) -> str:
        """Make a folder that the next process removes if this one is killed.

        :raises OSError: if that is not possible.
        """
        return tempfile.mkdtemp(prefix=_PARTIAL, dir=self.path)

    def names(self) -> Sequence[str]:
        """Return the names of the folders of wheels that are there now."""
        return sorted(filter(_NAME.fullmatch, os.listdir(self.path)))

    def remove(self, name: str) -> bool:
        """Remove a folder; return whether pip could.

        The folder is renamed first, so that no wheel is ever incomplete.
        """
        path = os.path.join(self.path, name)
        try:
            if not name.startswith(_PARTIAL):
                doomed = f"{self.path}{os.sep}{_PARTIAL}{os.urandom(4).hex()}"
                os.rename(path, doomed)
                path = doomed
            remove(path)
        except OSError as error:
            logger.debug("pip cannot remove %s: %s", path, error)
            return False
        return True

    def find(
        self, hashes: Hashes, filename: str, *, thoroughly: bool
    ) -> tuple[str, str, UnpackedWheel] | None:
        """Return a stand-in, the sha256 of its wheel, and the files of the wheel.

        A damaged wheel is removed.

        :param hashes: the wheel has one of them.
        :param thoroughly: whether to compute the sha256 of all files.
        """
        for name in self._names:
            sha256, _, tag = name.partition("-")
            if tag == self._tag and hashes.is_hash_allowed("sha256", sha256):
                wheel = self._verified(name, filename, thoroughly)
                if wheel is not None:
                    return os.path.join(wheel.folder, filename), sha256, wheel
        return None

    def _verified(
        self, name: str, filename: str, thoroughly: bool
    ) -> UnpackedWheel | None:
        folder = os.path.join(self.path, name)
        try:
            stored = self._read(name)
            if stored.wheel != filename:
                return None
            _verify(stored, folder, thoroughly)
            with zipfile.ZipFile(os.path.join(folder, filename)) as stand_in:
                numbers = _numbers(stand_in)
            if not stored.files.keys() >= {filename, *map(str, numbers.values())}:
                raise _Damaged("its list lacks files")
        except (_Damaged, OSError, zipfile.BadZipFile) as error:
            logger.verbose("Removing the unpacked %s: %s", filename, error)
            self.remove(name)
            return None
        return UnpackedWheel(folder, numbers, stored.files.keys(), "", is_stored=True)

    def read(self, name: str) -> StoredWheel | None:
        """Read what the folder *name* should contain; return None if it is damaged."""
        try:
            return self._read(name)
        except (_Damaged, OSError) as error:
            logger.debug("%s is damaged: %s", name, error)
            return None

    def _read(self, name: str) -> StoredWheel:
        folder = os.path.join(self.path, name)
        if not is_own(os.lstat(folder)):
            raise _Damaged("another user may change it")
        with open(os.path.join(folder, _CONTENTS), "rb") as file:
            seal, _, text = file.read().partition(b"\n")
        if seal.decode("ascii", "replace") != hashlib.sha256(text).hexdigest():
            raise _Damaged("its list was changed")
        try:
            entry, wheel, files = json.loads(text)
            rows = {key: _row(*row) for key, row in files.items()}
            stored = StoredWheel(str(entry), str(wheel), rows)
        except (ArithmeticError, AttributeError, RecursionError, TypeError, ValueError):
            raise _Damaged("its list has another form") from None
        if stored.entry != name:
            raise _Damaged("its list belongs to another wheel")
        return stored

    def add(
        self,
        archive: zipfile.ZipFile,
        unpacked: UnpackedWheel,
        sha256: str,
        filename: str,
    ) -> UnpackedWheel:
        """Store an unpacked wheel, which is in a folder of this store.

        :param sha256: of the wheel, which was checked.
        :return: the same wheel, in the store.
        :raises OSError: if that is not possible.
        :raises ValueError: if the wheel names two files alike.
        """
        names = archive.namelist()
        if len(set(names)) < len(names):
            raise ValueError("two of its files have the same name")
        folder, numbers = unpacked.folder, _numbers(archive)
        for number in set(unpacked.numbers.values()).difference(numbers.values()):
            with suppress(FileNotFoundError):
                os.unlink(unpacked.path(number))
        _write_stand_in(archive, numbers, os.path.join(folder, filename))
        files = {}
        for name in os.listdir(folder):
            path = os.path.join(folder, name)
            status = os.stat(path)
            files[name] = status.st_size, status.st_mtime_ns, read_sha256(path)
        entry = f"{sha256}-{self._tag}"
        text = json.dumps(StoredWheel(entry, filename, files)).encode()
        with open(os.path.join(folder, _CONTENTS), "wb") as file:
            file.write(b"%s\n%s" % (hashlib.sha256(text).hexdigest().encode(), text))
        place = os.path.join(self.path, entry)
        os.rename(folder, place)
        return UnpackedWheel(place, numbers, files.keys(), "", is_stored=True)


def _verify(stored: StoredWheel, folder: str, thoroughly: bool) -> None:
    """Check that the files are those that pip stored.

    If a file has another modification time, but the same sha256, it gets back the time
    that its bytecode names.
    """
    for name, (size, modified, sha256) in stored.files.items():
        if not _FILE.fullmatch(name) and name != stored.wheel:
            raise _Damaged(f"its list names {name!r}")
        path = os.path.join(folder, name)
        status = os.lstat(path)
        if not stat.S_ISREG(status.st_mode) or not is_own(status):
            raise _Damaged(f"{path} is not a file that only this user may change")
        is_other = status.st_mtime_ns != modified
        is_read = thoroughly or is_other or name == stored.wheel
        if status.st_size != size or (is_read and read_sha256(path) != sha256):
            raise _Damaged(f"{path} was changed")
        if is_other:
            os.utime(path, ns=(status.st_atime_ns, modified))


def _row(size: int, modified: int, sha256: str) -> tuple[int, int, str]:
    """Return a row of a list.

    :raises ValueError, TypeError, OverflowError: if no file has such a row.
    """
    if max(abs(size), abs(modified)) >> 63:
        raise ValueError("a number is too large")
    return int(size), int(modified), str(sha256)


def _numbers(archive: zipfile.ZipFile) -> dict[str, int]:
    """Return the numbers of the files of a wheel that are stored, by name."""
    names = enumerate(archive.namelist())
    return {name: number for number, name in names if _is_stored(name)}


def _is_stored(name: str) -> bool:
    """Whether pip installs a file of a wheel as it is."""
    top, _, below = name.partition("/")
    return not name.endswith("/") and not (
        below and top.endswith((".dist-info", ".data"))
    )


def _write_stand_in(
    archive: zipfile.ZipFile, stored: Collection[str], path: str
) -> None:
    """Write an archive with the same directory, without the contents of *stored* files."""
    with zipfile.ZipFile(path, "x") as stand_in:
        for info in archive.infolist():
            copy = zipfile.ZipInfo(info.filename, info.date_time)
            copy.external_attr = info.external_attr
            if info.filename in stored:
                stand_in.writestr(copy, b"")
                # Who reads it gets an error about its checksum.
                copy.file_size, copy.CRC = info.file_size, info.CRC
            else:
                with archive.open(info) as old, stand_in.open(copy, "w") as new:
                    shutil.copyfileobj(old, new)
