"""A run of pip with variants: its purpose and its parts."""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from pip._internal.exceptions import PipError
from pip._internal.fast.switches import parallel_downloads
from pip._internal.variants.selection.basis import Attempt, Basis, Catalog
from pip._internal.variants.selection.overrides import Overrides, Request
from pip._internal.variants.selection.target import RunTarget
from pip._internal.variants.settings import VARIANT_HOST, Settings
from pip._internal.variants.slots import MODES, RUN

if TYPE_CHECKING:
    from optparse import Values
    from typing import Protocol

    from pip._vendor.packaging.utils import NormalizedName

    from pip._internal.index.collector import LinkCollector
    from pip._internal.index.package_finder import PackageFinder
    from pip._internal.models.link import Link
    from pip._internal.network.session import PipSession
    from pip._internal.resolution.resolvelib.base import Candidate
    from pip._internal.resolution.resolvelib.resolver import Resolver
    from pip._internal.variants.providers.plugin_limits import PluginLimits
    from pip._internal.variants.selection.basis import ReporterProtocol
    from pip._internal.variants.selection.installed_records import InstalledBuild
    from pip._internal.variants.selection.mode import Mode
    from pip._internal.variants.selection.ranking import Selection
    from pip._internal.variants.selection.release import Release

    class ModeModule(Protocol):
        """The package of a mode.

        A mode that can recognize the builds that the mode chose also has two functions.
        ``options_for(build)`` returns the options that find other builds of an installed package,
        or nothing if the mode did not choose *build*. ``installed_problems(dists, options)`` yields
        the problems of installed packages, if the mode chose some of them.
        """

        def mode_of(self, run: Run) -> Mode | None:
            """Return the mode for a run, or None.

            Called after pip has read the options.

            :raises WrongUse: if the arguments are invalid.
            """


class Purpose(enum.Enum):
    """The purpose of a run."""

    INSTALL = enum.auto()
    #: Look up what pip would install of one project.
    LOOKUP = enum.auto()
    #: List all versions that pip may install, or the newest ones.
    LIST_ALL = enum.auto()
    LIST_NEWEST = enum.auto()
    #: Build on this machine, whatever the target is.
    BUILD = enum.auto()
    #: Install a provider plugin.
    PLUGIN = enum.auto()
    #: Look for a newer pip (pip's self check).
    SELF_CHECK = enum.auto()

    @property
    def is_listing(self) -> bool:
        """Whether the run lists versions, possibly for programs."""
        return self in (Purpose.LIST_ALL, Purpose.LIST_NEWEST)


class Decisions:
    """The decisions of one run.

    :ivar direct: the separate decisions about wheels named by path or URL.
    """

    def __init__(self) -> None:
        self.direct: dict[Link, Selection] = {}
        self._releases: dict[object, Release] = {}
        self._release_of_link: dict[Link, Release] = {}

    def release(self, key: object, make: Callable[[], Release]) -> Release:
        """Return the release of *key*, created on first use."""
        release = self._releases.get(key)
        if release is None:
            release = self._releases[key] = make()
            for link in release.links:
                self._release_of_link[link] = release
        return release

    def release_of(self, link: Link | None) -> Release | None:
        """Return the release with the file at *link*, or None."""
        return None if link is None else self._release_of_link.get(link)

    def fetch_selection_of(self, link: Link) -> Selection | None:
        """Return the decision about the variant wheel at *link*, or None."""
        if link in self.direct:
            return self.direct[link]
        release = self.release_of(link)
        return None if release is None else release.fetch_selection_of(link)

    def decided(self) -> Iterator[Selection]:
        """Yield the decisions made so far."""
        yield from self.direct.values()
        for release in self._releases.values():
            yield from release.decided

    def _newest_last(self) -> list[Release]:
        """Return all reached releases, newest last."""
        # A release from a lock file has several keys.
        found = dict.fromkeys(each for each in self._releases.values() if each.reached)
        return sorted(found, key=lambda release: release.version)

    def reached(self, project: NormalizedName) -> list[Release]:
        """Return the considered releases of a project, newest first."""
        return [each for each in self._newest_last() if each.project == project][::-1]

    def refused(self) -> dict[NormalizedName, Release]:
        """Return each project's newest reached release that has no installable files."""
        reached = self._newest_last()
        return {e.project: e for e in reached if not e.fetch_decision().ranked}


class Run(Basis):
    """The variant state of one command, created with its link collector.

    :ivar purpose: the purpose of the run.
    :ivar decisions: the decisions about releases.
    :ivar collector: the link collector of the command; None before its creation.
    :ivar finder: the finder of the command, once pip looks for candidates.
    :ivar resolver: the resolver of the command, once pip resolves.
    :ivar plugin_limits: the limits on installing provider plugins; None if no plugin may run.
    :ivar mode_modules: the packages of the modes, each with its mode; None if inactive.
    """

    finder: PackageFinder
    resolver: Resolver

    def __init__(
        self,
        session: PipSession,
        settings: Settings,
        make_reporter: Callable[..., ReporterProtocol],
        purpose: Purpose = Purpose.INSTALL,
        *,
        enabled: bool = True,
    ) -> None:
        self.purpose = purpose
        self.settings = settings
        self.request = Request(settings)
        self.overrides = Overrides(settings, self.request, enabled=enabled)
        self.catalog = Catalog(session, parallel_downloads(settings.options))
        self.collector: LinkCollector | None = None
        self.plugin_limits: PluginLimits | None = None
        self.target = RunTarget(
            *(settings, self.request, self),
            may_be_named=self.enabled or bool(settings.environments),
        )
        self.decisions = Decisions()
        self.attempt = Attempt()
        self.reporter = make_reporter(settings, is_listing=purpose.is_listing)
        self.mode_modules: dict[ModeModule, Mode | None] = {}
        for mode_module in mode_modules(settings.options):
            self.mode_modules[mode_module] = mode_module.mode_of(self)

    @property
    def enabled(self) -> bool:
        """Whether variant wheels are candidates."""
        return self.overrides.enabled

    @property
    def modes(self) -> Sequence[Mode]:
        """The active modes, usually none."""
        return [mode for mode in self.mode_modules.values() if mode is not None]

    @property
    def solution(self) -> list[Candidate]:
        """All candidates of the resolver's solution."""
        assert self.resolver._result is not None, "it has resolved"
        return list(self.resolver._result.mapping.values())

    def wait_for_upstream(self) -> None:
        """Wait for the resolver's turn.

        :raises NotAnswered: if pip is choosing files to prefetch.
        """
        self.catalog.wait_for_upstream()

    def attach(self, collector: LinkCollector) -> None:
        """Attach this run to the links of *collector*."""
        self.collector = collector
        RUN.set(collector, self)

    def limit(self, collector: LinkCollector) -> None:
        """Attach a run with the limits of provider plugins to *collector*."""
        from optparse import Values

        run = self.inner(Values(), Purpose.PLUGIN, enabled=False)
        run.plugin_limits = self.plugin_limits
        run.attach(collector)

    def inner(self, options: Values, purpose: Purpose, *, enabled: bool) -> Run:
        """Return a run inside this one, with the matching modes."""
        session, make_reporter = self.catalog.session, type(self.reporter)
        settings = Settings(options)
        run = Run(session, settings, make_reporter, purpose, enabled=enabled)
        for mode_module, mode in self.mode_modules.items():
            inner = None if mode is None else mode.for_inner(run)
            run.mode_modules[mode_module] = inner
        return run


@contextmanager
def noting_host(settings: Settings) -> Iterator[None]:
    """Add the source of a configured host to errors."""
    try:
        yield
    except PipError as error:
        from pip._internal.variants.errors import VariantError

        host = settings.variant_host
        is_typed = settings.is_typed(VARIANT_HOST.name) or host in settings.environments
        if isinstance(error, VariantError) and host is not None and not is_typed:
            error.note_configured_host(host)
        raise


def mode_modules(options: Values) -> Sequence[ModeModule]:
    """Return the packages of all modes, from the options of a command."""
    find: Any = MODES.of(options, object)
    modules: Sequence[ModeModule] = () if find is None else find()
    return modules


def options_for(
    modules: Iterable[ModeModule], build: InstalledBuild | None
) -> tuple[str, ...]:
    """Return the options that find other builds of an installed package."""
    return tuple(
        option
        for module in modules
        if build is not None and hasattr(module, "options_for")
        for option in module.options_for(build)
    )


def run_of(finder: PackageFinder) -> Run | None:
    """Return the run of a finder, or None."""
    return RUN.of(finder._link_collector, Run)
