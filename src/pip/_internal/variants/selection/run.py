"""The options and the state of one run of pip that concern variants."""

from __future__ import annotations

import os
from collections.abc import (
    Callable,
    Collection,
    Container,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar, cast

from pip._internal.exceptions import PipError
from pip._internal.fast.switches import parallel_downloads
from pip._internal.variants.selection.settings import (
    IN_BUILD,
    VARIANT_HOST,
    Settings,
)
from pip._internal.variants.slots import RUN

if TYPE_CHECKING:
    import optparse
    from typing import Protocol

    from pip._vendor.packaging.utils import NormalizedName
    from pip._vendor.packaging.version import Version, _BaseVersion
    from pip._vendor.wheel_variants.preferences import Preference

    from pip._internal.index.collector import LinkCollector
    from pip._internal.index.package_finder import PackageFinder
    from pip._internal.metadata import BaseDistribution
    from pip._internal.models.candidate import InstallationCandidate
    from pip._internal.models.link import Link
    from pip._internal.network.session import PipSession
    from pip._internal.resolution.resolvelib.base import Candidate
    from pip._internal.variants.errors import DroppedVariants
    from pip._internal.variants.providers.chain import ProviderChain
    from pip._internal.variants.providers.plugin import Plugins
    from pip._internal.variants.providers.plugin_limits import PluginLimits
    from pip._internal.variants.providers.target import Target
    from pip._internal.variants.selection.installed_records import InstalledBuild
    from pip._internal.variants.selection.option_values import LabelChoice
    from pip._internal.variants.selection.ranking import Agreement, Selection

    # Making a protocol takes long, and each run of pip that installs loads this module.

    class LookaheadPolicy(Protocol):
        """What looks ahead of the resolver, and is told how far that is."""

        def reached(self, project: NormalizedName) -> None:
            """Take note that the resolver has come to a release of a project."""

        def refused(self, older: Sequence[Any]) -> None:
            """Take note that a release does not suit, and that these older ones follow."""

        def wait_for_upstream(self) -> None:
            """Go on only in upstream's turn with what takes time.

            :raises NotAnswered: ahead of it.
            """

    class Reporter(Protocol):
        """What tells the user: see :class:`.output.reporter.Reporter`."""

        strict: bool

        def say_once(
            self, level: int, message: str, *, about: str | None = None
        ) -> None: ...

        def report(self, problems: Iterable[DroppedVariants | str]) -> None: ...

        def decided(self, release: Any, decision: Any) -> None: ...

        def problems(self, release: Any) -> None: ...

        def discarded(self, release: Any, label: str, reason: str) -> None: ...

        def refuse_unsupported(
            self, link: Link, label: str, selection: Selection
        ) -> None: ...

        def comparing(
            self, release: Any, labels: Sequence[str], missing: str
        ) -> None: ...

    class ModeModule(Protocol):
        """The package of a mode, which any run can ask."""

        def mode_of(self, run: Run) -> ModeBase | None:
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


__all__ = ["ModeBase", "ModeModule", "Run", "run_of"]

_Part = TypeVar("_Part")


class ModeBase:
    """What of a mode bears on the run itself: nothing; :class:`mode.Mode` has the rest.

    :ivar chosen_for: what builds are chosen for in place of the target; None for that.
    :ivar may_take_several: whether several builds of one project may be wanted.
    :ivar may_switch: whether the user asked for what may differ from an installed build.
    :ivar is_trying: whether something is tried just now, so that a failure is no error.
    """

    chosen_for: ProviderChain | None = None
    may_take_several = False
    may_switch = False
    is_trying = False

    def limited(self, target: ProviderChain) -> ProviderChain:
        """Return what the target supports, less what the user excludes."""
        return target

    def for_inner(self, run: Run) -> ModeBase | None:  # noqa: ARG002
        """Return the mode of a run that installs build requirements or a plugin.

        :param run: of that run; what is a plugin, ``check_trusted`` tells.
        """
        return None


class Run:
    """What one command knows of variants; made with its link collector.

    :ivar options: of the command, as upstream has them.
    :ivar settings: what they say that variants go by.
    :ivar session: how manifests are fetched.
    :ivar enabled: whether variant wheels are candidates at all.
    :ivar choices: the labels chosen by hand, the strongest last.
    :ivar reporter: warns of what costs a variant, or raises.
    :ivar manifest_links: where manifests are, by project, version and source.
    :ivar mode_modules: the rooms of the modes, each with its mode if the run is in that.
    :ivar listing: for the commands that list versions: whether all must be judged
        (``"all"``) or only the newest ones (``"newest"``).
    """

    def __init__(
        self,
        session: PipSession,
        options: optparse.Values,
        make_reporter: Callable[..., Reporter],
        *,
        enabled: bool = True,
        mode_modules: Iterable[ModeModule] = (),
    ) -> None:
        self.options = options
        self.settings = settings = Settings(options)
        self.session = session
        off = settings.no_variants or settings.legacy_resolver
        self.enabled = enabled and not off
        self.in_build = bool(os.environ.get(IN_BUILD))
        self.parallel_downloads = parallel_downloads(options)
        #: What all builds are to have in common, if they can.
        self.agreement: Agreement | None = None
        self.reporter = make_reporter(strict=settings.strict_variants)
        self.choices: list[LabelChoice] = list(settings.variants)
        #: The projects that the user named.
        self.named: Collection[NormalizedName] = ()
        #: Of those that were named, the labels of all files that may be taken, by version.
        self.labels_offered: dict[NormalizedName, Mapping[str, Collection[str]]] = {}
        #: The requirements file that turned variants off, if one did.
        self.turned_off_in: str | None = None
        self._labels_of_named: dict[NormalizedName, list[str]] = {}
        if enabled and settings.asks_for_something:
            from pip._internal.variants.selection.overrides import refuse_contradictions

            refuse_contradictions(settings)
        self.manifest_links: dict[tuple[NormalizedName, _BaseVersion, str], Link] = {}
        #: Why manifests that are listed do not count, by the same keys.
        self.skipped_manifests: dict[tuple[NormalizedName, _BaseVersion, str], str] = {}
        self.listing: str | None = None
        #: What limits the installation of plugins, if any is trusted.
        self.plugin_limits: PluginLimits | None = None
        #: For what makes up a plugin: refuses projects before they are looked up.
        self.check_trusted: Callable[[NormalizedName], None] | None = None
        #: Likewise, what its packages need that is not trusted.
        self.untrusted_requirements: dict[Candidate, list[NormalizedName]] = {}
        self.collector: LinkCollector | None = None
        #: While another solution is tried: the projects of which no file is built.
        self.tried: Collection[NormalizedName] | None = None
        #: Of what is installed, what some build that was looked at would replace.
        self.competing: set[NormalizedName] = set()
        #: By normalised name, as the resolver sees them.
        self.installed_dists: Mapping[NormalizedName, BaseDistribution] = {}
        #: What has a say in what is prefetched, and how to make it.
        self.lookahead: LookaheadPolicy | None = None
        self.make_lookahead: Callable[[], LookaheadPolicy] | None = None
        self._parts: dict[object, object] = {}
        #: Whether the user names one pip, which may then replace this one.
        self.leaves_fork = False
        #: Releases of upstream's pip that may not replace this one unasked.
        self.left_out_pips: set[Version] = set()
        #: Whether only a newer pip is looked for, and what of it was found.
        self.is_for_itself = False
        self.of_itself: list[InstallationCandidate] = []
        #: The files of a project, page by page, where some are for variants, or none
        #: suited.
        self.listed: dict[NormalizedName, list[list[Link]]] = {}
        #: Of what a lock file has in one version, that version.
        self.locked_versions: Mapping[NormalizedName, Version] = {}
        #: What was chosen from lock files: by project the label, None for a plain build.
        self.locked_labels: dict[NormalizedName, str | None] = {}
        self.mode_modules: dict[ModeModule, ModeBase | None] = {}
        for mode_module in mode_modules:
            self.mode_modules[mode_module] = mode_module.mode_of(self)
        if self.enabled and settings.preferences:
            _ = self.preferences

    @property
    def modes(self) -> Sequence[ModeBase]:
        """Return the modes that the run is in, mostly none."""
        return [mode for mode in self.mode_modules.values() if mode is not None]

    @property
    def providers(self) -> ProviderChain:
        """Return what builds are chosen for: the target, or any machine."""
        for mode in self.modes:
            if mode.chosen_for is not None:
                return mode.chosen_for
        return self.detected

    @cached_property
    def detected(self) -> ProviderChain:
        """What the target supports; each namespace is queried once."""
        from pip._internal.variants.providers.chain import ProviderChain

        providers = ProviderChain.for_settings(self.settings, self._plugins, self)
        for mode in self.modes:
            providers = mode.limited(providers)
        return providers

    @cached_property
    def target(self) -> Target | None:
        """Return what the user's host tells of platform and interpreter, if it does."""
        settings = self.settings
        if not self.enabled or settings.variant_host is None or settings.manifest:
            return None
        if settings.is_about_this_environment:
            return None
        from pip._internal.variants.providers.target import target_of

        return target_of(settings, self.detected.host)

    @property
    def is_elsewhere(self) -> bool:
        """Tell whether the user's host is of another kind than this machine."""
        return self.target is not None and self.target.is_elsewhere

    @cached_property
    def _plugins(self) -> Plugins:
        from pip._internal.variants.providers.plugin import Plugins

        return Plugins(self)

    # The versions of other packages, which builds may be for (PEP 850)

    def installed(self, project: NormalizedName) -> Version | None:
        """Return the version that is locked, or installed and not to be upgraded."""
        if project in self.locked_versions:
            return self.locked_versions[project]
        dist = self.installed_dists.get(project)
        return None if dist is None or self.is_upgraded(project) else dist.version

    def fixed_reason(self, project: NormalizedName) -> str | None:
        """Say that ``--no-deps`` installs nothing that the user did not name."""
        if not self.settings.ignore_dependencies:
            return None
        if project in self.named or project in self.locked_versions:
            return None
        dist = self.installed_dists.get(project)
        what = f"{project} is not" if dist is None else f"{project} {dist.version} is"
        return f"{what} installed, and --no-deps leaves it at that"

    def is_upgraded(self, project: NormalizedName) -> bool:
        """Tell whether the user asked for the newest version of *project*."""
        settings = self.settings
        return settings.upgrade and (settings.is_eager or project in self.named)

    def attach(self, collector: LinkCollector) -> None:
        """Be the run of whatever *collector* finds."""
        self.collector = collector
        RUN.set(collector, self)

    # What provider plugins need

    @property
    def trusted(self) -> frozenset[NormalizedName]:
        """Return the packages whose code may run to find out what is supported."""
        return self.settings.trusted_providers

    @property
    def provider_timeout(self) -> float:
        """Return the seconds that a plugin may take."""
        return self.settings.provider_timeout

    @property
    def provider_variables(self) -> frozenset[str]:
        """Return the further environment variables that plugins may see."""
        return frozenset(self.settings.provider_variables)

    def cache_folder(self, name: str) -> str | None:
        """Return a folder under pip's cache, None if there is no cache."""
        cache = self.settings.cache_dir
        return os.path.join(cache, name) if cache else None

    def for_plugins(self, limits: PluginLimits) -> Run:
        """Return a run for the packages that make up a provider plugin."""
        import optparse

        options = optparse.Values()
        run = Run(self.session, options, type(self.reporter), enabled=False)
        run.check_trusted, run.plugin_limits = limits.check_trusted, limits
        for mode_module, mode in self.mode_modules.items():
            run.mode_modules[mode_module] = (
                None if mode is None else mode.for_inner(run)
            )
        return run

    # Labels chosen by hand

    def add_choices(self, choices: Sequence[LabelChoice]) -> None:
        """Add choices of a requirements file.

        They override the configuration, and the command line overrides them.

        :raises ContradictoryOptions: if there are two for one project.
        """
        if choices and not self.in_build:
            from pip._internal.variants.selection.overrides import with_choices_of_file

            self.choices = with_choices_of_file(
                self.choices,
                choices,
                self.turned_off_in,
                may_be_several=self.may_take_several,
            )

    @property
    def may_take_several(self) -> bool:
        """Tell whether several builds of one project may be wanted."""
        return any(mode.may_take_several for mode in self.modes)

    def label_for(self, project: NormalizedName) -> str | None:
        """Return the label that *project* must have, if the user chose one."""
        labels = self.labels_for(project)
        return labels[-1] if labels else None

    def labels_for(self, project: NormalizedName) -> list[str]:
        """Return all labels of which *project* must have one, the strongest last.

        They were chosen for just this project; or for all, if the user named it and a
        release of it has them.
        """
        own = [each.label for each in self.choices if each.project == project]
        return own or self._labels_of_named.get(project, [])

    def labels_for_all(self) -> list[str]:
        """Return the labels chosen for each project that has them, the strongest first."""
        labels = [choice.label for choice in self.choices if choice.project is None]
        return list(dict.fromkeys(reversed(labels)))

    def applying_labels(
        self, project: NormalizedName | None, labels: Container[str]
    ) -> list[str]:
        """Return the labels chosen by hand of which a build must have one.

        Those chosen for just its project apply whether it has them or not; without any,
        those chosen for all that it has.

        :param project: None if nobody knows which it is.
        :param labels: of what there is to choose from.
        :return: the strongest first.
        """
        own = [] if project is None else self.labels_for(project)
        return own[::-1] or [each for each in self.labels_for_all() if each in labels]

    def is_open(self, project: NormalizedName) -> bool:
        """Tell whether a label for all may be one that *project* must have."""
        return (
            project in self.named
            and any(choice.project is None for choice in self.choices)
            and not (project in self._labels_of_named or self.labels_for(project))
        )

    def settle(
        self, project: NormalizedName, files: Iterable[tuple[object, str | None]]
    ) -> None:
        """Settle which labels for all a project that the user named must have.

        :param files: the version and the label of each that may be taken, the newest
            first; the label of a plain one is None.
        :raises ContradictoryOptions: if two labels may be meant.
        """
        if self.is_open(project):
            from pip._internal.variants.selection.overrides import labels_meant

            offered: dict[str, dict[str, None]] = {}
            for version, label in files:
                if label is not None:
                    offered.setdefault(str(version), {})[label] = None
            self.labels_offered[project] = offered
            labels = {label for found in offered.values() for label in found}
            self._labels_of_named[project] = labels_meant(
                *(self.choices, project, labels, project),
                may_be_several=self.may_take_several,
            )

    def reached(self, project: NormalizedName) -> None:
        """Take note that the resolver has reached a release of *project* with variants."""
        if self.make_lookahead is not None:
            self.make_lookahead().reached(project)

    def wait_for_upstream(self) -> None:
        """Go on only in the resolver's turn, and not ahead of it.

        :raises NotAnswered: ahead of it.
        """
        if self.lookahead is not None:
            self.lookahead.wait_for_upstream()

    @property
    def may_switch(self) -> bool:
        """Tell whether the user asked for what may differ from an installed build."""
        asked = self.choices or self.settings.upgrade_variants or self.locked_labels
        by_mode = any(mode.may_switch for mode in self.modes)
        return self.enabled and bool(asked or by_mode)

    @cached_property
    def preferences(self) -> Sequence[Preference]:
        """Return what the user prefers among what runs, the strongest first.

        :raises WrongUse: if one in the configuration or environment is invalid.
        """
        if not self.settings.preferences:
            return ()
        from pip._internal.variants.selection.option_values import preferences_in_order

        return preferences_in_order(self.settings.preferences)

    @property
    def is_trying(self) -> bool:
        """Tell whether another solution is tried, so that a failure is no error."""
        return self.tried is not None or any(mode.is_trying for mode in self.modes)

    def disable(self, where: str) -> None:
        """Turn variants off from here on.

        :param where: the requirements file that says so.
        :raises ContradictoryOptions: if the user chose among variants.
        """
        from pip._internal.variants.selection.overrides import refuse_without_variants

        off = f"--no-variants in {where}"
        refuse_without_variants(self.settings, self.choices, off)
        self.enabled, self.turned_off_in = False, where

    # What came of it

    def part(self, kind: Callable[[], _Part]) -> _Part:
        """Return what this run has of a kind, made on first use.

        So others can keep state with the run without being known here.
        """
        if kind not in self._parts:
            self._parts[kind] = kind()
        return cast(_Part, self._parts[kind])


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
        is_typed = settings is not None and settings.is_typed(VARIANT_HOST.name)
        if isinstance(error, VariantError) and host is not None and not is_typed:
            error.add_note_line(
                f"PIP_VARIANT_HOST or the configuration names {host}; --variant-host '' "
                "leaves it out."
            )
        raise


def run_of(finder: PackageFinder) -> Run | None:
    """Return the run of a finder; None for one that was made without options."""
    return RUN.of(finder._link_collector, Run)
