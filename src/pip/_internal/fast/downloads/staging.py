"""Unpack and compile large wheels while others are downloaded.

Nothing of a wheel is read before its hash has passed. Its files get the positions in the
archive for names; they are moved when pip installs them (:mod:`.staged`).
"""

from __future__ import annotations

import json
import os
import pkgutil
import queue
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial

from pip._internal.console.output import get_logger
from pip._internal.fast.cpus import allowed_cpus
from pip._internal.fast.digests import Verified, identity
from pip._internal.fast.threads import Workers
from pip._internal.utils.temp_dir import TempDirectory

__all__ = ["LARGE", "Staging"]

logger = get_logger(__name__)

#: Bytes of a wheel; smaller ones are unpacked sooner than a thread begins.
LARGE = 1_000_000
#: More of them wait for the disk.
_MAX_THREADS = 4
#: Bytes of a wheel that are worth a process.
_PART = 4_000_000
_BLOCK = 1 << 20
#: A file takes as long as so many bytes.
_FILE = 1 << 14
#: The file that tells which kind of library the others belong to.
_WHEEL = re.compile(r"[^/]+\.dist-info/WHEEL")


class _Stopped(Exception):
    """Nobody needs what lies unpacked."""


class _Wheel:
    """A wheel that is unpacked into a folder of its own.

    :ivar left: parts that are not done; None before it is known how many there are
    :ivar error: why it will not lie unpacked
    """

    def __init__(self, file: Verified, folder: str) -> None:
        self.file = file
        self.folder = folder
        self.archive: zipfile.ZipFile | None = None
        self.left: int | None = None
        self.error: Exception | None = None


class Staging(TempDirectory):
    """A folder in which wheels are unpacked, each in a folder of its own.

    pip removes it with its other temporary folders at the latest.

    :param parent: where to make it; None for the place of temporary folders
    :param libs: where files of ``purelib`` and ``platlib`` will be installed, if they are
        to be compiled
    """

    def __init__(self, parent: str | None, libs: Mapping[str, str]) -> None:
        self.libs = dict(libs)
        self._wheels: dict[str, _Wheel] = {}
        self._tasks: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        self._most = min(_MAX_THREADS, allowed_cpus())
        self._workers = Workers(self._work, self._most, self._tasks.get)
        self._children: set[subprocess.Popen[bytes]] = set()
        self._is_closed = False
        self._changed = threading.Condition()
        path = None
        if parent is not None:
            os.makedirs(parent, exist_ok=True)
            path = tempfile.mkdtemp(dir=parent)
        super().__init__(path, True, kind="staging", globally_managed=True)

    def add(self, file: Verified) -> None:
        """Unpack a wheel as soon as a thread is free, if it is large."""
        if self._is_closed or os.path.getsize(file.path) < LARGE:
            return
        try:
            wheel = _Wheel(file, tempfile.mkdtemp(dir=self.path))
            self._workers.grow(self._most)
        except (OSError, RuntimeError) as error:
            logger.debug("%s is not unpacked ahead: %s", file.path, error)
            return
        self._wheels[file.path] = wheel
        self._tasks.put(partial(self._do, wheel, partial(self._begin, wheel)))

    def folder_of(self, path: str) -> str | None:
        """Return where a wheel lies unpacked; wait for that if it has begun.

        :return: None if the wheel is not unpacked, and will not be
        """
        wheel = self._wheels.get(path)
        if wheel is None:
            return None
        with self._changed:
            if wheel.left is None:
                wheel.error = wheel.error or _Stopped()
            self._changed.wait_for(lambda: wheel.error or not wheel.left)
        if wheel.error is not None or identity(path) != wheel.file.identity:
            return None
        return wheel.folder

    def settle(self) -> None:
        """Wait for the wheels that are being unpacked, and drop those that are waiting."""
        for path in list(self._wheels):
            self.folder_of(path)

    def cleanup(self) -> None:
        """End all work, and remove the folder."""
        with self._changed:
            self._is_closed = True
            children = list(self._children)
            for wheel in self._wheels.values():
                wheel.error = wheel.error or _Stopped()
            self._changed.notify_all()
        for child in children:
            child.kill()
            child.wait()
        for _ in range(len(self._workers)):
            self._tasks.put(None)
        self._workers.join(1)
        super().cleanup()

    def _work(self, tasks: Iterator[Callable[[], None]]) -> None:
        for task in tasks:
            task()
            # While a thread waits for the next one, it holds none.
            del task

    def _do(self, wheel: _Wheel, task: Callable[[], None]) -> None:
        try:
            if wheel.error is None:
                task()
        except Exception as error:  # pip reports it when it installs the wheel.
            logger.debug("%s is not unpacked ahead: %r", wheel.file.path, error)
            wheel.error = error
            shutil.rmtree(wheel.folder, ignore_errors=True)
        finally:
            if wheel.archive is not None and (wheel.error or wheel.left == 0):
                wheel.archive.close()
            with self._changed:
                self._changed.notify_all()

    def _begin(self, wheel: _Wheel) -> None:
        """Divide a wheel into parts of nearly the same size."""
        with self._changed:
            if wheel.error is not None:
                return
            wheel.left = 1
        archive = wheel.archive = zipfile.ZipFile(wheel.file.path)
        members = [each for each in archive.infolist() if not each.is_dir()]
        if sum(each.file_size for each in members) > shutil.disk_usage(self.path).free:
            raise OSError("there is no space")
        kind = _kind_of_root(archive)
        count = min(self._most, 1 + os.path.getsize(wheel.file.path) // _PART)
        parts: list[list[zipfile.ZipInfo]] = [[] for _ in range(count)]
        sizes = [0] * count
        for member in sorted(members, key=lambda each: each.file_size, reverse=True):
            least = sizes.index(min(sizes))
            parts[least].append(member)
            sizes[least] += member.file_size + _FILE
        wheel.left = count
        for part in parts:
            task = partial(self._unpack, wheel, archive, part, kind)
            self._tasks.put(partial(self._do, wheel, task))

    def _unpack(
        self,
        wheel: _Wheel,
        archive: zipfile.ZipFile,
        members: Sequence[zipfile.ZipInfo],
        kind: str,
    ) -> None:
        for member in members:
            path = os.path.join(wheel.folder, str(member.header_offset))
            with archive.open(member) as source, open(path, "xb") as target:
                while data := source.read(_BLOCK):
                    if wheel.error is not None:
                        raise _Stopped
                    target.write(data)
        if kind in self.libs:
            self._compile(wheel, filter(_is_module, members), kind)
        with self._changed:
            assert wheel.left is not None, "it is divided"
            wheel.left -= 1

    def _compile(
        self, wheel: _Wheel, members: Iterable[zipfile.ZipInfo], kind: str
    ) -> None:
        orders = []
        for member in members:
            path = os.path.join(wheel.folder, str(member.header_offset))
            place = os.path.join(self.libs[kind], os.path.normpath(member.filename))
            orders.append((path, f"{path}.{kind}", place))
        if not orders:
            return
        source = pkgutil.get_data(__package__, "compile_child.py")
        assert source is not None, "a module of this package is there"
        command = [sys.executable, "-I", "-S", "-W", "ignore", "-c", source.decode()]
        with self._changed:
            if self._is_closed:
                raise _Stopped
            child = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
            self._children.add(child)
        with suppress(OSError):
            child.communicate(json.dumps(orders).encode())
        with self._changed:
            self._children.discard(child)


def _is_module(member: zipfile.ZipInfo) -> bool:
    """Tell whether a file is a module that is not in the wheel's data folder."""
    name = member.filename
    return name.endswith(".py") and not name.split("/", 1)[0].endswith(".data")


def _kind_of_root(archive: zipfile.ZipFile) -> str:
    """Return the kind of library that a wheel's files go to, apart from its data."""
    (wheel,) = filter(_WHEEL.fullmatch, archive.namelist())
    lines = archive.read(wheel).decode().lower().splitlines()
    purelib = any(re.fullmatch(r"root-is-purelib:\s*true\s*", line) for line in lines)
    return "purelib" if purelib else "platlib"
