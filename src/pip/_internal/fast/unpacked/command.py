"""``pip cache`` for the store of unpacked wheels."""

from __future__ import annotations

import optparse
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from pip._internal.console import printable
from pip._internal.console.output import get_logger
from pip._internal.exceptions import CommandError
from pip._internal.fast.unpacked.wheel_store import FOLDER, InUse, WheelStore
from pip._internal.utils.misc import format_size

if TYPE_CHECKING:
    from pip._internal.commands.cache import CacheCommand

__all__ = ["listed", "removed"]

logger = get_logger(__name__)


def listed(
    fn: Callable[..., None],
    command: CacheCommand,
    options: optparse.Values,
    args: list[str],
) -> None:
    """List all unpacked wheels after the built ones, unless there is a pattern."""
    fn(command, options, args)
    with _opened(options.cache_dir, alone=False) as store:
        if store is None or args:
            return
        lines = []
        for name in store.names():
            path = os.path.join(store.path, name)
            wheel = store.read(name)
            size = "damaged" if wheel is None else format_size(wheel.size)
            shown = name if wheel is None else wheel.wheel
            is_human = options.list_format == "human"
            lines.append(f" - {shown} ({size})" if is_human else path)
    if lines and options.list_format == "human":
        logger.info("\nUnpacked wheels:")
    for line in sorted(lines):
        logger.info("%s", line)


def removed(
    fn: Callable[..., None],
    command: CacheCommand,
    options: optparse.Values,
    args: list[str],
) -> None:
    """Remove all unpacked wheels too if everything is to be removed.

    :raises CommandError: if unpacked wheels are in use or cannot be removed; pip has
        removed everything else.
    """
    fn(command, options, args)
    if args != ["*"]:
        return
    with _opened(options.cache_dir, alone=True) as store:
        if store is not None:
            names = store.names()
            left = [name for name in names if not store.remove(name)]
            logger.info("Unpacked wheels removed: %s", len(names) - len(left))
            if left:
                raise _error(
                    f"pip cannot remove {len(left)} unpacked wheels in '{store.path}'. "
                    "Make the folders writable (chmod u+rwx) and try again."
                )


@contextmanager
def _opened(cache: str, *, alone: bool) -> Iterator[WheelStore | None]:
    """Open the store of a cache, if there is one that pip can use.

    :param alone: whether nobody else may use the store; then all failures are errors.
    :raises CommandError: if that is so.
    """
    store = None
    if os.path.lexists(os.path.join(cache, FOLDER)):
        try:
            store = WheelStore(cache, alone=alone)
        except InUse:
            raise _error(
                "Another pip is using the unpacked wheels. Try again when it has finished."
            ) from None
        except OSError as error:
            message = f"pip cannot use the unpacked wheels: {error}"
            if alone:
                raise _error(message) from None
            logger.warning("%s", printable(message))
    try:
        yield store
    finally:
        if store is not None:
            store.close()


def _error(message: str) -> CommandError:
    return CommandError(printable(message))
