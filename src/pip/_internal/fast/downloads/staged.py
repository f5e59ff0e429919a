"""Install the files of wheels that lie unpacked in a staging folder.

Upstream allows no import once it has begun to install, so that nothing is imported late
here. Whatever is not as it should be is left to upstream.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from importlib.util import cache_from_source
from typing import TYPE_CHECKING

# Logging needs it while pip installs, when nothing may be imported.
import pip._internal.console.wrapped  # noqa: F401
from pip._internal.console.output import get_logger
from pip._internal.fast.digests import identity
from pip._internal.fast.downloads import elsewhere
from pip._internal.fast.downloads.trees import gives_nothing_on
from pip._internal.utils.unpacking import (
    set_extracted_file_to_default_mode_plus_executable,
    zip_item_is_executable,
)

if TYPE_CHECKING:
    from pip._internal.fast.downloads.staging import Staging
    from pip._internal.operations.install.wheel import ZipBackedFile

__all__ = ["compile_file", "save", "settle", "use"]

logger = get_logger(__name__)


class _Installing:
    """Files that are moved from one staging folder."""

    def __init__(self, staging: Staging) -> None:
        self.staging = staging
        self._folders: dict[str, str | None] = {}
        self._plain: dict[str, bool] = {}
        #: By path of a module: its identity, and its bytecode in the staging folder.
        self._modules: dict[str, tuple[tuple[int, ...], str]] = {}

    def move(self, file: ZipBackedFile) -> bool:
        """Move a file to its place; return whether that was possible."""
        folder = self._folder_of(str(file._zip_file.filename))
        if folder is None:
            return False
        info = file._getinfo()
        source = os.path.join(folder, str(info.header_offset))
        target = file.dest_path
        if not self._rename(source, target, info.file_size):
            return False
        file.written = True
        if zip_item_is_executable(info):
            set_extracted_file_to_default_mode_plus_executable(target)
        final = elsewhere.final_path(target)
        for kind, lib in self.staging.libs.items():
            bytecode = f"{source}.{kind}"
            place = os.path.join(lib, os.path.normpath(file.src_record_path))
            if place == final and os.path.exists(bytecode):
                self._modules[target] = identity(target), bytecode
        return True

    def move_bytecode(self, path: str) -> bool:
        """Move the bytecode of a module; return whether that was possible."""
        if path not in self._modules:
            return False
        was, source = self._modules.pop(path)
        target = cache_from_source(path)
        try:
            if identity(path) != was:
                return False
            os.makedirs(os.path.dirname(target), exist_ok=True)
        except OSError:
            return False
        return self._rename(source, target)

    def _folder_of(self, wheel: str) -> str | None:
        if wheel not in self._folders:
            folder = self._folders[wheel] = self.staging.folder_of(wheel)
            if folder is not None:
                logger.debug("%s was unpacked ahead, in %s", wheel, folder)
        return self._folders[wheel]

    def _rename(self, source: str, target: str, size: int | None = None) -> bool:
        """Rename a file if it equals a new one at *target* then; return whether it does."""
        folder = os.path.dirname(target)
        try:
            if folder not in self._plain:
                self._plain[folder] = gives_nothing_on(folder)
            is_like_new = (
                self._plain[folder]
                and not os.path.lexists(target)
                and size in (None, os.lstat(source).st_size)
            )
            if is_like_new:
                os.rename(source, target)
        except OSError:
            return False
        return is_like_new


_installing: _Installing | None = None


def use(staging: Staging | None) -> None:
    """Take the files of this command, and of none after it, from a staging folder."""
    global _installing
    _installing = None if staging is None else _Installing(staging)


def settle() -> None:
    """Wait for what is being unpacked, so that nothing waits for it later."""
    if _installing is not None:
        _installing.staging.settle()


def save(fn: Callable[[ZipBackedFile], None], file: ZipBackedFile) -> None:
    """Install one file of a wheel."""
    if _installing is None or not _installing.move(file):
        fn(file)


def compile_file(fn: Callable[[str], bool], path: str) -> bool:
    """Compile one file that was installed."""
    if _installing is not None and _installing.move_bytecode(path):
        return True
    return elsewhere.compile_file(fn, path)
