"""The environments of provider plugins in pip's cache: shown, removed, kept sound."""

from __future__ import annotations

import hashlib
import os
import shutil
import stat
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import TYPE_CHECKING

from pip._internal.console.output import get_logger
from pip._internal.utils import filesystem

if TYPE_CHECKING:
    from pip._internal.models.link import Link

__all__ = [
    "CACHE_FOLDER",
    "PARTIAL",
    "environment_key",
    "find",
    "keep",
    "remove_abandoned",
    "remove_environments",
    "show_environments",
]

logger = get_logger(__name__)

#: Under pip's cache directory.
CACHE_FOLDER = "variant-providers"

#: What the names of environments begin with that are being installed.
PARTIAL = ".partial-"
#: Seconds after which nobody installs an environment any more.
_ABANDONED = 3600
#: Of the two halves of a name; 16 bytes each.
_DIGITS = 32


def show_environments(cache: str) -> None:
    """Count the environments in pip's cache, if there are any."""
    folder = os.path.join(cache, CACHE_FOLDER)
    environments = _environments(folder)
    if environments:
        logger.info("Variant providers location: %s", folder)
        size = filesystem.format_directory_size(folder)
        logger.info("Variant providers size: %s", size)
        logger.info("Number of variant provider environments: %s", len(environments))


def remove_environments(cache: str) -> None:
    """Remove the environments in pip's cache."""
    folder = os.path.join(cache, CACHE_FOLDER)
    before = _environments(folder)
    # Another pip may be at work there.
    shutil.rmtree(folder, ignore_errors=True)
    left = _environments(folder)
    if before:
        logger.info(
            "Variant provider environments removed: %s", len(before) - len(left)
        )
    if left:
        logger.warning("%s could not be removed", folder)


def remove_abandoned(folder: str) -> None:
    """Remove what is left of environments whose installation was killed."""
    for entry in os.scandir(folder):
        if entry.name.startswith(PARTIAL):
            with suppress(OSError):
                if time.time() - entry.stat().st_mtime > _ABANDONED:
                    shutil.rmtree(entry.path, ignore_errors=True)


def environment_key(wheels: Iterable[Link | None]) -> str | None:
    """Name what an environment is for: its wheels, by their hashes, and the interpreter.

    :return: None if a wheel has no hash, and could be any.
    """
    digest = hashlib.sha256(
        f"{sys.implementation.cache_tag} {sys.version} {sys.executable}".encode()
    )
    for link in wheels:
        if link is None or link.hash_name != "sha256":
            return None
        digest.update(f"\n{link.filename} {link.hash}".encode())
    return digest.hexdigest()[:_DIGITS]


def find(folder: str, key: str) -> str | None:
    """Return the environment of *key* if it is as it was installed, to the last file.

    If it is not, it is removed.

    :param folder: of all environments.
    """
    try:
        names = os.listdir(folder)
    except OSError:
        return None
    for name in names:
        if not name.startswith(f"{key}-"):
            continue
        found = os.path.join(folder, name)
        if name == _name(key, found):
            return found
        logger.debug("%s is not as it was installed: removing it", found)
        # Under this name another pip no longer finds it half removed.
        with suppress(OSError):
            doomed = tempfile.mkdtemp(prefix=PARTIAL, dir=folder)
            with suppress(OSError):
                os.rename(found, os.path.join(doomed, "damaged"))
            shutil.rmtree(doomed, ignore_errors=True)
    return None


def keep(folder: str, key: str) -> str:
    """Put an environment where :func:`find` finds it; return where that is.

    :param folder: one in the folder of all environments.
    :raises OSError: if that is not possible.
    """
    name = _name(key, folder)
    if name is None:
        raise OSError(f"others may write to {folder}")
    kept = os.path.join(os.path.dirname(folder), name)
    try:
        os.rename(folder, kept)
    except OSError:
        shutil.rmtree(folder, ignore_errors=True)
        # If another process was faster, what it made is the same.
        if _name(key, kept) != name:
            raise
    return kept


def _name(key: str, folder: str) -> str | None:
    """Name an environment after what it is for and what it holds.

    :return: None if there is what was not installed, or what others may change.
    """
    digest = hashlib.sha256()
    try:
        status = os.lstat(folder)
        if not stat.S_ISDIR(status.st_mode) or not _is_own(status):
            return None
        for path, entry in _entries(folder):
            status = entry.stat(follow_symlinks=False)
            if not _is_own(status):
                return None
            content = b""
            if stat.S_ISREG(status.st_mode):
                with open(entry.path, "rb") as file:
                    content = hashlib.sha256(file.read()).digest()
            elif not stat.S_ISDIR(status.st_mode):
                return None
            digest.update(b"%s\0%s\0" % (os.fsencode(path), content))
    except OSError:
        return None
    return f"{key}-{digest.hexdigest()[:_DIGITS]}"


def _entries(folder: str, below: str = "") -> Iterator[tuple[str, os.DirEntry[str]]]:
    """Give all that is below a folder, in the order of names."""
    with os.scandir(folder) as scanned:
        entries = sorted(scanned, key=lambda entry: entry.name)
    for entry in entries:
        path = f"{below}/{entry.name}"
        yield path, entry
        if entry.is_dir(follow_symlinks=False):
            yield from _entries(entry.path, path)


def _is_own(status: os.stat_result) -> bool:
    """Tell whether a file is of this user, and not for everybody to change."""
    if os.name == "nt":  # pragma: no cover (what it does there)
        return True
    return status.st_uid == os.geteuid() and not status.st_mode & stat.S_IWOTH


def _environments(folder: str) -> list[str]:
    if not os.path.isdir(folder):
        return []
    return [name for name in os.listdir(folder) if not name.startswith(PARTIAL)]
