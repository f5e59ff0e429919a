"""Unpack and compile large wheels in threads.

Nothing of a wheel is read before its hash has been checked. The unpacked files have their
numbers in the archive for names.
"""

from __future__ import annotations

import json
import os
import pkgutil
import queue
import shutil
import subprocess
import sys
import tempfile
import threading
import zipfile
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import NamedTuple

from pip._internal.console.output import get_logger
from pip._internal.fast.digests import identity
from pip._internal.fast.threads import Workers
from pip._internal.utils.temp_dir import TempDirectory

__all__ = ["UnpackedWheel", "Unpacker"]

logger = get_logger(__name__)

#: More threads wait for the disk.
_MAX_THREADS = 4
#: Bytes of a wheel that are worth a process.
_PART = 4_000_000
_BLOCK = 1 << 20
#: A file takes as long as so many bytes.
_FILE = 1 << 14


class _Stopped(Exception):
    """Nobody needs the unpacked wheel."""


class UnpackedWheel(NamedTuple):
    """A wheel that is unpacked.

    :ivar folder: of the files, which have numbers for names.
    :ivar numbers: of the files, by their names in the archive.
    :ivar files: the names of all files; the bytecode of a module is in ``NUMBER.pyc``.
    :ivar lib: the folder that the modules were compiled for.
    :ivar is_stored: whether the files belong to the store, so that they must stay.
    """

    folder: str
    numbers: Mapping[str, int]
    files: Collection[str]
    lib: str
    is_stored: bool = False

    def path(self, number: int) -> str:
        """Return the path of a file."""
        return os.path.join(self.folder, str(number))


Finish = Callable[[zipfile.ZipFile, UnpackedWheel], UnpackedWheel]


class _Job:
    """A wheel that is being unpacked into a folder of its own.

    :param finish: what is done with the unpacked wheel, in a thread.
    :ivar left: parts that are not done, once the wheel is divided into parts.
    :ivar error: why the wheel will not be unpacked.
    """

    def __init__(self, path: str, folder: str, finish: Finish) -> None:
        self.path = path
        self.identity = identity(path)
        self.folder = folder
        self.finish = finish
        self.archive: zipfile.ZipFile | None = None
        self.lib = ""
        self.left = 0
        self.result: UnpackedWheel | None = None
        self.error: Exception | None = None


_Task = tuple[_Job, Callable[[], None]]


class Unpacker(TempDirectory):
    """A folder in which wheels are unpacked, each in a separate folder.

    pip removes the folder with its other temporary folders at the latest.

    :param path: an empty folder; None for a new one where temporary files are.
    :param libs: the folders that modules of ``purelib`` and ``platlib`` are compiled for;
        None if nothing is compiled.
    """

    def __init__(self, path: str | None, libs: Mapping[str, str] | None) -> None:
        self._libs = libs
        self._jobs: dict[str, _Job] = {}
        self._tasks: queue.SimpleQueue[_Task | None] = queue.SimpleQueue()
        self._most = min(_MAX_THREADS, os.cpu_count() or 1)
        self._workers = Workers(self._work, self._most, self._tasks.get)
        self._children: list[subprocess.Popen[bytes]] = []
        #: The child of this thread.
        self._own = threading.local()
        self._is_closed = False
        self._changed = threading.Condition()
        super().__init__(path, True, kind="staging", globally_managed=True)

    def add(self, path: str, finish: Finish) -> None:
        """Unpack a wheel, whose hash was checked, as soon as a thread is free."""
        if self._is_closed or path in self._jobs:
            return
        try:
            job = _Job(path, tempfile.mkdtemp(dir=self.path), finish)
            self._workers.grow(self._most)
        except (OSError, RuntimeError) as error:
            logger.debug("%s is not unpacked ahead: %s", path, error)
            return
        self._jobs[path] = job
        self._tasks.put((job, partial(self._begin, job)))

    def get(self, path: str) -> UnpackedWheel | None:
        """Wait for a wheel and return it; return None if nothing unpacks it."""
        job = self._jobs.get(path)
        if job is None:
            return None
        with self._changed:
            self._changed.wait_for(lambda: job.error or job.result)
        if job.error is not None or identity(path) != job.identity:
            return None
        return job.result

    def settle(self) -> None:
        """Wait for all wheels."""
        for path in list(self._jobs):
            self.get(path)

    def cleanup(self) -> None:
        """End all work, and remove the folder."""
        with self._changed:
            self._is_closed = True
            children, self._children = self._children, []
            for job in self._jobs.values():
                job.error = job.error or _Stopped()
            self._changed.notify_all()
        for child in children:
            child.kill()
            child.communicate()
        for _ in range(len(self._workers)):
            self._tasks.put(None)
        self._workers.join(1)
        super().cleanup()

    def _work(self, tasks: Iterator[_Task]) -> None:
        for job, task in tasks:
            try:
                if job.error is None:
                    task()
            except Exception as error:  # pip reports it when it installs the wheel.
                logger.debug("%s is not unpacked ahead: %r", job.path, error)
                job.error = error
                shutil.rmtree(job.folder, ignore_errors=True)
            finally:
                if job.archive is not None and (job.error or job.result):
                    job.archive.close()
                with self._changed:
                    self._changed.notify_all()
            # While a thread waits for the next one, it holds none.
            del job, task

    def _begin(self, job: _Job) -> None:
        """Divide a wheel into parts of nearly the same size."""
        archive = job.archive = zipfile.ZipFile(job.path)
        members = [
            each for each in enumerate(archive.infolist()) if not each[1].is_dir()
        ]
        total = sum(info.file_size for _, info in members)
        if total > shutil.disk_usage(self.path).free:
            raise OSError("there is no space")
        # Where the wheel says otherwise, pip compiles the modules itself.
        kind = "purelib" if job.path.endswith("-any.whl") else "platlib"
        job.lib = "" if self._libs is None else self._libs[kind]
        count = min(self._most, 1 + os.path.getsize(job.path) // _PART)
        parts: list[list[tuple[int, zipfile.ZipInfo]]] = [[] for _ in range(count)]
        sizes = [0] * count
        for member in sorted(members, key=lambda each: -each[1].file_size):
            least = sizes.index(min(sizes))
            parts[least].append(member)
            sizes[least] += member[1].file_size + _FILE
        job.left = count
        for part in parts:
            self._tasks.put((job, partial(self._unpack, job, archive, part)))

    def _unpack(
        self,
        job: _Job,
        archive: zipfile.ZipFile,
        members: Sequence[tuple[int, zipfile.ZipInfo]],
    ) -> None:
        for number, info in members:
            path = os.path.join(job.folder, str(number))
            with archive.open(info) as source, open(path, "xb") as target:
                while data := source.read(_BLOCK):
                    if job.error is not None:
                        raise _Stopped
                    target.write(data)
                if target.tell() != info.file_size:
                    raise zipfile.BadZipFile(f"{info.filename} has another size")
        if self._libs is not None:
            self._compile(job, members)
        with self._changed:
            job.left -= 1
            is_last = job.left == 0
        if is_last:
            infos = enumerate(archive.infolist())
            numbers = {info.filename: number for number, info in infos}
            files = frozenset(os.listdir(job.folder))
            wheel = UnpackedWheel(job.folder, numbers, files, job.lib)
            job.result = job.finish(archive, wheel)

    def _compile(
        self, job: _Job, members: Sequence[tuple[int, zipfile.ZipInfo]]
    ) -> None:
        orders = []
        for number, info in members:
            if _is_module(info):
                path = os.path.join(job.folder, str(number))
                place = os.path.join(job.lib, os.path.normpath(info.filename))
                orders.append((path, f"{path}.pyc", place))
        if not orders:
            return
        child = self._child()
        with suppress(OSError):
            assert child.stdin is not None
            assert child.stdout is not None
            child.stdin.write(json.dumps(orders).encode() + b"\n")
            child.stdin.flush()
            child.stdout.readline()

    def _child(self) -> subprocess.Popen[bytes]:
        """Return the process that compiles modules for this thread."""
        child: subprocess.Popen[bytes] | None = getattr(self._own, "child", None)
        if child is not None:
            return child
        with self._changed:
            if self._is_closed:
                raise _Stopped
            source = pkgutil.get_data(__package__, "compile_child.py")
            assert source is not None, "a module of this package is there"
            code = ["-W", "ignore", "-c", source.decode()]
            child = self._own.child = subprocess.Popen(
                [sys.executable, "-I", "-S", *code],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
            )
            self._children.append(child)
            return child


def _is_module(info: zipfile.ZipInfo) -> bool:
    """Whether a file is a module that is not in the wheel's data folder."""
    name = info.filename
    return name.endswith(".py") and not name.split("/", 1)[0].endswith(".data")
