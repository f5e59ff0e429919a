"""Look on while pip takes an old release away."""

from __future__ import annotations

import subprocess
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from tools.kills.clock import Clock
from tools.kills.inotify import CLOSED, CREATED, DELETED, GONE, MODIFIED, PUT, Inotify

__all__ = ["Absence", "Watch"]

_ANYTHING = MODIFIED | GONE | PUT | DELETED | CREATED | CLOSED
#: Between two looks at whether a process still runs.
_SECONDS = 0.005


class Absence:
    """How long a module is neither there as it was nor as it is to become.

    :param path: of the module
    :param sizes: in bytes, of the old one and the new one
    :ivar seconds: so far.
    """

    def __init__(self, path: Path, sizes: Iterable[int]) -> None:
        self.path = path
        self.seconds = 0.0
        self._sizes = frozenset(sizes)
        self._since: float | None = None

    def look(self, now: float) -> None:
        """Look whether the module is there."""
        try:
            is_there = self.path.stat().st_size in self._sizes
        except OSError:
            is_there = False
        if not is_there and self._since is None:
            self._since = now
        elif is_there and self._since is not None:
            self.seconds += now - self._since
            self._since = None


class Watch(Inotify):
    """Sees what happens to the first module of a package."""

    def until_the_end(
        self, process: subprocess.Popen[bytes], absence: Absence, clock: Clock
    ) -> float:
        """Watch a module until the process ends; return when it did."""
        package = absence.path.parent
        self.add(package.parent, _ANYTHING)
        self._add_if_there(package)
        absence.look(clock.now())
        while process.poll() is None:
            for path, mask in self.wait(_SECONDS):
                if path == package and mask & (CREATED | PUT):
                    self._add_if_there(package)
            absence.look(clock.now())
        end = clock.now()
        absence.look(end)
        return end

    def _add_if_there(self, folder: Path) -> None:
        with suppress(FileNotFoundError):
            self.add(folder, _ANYTHING)
