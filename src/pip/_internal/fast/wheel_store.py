"""The store of unpacked wheels in pip's cache.

Each wheel has a folder, named after the sha256 of the wheel and the kind of bytecode. It
contains

- the files of the wheel without its metadata and data, named by number, and the bytecode of
  modules;
- a placeholder for the wheel: an archive with the same directory, but with only the
  contents of the metadata and data. pip installs the placeholder as a wheel. Reading any
  other file of the placeholder fails;
- ``contents``, JSON: the file name of the wheel, and the size in bytes, the modification
  time in nanoseconds, and the sha256 of each other file in the folder.

The store contains only files of wheels whose sha256 was checked. A folder is renamed into
place when it is complete. While a command uses the store, no other process removes
anything. ``pip cache purge`` and ``pip cache remove '*'`` empty the store.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import stat
import sys
import tempfile
import zipfile
from collections.abc import Collection, Sequence
from contextlib import closing, suppress
from typing import TYPE_CHECKING

from pip._internal.console import printable
from pip._internal.console.output import get_logger
from pip._internal.console.texts import counted
from pip._internal.exceptions import CommandError
from pip._internal.fast.digests import read_sha256
from pip._internal.fast.trees import is_own, own_folder, remove
from pip._internal.fast.unpacker import UnpackedWheel

if sys.platform != "win32":
    import fcntl

if TYPE_CHECKING:
    from pip._internal.utils.hashes import Hashes

logger = get_logger(__name__)

#: The name of the folder in pip's cache.
FOLDER = "unpacked-wheels"
_CONTENTS, _LOCK, _PARTIAL = "contents", "lock", ".partial-"
_NAME = re.compile(r"[0-9a-f]{64}-[\w.-]+")
_FILE = re.compile(r"\d+(\.pyc)?")


class WheelStore:
    """The store in a cache folder.

    :param tag: the kind of bytecode.
    :param alone: whether no other process may use the store.
    :raises OSError: if another process uses the store despite *alone*, or pip cannot use or
        lock the store.
    """

    def __init__(self, cache: str, tag: str = "", *, alone: bool = False) -> None:
        self.path = os.path.join(cache, FOLDER)
        self._tag = tag
        self._lock = self._take_lock(alone)
        self._names = self.names()

    def _take_lock(self, alone: bool) -> int:
        if sys.platform == "win32":
            raise OSError("pip stores no unpacked wheels on Windows")
        else:  # noqa: RET506 (mypy checks the other system)
            own_folder(self.path)
            flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
            lock = os.open(os.path.join(self.path, _LOCK), flags, 0o600)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                for name in os.listdir(self.path):
                    if name.startswith(_PARTIAL):
                        self.remove(name)
            except BlockingIOError:
                if alone and self.names():
                    os.close(lock)
                    raise OSError(
                        "another pip is using them. Try again when that pip has finished"
                    ) from None
            except OSError:
                os.close(lock)
                raise
            if not alone:
                fcntl.flock(lock, fcntl.LOCK_SH)
            return lock

    def close(self) -> None:
        """Allow other processes to remove wheels."""
        lock, self._lock = self._lock, -1
        if lock != -1:
            os.close(lock)

    def new_folder(self) -> str:
        """Create a folder that the next process removes if this process is killed.

        :raises OSError: if pip cannot create the folder.
        """
        return tempfile.mkdtemp(prefix=_PARTIAL, dir=self.path)

    def names(self) -> Sequence[str]:
        """Return the folder names of the stored wheels."""
        return sorted(filter(_NAME.fullmatch, os.listdir(self.path)))

    def remove(self, name: str) -> bool:
        """Remove a folder, and return whether that succeeded.

        The folder is renamed first, so that no stored wheel is ever incomplete.
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
        """Return the placeholder, the sha256 and the files of a stored wheel.

        If the wheel is damaged, the store removes it.

        :param hashes: the allowed hashes of the wheel.
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
            if not is_own(os.lstat(folder)):
                raise PermissionError("another user may change the folder")
            contents = os.path.join(folder, _CONTENTS)
            _check_own_file(contents)
            with open(contents, encoding="utf-8") as file:
                wheel, files = json.load(file)
            if wheel != filename:
                return None
            for each, row in files.items():
                if not _FILE.fullmatch(each) and each != filename:
                    raise ValueError(f"invalid entry: {each!r}")
                is_read = thoroughly or each == filename
                _verify(os.path.join(folder, each), *row, is_read=is_read)
            with zipfile.ZipFile(os.path.join(folder, filename)) as placeholder:
                numbers = _numbers(placeholder)
            if not files.keys() >= {filename, *map(str, numbers.values())}:
                raise ValueError("its list is incomplete")
        except Exception as error:  # After any error, pip can download the wheel.
            logger.verbose("Removing the unpacked %s: %s", filename, error)
            self.remove(name)
            return None
        return UnpackedWheel(folder, numbers, files.keys(), "", is_stored=True)

    def add(
        self,
        archive: zipfile.ZipFile,
        unpacked: UnpackedWheel,
        sha256: str,
        filename: str,
    ) -> UnpackedWheel:
        """Store an unpacked wheel that is in a folder of this store.

        :param sha256: the verified sha256 of the wheel.
        :return: the same wheel, in the store.
        :raises OSError: if pip cannot store the wheel.
        :raises ValueError: if two files of the wheel have the same name.
        """
        names = archive.namelist()
        if len(set(names)) < len(names):
            raise ValueError("two of its files have the same name")
        folder, numbers = unpacked.folder, _numbers(archive)
        for number in set(unpacked.numbers.values()).difference(numbers.values()):
            with suppress(FileNotFoundError):
                os.unlink(unpacked.path(number))
        _write_placeholder(archive, numbers, os.path.join(folder, filename))
        files = {}
        for name in os.listdir(folder):
            path = os.path.join(folder, name)
            status = os.stat(path)
            files[name] = status.st_size, status.st_mtime_ns, read_sha256(path)
        with open(os.path.join(folder, _CONTENTS), "w", encoding="utf-8") as file:
            json.dump([filename, files], file)
        place = os.path.join(self.path, f"{sha256}-{self._tag}")
        os.rename(folder, place)
        return UnpackedWheel(place, numbers, files.keys(), "", is_stored=True)


def _check_own_file(path: str) -> os.stat_result:
    """Return the status of a regular file that only this user may change.

    :raises ValueError: if it is another kind of file, or another user may change it.
    """
    status = os.lstat(path)
    if not stat.S_ISREG(status.st_mode) or not is_own(status):
        raise ValueError(f"{path} is not a file that only this user may change")
    return status


def _verify(path: str, size: int, modified: int, sha256: str, *, is_read: bool) -> None:
    """Check that a stored file is unchanged.

    If only the modification time differs, restore the time that the bytecode refers to.

    :param size: the expected size in bytes.
    :param modified: the expected modification time in nanoseconds.
    :param is_read: whether to compute the sha256 in any case.
    :raises ValueError: if the file has changed.
    """
    status = _check_own_file(path)
    is_other = status.st_mtime_ns != modified
    is_read = is_read or is_other
    if status.st_size != size or (is_read and read_sha256(path) != sha256):
        raise ValueError(f"{path} was changed")
    if is_other:
        os.utime(path, ns=(status.st_atime_ns, modified))


def _numbers(archive: zipfile.ZipFile) -> dict[str, int]:
    """Return the numbers of the stored files of a wheel, by name."""
    names = enumerate(archive.namelist())
    return {name: number for number, name in names if _is_stored(name)}


def _is_stored(name: str) -> bool:
    """Return whether pip installs a file of a wheel unchanged."""
    top, _, below = name.partition("/")
    return not name.endswith("/") and not (
        below and top.endswith((".dist-info", ".data"))
    )


def _write_placeholder(
    archive: zipfile.ZipFile, stored: Collection[str], path: str
) -> None:
    """Write an archive that lists all files but omits the stored contents."""
    with zipfile.ZipFile(path, "x") as placeholder:
        for info in archive.infolist():
            copy = zipfile.ZipInfo(info.filename, info.date_time)
            copy.external_attr = info.external_attr
            if info.filename in stored:
                placeholder.writestr(copy, b"")
                # Reading this entry fails with a checksum error.
                copy.file_size, copy.CRC = info.file_size, info.CRC
            else:
                with archive.open(info) as old, placeholder.open(copy, "w") as new:
                    shutil.copyfileobj(old, new)


def removed(cache: str) -> None:
    """Remove all unpacked wheels.

    :raises CommandError: if unpacked wheels are in use or cannot be removed.
    """
    if not os.path.lexists(os.path.join(cache, FOLDER)):
        return
    try:
        store = WheelStore(cache, alone=True)
    except OSError as error:
        message = f"pip cannot use the unpacked wheels: {error}"
        raise CommandError(printable(message)) from None
    with closing(store):
        names = store.names()
        left = [name for name in names if not store.remove(name)]
    logger.info("Unpacked wheels removed: %s", len(names) - len(left))
    if left:
        message = (
            f"pip cannot remove {counted(len(left), 'unpacked wheel')} in '{store.path}'. "
            "Make the folders writable (chmod u+rwx) and try again."
        )
        raise CommandError(printable(message))
