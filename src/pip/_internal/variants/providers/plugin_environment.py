"""Install a provider plugin where nothing else sees it: plain wheels, all trusted.

What is installed is kept under pip's cache, by the exact wheels and the interpreter.
"""

from __future__ import annotations

import itertools
import logging
import os
import shutil
import tempfile
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple, Protocol, cast

from pip._vendor.packaging.utils import canonicalize_name, parse_wheel_filename
from pip._vendor.urllib3.exceptions import HTTPError

from pip._internal.build_env.installer import InprocessBuildEnvironmentInstaller
from pip._internal.cache import WheelCache
from pip._internal.cli.spinners import open_rich_spinner
from pip._internal.console.output import get_logger
from pip._internal.exceptions import DistributionNotFound, PipError
from pip._internal.index.collector import LinkCollector
from pip._internal.index.package_finder import PackageFinder
from pip._internal.models.format_control import FormatControl
from pip._internal.models.selection_prefs import SelectionPreferences
from pip._internal.operations.build.build_tracker import get_build_tracker
from pip._internal.req.constructors import install_req_from_line
from pip._internal.utils.logging import capture_logging, get_console
from pip._internal.utils.misc import redact_auth_from_url
from pip._internal.variants.errors import in_words
from pip._internal.variants.errors.requests import is_passing, with_attempts
from pip._internal.variants.providers import plugin_cache
from pip._internal.variants.providers.plugin_limits import UntrustedProvider
from pip._internal.variants.providers.plugin_query import PluginFailed

if TYPE_CHECKING:
    from pip._vendor.packaging.utils import NormalizedName

    from pip._internal.models.link import Link
    from pip._internal.network.session import PipSession
    from pip._internal.operations.build.build_tracker import BuildTracker
    from pip._internal.req.req_install import InstallRequirement
    from pip._internal.resolution.resolvelib.base import Candidate, Requirement
    from pip._internal.resolution.resolvelib.resolver import Resolver
    from pip._internal.variants.providers.plugin_limits import PluginLimits

__all__ = ["PluginEnvironment", "PluginHost", "plugin_environment", "trusted_alone"]

logger = get_logger(__name__)


class PluginHost(Protocol):
    """What plugins need of a run of pip.

    :ivar session: how they are fetched.
    :ivar collector: of the command; None while nothing looks anything up.
    :ivar plugin_limits: what limits their installation, if any is trusted.
    :ivar untrusted_requirements: by package of a plugin, what it needs that is not trusted.
    """

    session: PipSession
    collector: LinkCollector | None
    plugin_limits: PluginLimits | None
    untrusted_requirements: dict[Candidate, list[NormalizedName]]

    @property
    def trusted(self) -> frozenset[NormalizedName]:
        """Return the packages whose code may run to find out what is supported."""

    @property
    def provider_timeout(self) -> float:
        """Return the seconds that a plugin may take."""

    @property
    def provider_variables(self) -> frozenset[str]:
        """Return the further environment variables that plugins may see."""

    def cache_folder(self, name: str) -> str | None:
        """Return a folder under pip's cache, None if there is no cache."""

    def for_plugins(self, limits: PluginLimits) -> PluginHost:
        """Return a host for resolving a plugin's packages, which are plain wheels."""

    def attach(self, collector: LinkCollector) -> None:
        """Be the host of whatever *collector* finds."""

    def wait_for_upstream(self) -> None:
        """Go on only in turn.

        :raises NotAnswered: if this is done ahead of the resolver
        """


class PluginEnvironment(NamedTuple):
    """A folder in which a plugin and its requirements are installed.

    :ivar wheels: everything that is installed there.
    """

    folder: str
    wheels: Sequence[Link]

    def origins(self, projects: Collection[str]) -> Iterator[str]:
        """Yield where each of some projects comes from, and how to get another one."""
        for link in self.wheels:
            project, version, *_ = parse_wheel_filename(link.filename)
            page = redact_auth_from_url(link.comes_from or link.url_without_fragment)
            if project in projects:
                yield (
                    f"It is {project} {version} from {page}; a newer one is taken once "
                    "it is there, another one if a file that -c names has "
                    f"{project}!={version}"
                )


@contextmanager
def plugin_environment(
    host: PluginHost, requirements: Sequence[str]
) -> Iterator[PluginEnvironment]:
    """Yield an environment with *requirements* and their dependencies.

    Whatever limits installations limits this one: see :class:`PluginLimits`. Nothing is
    asked about packages that are not trusted, and only plain wheels are installed.

    :raises UntrustedProvider: if a package that is needed is not trusted.
    :raises PluginFailed: if they cannot be installed.
    """
    cache = host.cache_folder(plugin_cache.CACHE_FOLDER)
    with capture_logging() as log:
        try:
            environment = _prepare(host, requirements, cache)
        except (UntrustedProvider, PluginFailed):
            raise
        # The last two: a server answered with a broken page, wheel or URL.
        except (PipError, OSError, ValueError, HTTPError) as error:
            for line in log.getvalue().splitlines():
                logger.debug("Installing %s: %s", requirements, line)
            problem = with_attempts(in_words(error), error, host.session)
            raise PluginFailed(
                f"it cannot be installed: {problem}",
                *(["Try again"] if is_passing(error) else []),
            ) from None
    try:
        yield environment
    finally:
        if cache is None or not environment.folder.startswith(cache):
            shutil.rmtree(environment.folder, ignore_errors=True)


def _prepare(
    host: PluginHost, requirements: Sequence[str], cache: str | None
) -> PluginEnvironment:
    limits = host.plugin_limits
    assert limits is not None, "something is trusted"
    own = host.for_plugins(limits)
    with get_build_tracker() as tracker:
        installer = _installer(host, own, limits, tracker)
        resolved = _resolve(own, limits, installer, requirements)
        wheels = [req.link for req in resolved if req.link is not None]
        key = plugin_cache.environment_key(wheels)
        folder = None
        if cache is not None and key is not None:
            folder = plugin_cache.find(cache, key)
        if folder is None:
            with _spinner():
                installer._preparer.prepare_linked_requirements_more(resolved)
                folder = _install_anew(resolved, cache, key)
        return PluginEnvironment(folder, wheels)


def _install_anew(
    resolved: Sequence[InstallRequirement], cache: str | None, key: str | None
) -> str:
    """Install *resolved* in a new folder, in the cache if possible.

    :param key: of the environment in the cache; None if it cannot be kept.
    """
    if cache is not None and key is not None:
        try:
            folder = plugin_cache.new_folder(cache, key)
            return plugin_cache.keep(_install(resolved, folder), key)
        except OSError as error:
            logger.debug("Not kept in the cache: %s", error)
    return _install(resolved, tempfile.mkdtemp(prefix="pip-provider-"))


@contextmanager
def _spinner() -> Iterator[None]:
    console = get_console()
    try:
        with open_rich_spinner("Installing variant providers", console):
            yield
    finally:
        if not console.is_terminal and logger.isEnabledFor(logging.INFO):
            # The spinner ends its line only on terminals.
            console.line()


def _installer(
    host: PluginHost, own: PluginHost, limits: PluginLimits, tracker: BuildTracker
) -> InprocessBuildEnvironmentInstaller:
    """Make what finds and prepares plugins within the user's limits."""
    command = host.collector
    assert command is not None, "only a command's own run looks things up"
    scope = limits.scope(no_index=command.search_scope.no_index)
    collector = LinkCollector(host.session, scope)
    own.attach(collector)
    installer = InprocessBuildEnvironmentInstaller(
        finder=PackageFinder.create(
            link_collector=collector,
            selection_prefs=SelectionPreferences(
                allow_yanked=False,
                # The user's choice of formats is part of the limits.
                format_control=FormatControl(set(), {":all:"}),
                release_control=limits.release_control,
                prefer_binary=True,
            ),
            uploaded_prior_to=limits.uploaded_prior_to,
        ),
        build_tracker=tracker,
        wheel_cache=WheelCache(""),
    )
    installer._preparer.require_hashes = limits.require_hashes
    return installer


def _resolve(
    own: PluginHost,
    limits: PluginLimits,
    installer: InprocessBuildEnvironmentInstaller,
    requirements: Iterable[str],
) -> list[InstallRequirement]:
    finder = installer._finder
    roots = [install_req_from_line(each, user_supplied=True) for each in requirements]
    roots += limits.constraints()
    resolver = cast("Resolver", installer._make_resolver())
    try:
        found = resolver.resolve(roots, check_supported_wheels=True)
    except DistributionNotFound as error:
        said = in_words(error)
        if said.startswith("ResolutionImpossible"):
            said = "its requirements contradict each other"
        prereleases = {
            canonicalize_name(name)
            for name, candidates in finder._all_candidates.items()
            if any(candidate.version.is_prerelease for candidate in candidates)
        }
        limiting = limits.applying(prereleases)
        if limiting:
            said += f". What limits it: {'; '.join(limiting)}"
        places = [*finder.index_urls, *finder.find_links]
        raise PluginFailed(
            f"it cannot be installed: {said}",
            f"It was looked for on {', '.join(map(redact_auth_from_url, places))}",
        ) from None
    assert resolver._result is not None, "it has resolved"
    needed = [
        own.untrusted_requirements.get(each, ())
        for each in resolver._result.mapping.values()
    ]
    untrusted = sorted({*itertools.chain(*needed)})
    if untrusted:
        raise UntrustedProvider(*untrusted)
    return sorted(found.requirements.values(), key=lambda req: str(req.name))


def trusted_alone(
    own: PluginHost, candidate: Candidate, requirements: Iterable[Requirement]
) -> list[Requirement]:
    """Leave out requirements of a plugin's package that are not trusted, and note them.

    So all can be named at once, and nothing is asked about any of them.
    """
    limits, left = own.plugin_limits, []
    assert limits is not None, "it is made for a plugin"
    untrusted_requirements = own.untrusted_requirements[candidate] = []
    for each in requirements:
        project = each.project_name
        is_package = each.get_candidate_lookup()[1] is not None
        if is_package and project not in limits.trusted:
            untrusted_requirements.append(project)
        else:
            left.append(each)
    return left


def _install(resolved: Sequence[InstallRequirement], folder: str) -> str:
    """Install *resolved* in a folder, and return it; remove it if that fails."""
    # Slow to import, and not needed if the environment is in the cache.
    from pip._internal.models.scheme import Scheme
    from pip._internal.operations.install.wheel import install_wheel

    aside = os.path.join(folder, ".aside")
    scheme = Scheme(
        platlib=folder, purelib=folder, headers=aside, scripts=aside, data=aside
    )
    try:
        for req in resolved:
            assert req.name is not None
            path = req.local_file_path
            if not req.is_wheel or path is None:
                raise PluginFailed(f"{req.name} is not available as a wheel")
            install_wheel(
                *(req.name, path, scheme, str(req)),
                pycompile=False,
                warn_script_location=False,
            )
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    return folder
