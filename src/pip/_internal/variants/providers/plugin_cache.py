"""The environments of provider plugins in pip's cache: keep, find, show, remove.

An environment is used as it is found if only this user can change it. Whoever can write
as this user can change pip itself as well.
"""

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
from pip._internal.fast.upgrades.trees import is_own
from pip._internal.utils import filesystem

if TYPE_CHECKING:
    from pip._internal.models.link import Link

__all__ = [
    "CACHE_FOLDER",
    "PARTIAL",
    "environment_key",
    "find",
    "keep",
    "new_folder",
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
#: Hexadecimal digits of a key: 16 bytes.
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
    """Return the environment of *key*, if only this user can change it.

    :param folder: of all environments.
    """
    found = os.path.join(folder, key)
    try:
        # Nobody else reaches what is below, whatever permissions its files have.
        is_safe = _is_own_folder(folder) and _is_own_folder(found, stat.S_IRWXG)
        if is_safe and all(map(_is_own_entry, _entries(found))):
            return found
    except FileNotFoundError:
        return None
    except OSError as error:
        logger.debug("Cannot read %s: %s", found, error)
        return None
    logger.debug("Not used, since others can change it or it has links: %s", found)
    return None


def new_folder(folder: str, key: str) -> str:
    """Make a folder to install the environment of *key* in, before it is kept.

    :param folder: of all environments; made if it does not exist.
    :raises OSError: if *folder* is open to others, or has something of that key.
    """
    os.makedirs(folder, 0o700, exist_ok=True)
    if not _is_own_folder(folder) or os.path.lexists(os.path.join(folder, key)):
        raise OSError(f"others can change it or it has links: {folder}")
    _remove_abandoned(folder)
    return tempfile.mkdtemp(prefix=PARTIAL, dir=folder)


def _remove_abandoned(folder: str) -> None:
    """Remove what runs that were killed have left in a folder."""
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            with suppress(OSError):
                age = time.time() - entry.stat().st_mtime
                if entry.name.startswith(PARTIAL) and age > _ABANDONED:
                    shutil.rmtree(entry.path, ignore_errors=True)


def keep(folder: str, key: str) -> str:
    """Rename an environment so that :func:`find` finds it; return its new path.

    :param folder: what :func:`new_folder` returned.
    :raises OSError: if that is not possible.
    """
    parent = os.path.dirname(folder)
    try:
        os.rename(folder, os.path.join(parent, key))
    except OSError as error:
        shutil.rmtree(folder, ignore_errors=True)
        # Another process may have been faster, with the same result.
        if find(parent, key) is None:
            raise error from None
    return os.path.join(parent, key)


def _is_own_folder(path: str, forbidden: int = stat.S_IWGRP) -> bool:
    """Return whether *path* is this user's folder, no link, and closed to others.

    :param forbidden: what the group must not do there; on Windows, permissions are those
        of the user's profile.
    """
    status = os.lstat(path)
    is_open = sys.platform != "win32" and status.st_mode & forbidden
    return stat.S_ISDIR(status.st_mode) and is_own(status) and not is_open


def _is_own_entry(entry: os.DirEntry[str]) -> bool:
    """Return whether *entry* is this user's file or folder, and no link."""
    status = entry.stat(follow_symlinks=False)
    is_kind = stat.S_ISREG(status.st_mode) or stat.S_ISDIR(status.st_mode)
    return is_kind and is_own(status)


def _entries(folder: str) -> Iterator[os.DirEntry[str]]:
    """Yield everything below a folder."""
    with os.scandir(folder) as scanned:
        for entry in scanned:
            yield entry
            if entry.is_dir(follow_symlinks=False):
                yield from _entries(entry.path)


def _environments(folder: str) -> list[str]:
    if not os.path.isdir(folder):
        return []
    return [name for name in os.listdir(folder) if not name.startswith(PARTIAL)]
