"""The check for a newer pip at the end of a run, once a week, as upstream has it.

The fork compares releases of the fork. Upstream keeps what it found as one version; here
it is the newest of each kind, in a file of the fork's own (``own_state`` in ``seams``), so
that neither pip takes what the other has found for its own.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from pip._vendor.packaging.version import Version

from pip._internal.console.output import get_logger
from pip._internal.variants.selection.fork import Newest, is_fork, may_be_taken
from pip._internal.variants.selection.run import Run
from pip._internal.variants.slots import RUN

if TYPE_CHECKING:
    import optparse

    from pip._internal.network.session import PipSession

logger = get_logger(__name__)


class Newer:
    """What is newer than the installed release of the fork.

    :ivar with_commands: whether an installed pip could be replaced by it.
    """

    __slots__ = ("newest", "own", "with_commands")

    def __init__(self, newest: Newest, own: Version, with_commands: bool) -> None:
        self.newest, self.own, self.with_commands = newest, own, with_commands


def version_check(
    fn: Callable[..., Any], session: PipSession, options: optparse.Values
) -> Any:
    """Return the notice, for upstream to show when the command has run.

    All that it needs is imported here: a command that installs imports nothing later.
    """
    found = fn(session, options)
    if not isinstance(found, Newer):
        return found
    from pip._internal.console.wrapped import notice as shown
    from pip._internal.variants.output.updates import notice

    lines = notice(found.newest, found.own, options, with_commands=found.with_commands)
    return shown(lines)


def remote_versions(
    fn: Callable[..., str | None], session: PipSession, options: optparse.Values
) -> str | None:
    """Return the newest release of each kind on the user's indexes.

    :return: None if there is none at all; upstream then looks again in the next run.
    """
    fn(session, options)
    run = RUN.of(session, Run)
    if run is None:
        return None
    pips: list[Version] = []
    carriers: list[Version] = []
    for each in run.of_itself:
        if may_be_taken(each, run.settings):
            (pips if each.name == "pip" else carriers).append(each.version)
    newest = Newest.of(pips, carriers)
    return str(newest) if any(newest) else None


def upgrade_prompt(
    fn: Callable[..., Any],
    local_version: Version,
    remote_version_str: str,
    installed_by_pip: bool,
    show_upgrade_hint: bool = True,
) -> Any:
    """Compare the installed release of the fork with the newest of each kind.

    What is installed may be upstream's pip, with ``--python`` for instance: then upstream
    compares, with the newest of all.
    """
    newest = Newest.read(remote_version_str)
    if not is_fork(local_version):
        pips = [each for each in newest[:2] if each is not None]
        return fn(
            local_version=local_version,
            remote_version_str=str(max(pips)) if pips else remote_version_str,
            installed_by_pip=installed_by_pip,
            show_upgrade_hint=show_upgrade_hint,
        )
    newer = newest.than(local_version)
    logger.debug("Remote versions of pip: %s", newest)
    logger.debug("Local version of pip: %s", local_version)
    logger.debug("Was pip installed by pip? %s", installed_by_pip)
    if not installed_by_pip or not any(newer):
        return None
    return Newer(newer, local_version, show_upgrade_hint)
