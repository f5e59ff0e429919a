"""Unpack and compile wheels while others are still on their way."""

from __future__ import annotations

import json
import os
import pkgutil
import queue
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping
from concurrent.futures import Future
from contextlib import suppress
from typing import NamedTuple

from pip._internal.console.output import get_logger
from pip._internal.parallel.digests import Verified, identity
from pip._internal.parallel.threads import Workers
from pip._internal.utils.temp_dir import TempDirectory

__all__ = ["Staging"]

logger = get_logger(__name__)

#: Downloads leave the CPU idle: they wait for the network most of the time.
_MAX_CHILDREN = 4


class _Job(NamedTuple):
    """A wheel to be staged.

    :ivar is_staged: whether that succeeded; worth waiting for once it has begun
    """

    file: Verified
    folder: str
    is_staged: Future[bool]


class Staging(TempDirectory):
    """A folder in which wheels are unpacked, each in a folder of its own.

    Nothing in it is ever imported. It is removed with pip's other temporary folders at
    the latest, after the processes that work in it have ended.

    :param parent: where to make it; None for the place of temporary folders
    :param libs: where files of ``purelib`` and ``platlib`` will be installed, if known
    """

    def __init__(self, parent: str | None, libs: Mapping[str, str]) -> None:
        self.libs = dict(libs)
        self._jobs: dict[str, _Job] = {}
        self._waiting: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._children: list[subprocess.Popen[bytes]] = []
        most = min(_MAX_CHILDREN, len(os.sched_getaffinity(0)))
        self._workers = Workers(self._work, most, self._waiting.get)
        self._is_closed = threading.Event()
        self._lock = threading.Lock()
        path = None
        if parent is not None:
            os.makedirs(parent, exist_ok=True)
            path = tempfile.mkdtemp(dir=parent)
        super().__init__(path, True, kind="staging", globally_managed=True)

    def add(self, file: Verified) -> None:
        """Stage a wheel as soon as a process is free."""
        with self._lock:
            if self._is_closed.is_set():
                return
            try:
                job = _Job(file, tempfile.mkdtemp(dir=self.path), Future())
            except OSError as error:
                logger.debug("%s is not unpacked ahead: %s", file.path, error)
                return
            self._jobs[file.path] = job
            with suppress(RuntimeError):
                self._workers.grow(len(self._workers) + 1)
        self._waiting.put(job)

    def folder_of(self, wheel: str) -> str | None:
        """Return where a wheel is unpacked; wait for that if it has begun.

        :return: None if the wheel is not unpacked, and will not be
        """
        job = self._jobs.get(wheel)
        if job is None:
            return None
        if job.is_staged.cancel():
            # It is needed now: the caller is faster than a process that is still busy.
            del self._jobs[wheel]
            return None
        if job.is_staged.result() and identity(wheel) == job.file.identity:
            return job.folder
        return None

    def settle(self) -> None:
        """Wait for the wheels that are being staged, and drop those that are waiting."""
        for wheel in list(self._jobs):
            self.folder_of(wheel)

    def close(self) -> None:
        """End all work."""
        with self._lock:
            self._is_closed.set()
            children = list(self._children)
        for _ in range(len(self._workers)):
            self._waiting.put(None)
        for child in children:
            child.kill()
            child.wait()

    def cleanup(self) -> None:
        """Remove the folder after all work has ended."""
        self.close()
        super().cleanup()

    def _work(self, jobs: Iterator[_Job]) -> None:
        source = pkgutil.get_data(__package__, "staging_child.py")
        assert source is not None, "a module of this package is there"
        command = [sys.executable, "-I", "-S", "-W", "ignore", "-c", source.decode()]
        with self._lock:
            if self._is_closed.is_set():
                return
            try:
                child = subprocess.Popen(
                    command,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,
                )
            except OSError as error:
                logger.debug("Wheels are not unpacked ahead: %s", error)
                return
            self._children.append(child)
        # A process that was killed takes no more orders.
        with suppress(OSError), child:
            for job in jobs:
                if self._is_closed.is_set():
                    return
                if job.is_staged.set_running_or_notify_cancel():
                    job.is_staged.set_result(self._is_done_by(child, job))
                    if child.poll() is not None:
                        return

    def _is_done_by(self, child: subprocess.Popen[bytes], job: _Job) -> bool:
        assert child.stdin is not None, "it is a pipe"
        assert child.stdout is not None, "it is a pipe"
        wheel = job.file.path
        order = {"wheel": wheel, "folder": job.folder, "libs": self.libs}
        try:
            child.stdin.write(json.dumps(order).encode() + b"\n")
            child.stdin.flush()
            answer = child.stdout.readline()
        except (OSError, ValueError) as error:
            answer = repr(error).encode()
        if answer != b"staged\n":
            logger.debug("%s was not unpacked ahead: %r", wheel, answer)
        return answer == b"staged\n"
