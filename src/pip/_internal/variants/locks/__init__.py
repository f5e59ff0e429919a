"""Write and read lock files (PEP 751) with all variants of a release."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pip._internal.variants.slots import SEVERAL_BUILDS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from optparse import Values
    from pathlib import Path

    from pip._vendor.packaging.pylock import Pylock

    from pip._internal.commands.lock import LockCommand
    from pip._internal.network.session import PipSession
    from pip._internal.req.req_install import InstallRequirement
    from pip._internal.variants.locks.writing import WriteLock
    from pip._internal.variants.selection.mode import Mode
    from pip._internal.variants.selection.run import Run


def mode_of(run: Run) -> Mode | None:
    """Return the mode of ``pip lock``, or None for other commands."""
    settings = run.settings
    if not settings.several_builds or not (run.enabled or settings.environments):
        return None
    from pip._internal.variants.locks.mode import Locks

    return Locks(run)


def lock_command(
    fn: Callable[..., int], command: LockCommand, options: Values, *args: Any
) -> int:
    """Run ``pip lock``, once for each environment."""
    SEVERAL_BUILDS.set(options, True)
    if not options.environments:
        return fn(command, options, *args)
    from pip._internal.variants.locks.environments import lock_each

    return lock_each(fn, command, options, *args)


def lock_written(
    fn: WriteLock, install_requirements: Iterable[InstallRequirement], base_dir: Path
) -> Pylock:
    """Create the lock file with all variants and their dependencies."""
    from pip._internal.variants.locks import writing

    return writing.lock_written(fn, install_requirements, base_dir)


def narrowed_lock(
    fn: Callable[..., Pylock], lock: Pylock, session: PipSession, *args: Any
) -> Pylock:
    """Reduce a lock file to the packages to install."""
    from pip._internal.variants.locks import reading

    return reading.narrowed(fn(lock, session, *args), session, *args)
