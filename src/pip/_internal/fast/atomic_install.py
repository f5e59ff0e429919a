"""Prepare every new package before the environment changes.

Stock pip removes an old package and then writes the new package, file by file. Here pip's
own code first installs all new packages into a staging folder on the disk of the
environment. A broken wheel, a full disk or Ctrl-C leaves the environment unchanged. Then
pip moves each old package into the staging folder, metadata first, and each new package
into place, metadata last. If pip is killed at this point, an incomplete package has no
metadata. It therefore counts as not installed, and the next installation repairs it.

If pip cannot prepare the packages, for example because the disk has no space for both
versions, it installs them as stock pip does. Once pip has prepared the packages, Ctrl-C and
SIGTERM take effect only after all packages are in place.

This module may import nothing after the installation has begun.
"""

from __future__ import annotations

import logging
import os
import signal
import sys
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple

from pip._internal.console.output import get_logger
from pip._internal.exceptions import InstallationError
from pip._internal.fast import trees
from pip._internal.fast.install_root import final_path, installed_below
from pip._internal.fast.optional_work import diverting_logs, emit
from pip._internal.fast.space import device_of, is_full
from pip._internal.locations import get_scheme
from pip._internal.metadata import get_default_environment
from pip._internal.models.scheme import SCHEME_KEYS
from pip._internal.req.req_uninstall import (
    StashedUninstallPathSet,
    UninstallPathSet,
    compact,
    compress_for_rename,
)
from pip._internal.utils.misc import normalize_path

if TYPE_CHECKING:
    from pip._internal.metadata import BaseDistribution
    from pip._internal.req import InstallationResult
    from pip._internal.req.req_install import InstallRequirement

logger = get_logger(__name__)

_INTERRUPTED = b"""\
Finishing the installation, so that nothing is left half installed. Press Ctrl-C again \
to stop at once.
"""


class _CannotPrepare(Exception):
    """A package cannot be prepared; the message is for developers."""


class _Prepared(NamedTuple):
    """A package that is installed below *tree*, and the log records of its installation."""

    tree: str
    records: deque[logging.LogRecord]


class _OldFiles(StashedUninstallPathSet):
    """The files of an old package, moved into a staging folder, metadata first.

    :param folder: the folder that receives the files, on the disk of the files if possible.
    """

    def __init__(self, folder: str, removal: UninstallPathSet) -> None:
        super().__init__()
        self._folder = folder
        self._removal = removal
        self._info = normalize_path(removal._dist.info_location or os.devnull)

    def stash(self, path: str) -> str:
        """Move a file or folder into the staging folder.

        The first call moves all metadata first; later calls skip metadata.
        """
        if not self._moves:
            of_info = filter(self._is_metadata, self._removal._paths)
            for each in sorted(compact(compress_for_rename(of_info))):
                super().stash(each)
        if self._moves and self._is_metadata(path):
            return path
        return super().stash(path)

    def _is_metadata(self, path: str) -> bool:
        return f"{path}{os.sep}".startswith(f"{self._info}{os.sep}")

    def _get_directory_stash(self, path: str) -> str:  # noqa: ARG002
        return os.path.join(self._folder, str(len(self._moves)))

    _get_file_stash = _get_directory_stash


class DelayedSignals:
    """Signals that take effect later; a repeated signal ends the delay at once.

    Only the main thread can delay signals. Signals with a custom handler are never delayed.
    """

    def __init__(self) -> None:
        self._before: dict[int, Any] = {}
        self._came: set[int] = set()

    def delay(self, number: int) -> None:
        """Start delaying a signal."""
        if signal.getsignal(number) in (signal.SIG_DFL, signal.default_int_handler):
            with suppress(ValueError):  # Not the main thread.
                self._before[number] = signal.signal(number, self._take)

    def release(self) -> None:
        """Stop delaying signals.

        :meth:`take_effect` applies the signals that arrived before.
        """
        for number, handler in self._before.items():
            signal.signal(number, handler)
        self._before.clear()

    def take_effect(self) -> None:
        """Apply the signals that arrived during the delay.

        :raises KeyboardInterrupt: if one of these signals was Ctrl-C.
        """
        came = sorted(self._came)
        self._came.clear()
        for number in came:
            if number == signal.SIGINT:
                raise KeyboardInterrupt
            os.kill(os.getpid(), number)

    def _take(self, number: int, _frame: object) -> None:
        if number in self._came:
            self.release()
            self.take_effect()
        self._came.add(number)
        if number == signal.SIGINT:
            with suppress(OSError):
                os.write(2, _INTERRUPTED)


class _Transaction:
    """The packages that one command installs; some may replace old packages.

    :param options: the keyword arguments of ``install_given_reqs``.
    """

    def __init__(
        self, requirements: Sequence[InstallRequirement], options: Mapping[str, Any]
    ) -> None:
        self._requirements = list(requirements)
        self._options = {**options}
        self._root = self._options.pop("root", None) or ""
        self._options.pop("progress_bar", None)
        self._replaces = any(each.should_reinstall for each in requirements)
        self.signals = DelayedSignals()
        self._folder: trees.StagingFolder | None = None
        self._prepared: dict[int, _Prepared] = {}
        #: The prepared removals, by package name.
        self._removals: dict[str, UninstallPathSet] = {}
        self._old: list[_OldFiles] = []
        self._has_begun = False

    def _begin(self) -> None:
        """Prepare all packages, on the first call only.

        If the packages cannot be prepared, leave all of them to stock pip.

        :raises OSError: if the disk is full and stock pip would need as much space.
        """
        if self._has_begun:
            return
        self._has_begun = True
        # `--target` replaces packages in its own way. Below a prefix for bytecode, RECORD
        # lists bytecode by the location where it was compiled.
        is_usual = self._options.get("home") is None and sys.pycache_prefix is None
        if is_usual and trees.is_faithful():
            try:
                self._prepare_all()
            except (OSError, _CannotPrepare) as error:
                if is_full(error) and not self._takes_more_space():
                    raise
                # Stock pip needs less space, and reports any other problem.
                logger.debug("Installing without a staging folder: %r", error)
                self._prepared.clear()
                self._removals.clear()
                self._remove_folder()
        if self._prepared:
            # The rest is quick.
            self.signals.delay(signal.SIGINT)
            self.signals.delay(signal.SIGTERM)

    def _prepare_all(self) -> None:
        scheme = get_scheme(
            "any",
            user=self._options.get("use_user_site", False),
            root=self._root or None,
            prefix=self._options.get("prefix"),
        )
        places = [getattr(scheme, key) for key in SCHEME_KEYS]
        if places != [os.path.abspath(place) for place in places]:
            raise _CannotPrepare("an install path is relative or has dots")
        os.makedirs(scheme.purelib, exist_ok=True)
        if not trees.new_files_inherit_nothing(scheme.purelib):
            raise _CannotPrepare(f"files inherit permissions from {scheme.purelib}")
        self._folder = trees.StagingFolder(scheme.purelib)
        for number, requirement in enumerate(self._requirements):
            # A run that removes no package uses one tree, because one move is faster.
            new, old = (
                os.path.join(self._folder.path, f"{kind}-{number * self._replaces}")
                for kind in ("new", "old")
            )
            self._prepared[id(requirement)] = self._install_below(requirement, new, old)
        for tree in {prepared.tree for prepared in self._prepared.values()}:
            for folder in {os.path.dirname(to) for _, to in trees.moves(tree, os.sep)}:
                if not trees.new_files_inherit_nothing(folder):
                    raise _CannotPrepare(f"files inherit permissions from {folder}")

    def _takes_more_space(self) -> bool:
        """Return whether preparing the packages takes more disk space than stock pip."""
        if self._replaces or self._folder is None:
            return True
        tree = os.path.join(self._folder.path, "new-0")
        device = device_of(tree)
        return os.path.isdir(tree) and any(
            os.path.lexists(target) or device_of(target) != device
            for _, target in trees.moves(tree, os.sep)
        )

    def _install_below(
        self, requirement: InstallRequirement, new: str, old: str
    ) -> _Prepared:
        """Install one package below the folder *new*.

        :param old: the folder for the replaced package.
        :raises _CannotPrepare: if the result would differ from stock pip's.
        :raises InstallationError: if pip cannot install the package; the environment is
            unchanged.
        """
        records: deque[logging.LogRecord] = deque()
        root = os.path.join(new, self._root.lstrip(os.sep))

        def keep(record: logging.LogRecord) -> None:
            """Store a log record, with the final paths of files."""
            message = record.getMessage()
            if new in message and not getattr(record, "rich", False):
                record.msg, record.args = message.replace(new, ""), ()
            records.append(record)

        with diverting_logs(keep):
            self._find_old(requirement, old)
            records.clear()
            try:
                with installed_below(new):
                    requirement.install(root=root, **self._options)
            except InstallationError as error:
                # Name the final locations of the files.
                error.args = tuple(str(each).replace(new, "") for each in error.args)
                raise
            requirement.install_succeeded = False
        return _Prepared(new, records)

    def _find_old(self, requirement: InstallRequirement, folder: str) -> None:
        """Record the removal of the installed package that a requirement replaces, if any.

        :param folder: the folder for the removed files.
        :raises _CannotPrepare: if the removal would change files of others, or a folder
            cannot be moved.
        """
        if not requirement.should_reinstall:
            return
        assert requirement.name is not None, "it is to be installed"
        dist = get_default_environment().get_distribution(requirement.name)
        if dist is None:
            return
        removal = UninstallPathSet.from_dist(dist)
        if not removal._paths:
            # pip reports the reason when it removes the package.
            return
        if removal._pth:
            raise _CannotPrepare("lines of a .pth file go with it")
        for path in compact(compress_for_rename(removal._paths)):
            if os.path.isdir(path) and not os.access(path, os.W_OK):
                raise _CannotPrepare(f"{path} cannot be moved to another folder")
        removal._moved_paths = old = _OldFiles(folder, removal)
        self._old.append(old)
        self._removals[dist.canonical_name] = removal

    def removal(self, dist: BaseDistribution) -> UninstallPathSet | None:
        """Return the prepared removal of an old package, or None."""
        self._begin()
        removal = self._removals.pop(dist.canonical_name, None)
        if removal is not None:
            # The removal of another package may have removed some of these files.
            removal._paths = set(filter(os.path.exists, removal._paths))
        return removal

    def put(self, requirement: InstallRequirement) -> bool:
        """Move a package into place if it is prepared, and return whether it is.

        :raises OSError: if pip cannot move the package; none of its files stay in place.
        """
        self._begin()
        prepared = self._prepared.get(id(requirement))
        if prepared is None:
            return False
        emit(prepared.records)
        trees.put(prepared.tree, os.sep)
        requirement.install_succeeded = True
        return True

    def close(self) -> None:
        """Remove the staging folder, and stop delaying signals."""
        try:
            self._remove_folder()
        finally:
            self.signals.release()

    def _remove_folder(self) -> None:
        folder, self._folder = self._folder, None
        if folder is not None:
            try:
                if any(each.recovery_paths for each in self._old):
                    logger.error(
                        "pip cannot restore some files. Move them back from '%s'.",
                        folder.keep(),
                    )
                else:
                    folder.remove()
            except OSError as error:
                logger.warning(
                    "pip cannot remove its staging folder: %s. You can safely remove "
                    "'%s'.",
                    error,
                    folder.path,
                )


_is_enabled = False
_transaction: _Transaction | None = None


def enable() -> None:
    """Enable preparing all packages, for the next call of :func:`installing`."""
    global _is_enabled
    _is_enabled = True


def installing(
    fn: Callable[..., list[InstallationResult]],
    requirements: list[InstallRequirement],
    **options: Any,
) -> list[InstallationResult]:
    """Install the resolved packages of a command."""
    global _is_enabled, _transaction
    if not _is_enabled:
        return fn(requirements, **options)
    _is_enabled = False
    _transaction = transaction = _Transaction(requirements, options)
    try:
        result = fn(requirements, **options)
    finally:
        _transaction = None
        transaction.close()
    transaction.signals.take_effect()
    return result


def removal(
    fn: Callable[[type[UninstallPathSet], BaseDistribution], UninstallPathSet],
    cls: type[UninstallPathSet],
    dist: BaseDistribution,
) -> UninstallPathSet:
    """Return the paths to remove for a package."""
    removal = None if _transaction is None else _transaction.removal(dist)
    return fn(cls, dist) if removal is None else removal


def install(
    fn: Callable[..., None], requirement: InstallRequirement, *args: Any, **kwargs: Any
) -> None:
    """Install one package."""
    if _transaction is None or not _transaction.put(requirement):
        fn(requirement, *args, **kwargs)


def scripts_not_on_path(
    fn: Callable[[Sequence[str]], str | None], scripts: Sequence[str]
) -> str | None:
    """Return the warning about scripts outside PATH, with their final locations."""
    return fn([final_path(script) for script in scripts])
