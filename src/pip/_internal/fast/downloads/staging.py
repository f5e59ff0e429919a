"""Unpack and compile wheels while others are still on their way, or parts of one at once."""

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
from collections.abc import Iterator, Mapping
from contextlib import suppress

from pip._internal.console.output import get_logger
from pip._internal.fast.cpus import allowed_cpus
from pip._internal.fast.digests import Verified
from pip._internal.fast.downloads.unpacking import Part, Unpacking
from pip._internal.fast.threads import Workers
from pip._internal.utils.temp_dir import TempDirectory

__all__ = ["Staging"]

logger = get_logger(__name__)

#: More of them wait for the disk.
_MAX_CHILDREN = 4


class Staging(TempDirectory):
    """A folder in which wheels are unpacked, each in a folder of its own.

    Nothing in it is ever imported. It is removed with pip's other temporary folders at
    the latest, after the processes that work in it have ended.

    :param parent: where to make it; None for the place of temporary folders
    :param libs: where files of ``purelib`` and ``platlib`` will be installed, if known
    """

    def __init__(self, parent: str | None, libs: Mapping[str, str]) -> None:
        self.libs = dict(libs)
        self._all: dict[str, Unpacking] = {}
        self._waiting: queue.SimpleQueue[Part | None] = queue.SimpleQueue()
        self._children: list[subprocess.Popen[bytes]] = []
        self._most = min(_MAX_CHILDREN, allowed_cpus())
        self._workers = Workers(self._work, self._most, self._waiting.get)
        #: Parts that nobody has done, and threads that have ended.
        self._parts = self._ended = 0
        self._is_closed = threading.Event()
        self._lock = threading.Lock()
        path = None
        if parent is not None:
            os.makedirs(parent, exist_ok=True)
            path = tempfile.mkdtemp(dir=parent)
        super().__init__(path, True, kind="staging", globally_managed=True)

    def begin(self, path: str, size: int) -> Unpacking | None:
        """Unpack a wheel while it arrives, of which the hash is to be checked.

        :param size: that it will have
        :return: None if that cannot be
        """
        allowed = sum(each.allowed for each in list(self._all.values()))
        made = self._unpacking(path)
        if made is not None:
            with suppress(OSError):
                made.allow(size, shutil.disk_usage(self.path).free - allowed)
        return made

    def add(self, file: Verified) -> None:
        """Unpack a wheel as soon as a process is free."""
        found = self._all.get(file.path)
        if found is None or found.has_failed:
            found = self._unpacking(file.path)
        if found is not None:
            found.verified(file)

    def _unpacking(self, path: str) -> Unpacking | None:
        with self._lock:
            if self._is_closed.is_set() or self._ended == self._most:
                return None
            try:
                folder = tempfile.mkdtemp(dir=self.path)
                made = Unpacking(path, folder, self.libs, self._put)
            except OSError as error:
                logger.debug("%s is not unpacked ahead: %s", path, error)
                return None
            self._all[path] = made
            return made

    def _put(self, part: Part) -> None:
        with self._lock:
            if self._is_closed.is_set():
                return
            with suppress(RuntimeError):
                self._workers.grow(len(self._workers) + 1)
            is_free = self._parts < len(self._workers) - self._ended
            self._parts += 1
        if is_free:
            part.of.expect()
        self._waiting.put(part)

    def folder_of(self, wheel: str) -> str | None:
        """Return where a wheel is unpacked; wait for that if it has begun.

        :return: None if the wheel is not unpacked, and will not be
        """
        found = self._all.get(wheel)
        return None if found is None else found.result()

    def settle(self) -> None:
        """Wait for the wheels that are being staged, and drop those that are waiting."""
        for wheel in list(self._all):
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
        for each in list(self._all.values()):
            each.forget("there is no process")

    def cleanup(self) -> None:
        """Remove the folder after all work has ended."""
        self.close()
        super().cleanup()

    def _work(self, parts: Iterator[Part]) -> None:
        try:
            self._do(parts)
        finally:
            with self._lock:
                self._ended += 1
                is_last = self._ended == len(self._workers)
            if is_last:
                for each in list(self._all.values()):
                    each.fail("there is no process")

    def _do(self, parts: Iterator[Part]) -> None:
        source = pkgutil.get_data(__package__, "staging_child.py")
        assert source is not None, "a module of this package is there"
        command = [sys.executable, "-I", "-S", "-W", "ignore", "-c", source.decode()]
        command.append(self.path)
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
            for part in parts:
                if self._is_closed.is_set():
                    return
                if part.of.begin():
                    answer = _answer(child, part)
                    if answer != b"done\n":
                        part.of.fail(answer)
                    part.of.done()
                with self._lock:
                    self._parts -= 1
                if child.poll() is not None:
                    return


def _answer(child: subprocess.Popen[bytes], part: Part) -> bytes:
    """Let a process do a part, and return what it says."""
    assert child.stdin is not None, "it is a pipe"
    assert child.stdout is not None, "it is a pipe"
    try:
        child.stdin.write(json.dumps(part.order).encode() + b"\n")
        child.stdin.flush()
        return child.stdout.readline()
    except (OSError, ValueError) as error:
        return repr(error).encode()
