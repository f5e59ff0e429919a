"""One run of pip, as far as it concerns variants: what it is for, and its parts."""

from __future__ import annotations

import enum
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from pip._internal.exceptions import PipError
from pip._internal.fast.switches import parallel_downloads
from pip._internal.variants.selection.basis import Attempt, Basis
from pip._internal.variants.selection.catalogue import Catalogue
from pip._internal.variants.selection.decisions import Decisions
from pip._internal.variants.selection.overrides import Overrides
from pip._internal.variants.selection.request import Request
from pip._internal.variants.selection.settings import VARIANT_HOST, Settings
from pip._internal.variants.selection.target import RunTarget
from pip._internal.variants.slots import RUN

if TYPE_CHECKING:
    import optparse
    from typing import Protocol

    from pip._vendor.packaging.utils import NormalizedName

    from pip._internal.index.collector import LinkCollector
    from pip._internal.index.package_finder import PackageFinder
    from pip._internal.metadata import BaseDistribution
    from pip._internal.network.session import PipSession
    from pip._internal.resolution.resolvelib.base import Candidate
    from pip._internal.variants.providers.plugin_limits import PluginLimits
    from pip._internal.variants.selection.basis import Reporter
    from pip._internal.variants.selection.installed_records import InstalledBuild
    from pip._internal.variants.selection.mode import Mode

    # Making a protocol takes long, and each run of pip that installs loads this module.

    class ModeModule(Protocol):
        """The package of a mode, which any run can ask."""

        def mode_of(self, run: Run) -> Mode | None:
            """Return the mode of a run that is in it; called once the options are read.

            :raises WrongUse: if what it is told is invalid.
            """

        def options_for(self, build: InstalledBuild) -> tuple[str, ...]:
            """Return the options with which the other builds of an installed one are found.

            :return: empty if it was not chosen by this mode.
            """

        def judged(
            self, dists: Sequence[BaseDistribution], options: optparse.Values
        ) -> Iterable[str]:
            """Say what is wrong with all that is installed, some of it by this mode."""


__all__ = ["ModeModule", "Purpose", "Run", "run_of"]


class Purpose(enum.Enum):
    """What a run is for."""

    INSTALL = enum.auto()
    #: All versions that may be installed are listed, or the newest ones.
    LIST_ALL = enum.auto()
    LIST_NEWEST = enum.auto()
    #: Something is built on this machine, whatever the target is.
    BUILD = enum.auto()
    #: A provider plugin is installed.
    PLUGIN = enum.auto()
    #: A newer pip is looked for, unasked.
    SELF_CHECK = enum.auto()

    @property
    def is_listing(self) -> bool:
        """Whether versions are listed, where programs may read them."""
        return self in (Purpose.LIST_ALL, Purpose.LIST_NEWEST)


class RunPlugins:
    """What provider plugins need of a run.

    :ivar collector: of the command; None while nothing looks anything up.
    :ivar plugin_limits: what limits their installation, if any is trusted.
    :ivar untrusted_requirements: by package of a plugin, what it needs that is not trusted.
    """

    def __init__(self, run: Run) -> None:
        self._run = run
        self.session = run.catalogue.session
        self.collector: LinkCollector | None = None
        self.plugin_limits: PluginLimits | None = None
        self.untrusted_requirements: dict[Candidate, list[NormalizedName]] = {}

    @property
    def trusted(self) -> frozenset[NormalizedName]:
        """The packages whose code may run to find out what is supported."""
        return self._run.settings.trusted_providers

    @property
    def provider_timeout(self) -> float:
        """The seconds that a plugin may take."""
        return self._run.settings.provider_timeout

    @property
    def provider_variables(self) -> frozenset[str]:
        """The further environment variables that plugins may see."""
        return frozenset(self._run.settings.provider_variables)

    def cache_folder(self, name: str) -> str | None:
        """Return a folder under pip's cache, None if there is no cache."""
        cache = self._run.settings.cache_dir
        return os.path.join(cache, name) if cache else None

    def wait_for_upstream(self) -> None:
        """Go on only in the resolver's turn.

        :raises NotAnswered: ahead of it.
        """
        self._run.catalogue.wait_for_upstream()

    def for_plugins(self, limits: PluginLimits) -> RunPlugins:
        """Return the host of a run for the packages that make up a plugin."""
        import optparse

        run = self._run.inner(optparse.Values(), Purpose.PLUGIN, enabled=False)
        run.plugins.plugin_limits = limits
        return run.plugins

    def attach(self, collector: LinkCollector) -> None:
        """Be the host of the run of whatever *collector* finds."""
        self.collector = collector
        RUN.set(collector, self._run)


class Run(Basis):
    """What one command knows of variants; made with its link collector.

    :ivar purpose: what it is for.
    :ivar decisions: what it has decided about releases.
    :ivar plugins: what provider plugins need of it.
    :ivar mode_modules: the packages of the modes, each with its mode if the run is in it.
    """

    def __init__(
        self,
        session: PipSession,
        settings: Settings,
        make_reporter: Callable[..., Reporter],
        purpose: Purpose = Purpose.INSTALL,
        *,
        enabled: bool = True,
        mode_modules: Iterable[ModeModule] = (),
    ) -> None:
        self.purpose = purpose
        self.settings = settings
        self.request = Request(settings)
        self.overrides = Overrides(settings, self.request, enabled=enabled)
        self.catalogue = Catalogue(session, parallel_downloads(settings.options))
        self.plugins = RunPlugins(self)
        self.target = RunTarget(
            *(settings, self.request, self.plugins),
            may_be_named=self.enabled or bool(settings.environments),
        )
        self.decisions = Decisions()
        self.attempt = Attempt()
        self.reporter = make_reporter(
            strict=settings.strict_variants,
            required=settings.required_accelerators,
        )
        self.mode_modules: dict[ModeModule, Mode | None] = {}
        for mode_module in mode_modules:
            self.mode_modules[mode_module] = mode_module.mode_of(self)
        self.target.modes = self.modes

    @property
    def enabled(self) -> bool:
        """Whether variant wheels are candidates at all."""
        return self.overrides.enabled

    @property
    def modes(self) -> Sequence[Mode]:
        """The modes that the run is in, mostly none."""
        return [mode for mode in self.mode_modules.values() if mode is not None]

    @property
    def is_trying(self) -> bool:
        """Whether another solution is tried, so that a failure is no error."""
        return self.attempt.is_trying or any(mode.is_trying for mode in self.modes)

    def inner(
        self, options: optparse.Values, purpose: Purpose, *, enabled: bool
    ) -> Run:
        """Return a run inside this one, in the modes that this one has for it."""
        session, make_reporter = self.catalogue.session, type(self.reporter)
        settings = Settings(options)
        run = Run(session, settings, make_reporter, purpose, enabled=enabled)
        for mode_module, mode in self.mode_modules.items():
            inner = None if mode is None else mode.for_inner(run)
            run.mode_modules[mode_module] = inner
        run.target.modes = run.modes
        return run


@contextmanager
def noting_host(settings: Settings | None) -> Iterator[None]:
    """Say in errors about a host where it comes from, if nobody typed it.

    :param settings: None if a command has none.
    """
    try:
        yield
    except PipError as error:
        from pip._internal.variants.errors import VariantError

        host = None if settings is None else settings.variant_host
        is_typed = settings is not None and (
            settings.is_typed(VARIANT_HOST.name) or host in settings.environments
        )
        if isinstance(error, VariantError) and host is not None and not is_typed:
            error.note_configured_host(host)
        raise


def run_of(finder: PackageFinder) -> Run | None:
    """Return the run of a finder; None for one that was made without options."""
    return RUN.of(finder._link_collector, Run)
