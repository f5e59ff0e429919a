"""Prepare every new package before the first old one is removed.

Stock pip removes an old package and then writes the new one, file by file. Here, before
the first removal, pip's own code installs all new packages into a staging folder on the
disk of the environment. A wheel that cannot be installed fails before anything is lost.
Then each old package is moved into the staging folder, its metadata first, and each new
one is moved to its place, its metadata last. So a package that a kill leaves incomplete
has no metadata: it counts as not installed, and the next installation repairs it.

If the packages cannot be prepared, for example because the disk has no space for both
versions, pip installs them as stock pip does. Nothing may be imported here after the
installation has begun.
"""

from __future__ import annotations

import logging
import os
import signal
import sys
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from pip._internal.console.output import get_logger
from pip._internal.exceptions import InstallationError
from pip._internal.fast.held_records import emit, holding
from pip._internal.fast.upgrades import trees
from pip._internal.fast.upgrades.install_root import final_path, installed_below
from pip._internal.fast.upgrades.interrupts import HeldSignals
from pip._internal.fast.upgrades.staging_folder import StagingFolder
from pip._internal.locations import get_scheme
from pip._internal.metadata import get_default_environment
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

__all__ = ["enable", "install", "installing", "removal", "scripts_not_on_path"]

T = TypeVar("T")

logger = get_logger(__name__)


class _CannotPrepare(Exception):
    """A package must be installed as stock pip does; the message is for developers."""


class _Prepared(NamedTuple):
    """A package that was installed below *tree*, and what pip logged meanwhile."""

    tree: str
    records: deque[logging.LogRecord]


class _OldFiles(StashedUninstallPathSet):
    """Files of an old package, moved into the staging folder with its metadata first.

    :param folder: to move them to, on the same disk if possible.
    """

    def __init__(self, folder: str, removal: UninstallPathSet) -> None:
        super().__init__()
        self._folder = folder
        self._removal = removal
        self._info = normalize_path(removal._dist.info_location or os.devnull)

    def stash(self, path: str) -> str:
        """Move a file or folder; skip metadata, which the first call has moved."""
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


class _Transaction:
    """The packages that one command installs, of which some replace others.

    :param options: of ``install_given_reqs``.
    :param settle: waits for what the installation may wait for.
    """

    def __init__(
        self,
        requirements: Sequence[InstallRequirement],
        options: Mapping[str, Any],
        settle: Callable[[], None],
    ) -> None:
        self._settle = settle
        self._requirements = list(requirements)
        self._options = {**options}
        self._root = os.path.abspath(self._options.pop("root", None) or os.sep)
        self._options.pop("progress_bar", None)
        self._signals = HeldSignals()
        self._folder: StagingFolder | None = None
        self._prepared: dict[int, _Prepared] = {}
        #: What will be removed, by the name of the package.
        self._removals: dict[str, UninstallPathSet] = {}
        self._old: list[_OldFiles] = []
        self._has_begun = False

    def run(self, install_all: Callable[[], T]) -> T:
        """Install everything; interrupts wait from the first package on."""
        try:
            result = install_all()
        finally:
            try:
                self._remove_folder()
            finally:
                self._signals.release()
        self._signals.take_effect()
        return result

    def _begin(self) -> None:
        """Prepare all packages, before the first one is installed or removed."""
        if self._has_begun:
            return
        self._has_begun = True
        # `--target` has its own way to replace; RECORD lists bytecode below a prefix by
        # the place where it was compiled.
        is_usual = self._options.get("home") is None and sys.pycache_prefix is None
        if is_usual and trees.is_faithful():
            try:
                self._prepare_all()
            except (OSError, _CannotPrepare) as error:
                # Stock pip needs less space, and reports what else is wrong.
                logger.debug("Installing without a staging folder: %r", error)
                self._prepared.clear()
                self._removals.clear()
                self._remove_folder()
        if not self._prepared:
            self._settle()
        self._signals.hold(signal.SIGINT)
        if self._prepared:
            # The rest does not take long.
            self._signals.hold(signal.SIGTERM)

    def _prepare_all(self) -> None:
        scheme = get_scheme(
            "",
            user=self._options.get("use_user_site", False),
            root=None if self._root == os.sep else self._root,
            prefix=self._options.get("prefix"),
        )
        self._folder = StagingFolder(scheme.purelib)
        for number, requirement in enumerate(self._requirements):
            new, old = (
                os.path.join(self._folder.path, f"{kind}-{number}")
                for kind in ("new", "old")
            )
            self._prepared[id(requirement)] = self._install_below(requirement, new, old)

    def _install_below(
        self, requirement: InstallRequirement, new: str, old: str
    ) -> _Prepared:
        """Install one package below the folder *new*.

        :param old: the folder for what it replaces.
        :raises _CannotPrepare: if the result would differ from stock pip's.
        :raises InstallationError: if pip cannot install it; nothing is lost yet.
        """
        records: deque[logging.LogRecord] = deque()
        root = os.path.join(new, self._root.lstrip(os.sep))
        with holding(records.append):
            self._find_old(requirement, old)
            records.clear()
            try:
                with installed_below(new):
                    requirement.install(root=root, **self._options)
            except InstallationError as error:
                # Name the places where the files would have been in the end.
                error.args = tuple(str(each).replace(new, "") for each in error.args)
                raise
            requirement.install_succeeded = False
        for folder in trees.met_folders(new, os.sep):
            if not trees.gives_nothing_on(folder):
                raise _CannotPrepare(f"files inherit permissions from {folder}")
        return _Prepared(new, records)

    def _find_old(self, requirement: InstallRequirement, folder: str) -> None:
        """Find what pip will remove for a requirement.

        :raises _CannotPrepare: if other files change with it.
        """
        if not requirement.should_reinstall:
            return
        assert requirement.name is not None, "it is to be installed"
        dist = get_default_environment().get_distribution(requirement.name)
        if dist is None:
            return
        removal = UninstallPathSet.from_dist(dist)
        if not removal._paths:
            # pip says why when it gets there.
            return
        if removal._pth:
            raise _CannotPrepare("lines of a .pth file go with it")
        for path in compact(compress_for_rename(removal._paths)):
            if os.path.isdir(path) and not os.access(path, os.W_OK):
                raise _CannotPrepare(f"{path} cannot be moved to another folder")
        removal._moved_paths = old = _OldFiles(folder, removal)
        self._old.append(old)
        self._removals[dist.canonical_name] = removal

    def removal(
        self, dist: BaseDistribution, find: Callable[[], UninstallPathSet]
    ) -> UninstallPathSet:
        """Return what to remove of a package, once all new ones are prepared."""
        self._begin()
        removal = self._removals.pop(dist.canonical_name, None)
        if removal is None:
            return find()
        # Some of it may have gone with another package.
        removal._paths = set(filter(os.path.exists, removal._paths))
        return removal

    def put(self, requirement: InstallRequirement) -> bool:
        """Move a package to its place; return whether it was prepared.

        :raises OSError: if that is not possible; then nothing of it is there.
        """
        self._begin()
        prepared = self._prepared.get(id(requirement))
        if prepared is None:
            return False
        emit(prepared.records, lambda record: _reword(record, prepared.tree))
        trees.put(prepared.tree, os.sep)
        requirement.install_succeeded = True
        return True

    def _remove_folder(self) -> None:
        folder, self._folder = self._folder, None
        if folder is not None:
            try:
                if any(each.recovery_paths for each in self._old):
                    logger.error("What pip cannot restore is in '%s'.", folder.keep())
                else:
                    folder.remove()
            except OSError as error:
                logger.warning(
                    "pip cannot remove its staging folder: %s. You can safely remove "
                    "'%s'.",
                    error,
                    folder.path,
                )


def _reword(record: logging.LogRecord, tree: str) -> None:
    """Let a record name the final places of files."""
    message = record.getMessage()
    if tree in message and not getattr(record, "rich", False):
        record.msg, record.args = message.replace(tree, ""), ()


_settle: Callable[[], None] | None = None
_transaction: _Transaction | None = None


def enable(settle: Callable[[], None]) -> None:
    """Prepare all packages before any is removed, in this command and none after it.

    :param settle: waits for what the installation may wait for.
    """
    global _settle
    _settle = settle


def installing(
    fn: Callable[..., list[InstallationResult]],
    requirements: list[InstallRequirement],
    **options: Any,
) -> list[InstallationResult]:
    """Install all that a command has resolved."""
    global _settle, _transaction
    if _settle is None:
        return fn(requirements, **options)
    _transaction = _Transaction(requirements, options, _settle)
    _settle = None
    try:
        return _transaction.run(lambda: fn(requirements, **options))
    finally:
        _transaction = None


def removal(
    fn: Callable[[type[UninstallPathSet], BaseDistribution], UninstallPathSet],
    cls: type[UninstallPathSet],
    dist: BaseDistribution,
) -> UninstallPathSet:
    """Return what belongs to a package that is removed."""
    if _transaction is None:
        return fn(cls, dist)
    return _transaction.removal(dist, lambda: fn(cls, dist))


def install(
    fn: Callable[..., None], requirement: InstallRequirement, *args: Any, **kwargs: Any
) -> None:
    """Install one package."""
    if _transaction is None or not _transaction.put(requirement):
        fn(requirement, *args, **kwargs)


def scripts_not_on_path(
    fn: Callable[[Sequence[str]], str | None], scripts: Sequence[str]
) -> str | None:
    """Warn about scripts, by the places where they are in the end."""
    return fn([final_path(script) for script in scripts])
