"""The environments of provider plugins in pip's cache: keep, verify, show, remove."""

from __future__ import annotations

import hashlib
import os
import shutil
import stat
import sys
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import TYPE_CHECKING

from pip._internal.console.output import get_logger
from pip._internal.parallel.downloads.trees import is_own, remove_old
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

#: Prefix of environments that are still being installed.
PARTIAL = ".partial-"
#: Seconds after which such an installation must have been killed.
_ABANDONED = 3600
#: Hexadecimal digits of each half of a name: 16 bytes.
_DIGITS = 32


def show_environments(cache: str) -> None:
    """Say how many environments are in pip's cache, if any."""
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
    # Another pip may be working there.
    shutil.rmtree(folder, ignore_errors=True)
    left = _environments(folder)
    if before:
        logger.info(
            "Variant provider environments removed: %s", len(before) - len(left)
        )
    if left:
        logger.warning("%s could not be removed", folder)


def remove_abandoned(folder: str) -> None:
    """Remove what is left of installations that were killed."""
    remove_old(folder, _ABANDONED, PARTIAL)


def environment_key(wheels: Iterable[Link | None]) -> str | None:
    """Return the key of an environment: its wheels, by their hashes, and the interpreter.

    :return: None if a wheel has no hash, so that it could be any.
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
    """Return the environment of *key*, if every file is as it was installed.

    Otherwise the environment is removed.

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
        # Renamed first, so that no other pip finds it half removed.
        with suppress(OSError):
            doomed = tempfile.mkdtemp(prefix=PARTIAL, dir=folder)
            with suppress(OSError):
                os.rename(found, os.path.join(doomed, "damaged"))
            shutil.rmtree(doomed, ignore_errors=True)
    return None


def keep(folder: str, key: str) -> str:
    """Rename an environment so that :func:`find` finds it; return its new path.

    :param folder: of the environment, in the folder of all environments.
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
        # Another process may have been faster, with the same result.
        if _name(key, kept) != name:
            raise
    return kept


def _name(key: str, folder: str) -> str | None:
    """Return the name of an environment, made of its key and its contents.

    :return: None if it has anything but files and folders, or what others may change.
    """
    digest = hashlib.sha256()
    try:
        status = os.lstat(folder)
        if not stat.S_ISDIR(status.st_mode) or not is_own(status):
            return None
        for path, entry in _entries(folder):
            status = entry.stat(follow_symlinks=False)
            if not is_own(status):
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
    """Yield everything below a folder, in the order of names."""
    with os.scandir(folder) as scanned:
        entries = sorted(scanned, key=lambda entry: entry.name)
    for entry in entries:
        path = f"{below}/{entry.name}"
        yield path, entry
        if entry.is_dir(follow_symlinks=False):
            yield from _entries(entry.path, path)


def _environments(folder: str) -> list[str]:
    if not os.path.isdir(folder):
        return []
    return [name for name in os.listdir(folder) if not name.startswith(PARTIAL)]
