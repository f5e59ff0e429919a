"""Take no package away before all new ones lie ready.

Upstream takes an old package away and then writes the new one, file by file. If pip is
killed meanwhile, neither is there. Here, before the first package is taken away, upstream's
own code installs all new packages into a folder among the old ones, as if that folder were
the root (see :mod:`.journal`). Then upstream goes on as ever; but where it would write
files, those that lie ready are moved to their places, as whole folders where possible. What
was taken away is deleted last.

A wheel that cannot be installed is found out before anything is lost. Where this is not
possible, for instance without space for both, upstream installs all in its own way. Nothing
may be imported here once upstream has begun to install.
"""

from __future__ import annotations

import logging
import os
import signal
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from pip._vendor.packaging.utils import canonicalize_name

from pip._internal.console.output import get_logger
from pip._internal.exceptions import InstallationError
from pip._internal.locations import get_scheme
from pip._internal.metadata import get_default_environment, get_environment
from pip._internal.parallel.connections import like
from pip._internal.parallel.downloads import staged, trees
from pip._internal.parallel.downloads.elsewhere import final_path, installed_below
from pip._internal.parallel.downloads.interrupts import HeldSignals
from pip._internal.parallel.downloads.journal import Plan, Workplace
from pip._internal.parallel.held_records import emit, holding
from pip._internal.req.req_uninstall import (
    UninstallPathSet,
    compact,
    compress_for_rename,
)

if TYPE_CHECKING:
    from pip._internal.metadata import BaseDistribution
    from pip._internal.models.scheme import Scheme
    from pip._internal.req import InstallationResult
    from pip._internal.req.req_install import InstallRequirement

__all__ = [
    "afterwards",
    "enable",
    "install",
    "installing",
    "removal",
    "scripts_not_on_path",
    "uninstall",
]

T = TypeVar("T")

logger = get_logger(__name__)


class _Unready(Exception):
    """A package cannot be made ready; the message, for developers, says why."""


class _Ready(NamedTuple):
    """A package that lies ready, and what upstream logged while it installed it."""

    plan: Plan
    records: deque[logging.LogRecord]


class _Replacement:
    """The packages that one command installs, whether or not it replaces any.

    :param options: with which upstream installs each.
    """

    def __init__(
        self, requirements: Sequence[InstallRequirement], options: Mapping[str, Any]
    ) -> None:
        self._left = list(requirements)
        self._options = {**options}
        self._root = os.path.abspath(self._options.pop("root", None) or os.sep)
        self._options.pop("progress_bar", None)
        self._signals = HeldSignals()
        self._workplace: Workplace | None = None
        self._ready: dict[int, _Ready] = {}
        #: By package, what upstream will take away.
        self._removals: dict[str, UninstallPathSet] = {}
        self._is_prepared = False

    def run(self, install_all: Callable[[], T]) -> T:
        """Let upstream install all; interrupts wait until that is done."""
        self._signals.hold(signal.SIGINT)
        try:
            result = install_all()
        finally:
            try:
                self._clean()
            finally:
                self._signals.release()
        self._signals.take_effect()
        return result

    def make_ready(self) -> None:
        """Make all packages ready that are left to install, once."""
        if self._is_prepared:
            return
        self._is_prepared = True
        # Nothing is lost yet, so interrupts need not wait.
        self._signals.release()
        self._signals.take_effect()
        # Upstream installs into the folder of --target in a way of its own.
        if self._options.get("home") is None and trees.is_faithful():
            try:
                self._make_ready()
            except (OSError, _Unready) as error:
                # Upstream needs less space, and reports whatever else is wrong.
                logger.debug("Installing without making it ready before: %r", error)
                self._ready.clear()
                self._removals.clear()
                self._clean()
        if not self._ready:
            staged.settle()
        self._signals.hold(signal.SIGINT)
        if self._ready:
            # The rest does not take long.
            self._signals.hold(signal.SIGTERM)

    def _make_ready(self) -> None:
        self._workplace = Workplace.make(self._scheme(self._root).purelib)
        for number, requirement in enumerate(self._left):
            tree = os.path.join(self._workplace.path, f"new-{number}")
            self._ready[id(requirement)] = self._made_ready(requirement, tree)
        self._workplace.write([ready.plan for ready in self._ready.values()])

    def _made_ready(self, requirement: InstallRequirement, tree: str) -> _Ready:
        """Install one package below *tree*, where it lies ready.

        :raises _Unready: if the result would differ from upstream's.
        :raises InstallationError: if upstream cannot install it; nothing is lost yet.
        """
        records: deque[logging.LogRecord] = deque()
        root = os.path.join(tree, self._root.lstrip(os.sep))
        with holding(records.append):
            old = self._old_paths(requirement)
            inside = [each for path, _ in old for each in trees.inside(path)]
            records.clear()
            try:
                with installed_below(tree):
                    requirement.install(root=root, **self._options)
            except InstallationError as error:
                # Name the places where the files would have been in the end.
                error.args = tuple(str(each).replace(tree, "") for each in error.args)
                raise
            requirement.install_succeeded = False
        for folder in trees.met_folders(tree, os.sep):
            if not trees.gives_nothing_on(folder):
                raise _Unready(f"files get a group or rights from {folder}")
        assert requirement.name is not None, "it is to be installed"
        scheme = self._scheme(root)
        found = get_environment([scheme.purelib, scheme.platlib])
        dist = found.get_distribution(requirement.name)
        info = None if dist is None else trees.identity(dist.info_location or "")
        if dist is None or info is None:
            raise _Unready("it has no metadata")
        name = canonicalize_name(requirement.name)
        version, new = str(dist.version), os.path.basename(tree)
        plan = Plan(name, version, new, info, old, inside)
        return _Ready(plan, records)

    def _old_paths(
        self, requirement: InstallRequirement
    ) -> list[tuple[str, trees.Identity]]:
        """Return what upstream will take away for a requirement.

        :raises _Unready: if it will change other files too.
        """
        if not requirement.should_reinstall:
            return []
        assert requirement.name is not None, "it is to be installed"
        dist = get_default_environment().get_distribution(requirement.name)
        if dist is None:
            return []
        removal = UninstallPathSet.from_dist(dist)
        if removal._pth:
            raise _Unready("lines of a .pth file go with it")
        self._removals[dist.canonical_name] = removal
        paths = map(os.path.normpath, compact(compress_for_rename(removal._paths)))
        found = ((path, trees.identity(path)) for path in sorted(paths))
        return [(path, which) for path, which in found if which is not None]

    def removal(
        self, dist: BaseDistribution, find_out: Callable[[], UninstallPathSet]
    ) -> UninstallPathSet:
        """Return what to take away of a package, without looking for it twice.

        Upstream would leave out what has gone with another package, and so does this.
        """
        removal = self._removals.pop(dist.canonical_name, None)
        if removal is None:
            return find_out()
        removal._paths = set(filter(os.path.exists, removal._paths))
        return removal

    def _scheme(self, root: str) -> Scheme:
        return get_scheme(
            "",
            user=self._options.get("use_user_site", False),
            root=None if root == os.sep else root,
            prefix=self._options.get("prefix"),
        )

    def uninstall(
        self, remove: Callable[[], UninstallPathSet | None]
    ) -> UninstallPathSet | None:
        """Let upstream take a package away once all lies ready."""
        self.make_ready()
        removed = remove()
        if removed is None or self._workplace is None:
            return removed
        return like(removed, _DeletedLater, workplace=self._workplace)

    def put(self, requirement: InstallRequirement) -> bool:
        """Put a package in its place; return whether it lay ready.

        :raises OSError: if that is not possible; then nothing of it is there.
        """
        if not self._is_prepared:
            self._left.remove(requirement)
        ready = self._ready.get(id(requirement))
        if ready is None:
            return False
        assert self._workplace is not None, "it lies there"
        tree = os.path.join(self._workplace.path, ready.plan.tree)
        for record in ready.records:
            record.msg, record.args = record.getMessage().replace(tree, ""), ()
        emit(ready.records)
        trees.put(tree, os.sep)
        requirement.install_succeeded = True
        return True

    def _clean(self) -> None:
        """Delete what was taken away, and the folder of this run."""
        workplace, self._workplace = self._workplace, None
        if workplace is None:
            return
        try:
            if self._ready:
                workplace.finish()
            workplace.close()
        except OSError as error:
            logger.warning(
                "What was replaced cannot be removed: %s. You can safely remove %s.",
                error,
                workplace.path,
            )


class _DeletedLater(UninstallPathSet):
    """What upstream has taken away, to be deleted when all is in place.

    :ivar workplace: the folder that is deleted then.
    """

    workplace: Workplace

    def commit(self) -> None:
        """Move it to what will be deleted together."""
        for _, stashed in self._moved_paths._moves:
            with suppress(OSError):  # It may be on another disk.
                self.workplace.take(stashed)
        super().commit()


_is_wished = False
_replacement: _Replacement | None = None
_afterwards: Callable[[Sequence[InstallRequirement]], None] | None = None


def enable() -> None:
    """Let this command, and none after it, replace packages at once."""
    global _is_wished
    _is_wished = True


def afterwards(do: Callable[[Sequence[InstallRequirement]], None]) -> None:
    """Have something done with what this command has installed, once it has."""
    global _afterwards
    _afterwards = do


def installing(
    fn: Callable[..., list[InstallationResult]],
    requirements: list[InstallRequirement],
    **options: Any,
) -> list[InstallationResult]:
    """Install all that a command has resolved."""
    result = _installing(fn, requirements, **options)
    if _afterwards is not None:
        _afterwards(requirements)
    return result


def _installing(
    fn: Callable[..., list[InstallationResult]],
    requirements: list[InstallRequirement],
    **options: Any,
) -> list[InstallationResult]:
    global _is_wished, _replacement
    if not _is_wished:
        return fn(requirements, **options)
    _is_wished = False
    _replacement = _Replacement(requirements, options)
    try:
        return _replacement.run(lambda: fn(requirements, **options))
    finally:
        _replacement = None


def uninstall(
    fn: Callable[..., UninstallPathSet | None],
    requirement: InstallRequirement,
    *args: Any,
    **kwargs: Any,
) -> UninstallPathSet | None:
    """Take one package away."""
    if _replacement is None:
        return fn(requirement, *args, **kwargs)
    return _replacement.uninstall(lambda: fn(requirement, *args, **kwargs))


def removal(
    fn: Callable[[type[UninstallPathSet], BaseDistribution], UninstallPathSet],
    cls: type[UninstallPathSet],
    dist: BaseDistribution,
) -> UninstallPathSet:
    """Find out what belongs to a package that is taken away."""
    if _replacement is None:
        return fn(cls, dist)
    return _replacement.removal(dist, lambda: fn(cls, dist))


def install(
    fn: Callable[..., None], requirement: InstallRequirement, *args: Any, **kwargs: Any
) -> None:
    """Install one package."""
    if _replacement is None or not _replacement.put(requirement):
        fn(requirement, *args, **kwargs)


def scripts_not_on_path(
    fn: Callable[[Sequence[str]], str | None], scripts: Sequence[str]
) -> str | None:
    """Warn of scripts by the places where they will be in the end."""
    return fn([final_path(script) for script in scripts])
