"""``pip cache`` for unpacked wheels: list them, remove all of them, verify them."""

from __future__ import annotations

import optparse
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from pip._internal.console import printable
from pip._internal.console.output import get_logger
from pip._internal.exceptions import CommandError
from pip._internal.fast.unpacked.entries import Damaged, Entry
from pip._internal.fast.unpacked.folder import FOLDER, Folder, InUse, told
from pip._internal.utils.misc import format_size

if TYPE_CHECKING:
    from pip._internal.commands.cache import CacheCommand

__all__ = ["actions", "listed", "removed"]

logger = get_logger(__name__)


class CannotBeDone(CommandError):
    """An action on the cache failed, or found damaged wheels."""

    def __init__(self, said: str) -> None:
        super().__init__(printable(said))


def listed(
    fn: Callable[..., None],
    command: CacheCommand,
    options: optparse.Values,
    args: list[str],
) -> None:
    """List all unpacked wheels after the built ones, unless there is a pattern."""
    fn(command, options, args)
    if args:
        return
    with _opened(options.cache_dir) as folder:
        entries = [] if folder is None else list(folder.entries())
        damaged = () if folder is None else folder.damaged
    if damaged:
        logger.warning(
            "pip cannot read %s unpacked wheels. To remove them: pip cache verify",
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


def removed(
    fn: Callable[..., None],
    command: CacheCommand,
    options: optparse.Values,
    args: list[str],
) -> None:
    """Remove all unpacked wheels too if everything is to be removed.

    :raises CannotBeDone: if unpacked wheels are in use or cannot be removed; pip has
        removed everything else
    """
    fn(command, options, args)
    if args != ["*"]:
        return
    with _opened(options.cache_dir, alone=True) as folder:
        if folder is not None:
            places = folder.places()
            left = [place for place in places if not folder.remove(place)]
            folder.clean()
            logger.info("Unpacked wheels removed: %s", len(places) - len(left))
            _refuse_left(left)


def _refuse_left(left: Sequence[str]) -> None:
    """Report wheels that pip could not remove.

    :raises CannotBeDone: if there are any
    """
    if left:
        raise CannotBeDone(
            f"pip cannot remove {len(left)} unpacked wheels. The first is {left[0]}. "
            "Make its folder writable (chmod u+rwx) and try again."
        )


def actions(
    fn: Callable[[CacheCommand], dict[str, Any]], command: CacheCommand
) -> dict[str, Any]:
    """Add ``verify`` to the actions of ``pip cache``."""
    return {**fn(command), "verify": _verify}


def _verify(options: optparse.Values, args: list[str]) -> None:
    """Read all unpacked wheels, and remove those that have changed.

    :raises CannotBeDone: if there were any
    """
    if args:
        raise CannotBeDone("Too many arguments")
    whole, damaged = 0, []
    with _opened(options.cache_dir, must=True) as folder:
        for place in () if folder is None else folder.places():
            name = place
            try:
                entry = Entry.read(place)
                name = entry.rest.path
                entry.verify(thoroughly=True)
            except Damaged as error:
                logger.warning("%s: %s", name, error)
                damaged.append(place)
            else:
                whole += 1
    logger.info("Unpacked wheels that have not changed: %s", whole)
    if not damaged:
        return
    with _opened(options.cache_dir, alone=True) as folder:
        assert folder is not None, "it was just there"
        _refuse_left([each for each in damaged if not folder.remove(each)])
    raise CannotBeDone(
        f"Unpacked wheels that were damaged and that pip removed: {len(damaged)}. pip "
        "downloads them again when it needs them."
    )


@contextmanager
def _opened(
    cache: str, *, alone: bool = False, must: bool = False
) -> Iterator[Folder | None]:
    """Open the folder of a cache, if there is one that pip can use.

    :param alone: fail if another process uses the folder
    :param must: whether a folder that pip cannot use is an error, as it is with *alone*
    :raises CannotBeDone: if another process uses the folder, or pip cannot use it and must
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
            if alone or must:
                raise CannotBeDone(said) from None
            logger.warning("%s", said)
    try:
        yield folder
    finally:
        if folder is not None:
            folder.close()
