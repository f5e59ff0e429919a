"""The check for a newer pip at the end of a run, once a week, as upstream has it.

The fork compares releases of the fork. Upstream keeps what it found as one version; here
it is the newest of each kind, in a file of the fork's own, so that neither pip takes what
the other has found for its own.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING, Any

from pip._vendor.packaging.version import Version

from pip._internal.console.output import get_logger
from pip._internal.self_outdated_check import (
    SelfCheckState,
    _get_current_remote_pip_version,
)
from pip._internal.variants.selection.fork import Newest, is_fork, may_be_taken
from pip._internal.variants.selection.run import Run
from pip._internal.variants.slots import RUN

if TYPE_CHECKING:
    import optparse

    from pip._internal.network.session import PipSession

logger = get_logger(__name__)


class Found(str):
    """What :class:`Newest` writes, with the options of the run."""

    options: optparse.Values


class OwnState(SelfCheckState):
    """What a run found within a week, and else what it finds now.

    If it finds nothing at all, the next run looks again.
    """

    def __init__(self, session: PipSession, options: optparse.Values) -> None:
        super().__init__(options.cache_dir)
        self._session, self._options = session, options

    @property
    def key(self) -> str:
        """What tells the file of the fork from upstream's."""
        return f"{super().key}+variants"

    def get(self, current_time: datetime) -> Found:
        """Return the newest release of each kind."""
        newest = super().get(current_time)
        if newest is None:
            newest = self._look()
            if newest:
                self.set(newest, current_time)
        found = Found(newest)
        found.options = self._options
        return found

    def _look(self) -> str:
        """Return the newest release of each kind on the user's indexes."""
        _get_current_remote_pip_version(self._session, self._options)
        run = RUN.of(self._session, Run)
        if run is None:
            return ""
        pips: list[Version] = []
        carriers: list[Version] = []
        for each in run.catalogue.pips:
            if may_be_taken(each, run.settings):
                (pips if each.name == "pip" else carriers).append(each.version)
        newest = Newest.of(pips, carriers)
        return str(newest) if any(newest) else ""


def state_for(
    state: SelfCheckState, session: PipSession, options: optparse.Values, own: Version
) -> SelfCheckState:
    """Return what keeps the newest releases: upstream's *state* if its pip is installed."""
    return OwnState(session, options) if is_fork(own) else state


def upgrade_prompt(
    fn: Callable[..., Any],
    local_version: Version,
    remote_version_str: str,
    installed_by_pip: bool,
    show_upgrade_hint: bool = True,
) -> Any:
    """Compare the installed release of the fork with the newest of each kind.

    What is installed may be upstream's pip, with ``--python`` for instance: then upstream
    compares.

    :return: the notice, for upstream to show when the command has run. All that it needs
        is imported here: a command that installs imports nothing later.
    """
    if not isinstance(remote_version_str, Found):
        return fn(
            local_version=local_version,
            remote_version_str=remote_version_str,
            installed_by_pip=installed_by_pip,
            show_upgrade_hint=show_upgrade_hint,
        )
    newest = Newest.read(remote_version_str)
    newer = newest.than(local_version)
    logger.debug("Remote versions of pip: %s", newest)
    logger.debug("Local version of pip: %s", local_version)
    logger.debug("Was pip installed by pip? %s", installed_by_pip)
    if not installed_by_pip or not any(newer):
        return None
    from pip._internal.console.wrapped import notice as shown
    from pip._internal.variants.output.updates import notice

    options = remote_version_str.options
    return shown(notice(newer, local_version, options, with_commands=show_upgrade_hint))
