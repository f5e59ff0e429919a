"""What ``pip cache`` knows of wheels that lie unpacked."""

from __future__ import annotations

import datetime
import fnmatch
import optparse
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from pip._vendor.packaging.utils import canonicalize_name

from pip._internal.console import printable
from pip._internal.console.output import get_logger
from pip._internal.exceptions import CommandError
from pip._internal.parallel.unpacked.entries import Damaged, Entry
from pip._internal.parallel.unpacked.folder import FOLDER, Folder, InUse, told
from pip._internal.utils.misc import format_size

if TYPE_CHECKING:
    from pip._internal.commands.cache import CacheCommand

    _Action = Callable[[optparse.Values, list[str]], None]

__all__ = ["actions", "listed", "removed", "show"]

logger = get_logger(__name__)


class CannotBeDone(CommandError):
    """An action on the cache cannot be carried out, or has found something bad."""

    def __init__(self, said: str) -> None:
        super().__init__(printable(said))


def show(cache: str) -> None:
    """Say how many wheels lie unpacked, if any."""
    with _opened(cache) as folder:
        entries = [] if folder is None else list(folder.entries())
        damaged = () if folder is None else folder.damaged
    if damaged:
        logger.warning(
            "Unpacked wheels that cannot be read: %s. To remove them: pip cache verify",
            len(damaged),
        )
    if entries:
        size = format_size(sum(entry.size for entry in entries))
        logger.info("Unpacked wheels location: %s", os.path.join(cache, FOLDER))
        logger.info("Unpacked wheels size: %s", size)
        logger.info("Number of unpacked wheels: %s", len(entries))


def listed(
    fn: Callable[..., None],
    command: CacheCommand,
    options: optparse.Values,
    args: list[str],
) -> None:
    """List the wheels that lie unpacked after those that were built here."""
    fn(command, options, args)
    with _opened(options.cache_dir) as folder:
        entries = [] if folder is None else _matching(folder, (args or ["*"])[0])
        if options.list_format != "human":
            for entry in entries:
                logger.info("%s", entry.folder)
        elif entries:
            logger.info("")
            logger.info("Unpacked wheels:")
            for entry in entries:
                logger.info(" - %s", _described(entry))


def _described(entry: Entry) -> str:
    _, _, tag = os.path.basename(entry.folder).partition("-")
    day = datetime.date.fromtimestamp(os.stat(entry.folder).st_mtime)
    python = "without bytecode" if tag == "source" else f"for {tag.rpartition('-')[0]}"
    return f"{entry.rest.path} ({format_size(entry.size)}, {python}, used {day})"


def removed(
    fn: Callable[..., None],
    command: CacheCommand,
    options: optparse.Values,
    args: list[str],
) -> None:
    """Remove wheels that lie unpacked, too.

    :raises CannotBeDone: if they are in use; all else was removed
    """
    gone: list[Entry] = []
    problem: CannotBeDone | None = None
    try:
        if len(args) == 1:
            _remove(options.cache_dir, args[0], gone)
    except CannotBeDone as error:
        problem = error
    # It complains if it finds none itself.
    is_nothing = not gone and problem is None
    if is_nothing or _finds(command, options, args):
        fn(command, options, args)
    if gone:
        size = format_size(sum(entry.size for entry in gone))
        logger.info("Unpacked wheels removed: %s (%s)", len(gone), size)
    if problem is not None:
        raise problem


def _finds(command: CacheCommand, options: optparse.Values, args: list[str]) -> bool:
    """Tell whether upstream finds something to remove."""
    is_all = args == ["*"] and command._find_http_files(options)
    return bool(is_all or command._find_wheels(options, args[0]))


def _remove(cache: str, pattern: str, gone: list[Entry]) -> None:
    """Remove wheels that match a pattern.

    :param gone: gets those that are gone
    :raises CannotBeDone: if one cannot be removed, or all cannot be looked at
    """
    with _opened(cache, alone=True) as folder:
        if folder is None:
            return
        found = _matching(folder, pattern)
        gone += [entry for entry in found if folder.remove(entry.folder)]
        left = [e.folder for e in found if os.path.lexists(e.folder)]
        if pattern == "*":
            # What cannot be read, too.
            left = [each for each in folder.places() if not folder.remove(each)]
            folder.clean()
        _refuse_left(left)


def _refuse_left(left: Sequence[str]) -> None:
    """Complain of what cannot be removed.

    :raises CannotBeDone: if there is anything
    """
    if left:
        raise CannotBeDone(
            f"Unpacked wheels that cannot be removed: {len(left)}. The first is "
            f"{left[0]}. Let its folder be changed (chmod u+rwx), and try again."
        )


def actions(
    fn: Callable[[CacheCommand], dict[str, _Action]], command: CacheCommand
) -> dict[str, Any]:
    """Add ``verify`` to what ``pip cache`` does."""
    return {**fn(command), "verify": _verify}


def _name_in(place: str) -> str:
    """Return the name of the wheel in a folder, or where that is if there is none."""
    with suppress(OSError):
        return next((x for x in os.listdir(place) if x.endswith(".whl")), place)
    return place


def _verify(options: optparse.Values, args: list[str]) -> None:
    """Read all wheels that lie unpacked, and remove those that were changed.

    :raises CannotBeDone: if there were any
    """
    if args:
        raise CannotBeDone("Too many arguments")
    whole, damaged = 0, []
    with _opened(options.cache_dir, must=True) as folder:
        for place in () if folder is None else folder.places():
            name = _name_in(place)
            try:
                entry = Entry.read(place)
                name = entry.rest.path
                entry.verify(thoroughly=True)
            except Damaged as error:
                logger.warning("%s: %s", name, error)
                damaged.append(place)
            else:
                whole += 1
    logger.info("Unpacked wheels that are as they were: %s", whole)
    if not damaged:
        return
    with _opened(options.cache_dir, alone=True) as folder:
        assert folder is not None, "it was just there"
        _refuse_left([each for each in damaged if not folder.remove(each)])
    raise CannotBeDone(
        f"Unpacked wheels that were damaged and are removed: {len(damaged)}. They are "
        "downloaded again when they are needed."
    )


@contextmanager
def _opened(
    cache: str, *, alone: bool = False, must: bool = False
) -> Iterator[Folder | None]:
    """Open the folder of a cache, if there is one that can be used.

    :param alone: take it only if nobody else uses it
    :param must: whether one that cannot be used is an error, as it is with *alone*
    :raises CannotBeDone: if somebody else uses it, or it cannot be used and must be
    """
    if not os.path.lexists(os.path.join(cache, FOLDER)):
        yield None
        return
    try:
        folder = Folder(cache, alone=alone)
    except InUse:
        raise CannotBeDone(
            "Another pip is using the unpacked wheels. Try again when it has ended."
        ) from None
    except OSError as error:
        said = f"The unpacked wheels cannot be used: {told(error, cache)}"
        if alone or must:
            raise CannotBeDone(said) from None
        logger.warning("%s", said)
        yield None
        return
    try:
        yield folder
    finally:
        folder.close()


def _matching(folder: Folder, pattern: str) -> list[Entry]:
    """Return the entries whose wheels upstream would find by a pattern.

    They are found by the name of the package as users write it, too.
    """
    project = canonicalize_name(pattern)
    if not pattern.endswith(".whl"):
        pattern += "*.whl" if "-" in pattern else "-*.whl"
    found = (
        entry
        for entry in folder.entries()
        if fnmatch.fnmatch(entry.rest.path, pattern)
        or canonicalize_name(entry.rest.path.partition("-")[0]) == project
    )
    return sorted(found, key=lambda entry: entry.rest.path)
