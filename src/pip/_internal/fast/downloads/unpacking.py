"""One wheel that is unpacked ahead, in parts.

Before its hash has passed, its bytes may only be inflated, under names that pip makes up;
how much of that there may be is limited. When the hash has passed, the directory of the
wheel decides: what was inflated counts only if the two agree on all of it. Then the rest is
unpacked and the modules are compiled.
"""

from __future__ import annotations

import os
import re
import shutil
import threading
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import NamedTuple

from pip._internal.console.output import get_logger
from pip._internal.fast.digests import Verified, identity
from pip._internal.fast.downloads.members import STORED, Member, Scan

__all__ = ["Part", "Unpacking"]

logger = get_logger(__name__)

#: What may be inflated before the hash has passed, as a multiple of the wheel's size. Wheels
#: with the largest libraries have four times their size.
_RATIO = 8
#: Bytes that a file takes at least.
_PAGE = 4096
#: Packed bytes that are inflated while they are on their way.
_LARGE = 8_000_000
#: Seconds of work that make a part, and what a process does in a second.
_SECONDS = 0.25
_FILES, _UNPACKED, _COMPILED = 20_000, 400_000_000, 5_000_000
#: The file that tells which kind of library the others belong to.
_WHEEL = re.compile(r"[^/]+\.dist-info/WHEEL")


class Part(NamedTuple):
    """What a process does at once; see :func:`.staging_child.do`."""

    of: Unpacking
    is_whole: bool
    files: Sequence[Member]
    modules: Sequence[Member]

    @property
    def order(self) -> dict[str, object]:
        """Return what the process is told."""
        files = [
            (m.at, m.begins, m.packed, m.size, m.crc, m.method == STORED)
            for m in self.files
        ]
        return {
            "wheel": self.of.path,
            "folder": self.of.folder,
            "is_whole": self.is_whole,
            "files": files,
            "modules": [self.of.bytecode(module) for module in self.modules],
        }


class Unpacking:
    """A wheel that is unpacked into a folder of its own.

    :param path: of the wheel, of which more may be on its way
    :param folder: empty
    :param libs: where files of ``purelib`` and ``platlib`` will be installed, if known
    :param put: takes a part that can be done; then :meth:`begin` and :meth:`done` are called
    :raises OSError: if the wheel cannot be read
    """

    def __init__(
        self,
        path: str,
        folder: str,
        libs: Mapping[str, str],
        put: Callable[[Part], None],
    ) -> None:
        self.path = path
        self.folder = folder
        self._libs = libs
        self._put = put
        # It is closed by whoever receives the wheel.
        self._file = open(path, "rb", buffering=0)  # noqa: SIM115
        self._scan = Scan(self._file.fileno())
        #: How many members are in parts, and how many bytes more may be.
        self._begun = 0
        self._space = self._allowed = 0
        self._kind = ""
        self._verified: Verified | None = None
        #: To be compiled when they are unpacked.
        self._modules: Sequence[Member] = ()
        self._change = threading.Condition()
        #: Parts that are not done; the one who makes them counts as one.
        self._open = 1
        self._has_begun = False
        self._why_not: object = None

    def fail(self, why: object) -> None:
        """Give up, unless it is done; whoever works on a part notices it."""
        with self._change:
            if self._why_not is not None or not self._open:
                return
            self._why_not = why
            self._change.notify_all()
            logger.debug("%s is not unpacked ahead: %r", self.path, why)
            gone = f"{self.folder}-"
            with suppress(OSError):
                os.rename(self.folder, gone)
                shutil.rmtree(gone, ignore_errors=True)

    def forget(self, why: object) -> None:
        """Give up and read no more, in the thread that receives the wheel or at the end."""
        self.fail(why)
        self._file.close()

    @property
    def has_failed(self) -> bool:
        """Tell whether it will never lie unpacked."""
        return self._why_not is not None

    # While the wheel arrives, in the thread that receives it

    def allow(self, size: int, free: int) -> None:
        """Allow to inflate what a wheel of this size may hold, and the disk.

        :param free: bytes that nobody else has been allowed
        """
        self._space = max(0, min(_RATIO * size, (free - size) // 2))
        self._allowed = size + self._space

    @property
    def allowed(self) -> int:
        """Return the bytes that may be written still, at most, before it has arrived."""
        return 0 if self.has_failed or self._verified else self._allowed

    def arrived(self, size: int) -> None:
        """Inflate what is worth it of the first *size* bytes."""
        if self._space <= 0 or self.has_failed:
            return
        try:
            for _ in self._scan.advance(size):
                pass
        except Exception as error:  # The complete wheel decides what is wrong with it.
            self.forget(error)
            return
        while ready := self._ready(size):
            self._space -= sum(map(_space, ready))
            if self._space < 0:
                # Whether there is as much of it, the directory will tell.
                return
            self._begun += len(ready)
            self._begin(Part(self, False, ready, ()))

    def _ready(self, size: int) -> Sequence[Member]:
        """Return the next files that make a part; none if it is too early."""
        members = self._scan.members
        seconds = 0.0
        for number in range(self._begun, len(members)):
            member = members[number]
            if member.packed >= _LARGE:
                # What comes before it waits no longer.
                return members[self._begun : max(number, self._begun + 1)]
            if member.begins + member.packed > size:
                break
            seconds += _time_to_unpack(member)
            if seconds >= _SECONDS:
                return members[self._begun : number + 1]
        return ()

    # When it has arrived

    def verified(self, file: Verified) -> None:
        """Unpack the rest and compile all, now that the hash of the wheel has passed."""
        try:
            rest = self._checked(file)
        except Exception as error:  # Upstream reports what is wrong with the wheel.
            self.forget(error)
            return
        self._file.close()
        members, compiles = self._scan.members, self._kind in self._libs
        for files in _shares(rest):
            modules = [m for m in files if compiles and _is_module(m.name)]
            self._begin(Part(self, True, files, modules))
        ahead = members[: self._begun] if compiles else ()
        self._modules = [member for member in ahead if _is_module(member.name)]
        self._verified = file
        self.done()

    def _checked(self, file: Verified) -> Sequence[Member]:
        """Compare what is inflated with what the directory says.

        :return: what is to be unpacked still
        :raises Exception: if it cannot be used
        """
        for _ in self._scan.advance(os.fstat(self._file.fileno()).st_size):
            pass
        with zipfile.ZipFile(file.path) as archive:
            self._scan.check(archive)
            self._kind = _kind_of_root(archive)
        rest = self._scan.members[self._begun :]
        if sum(map(_space, rest)) > shutil.disk_usage(self.folder).free:
            raise OSError("there is no space")
        return rest

    def bytecode(self, module: Member) -> tuple[str, str, str]:
        """Return the names of a module and its bytecode, and where that will be."""
        place = os.path.join(self._libs[self._kind], os.path.normpath(module.name))
        return str(module.at), f"{module.at}.{self._kind}", place

    # Parts

    def _begin(self, part: Part) -> None:
        with self._change:
            self._open += 1
        self._put(part)

    def expect(self) -> None:
        """Note that a process is free for a part, or about to start."""
        with self._change:
            self._has_begun = True

    def begin(self) -> bool:
        """Note that a part is begun; return False if nobody needs it."""
        with self._change:
            self._has_begun = True
            return self._why_not is None

    def done(self) -> None:
        """Note that a part is done."""
        with self._change:
            self._open -= 1
            if self._open:
                return
            modules, self._modules = self._modules, ()
            self._open = 1 if modules else 0
            self._change.notify_all()
        if modules:
            for each in _shares(modules):
                self._begin(Part(self, True, (), each))
            self.done()

    def result(self) -> str | None:
        """Return the folder once all lies there; None if it will not.

        What nobody has begun is given up: the caller is faster than a process that is still
        busy.
        """
        file = self._verified
        with self._change:
            if file is not None and self._has_begun:
                self._change.wait_for(
                    lambda: self._why_not is not None or not self._open
                )
        if self._open:
            self.fail("it is needed")
        if self.has_failed or file is None or identity(self.path) != file.identity:
            return None
        return self.folder


def _shares(members: Iterable[Member]) -> Iterator[list[Member]]:
    """Yield what makes a part each, and what takes longest first."""
    share: list[Member] = []
    seconds = 0.0
    for member in sorted(members, key=_time, reverse=True):
        share.append(member)
        seconds += _time(member)
        if seconds >= _SECONDS:
            yield share
            share, seconds = [], 0.0
    if share:
        yield share


def _time(member: Member) -> float:
    compiling = member.size / _COMPILED if _is_module(member.name) else 0.0
    return _time_to_unpack(member) + compiling


def _time_to_unpack(member: Member) -> float:
    return 1 / _FILES + member.size / _UNPACKED


def _space(member: Member) -> int:
    """Return the bytes that a file takes on disk."""
    return (-(-member.size // _PAGE) or 1) * _PAGE


def _is_module(name: str) -> bool:
    """Tell whether an entry is a module that is not in the wheel's data folder."""
    return name.endswith(".py") and not name.split("/", 1)[0].endswith(".data")


def _kind_of_root(archive: zipfile.ZipFile) -> str:
    """Return the kind of library that a wheel's files go to, apart from its data."""
    (wheel,) = filter(_WHEEL.fullmatch, archive.namelist())
    lines = archive.read(wheel).decode().lower().splitlines()
    purelib = any(re.fullmatch(r"root-is-purelib:\s*true\s*", line) for line in lines)
    return "purelib" if purelib else "platlib"
