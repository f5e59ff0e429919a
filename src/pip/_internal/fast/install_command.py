"""Run ``pip install``: lock the environment, and unpack wheels early.

Most of the code is loaded only when there is a wheel to unpack or a package to install.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from optparse import Values
from typing import TYPE_CHECKING, Any

from pip._internal.fast.environment_lock import RunCommand, installing, take_lock
from pip._internal.fast.switches import LARGE, is_fast
from pip._internal.operations.prepare import File

if TYPE_CHECKING:
    from pip._internal.fast.unpacked_wheels import Unpacking
    from pip._internal.models.link import Link
    from pip._internal.network.download import Downloader
    from pip._internal.req.req_install import InstallRequirement
    from pip._internal.utils.hashes import Hashes


class _Install:
    """A running ``pip install`` with optimizations."""

    def __init__(self, options: Values) -> None:
        self._options = options
        self._unpacking: Unpacking | None = None
        self._has_tried = False

    def unpacking(self, size: int | None) -> Unpacking | None:
        """Return the unpacker for a wheel of *size* bytes, or None."""
        is_small = size is not None and size < LARGE
        if not is_small and not self._has_tried and is_fast(self._options):
            self._has_tried = True
            from pip._internal.fast.optional_work import BestEffort

            with BestEffort("unpacking ahead"):
                from pip._internal.fast.unpacked_wheels import Unpacking, is_usual

                if is_usual():
                    self._unpacking = Unpacking(self._options)
        return None if is_small else self._unpacking

    def prepare(self, requirements: Sequence[InstallRequirement]) -> None:
        """Unpack local wheels, warn of shared files, and enable atomic installation."""
        for requirement in requirements:
            path = requirement.local_file_path or ""
            if path.endswith(".whl"):
                unpacking = self.unpacking(os.path.getsize(path))
                if unpacking is not None:
                    unpacking.add(path, requirement.hashes(), requirement.link)
        if len(requirements) > 1:
            from pip._internal.fast.shared_files import warn_of_shared_files

            warn_of_shared_files(requirements)
        from pip._internal.fast import atomic_install

        atomic_install.enable()

    def close(self) -> None:
        """Allow other processes to remove stored wheels."""
        if self._unpacking is not None:
            self._unpacking.close()


_install: _Install | None = None


def run(fn: RunCommand, command: Any, options: Values, args: list[str]) -> int:
    """Run ``pip install``."""
    global _install
    if options.dry_run or not is_fast(options):
        return installing(fn, command, options, args)
    _install = install = _Install(options)
    try:
        return installing(fn, command, options, args)
    finally:
        _install = None
        install.close()


def unpacking_for(link: Link) -> Unpacking | None:
    """Return the unpacker for the file at *link*, or None."""
    if _install is None or not link.is_wheel:
        return None
    from pip._internal.fast.pages import listed_size

    return _install.unpacking(listed_size(link))


def stored_wheel(link: Link, hashes: Hashes) -> str | None:
    """Return the stored wheel for *link*, or None."""
    unpacking = unpacking_for(link)
    return None if unpacking is None else unpacking.find(link, hashes)


def unpack_url(
    fn: Callable[..., File | None],
    link: Link,
    location: str,
    download: Downloader,
    verbosity: int,
    download_dir: str | None = None,
    hashes: Hashes | None = None,
) -> File | None:
    """Get one file during resolution, from the store if the store has the wheel."""
    stored = stored_wheel(link, hashes) if hashes else None
    if stored is not None:
        return File(stored)
    return fn(link, location, download, verbosity, download_dir, hashes)


def before_installing(requirements: Sequence[InstallRequirement]) -> None:
    """Lock the environment, and prepare for the installation.

    :raises EnvironmentChanged: if another installer has changed the environment.
    """
    if not requirements:
        return
    take_lock()
    if _install is not None:
        _install.prepare(requirements)
