"""Unpack and compile large wheels in threads.

pip checks the hash of a wheel before it reads the wheel. The unpacked files are named after
their numbers in the archive.
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

logger = get_logger(__name__)

#: More threads would only wait for the disk.
_MAX_THREADS = 4
#: The size of a wheel that justifies another process, in bytes.
_PART = 4_000_000
_BLOCK = 1 << 20


class _Stopped(Exception):
    """Unpacking was stopped because pip no longer needs the wheel."""


class UnpackedWheel(NamedTuple):
    """An unpacked wheel.

    :ivar folder: the folder of the files, whose names are numbers.
    :ivar numbers: the number of each file, by its name in the archive.
    :ivar files: the names of all files; the bytecode of a module is in ``NUMBER.pyc``.
    :ivar lib: the folder that the modules were compiled for.
    :ivar is_stored: whether the files belong to the store, so that they must not be moved.
    """

    folder: str
    numbers: Mapping[str, int]
    files: Collection[str]
    lib: str
    is_stored: bool = False

    def path(self, number: int) -> str:
        """Return the path of a file of the wheel."""
        return os.path.join(self.folder, str(number))


Finish = Callable[[zipfile.ZipFile, UnpackedWheel], UnpackedWheel]


class _Job:
    """A wheel that is being unpacked into its own folder.

    :param finish: a function that processes the unpacked wheel, in a thread.
    :ivar left: the number of unfinished parts, once the wheel is divided.
    :ivar error: the reason why the wheel was not unpacked, or None.
    """

    def __init__(self, path: str, folder: str, finish: Finish) -> None:
        self.path = path
        self.identity = identity(path)
        self.folder = folder
        self.finish = finish
        self.archive: zipfile.ZipFile | None = None
        self.left = 0
        self.result: UnpackedWheel | None = None
        self.error: Exception | None = None


_Task = tuple[_Job, Callable[[], None]]


#: Files of an archive, each with its number.
_Members = Sequence[tuple[int, zipfile.ZipInfo]]


class Unpacker:
    """A folder for unpacked wheels, each in its own subfolder.

    :param path: the path of an empty folder.
    :param lib: the folder that modules are compiled for; None if nothing is compiled. If a
        module is installed elsewhere, stock pip's code compiles the module.
    """

    def __init__(self, path: str, lib: str | None) -> None:
        self._path = path
        self._lib = lib
        self._jobs: dict[str, _Job] = {}
        self._tasks: queue.SimpleQueue[_Task | None] = queue.SimpleQueue()
        self._most = min(_MAX_THREADS, os.cpu_count() or 1)
        self._workers = Workers(self._work, self._most, self._tasks.get)
        self._children: list[subprocess.Popen[bytes]] = []
        #: The compiler process of each thread.
        self._own = threading.local()
        self._is_closed = False
        self._changed = threading.Condition()

    def add(self, path: str, finish: Finish) -> None:
        """Unpack a verified wheel as soon as a thread is free."""
        if self._is_closed or path in self._jobs:
            return
        try:
            job = _Job(path, tempfile.mkdtemp(dir=self._path), finish)
            self._workers.grow(self._most)
        except (OSError, RuntimeError) as error:
            logger.debug("%s is not unpacked early: %s", path, error)
            return
        self._jobs[path] = job
        self._tasks.put((job, partial(self._begin, job)))

    def get(self, path: str) -> UnpackedWheel | None:
        """Wait for an unpacked wheel, and return it, or None if it was not unpacked."""
        job = self._jobs.get(path)
        if job is None:
            return None
        with self._changed:
            self._changed.wait_for(lambda: job.error or job.result)
        if job.error is not None or identity(path) != job.identity:
            return None
        return job.result

    def close(self) -> None:
        """Stop all work, and remove the folder."""
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
        shutil.rmtree(self._path, ignore_errors=True)

    def _work(self, tasks: Iterator[_Task]) -> None:
        for job, task in tasks:
            try:
                if job.error is None:
                    task()
            except (
                Exception
            ) as error:  # pip reports the error when it installs the wheel.
                logger.debug("%s is not unpacked early: %r", job.path, error)
                job.error = error
                shutil.rmtree(job.folder, ignore_errors=True)
            finally:
                if job.archive is not None and (job.error or job.result):
                    job.archive.close()
                with self._changed:
                    self._changed.notify_all()
            # A thread that waits for the next task must not refer to this one.
            del job, task

    def _begin(self, job: _Job) -> None:
        """Divide a wheel into parts of about equal work."""
        archive = job.archive = zipfile.ZipFile(job.path)
        members = [e for e in enumerate(archive.infolist()) if not e[1].is_dir()]
        total = sum(info.file_size for _, info in members)
        if total > shutil.disk_usage(self._path).free:
            raise OSError("the disk is full")
        members.sort(key=lambda each: -each[1].file_size)
        count = min(self._most, 1 + os.path.getsize(job.path) // _PART)
        job.left = count
        for first in range(count):
            part = members[first::count]
            self._tasks.put((job, partial(self._unpack, job, archive, part)))

    def _unpack(self, job: _Job, archive: zipfile.ZipFile, members: _Members) -> None:
        for number, info in members:
            path = os.path.join(job.folder, str(number))
            with archive.open(info) as source, open(path, "xb") as target:
                while data := source.read(_BLOCK):
                    if job.error is not None:
                        raise _Stopped
                    target.write(data)
                if target.tell() != info.file_size:
                    raise zipfile.BadZipFile(f"{info.filename} has a wrong size")
        if self._lib is not None:
            self._compile(job, members, self._lib)
        with self._changed:
            job.left -= 1
            is_last = job.left == 0
        if is_last:
            numbers = {name: number for number, name in enumerate(archive.namelist())}
            files = frozenset(os.listdir(job.folder))
            wheel = UnpackedWheel(job.folder, numbers, files, self._lib or "")
            job.result = job.finish(archive, wheel)

    def _compile(self, job: _Job, members: _Members, lib: str) -> None:
        orders = []
        for number, info in members:
            if _is_module(info):
                path = os.path.join(job.folder, str(number))
                place = os.path.join(lib, os.path.normpath(info.filename))
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
    """Return whether a file is a module that is not in the wheel's data folder."""
    name = info.filename
    return name.endswith(".py") and not name.split("/", 1)[0].endswith(".data")
