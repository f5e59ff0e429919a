"""Allow one installer at a time to change a virtual environment.

The lock is the file ``PREFIX/.lock``, which uv locks too. pip acquires the lock after all
downloads and builds, so that they do not block another installer. If the installed packages
have changed since pip inspected them, pip resolves once more. Outside of virtual
environments, and on disks without locks, there is no lock.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from optparse import Values
from typing import Any, BinaryIO

from pip._internal.console import printable
from pip._internal.console.output import get_logger
from pip._internal.exceptions import InstallationError
from pip._internal.locations import get_platlib, get_purelib
from pip._internal.utils.virtualenv import running_under_virtualenv

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

logger = get_logger(__name__)

#: Seconds to wait for another installer, as uv waits.
_PATIENCE = 300
#: Seconds between two attempts.
_PAUSE = 0.1
#: Options that make pip install elsewhere, or nothing at all.
_ELSEWHERE = ("dry_run", "prefix_path", "root_path", "target_dir", "use_user_site")


class EnvironmentChanged(Exception):
    """Another installer changed packages that pip had already inspected."""


class _EnvironmentLock:
    """The lock of the current virtual environment, initially not acquired."""

    def __init__(self) -> None:
        self._path = os.path.join(sys.prefix, ".lock")
        self._file: BinaryIO | None = None
        #: None after the first comparison: pip resolves only once more.
        self._seen: set[tuple[str, int, int]] | None = _installed()

    def acquire(self) -> bool:
        """Acquire the lock, and return whether the installed packages are unchanged.

        The packages are compared with those that pip found before, on the first call only.

        :raises InstallationError: if another installer keeps the lock for five minutes.
        """
        if self._file is not None:
            return True
        try:
            self._file = self._wait()
        except OSError as error:
            logger.debug("Installing without a lock: %s", error)
            return True
        seen, self._seen = self._seen, None
        return seen is None or seen == _installed()

    def _wait(self) -> BinaryIO:
        with suppress(BlockingIOError):
            return locked(self._path)
        logger.info("Waiting for another installer to finish with '%s'", sys.prefix)
        end = time.monotonic() + _PATIENCE
        while time.monotonic() < end:
            time.sleep(_PAUSE)
            with suppress(BlockingIOError):
                return locked(self._path)
        said = (
            f"Another installer is still changing '{sys.prefix}' after "
            f"{_PATIENCE // 60} minutes. Wait until that installer has finished, or end "
            f"the process that locks '{self._path}'. Then run pip again."
        )
        raise InstallationError(printable(said))

    def release(self) -> None:
        """Release the lock.

        The file stays: another installer may already wait for a lock on it.
        """
        if self._file is not None:
            self._file.close()
            self._file = None


def locked(path: str) -> BinaryIO:
    """Open or create a file and lock it, without following a link.

    :raises BlockingIOError: if another process has locked or just removed the file.
    :raises OSError: if the path is no regular file, or the disk has no locks.
    """
    file = open(path, "a+b", opener=_open)  # noqa: SIM115 (the caller closes it)
    try:
        with suppress(FileNotFoundError):
            if _is_locked(file.fileno()) and os.path.samefile(path, file.fileno()):
                return file
        raise BlockingIOError(path)
    except OSError:
        file.close()
        raise


def _open(path: str, flags: int) -> int:
    flags |= getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    # A user who may read the file may lock it.
    return os.open(path, flags, 0o600)


def _is_locked(fd: int) -> bool:
    """Try to lock a file, and return whether that succeeded.

    :raises OSError: if the disk has no locks.
    """
    try:
        if sys.platform == "win32":
            msvcrt.locking(fd, msvcrt.LK_NBLCK, 1)
        else:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        return False
    return True


def _installed() -> set[tuple[str, int, int]]:
    """Return a snapshot of the installed packages, for comparison."""
    found = set()
    for folder in {get_purelib(), get_platlib()}:
        try:
            with os.scandir(folder) as entries:
                for entry in entries:
                    if entry.name.endswith((".dist-info", ".egg-info", ".egg-link")):
                        status = entry.stat(follow_symlinks=False)
                        found.add((entry.name, status.st_ino, status.st_mtime_ns))
        except OSError as error:
            logger.debug("Cannot list %s: %s", folder, error)
    return found


#: A function that runs a command with its options and arguments.
RunCommand = Callable[[Any, Values, list[str]], int]

_lock: _EnvironmentLock | None = None


@contextmanager
def _locking(options: Values, *, at_once: bool) -> Iterator[None]:
    """Provide the lock for :func:`take_lock`, and release the lock at the end.

    :param at_once: whether to acquire the lock at the beginning.
    """
    global _lock
    is_elsewhere = any(getattr(options, name, None) for name in _ELSEWHERE)
    if is_elsewhere or not running_under_virtualenv():
        yield
        return
    _lock = _EnvironmentLock()
    try:
        if at_once:
            _lock.acquire()
        yield
    finally:
        _lock.release()
        _lock = None


def installing(fn: RunCommand, command: Any, options: Values, args: list[str]) -> int:
    """Run ``pip install``, and repeat it if another installer changed packages.

    A pipe can be read only once, and a report on standard output must be printed only once,
    so with one of them, pip acquires the lock at once.
    """
    files = [*options.requirements, *options.constraints]
    files += options.requirements_from_scripts
    has_pipe = any(os.path.exists(each) and not os.path.isfile(each) for each in files)
    with _locking(options, at_once=has_pipe or options.json_report_file == "-"):
        try:
            return fn(command, options, args)
        except EnvironmentChanged:
            assert _lock is not None, "it was taken"
            logger.info(
                "Another installer has changed '%s': resolving again", sys.prefix
            )
            # A separate pip may install the requirements of a build.
            _lock.release()
            return fn(command, options, args)


def take_lock() -> None:
    """Lock the environment if this command changes it.

    :raises EnvironmentChanged: if another installer has changed the environment.
    """
    if _lock is not None and not _lock.acquire():
        raise EnvironmentChanged


def uninstalling(fn: RunCommand, command: Any, options: Values, args: list[str]) -> int:
    """Run ``pip uninstall``, with the lock if nobody has to wait for an answer."""
    with _locking(options, at_once=options.yes):
        return fn(command, options, args)
