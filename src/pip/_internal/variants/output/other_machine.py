"""A host of another kind than this machine: what must not be, and what has no effect."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from pip._internal.console.output import get_logger
from pip._internal.console.texts import Hint
from pip._internal.exceptions import PipError
from pip._internal.variants.errors import OtherMachine
from pip._internal.variants.output.invocation import again, command
from pip._internal.variants.providers.target import target_of

if TYPE_CHECKING:
    import optparse

    from pip._internal.variants.providers.target import Target
    from pip._internal.variants.selection.settings import Settings

__all__ = ["other_machine", "warn_of_unused_host"]

logger = get_logger(__name__)

#: What writes a file that describes hardware alone.
_HARDWARE = ("variants", "host", "--json", "--hardware", "--variant-host")


def other_machine(target: Target, options: optparse.Values) -> OtherMachine:
    """Return the error for what would install for another machine into this one."""
    hints = _hints(target, options)
    return OtherMachine(target.host.path, target.differences, hints)


def _hints(target: Target, options: optparse.Values) -> Iterator[Hint]:
    other_places = ("--user", "--prefix", "--root")
    into = again(options, "--target", "DIR", without=other_places)
    yield Hint("Into a folder for that machine:", into)
    yield Hint("To see what it would take:", again(options, "--dry-run"))
    if target.is_of_this_type:
        yield Hint(
            "For its hardware alone, into this environment, --variant-host FILE with a "
            "file that this writes:",
            command(options, *_HARDWARE, target.host.path, is_own=True),
        )


def warn_of_unused_host(settings: Settings, name: str) -> None:
    """Warn of a host of another kind that is configured, where variants are off."""
    try:
        from pip._internal.variants.providers.host_names import read_host

        target = target_of(settings, read_host(name))
    except PipError as error:
        logger.debug("%s", error)
        return
    if target is not None and target.is_elsewhere:
        logger.warning(
            "PIP_VARIANT_HOST or the configuration names %s, which has no effect with "
            "--no-variants: what is taken is for this machine",
            name,
        )
