"""Report newer releases of the fork and of stock pip.

pip recommends a command that replaces the fork with stock pip only if the message says so.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from pip._vendor.packaging.version import Version

from pip._internal.console.texts import Hint
from pip._internal.utils.misc import redact_auth_from_url, running_under_zipapp
from pip._internal.variants.selection.fork import is_fork, pin

if TYPE_CHECKING:
    from optparse import Values

    from pip._internal.metadata import BaseDistribution
    from pip._internal.models.link import Link
    from pip._internal.variants.selection.run import Run


def upgrade_prompt(
    usual: Any, options: Values, own: Version, found: str, *, installed_by_pip: bool
) -> Any:
    """Compare the installed fork with its newest release on the indexes.

    :param usual: upstream's notice. Stock pip may be installed, for instance with
        ``--python``.
    :param found: the newest release of the fork, or else of stock pip.
    :return: the notice, which upstream shows after the command. Imports happen here, because
        a command that installs imports nothing later.
    """
    if not is_fork(own):
        return usual
    newest = Version(found)
    if not installed_by_pip or not is_fork(newest) or newest <= own:
        return None
    from pip._internal.console.output import notice
    from pip._internal.variants.output.invocation import for_pip

    lines = [f"A new release of pip is available: {own} -> {newest}"]
    if not running_under_zipapp():
        update = for_pip(options, "install", "--upgrade", "pip")
        lines.append(Hint("To update, run:", update))
    return notice(lines)


def report_newer_upstream(run: Run, releases_of_fork: Iterable[Version]) -> None:
    """Log that stock pip is newer than all releases of the fork."""
    from pip._internal.variants.output.invocation import command

    best = max(releases_of_fork)
    newest = max(run.catalog.upstream_pips, default=best)
    if newest > best:
        text = (
            f"pip {newest} is available, but this fork has no release for pip {newest} "
            f"yet (newest release: {best}). To switch to stock pip:"
        )
        typed = command(run.settings.options, "install", pin(newest), is_own=True)
        run.reporter.log_once(logging.INFO, Hint(text, typed))


def warn_of_pip_url(run: Run, fork: BaseDistribution, link: Link) -> None:
    """Report that the URL of a dependency does not replace the fork."""
    from pip._internal.variants.output.invocation import command

    url = link.url
    text = (
        f"A package requires pip from {redact_auth_from_url(url)}. pip kept this fork "
        f"({fork.version}), because only you can replace pip. To replace this fork:"
    )
    typed = command(run.settings.options, "install", f"pip @ {url}", is_own=True)
    run.reporter.warn(Hint(text, typed))
