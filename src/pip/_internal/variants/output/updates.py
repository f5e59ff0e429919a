"""Which release is newer than this pip, and what to type for it.

Nothing is recommended that would replace the fork by upstream's pip without saying so.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from pip._internal.console.texts import Hint
from pip._internal.utils.misc import redact_auth_from_url
from pip._internal.variants.output.invocation import command, for_pip, own_python
from pip._internal.variants.selection.fork import (
    Newest,
    carrier_name,
    carriers_found,
    pin,
)

if TYPE_CHECKING:
    import optparse

    from pip._vendor.packaging.version import Version

    from pip._internal.index.package_finder import PackageFinder
    from pip._internal.metadata import BaseDistribution
    from pip._internal.models.link import Link
    from pip._internal.variants.selection.run import Run

__all__ = ["notice", "tell_of_newer", "tell_of_url"]


def tell_of_newer(
    run: Run, finder: PackageFinder, own: Version, pips: Iterable[Version]
) -> None:
    """Log what an upgrade of pip cannot come to by itself.

    :param own: the release of the fork that is installed.
    :param pips: what the indexes have of pip, as far as it may be newer.
    """
    options = run.settings.options
    carriers = (each.version for each in carriers_found(finder, run.settings))
    newest = Newest.of(pips, carriers).than(own)
    if newest.carrier is not None:
        said = (
            f"{carrier_name()} {newest.carrier} brings a newer release of this pip than "
            f"{newest.fork or own}; to update:"
        )
        run.reporter.say_once(logging.INFO, Hint(said, _by_carrier(options)))
    if newest.upstream is not None:
        said = f"{_without_fork(newest, own)}; to leave the fork for it:"
        typed = command(options, "install", pin(newest.upstream), is_own=True)
        run.reporter.say_once(logging.INFO, Hint(said, typed))


def tell_of_url(run: Run, fork: BaseDistribution, link: Link) -> None:
    """Report that the URL of a dependency does not replace the fork, and what does."""
    url = link.url
    said = (
        f"A package depends on pip at {redact_auth_from_url(url)}. Only you can replace "
        f"this fork of pip ({fork.version}), so it stays. To replace it:"
    )
    typed = command(run.settings.options, "install", f"pip @ {url}", is_own=True)
    run.reporter.say_once(logging.WARNING, Hint(said, typed))


def notice(
    newest: Newest, own: Version, options: optparse.Values, *, with_commands: bool
) -> Iterator[str]:
    """Yield the lines of the notice at the end of a run.

    :param newest: what is newer than *own*.
    :param own: the release of the fork that runs.
    :param with_commands: whether there is an installed pip that these could replace.
    """
    if newest.carrier is not None:
        yield (
            f"A new release of pip is available in {carrier_name()} {newest.carrier}; "
            f"this is {own}"
        )
        if with_commands:
            yield Hint("To update, run:", _by_carrier(options))
    elif newest.fork is not None:
        yield f"A new release of pip is available: {own} -> {newest.fork}"
        if with_commands:
            typed = for_pip(options, "install", "--upgrade", "pip")
            yield Hint("To update, run:", typed)
    if newest.upstream is not None:
        yield _without_fork(newest, own)
        if with_commands:
            typed = for_pip(options, "install", pin(newest.upstream))
            yield Hint("To leave the fork for it, run:", typed)


def _without_fork(newest: Newest, own: Version) -> str:
    return (
        f"pip {newest.upstream} is available, but not as a release of this fork yet "
        f"({newest.fork or own})"
    )


def _by_carrier(options: optparse.Values) -> str:
    """Return the two commands that fetch the carrier, and let it replace this pip."""
    name = carrier_name()
    assert name is not None, "nothing was found under no name"
    fetch = for_pip(options, "install", "--upgrade", name)
    module = name.replace("-", "_")
    return f"{fetch} && {own_python()} -m {module} bootstrap"
