"""Call a driver's library in this process, and give up on one that hangs.

The calls run in a daemon thread: one that never returns is left behind, and does not keep
the process from ending. Only loading a library cannot be given up, since the dynamic
loader's lock is held meanwhile.

Importing ctypes takes most of the time that there is for a machine without a GPU. So pip
first looks for the library where the dynamic loader would, and imports ctypes only if it
may be there.
"""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import wait
from typing import TYPE_CHECKING, TypeVar

from pip._internal.fast.threads import in_thread
from pip._internal.variants.providers.findings import NotDetected

if TYPE_CHECKING:
    import ctypes

__all__ = [
    "DriverUnavailable",
    "call_driver",
    "load_library",
    "may_find",
    "windows_folder",
]

T = TypeVar("T")

_TIMEOUT = 2.0  # seconds

# With any of these, the loader looks elsewhere or has loaded the library already.
_VARIABLES = ("LD_LIBRARY_PATH", "LD_PRELOAD", "LD_AUDIT")

# Where the loader looks in any case, as for libraries that came later than its cache:
# containers get their drivers that way.
_FOLDERS = ("lib64", "usr/lib64", "lib", "usr/lib")


class DriverUnavailable(Exception):
    """A driver gives no answer; the text says why, without a final period.

    :ivar fault: whether something is broken that the user can mend, and not just absent.
    """

    def __init__(self, reason: str, *, fault: bool = False) -> None:
        super().__init__(reason)
        self.fault = fault

    def absence(self, consequence: str) -> NotDetected:
        """Return the error that a provider should raise.

        :param consequence: what the user should hear besides the reason.
        """
        warnings = (f"{self}, {consequence}",) if self.fault else ()
        return NotDetected(str(self), *warnings)


def call_driver(name: str, ask: Callable[[], T]) -> T:
    """Return what *ask* returns within two seconds.

    :param name: the name of the library in messages.
    :raises DriverUnavailable: if *ask* raises anything, or takes longer.
    """

    def answer() -> T:
        try:
            return ask()
        except DriverUnavailable:
            raise
        except Exception as error:  # whatever a broken driver does to ctypes
            reason = f"{name} cannot be asked: {type(error).__name__}: {error}"
            raise DriverUnavailable(reason, fault=True) from error

    try:
        future = in_thread(answer, patience=0)
    except RuntimeError as error:
        raise DriverUnavailable(f"{name} cannot be asked: {error}") from error
    if not wait([future], _TIMEOUT).done:
        reason = f"{name} did not answer within {_TIMEOUT:.0f} seconds"
        raise DriverUnavailable(reason, fault=True)
    return future.result()


def load_library(named: str, path: str, missing: str) -> ctypes.CDLL:
    """Load a driver's library.

    :param named: its name in messages.
    :param path: its path, or its file name for the dynamic loader.
    :param missing: the message if there is none.
    :raises DriverUnavailable: if there is none, or if it cannot be loaded.
    """
    import ctypes

    try:
        return ctypes.CDLL(path)
    except OSError as error:
        # Only the loader knows where it looks.
        is_missing = os.strerror(errno.ENOENT) in str(error)
        if is_missing or isinstance(error, FileNotFoundError):
            raise DriverUnavailable(missing) from error
        raise DriverUnavailable(f"{named} cannot be loaded: {error}") from error


def windows_folder() -> str:
    """Return the folder in which Windows has the libraries of drivers."""
    return os.path.join(os.getenv("WINDIR", "C:/Windows"), "System32")


def may_find(
    soname: str, environ: Mapping[str, str] = os.environ, *, root: str = "/"
) -> bool:
    """Tell whether the dynamic loader might find a library.

    :param soname: its file name, as given to the loader.
    :param environ: the variables that the process was started with.
    :param root: the folder that holds ``etc`` and ``lib``.
    :return: False only if it certainly would not.
    """
    if not sys.platform.startswith("linux") or any(map(environ.get, _VARIABLES)):
        return True
    try:
        with open(os.path.join(root, "etc/ld.so.cache"), "rb") as file:
            cache = file.read()
    except OSError:
        # The loader is not glibc's, or the system has no cache: it may be anywhere.
        return True
    # In the cache, the name may also be the end of a path.
    return soname.encode() in cache or any(
        os.path.exists(os.path.join(folder, soname)) for folder in _folders(root)
    )


def _folders(root: str) -> Iterable[str]:
    # Debian's loader has folders by architecture, named by its Pythons.
    multiarch = getattr(sys.implementation, "_multiarch", "")
    for folder in _FOLDERS:
        yield os.path.join(root, folder)
        if multiarch:
            yield os.path.join(root, folder, multiarch)
    # Interpreters that come with their own libraries look there.
    yield os.path.join(sys.prefix, "lib")
    yield os.path.join(sys.base_prefix, "lib")
