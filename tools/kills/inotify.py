"""Be told at once what happens to the files of folders (Linux)."""

from __future__ import annotations

import ctypes
import os
import select
import struct
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import TypeVar

__all__ = ["CLOSED", "CREATED", "DELETED", "GONE", "MODIFIED", "PUT", "Inotify"]

MODIFIED, CLOSED = 0x2, 0x8
#: Renamed to another name, or to this one.
GONE, PUT = 0x40, 0x80
CREATED, DELETED = 0x100, 0x200

W = TypeVar("W", bound="Inotify")

_OVERFLOW = 0x4000
_NOT_BLOCKING, _CLOSED_ON_EXEC = os.O_NONBLOCK, os.O_CLOEXEC
_EVENT = struct.Struct("iIII")
_BUFFER = 1 << 18


class Inotify:
    """Folders that are watched, until they are closed.

    :raises OSError: the kernel watches no more folders
    """

    def __init__(self) -> None:
        self._libc = ctypes.CDLL(None, use_errno=True)
        self._fd = self._checked(
            self._libc.inotify_init1(_NOT_BLOCKING | _CLOSED_ON_EXEC)
        )
        self._poll = select.poll()
        self._poll.register(self._fd, select.POLLIN)
        self._folders: dict[int, Path] = {}

    def add(self, folder: Path, mask: int) -> None:
        """Watch a folder, in place of what had this name before."""
        name = os.fsencode(folder)
        watch = self._libc.inotify_add_watch(self._fd, name, ctypes.c_uint32(mask))
        self._folders[self._checked(watch)] = folder

    def wait(self, seconds: float) -> Iterator[tuple[Path, int]]:
        """Wait until something happens, and yield the paths and what happened to them.

        A folder that is renamed is still watched, under the name that it had.
        """
        if not self._poll.poll(seconds * 1000):
            return
        content = os.read(self._fd, _BUFFER)
        at = 0
        while at < len(content):
            watch, mask, _, size = _EVENT.unpack_from(content, at)
            at += _EVENT.size
            name = content[at : at + size].rstrip(b"\0")
            at += size
            assert not mask & _OVERFLOW, "events are read before there are too many"
            if name and watch in self._folders:
                yield self._folders[watch] / os.fsdecode(name), mask

    def close(self) -> None:
        """Watch nothing any more."""
        os.close(self._fd)

    def __enter__(self: W) -> W:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    @staticmethod
    def _checked(result: int) -> int:
        if result < 0:
            number = ctypes.get_errno()
            raise OSError(number, os.strerror(number))
        return result
