"""``pip cache`` for unpacked wheels: list them, remove all of them."""

from __future__ import annotations

import optparse
import os
from collections.abc import Iterator
from contextlib import contextmanager

from pip._internal.console import printable
from pip._internal.console.output import get_logger
from pip._internal.exceptions import CommandError
from pip._internal.fast.unpacked.folder import FOLDER, Folder, InUse, told
from pip._internal.utils.misc import format_size

__all__ = ["listed", "removed"]

logger = get_logger(__name__)


class CannotBeDone(CommandError):
    """An action on the cache failed."""

    def __init__(self, said: str) -> None:
        super().__init__(printable(said))


def listed(options: optparse.Values) -> None:
    """List all unpacked wheels."""
    with _opened(options.cache_dir) as folder:
        entries = [] if folder is None else list(folder.entries())
        damaged = () if folder is None else folder.damaged
    if damaged:
        logger.warning(
            "pip cannot read %s unpacked wheels. To remove them: pip cache purge",
            len(damaged),
        )
    if options.list_format != "human":
        for entry in entries:
            logger.info("%s", entry.folder)
    elif entries:
        logger.info("\nUnpacked wheels:")
        for line in sorted(
            f" - {entry.rest.path} ({format_size(entry.size)})" for entry in entries
        ):
            logger.info("%s", line)


def removed(cache: str) -> None:
    """Remove all unpacked wheels.

    :raises CannotBeDone: if unpacked wheels are in use or cannot be removed
    """
    with _opened(cache, alone=True) as folder:
        if folder is None:
            return
        places = folder.places()
        left = [place for place in places if not folder.remove(place)]
        folder.clean()
        logger.info("Unpacked wheels removed: %s", len(places) - len(left))
        if left:
            raise CannotBeDone(
                f"pip cannot remove {len(left)} unpacked wheels. The first is {left[0]}. "
                "Make its folder writable (chmod u+rwx) and try again."
            )


@contextmanager
def _opened(cache: str, *, alone: bool = False) -> Iterator[Folder | None]:
    """Open the folder of a cache, if there is one that pip can use.

    :param alone: fail if another process uses the folder, or pip cannot use it
    :raises CannotBeDone: in these cases
    """
    folder = None
    if os.path.lexists(os.path.join(cache, FOLDER)):
        try:
            folder = Folder(cache, alone=alone)
        except InUse:
            raise CannotBeDone(
                "Another pip is using the unpacked wheels. Try again when it has ended."
            ) from None
        except OSError as error:
            said = f"pip cannot use the unpacked wheels: {told(error, cache)}"
            if alone:
                raise CannotBeDone(said) from None
            logger.warning("%s", said)
    try:
        yield folder
    finally:
        if folder is not None:
            folder.close()
