"""``pip cache`` for the store of unpacked wheels."""

from __future__ import annotations

import optparse
import os
from collections.abc import Iterator
from contextlib import contextmanager

from pip._internal.console import printable
from pip._internal.console.output import get_logger
from pip._internal.console.texts import counted
from pip._internal.exceptions import CommandError
from pip._internal.fast.unpacked.wheel_store import FOLDER, InUse, WheelStore
from pip._internal.utils.misc import format_size

__all__ = ["listed", "removed"]

logger = get_logger(__name__)


def listed(options: optparse.Values) -> None:
    """List all unpacked wheels."""
    is_human = options.list_format == "human"
    with _opened(options.cache_dir, alone=False) as store:
        if store is None:
            return
        lines = []
        for name in store.names():
            wheel = store.read(name)
            size = "damaged" if wheel is None else format_size(wheel.size)
            shown = name if wheel is None else wheel.wheel
            path = os.path.join(store.path, name)
            lines.append(f" - {shown} ({size})" if is_human else path)
    if lines and is_human:
        logger.info("\nUnpacked wheels:")
    for line in sorted(lines):
        logger.info("%s", line)


def removed(cache: str) -> None:
    """Remove all unpacked wheels.

    :raises CommandError: if unpacked wheels are in use or cannot be removed.
    """
    with _opened(cache, alone=True) as store:
        if store is None:
            return
        names = store.names()
        left = [name for name in names if not store.remove(name)]
        logger.info("Unpacked wheels removed: %s", len(names) - len(left))
        if left:
            raise _error(
                f"pip cannot remove {counted(len(left), 'unpacked wheel')} in '{store.path}'. "
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
