"""All entries of the cache: found, kept, counted and removed.

Whoever uses entries holds a lock together with others; whoever takes some away holds it
alone. An entry appears whole, by being renamed.
"""

from __future__ import annotations

import errno
import os
import re
import shutil
import stat
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import suppress

from pip._internal.console.output import get_logger
from pip._internal.fast.downloads.trees import is_own, remove
from pip._internal.fast.unpacked.entries import Damaged, Entry

with suppress(ImportError):  # Windows has none.
    import fcntl

__all__ = ["FOLDER", "Folder", "InUse", "told"]

logger = get_logger(__name__)

#: Below pip's cache. The number is that of the form of entries.
FOLDER = "unpacked-v1"
#: What to do about one that cannot be used.
_WAY_OUT = "Make {} a folder that only you may change (chmod 700), or delete it."
_LOCK = "lock"
_MOST_DIGITS = 30
#: How many bytes all entries have at the most, once somebody has seen to it.
_HELD = "held"
#: How entries begin that are being made, and what the others are called.
_PARTIAL = ".partial-"
_NAME = re.compile(r"[0-9a-f]{64}-[\w.-]+")


class InUse(Exception):
    """Another process uses the folder."""


def told(error: OSError, cache: str) -> str:
    """Say why the folder of a cache cannot be used, and what to do."""
    if error.errno == errno.EROFS:
        return f"{error}."
    return f"{error}. {_WAY_OUT.format(os.path.join(cache, FOLDER))}"


class Folder:
    """The folder of all entries, which nobody takes away while this is open.

    :ivar path: of the folder
    """

    path: str
    _lock: int
    _damaged: list[str]
    _made: list[tuple[str, str]]

    def __init__(self, cache: str, *, alone: bool = False) -> None:
        """Open the folder; make it if it is not there.

        :param cache: pip's cache
        :param alone: take it only if nobody else uses it
        :raises InUse: if somebody does
        :raises OSError: if it is not to be used, or nothing there can be locked
        """
        if sys.platform == "win32":
            raise OSError("pip keeps none on Windows yet")
        self.path = os.path.join(cache, FOLDER)
        os.makedirs(cache, exist_ok=True)
        with suppress(FileExistsError):
            # What is below may be for everybody to change, by the user's own wish.
            os.mkdir(self.path, 0o700)
        status = os.lstat(self.path)
        if stat.S_ISLNK(status.st_mode) and status.st_uid == os.geteuid():
            # It may lie on another disk; everybody is told that a link may be changed.
            status = os.stat(self.path)
        if not is_own(status):
            raise PermissionError(f"{self.path} is not this user's alone")
        flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
        self._lock = os.open(os.path.join(self.path, _LOCK), flags, 0o600)
        try:
            if alone and not self._is_alone():
                raise InUse(self.path)
            if not alone:
                self._join()
        except BaseException:
            os.close(self._lock)
            raise
        self._damaged = []
        self._made = []

    def close(self) -> None:
        """Let others take entries away, unless that is done already."""
        lock, self._lock = self._lock, -1
        if lock >= 0:
            os.close(lock)

    def find(self, digest: str, tag: str) -> Entry | None:
        """Return an entry that is as it was made; None if there is none.

        :param digest: the sha256 of the wheel, in hexadecimal digits
        :param tag: of the interpreter
        """
        place = self._place(digest, tag)
        if not os.path.lexists(place):
            return None
        try:
            entry = Entry.read(place)
            entry.verify()
        except Damaged as error:
            logger.verbose("%s is not used: %s", place, error)
            self._damaged.append(place)
            return None
        with suppress(OSError):
            # It counts as used now.
            os.utime(place)
        return entry

    @property
    def free(self) -> int:
        """Return how many bytes the disk has left.

        :raises OSError: if it does not tell
        """
        return shutil.disk_usage(self.path).free

    def _place(self, digest: str, tag: str) -> str:
        return os.path.join(self.path, f"{digest}-{tag}")

    def new(self) -> str:
        """Make a folder for an entry.

        :raises OSError: if that is not possible
        """
        return tempfile.mkdtemp(prefix=_PARTIAL, dir=self.path)

    def keep(self, entry: Entry, digest: str, tag: str) -> None:
        """Let an entry that is complete be found, once this is closed by :meth:`settle`.

        :raises OSError: if it cannot be written down
        """
        place = self._place(digest, tag)
        entry.write(os.path.basename(place))
        self._made.append((entry.folder, place))

    def settle(self, limit: int) -> None:
        """Put new entries in their places, and close this.

        If nobody else uses the folder, take away what is damaged, what runs that were
        killed have left, and, the oldest first, what is above the limit.

        :param limit: of all entries, in bytes
        """
        try:
            is_held = not self._made and self._holds(limit)
            if is_held and not self._damaged and not self._partial():
                return
            is_alone = self._is_alone()
            if is_alone:
                for place in self._damaged:
                    self.remove(place)
            if self._made:
                # Whoever is alone next has to see to it, if this one comes to nothing.
                with suppress(OSError):
                    os.unlink(self._held)
            for made, place in self._made:
                # Somebody else may have been faster, with the same.
                with suppress(OSError):
                    os.rename(made, place)
            if is_alone:
                self.clean()
                if not is_held:
                    self._reduce(limit)
            else:
                for made, _ in self._made:
                    shutil.rmtree(made, ignore_errors=True)
        finally:
            self.close()

    def _is_alone(self) -> bool:
        """Hold the lock alone if nobody else holds it, else together with others."""
        if sys.platform == "win32":
            raise AssertionError("none is opened there")
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            # It may have been lost in the attempt; what was found is not used any more.
            self._join()
            return False
        return True

    def _join(self) -> None:
        """Hold the lock together with others."""
        if sys.platform == "win32":
            raise AssertionError("none is opened there")
        try:
            fcntl.flock(self._lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            logger.info("Waiting for another pip that removes unpacked wheels")
            fcntl.flock(self._lock, fcntl.LOCK_SH)

    def _partial(self) -> Sequence[str]:
        names = (name for name in os.listdir(self.path) if name.startswith(_PARTIAL))
        return [os.path.join(self.path, name) for name in names]

    def clean(self) -> None:
        """Take away what runs that were killed have left; to be called alone."""
        for place in self._partial():
            self.remove(place)

    @property
    def _held(self) -> str:
        return os.path.join(self.path, _HELD)

    def _holds(self, limit: int) -> bool:
        """Tell whether it is known that all entries are within a limit."""
        if sys.platform == "win32":
            raise AssertionError("none is opened there")
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        try:
            with open(os.open(self._held, flags), "rb") as file:
                told = file.read(_MOST_DIGITS)
        except OSError:
            return False
        return told.isdigit() and int(told) <= limit

    def _reduce(self, limit: int) -> None:
        """Take away what is above a limit, and what nobody can read; to be called alone."""
        self._damaged = []
        found = sorted(self.entries(), key=lambda entry: os.stat(entry.folder).st_mtime)
        for place in self._damaged:
            self.remove(place)
        size = sum(entry.size for entry in found)
        for entry in found:
            if size <= limit:
                break
            logger.debug("%s is taken out of the cache", entry.folder)
            self.remove(entry.folder)
            size -= entry.size
        descriptor, path = tempfile.mkstemp(prefix=_PARTIAL, dir=self.path)
        with open(descriptor, "wb") as file:
            file.write(b"%d" % limit)
        os.replace(path, self._held)

    @property
    def damaged(self) -> Sequence[str]:
        """Return what was found that cannot be used."""
        return self._damaged

    def entries(self) -> Iterator[Entry]:
        """Yield what is there and can be read; remember what cannot."""
        for place in self.places():
            try:
                yield Entry.read(place)
            except Damaged as error:
                logger.debug("%s is not used: %s", place, error)
                self._damaged.append(place)

    def places(self) -> Sequence[str]:
        """Return where entries are, or something else in their place."""
        names = filter(_NAME.fullmatch, sorted(os.listdir(self.path)))
        return [os.path.join(self.path, name) for name in names]

    def remove(self, place: str) -> bool:
        """Take away one entry, if that can be; to be called alone.

        Renamed first, so that nobody finds it half removed.

        :return: whether it is gone
        """
        doomed = place
        try:
            if not os.path.basename(place).startswith(_PARTIAL):
                doomed = f"{self.path}{os.sep}{_PARTIAL}{os.urandom(4).hex()}"
                os.rename(place, doomed)
            remove(doomed)
        except OSError as error:
            logger.debug("%s cannot be removed: %s", doomed, error)
            return False
        return True
