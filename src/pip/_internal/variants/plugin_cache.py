"""The environments of provider plugins in what ``pip cache`` shows and removes."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from optparse import Values
from typing import TYPE_CHECKING

from pip._internal.utils import filesystem
from pip._internal.utils._log import getLogger

if TYPE_CHECKING:
    from pip._internal.commands.cache import CacheCommand

__all__ = ["CACHE_FOLDER", "cache_info", "purge_cache"]

logger = getLogger(__name__)

#: Under pip's cache directory.
CACHE_FOLDER = "variant-providers"

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
    environments = _environments(folder)
    if environments:
        shutil.rmtree(folder)
        logger.info("Variant provider environments removed: %s", len(environments))


def _environments(folder: str) -> list[str]:
    return os.listdir(folder) if os.path.isdir(folder) else []
