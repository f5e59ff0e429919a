"""Lock files (PEP 751) with variants: all builds of a release in one file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pip._internal.variants.slots import SEVERAL_BUILDS

if TYPE_CHECKING:
    import optparse
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from pip._vendor.packaging.pylock import Pylock

    from pip._internal.commands.lock import LockCommand
    from pip._internal.metadata import BaseDistribution
    from pip._internal.network.session import PipSession
    from pip._internal.req.req_install import InstallRequirement
    from pip._internal.variants.selection.installed_records import InstalledBuild
    from pip._internal.variants.selection.mode import Mode
    from pip._internal.variants.selection.run import Run

__all__ = [
    "judged",
    "lock_command",
    "lock_written",
    "mode_of",
    "narrowed_lock",
    "options_for",
]


def mode_of(run: Run) -> Mode | None:
    """Return the mode of ``pip lock``."""
    if not run.settings.several_builds:
        return None
    if not run.enabled:
        if not run.settings.environments:
            return None
        from pip._internal.variants.locks.environments import PreferLocked

        return PreferLocked(run)
    from pip._internal.variants.locks.mode import Locks

    return Locks(run)


def options_for(build: InstalledBuild) -> tuple[str, ...]:
    """Return none: what is locked is a build like any other once it is installed."""
    return ()


def judged(
    dists: Iterable[BaseDistribution], options: optparse.Values
) -> Iterable[str]:
    """Say nothing."""
    return ()


def lock_command(
    fn: Callable[..., int], command: LockCommand, options: optparse.Values, *args: Any
) -> int:
    """Let a command's run know that it is for a lock file; for each environment once."""
    SEVERAL_BUILDS.set(options, True)
    if not options.environments:
        return fn(command, options, *args)
    from pip._internal.variants.locks.environments import lock_each

    return lock_each(fn, command, options, *args)


def lock_written(
    fn: Callable[[Iterable[InstallRequirement], Path], Pylock],
    install_requirements: Iterable[InstallRequirement],
    base_dir: Path,
) -> Pylock:
    """Make the lock file with all builds, and with all that any of them needs."""
    from pip._internal.variants.locks import plan

    return plan.lock_written(fn, install_requirements, base_dir)


def narrowed_lock(
    fn: Callable[..., Pylock], lock: Pylock, session: PipSession, *args: Any
) -> Pylock:
    """Leave in a lock file just the builds to install, and what these need."""
    from pip._internal.variants.locks import reading

    lock = reading.narrowed(fn(lock, session, *args), session, *args)
    return reading.aimed(lock, session)
