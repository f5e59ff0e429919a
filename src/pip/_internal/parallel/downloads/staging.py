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
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field

from pip._internal.console.output import get_logger
from pip._internal.parallel.downloads.digests import Verified, identity
from pip._internal.parallel.threads import start
from pip._internal.utils.temp_dir import TempDirectory

__all__ = ["Staging"]

logger = get_logger(__name__)

#: The downloads themselves wait for the network most of the time.
_MAX_CHILDREN = 4


@dataclass(eq=False, slots=True)
class _Job:
    """A wheel to be staged.

    :ivar identity: of the file, when it was complete
    :ivar is_begun: whether it is worth waiting for
    """

    wheel: str
    folder: str
    identity: tuple[int, ...]
    is_begun: bool = False
    is_staged: bool = False
    over: threading.Event = field(default_factory=threading.Event)


class Staging(TempDirectory):
    """A folder of wheels that are unpacked, each in a folder of its own.

    Nothing in it is ever imported. It is removed with pip's other temporary folders, or
    before, and no process works in it then any more.

    :param parent: where to make it; None: where temporary folders are made
    :param libs: by ``purelib`` and ``platlib``, where files will be installed, as far as
        that is known
    """

    def __init__(self, parent: str | None, libs: Mapping[str, str]) -> None:
        self.libs = dict(libs)
        self._jobs: dict[str, _Job] = {}
        self._waiting: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._children: list[subprocess.Popen[bytes]] = []
        self._threads = 0
        self._is_open = True
        self._lock = threading.Lock()
        path = None if parent is None else _make_below(parent)
        super().__init__(path, True, kind="staging", globally_managed=True)

    def add(self, file: Verified) -> None:
        """Have a wheel staged."""
        wheel = file.path
        with self._lock:
            if not self._is_open:
                return
            try:
                folder = tempfile.mkdtemp(dir=self.path)
                job = _Job(wheel, folder, file.identity)
            except OSError as error:
                logger.debug("%s is not unpacked ahead: %s", wheel, error)
                return
            self._jobs[wheel] = job
            if self._threads < min(_MAX_CHILDREN, len(os.sched_getaffinity(0))):
                self._threads += 1
                with suppress(RuntimeError):
                    start(threading.Thread(target=self._work))
        self._waiting.put(job)

    def folder_of(self, wheel: str) -> str | None:
        """Give where a wheel is unpacked, and wait for it if that has begun.

        :return: None if it is not, nor will be
        """
        job = self._jobs.get(wheel)
        if job is None:
            return None
        with self._lock:
            if not job.is_begun:
                # Whoever needs it now is faster than whoever is at something else.
                del self._jobs[wheel]
                return None
        job.over.wait()
        if job.is_staged and identity(wheel) == job.identity:
            return job.folder
        return None

    def settle(self) -> None:
        """Wait for all wheels that are being staged; those that wait will not be."""
        for wheel in list(self._jobs):
            self.folder_of(wheel)

    def close(self) -> None:
        """End all work."""
        with self._lock:
            self._is_open = False
            children = list(self._children)
        for _ in range(self._threads):
            self._waiting.put(None)
        for child in children:
            child.kill()
            child.wait()

    def cleanup(self) -> None:
        """Remove the folder, once nothing is written there any more."""
        self.close()
        super().cleanup()

    def _work(self) -> None:
        source = pkgutil.get_data(__package__, "staging_child.py")
        assert source is not None, "a module of this package is there"
        command = [sys.executable, "-I", "-S", "-W", "ignore", "-c", source.decode()]
        with self._lock:
            if not self._is_open:
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
        # To a process that was ended there is nothing more to say.
        with suppress(OSError), child:
            while (job := self._waiting.get()) is not None:
                if self._begin(job):
                    job.is_staged = self._is_done_by(child, job)
                    job.over.set()
                    if child.poll() is not None:
                        return

    def _begin(self, job: _Job) -> bool:
        """Tell whether a job is still to be done."""
        with self._lock:
            job.is_begun = self._is_open and job.wheel in self._jobs
            return job.is_begun

    def _is_done_by(self, child: subprocess.Popen[bytes], job: _Job) -> bool:
        assert child.stdin is not None, "it is a pipe"
        assert child.stdout is not None, "it is a pipe"
        order = {"wheel": job.wheel, "folder": job.folder, "libs": self.libs}
        try:
            child.stdin.write(json.dumps(order).encode() + b"\n")
            child.stdin.flush()
            answer = child.stdout.readline()
        except (OSError, ValueError) as error:
            answer = repr(error).encode()
        if answer != b"staged\n":
            logger.debug("%s was not unpacked ahead: %r", job.wheel, answer)
        return answer == b"staged\n"


def _make_below(parent: str) -> str:
    os.makedirs(parent, exist_ok=True)
    return tempfile.mkdtemp(dir=parent)
