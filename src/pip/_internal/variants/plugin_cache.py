"""The environments of provider plugins in pip's cache: shown, removed, kept sound."""

from __future__ import annotations

import base64
import csv
import glob
import hashlib
import os
import shutil
import time
from collections.abc import Callable
from contextlib import suppress
from optparse import Values
from typing import TYPE_CHECKING

from pip._internal.utils import filesystem
from pip._internal.variants.output import get_logger

if TYPE_CHECKING:
    from pip._internal.commands.cache import CacheCommand

__all__ = [
    "CACHE_FOLDER",
    "PARTIAL",
    "cache_info",
    "purge_cache",
    "remove_abandoned",
    "remove_damaged",
]

logger = get_logger(__name__)

#: Under pip's cache directory.
CACHE_FOLDER = "variant-providers"

#: What the names of environments begin with that are being installed.
PARTIAL = ".partial-"
#: Seconds after which nobody installs an environment any more.
_ABANDONED = 3600

_Action = Callable[["CacheCommand", Values, list[str]], None]


def cache_info(
    fn: _Action, command: CacheCommand, options: Values, args: list[str]
) -> None:
    """Count the environments too, if there are any."""
    fn(command, options, args)
    folder = os.path.join(options.cache_dir, CACHE_FOLDER)
    environments = _environments(folder)
    if environments:
        logger.info("Variant providers location: %s", folder)
        size = filesystem.format_directory_size(folder)
        logger.info("Variant providers size: %s", size)
        logger.info("Number of variant provider environments: %s", len(environments))


def purge_cache(
    fn: _Action, command: CacheCommand, options: Values, args: list[str]
) -> None:
    """Remove the environments too."""
    fn(command, options, args)
    folder = os.path.join(options.cache_dir, CACHE_FOLDER)
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


def remove_damaged(folder: str) -> bool:
    """Remove an environment if files that were installed in it are not as they were.

    :return: whether it was removed.
    """
    if os.path.basename(os.path.dirname(folder)) != CACHE_FOLDER or _is_sound(folder):
        return False
    shutil.rmtree(folder, ignore_errors=True)
    return True


def _is_sound(folder: str) -> bool:
    records = glob.glob(os.path.join(glob.escape(folder), "*.dist-info", "RECORD"))
    try:
        for record in records:
            with open(record, encoding="utf-8", newline="") as file:
                for path, digest, _ in csv.reader(file):
                    if digest and digest != _digest(os.path.join(folder, path)):
                        return False
    except (OSError, ValueError):
        return False
    return bool(records)


def _digest(path: str) -> str:
    """Give the hash of a file as RECORD states it."""
    with open(path, "rb") as file:
        digest = hashlib.sha256(file.read()).digest()
    return "sha256=" + base64.urlsafe_b64encode(digest).decode().rstrip("=")


def _environments(folder: str) -> list[str]:
    if not os.path.isdir(folder):
        return []
    return [name for name in os.listdir(folder) if not name.startswith(PARTIAL)]
