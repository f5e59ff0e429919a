"""``pip install`` as a whole: lock the environment, and unpack wheels ahead.

Most of the code for this is loaded once there is a wheel to unpack or an upgrade.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from optparse import Values
from typing import TYPE_CHECKING, Any

from pip._internal.fast.environment_lock import installing, take_lock
from pip._internal.fast.sizes import LARGE, listed_size
from pip._internal.fast.switches import is_fast
from pip._internal.locations import get_purelib
from pip._internal.operations.prepare import File

if TYPE_CHECKING:
    from pip._internal.fast.unpacked.installing import Unpacking
    from pip._internal.models.link import Link
    from pip._internal.network.download import Downloader
    from pip._internal.network.session import PipSession
    from pip._internal.req.req_install import InstallRequirement
    from pip._internal.utils.hashes import Hashes

__all__ = ["before_installing", "run", "stored_wheel", "unpack_url", "unpacking_for"]


class _Install:
    """A running ``pip install`` without ``--no-fast``."""

    def __init__(self, options: Values) -> None:
        self._options = options
        self._unpacking: Unpacking | None = None
        self._has_tried = False
        #: Of the command, if it has downloaded anything.
        self.session: PipSession | None = None

    def unpacking(self, size: int | None) -> Unpacking | None:
        """Return what unpacks wheels of so many bytes, if that pays."""
        is_small = size is not None and size < LARGE
        if not is_small and not self._has_tried and is_fast(self._options):
            self._has_tried = True
            from pip._internal.fast.best_effort import BestEffort

            with BestEffort("unpacking ahead"):
                from pip._internal.fast.unpacked.installing import Unpacking

                self._unpacking = Unpacking(self._options)
        return None if is_small else self._unpacking

    def prepare(self, requirements: Sequence[InstallRequirement]) -> None:
        """Unpack the wheels that are here, warn of shared files, and prepare for upgrades."""
        for requirement in requirements:
            path = requirement.local_file_path or ""
            if path.endswith(".whl"):
                unpacking = self.unpacking(os.path.getsize(path))
                if unpacking is not None:
                    hashes = requirement.hashes()
                    unpacking.add(path, hashes, requirement.link, self.session)
        if len(requirements) > 1:
            from pip._internal.fast.shared_files import warn_of_shared_files

            warn_of_shared_files(requirements)
        if any(requirement.should_reinstall for requirement in requirements):
            from pip._internal.fast.upgrades import atomic_upgrade

            atomic_upgrade.enable(self._settle)

    def _settle(self) -> None:
        if self._unpacking is not None:
            self._unpacking.settle()

    def close(self) -> None:
        """Let other processes remove stored wheels."""
        if self._unpacking is not None:
            self._unpacking.close()


_install: _Install | None = None


def run(
    fn: Callable[[Any, Values, list[str]], int],
    command: Any,
    options: Values,
    args: list[str],
) -> int:
    """Run ``pip install``."""
    global _install
    if options.no_fast or options.dry_run:
        return installing(fn, command, options, args)
    _install = install = _Install(options)
    try:
        return installing(fn, command, options, args)
    finally:
        _install = None
        install.close()


def unpacking_for(link: Link, session: PipSession) -> Unpacking | None:
    """Return what unpacks the file of *link* ahead, if that pays."""
    if _install is None or not link.is_wheel:
        return None
    _install.session = session
    return _install.unpacking(listed_size(link))


def stored_wheel(link: Link, session: PipSession, hashes: Hashes) -> str | None:
    """Return what pip installs as the wheel of *link*, if the wheel is in the store."""
    unpacking = unpacking_for(link, session)
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
    """Get one file while pip still resolves; take the wheel from the store if it is there."""
    stored = stored_wheel(link, download._session, hashes) if hashes else None
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
        # What is logged while pip installs needs it, when upstream blocks imports.
        import pip._internal.console.wrapped  # noqa: F401

        _install.prepare(requirements)
    packages = get_purelib()
    # If there is no such folder, nobody has left anything there.
    with suppress(OSError):
        if any(name.startswith(".pip-staging-") for name in os.listdir(packages)):
            from pip._internal.fast.upgrades.staging_folder import remove_abandoned

            remove_abandoned(packages)
