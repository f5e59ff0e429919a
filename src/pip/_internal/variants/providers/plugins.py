"""Provider plugins: packages that detect supported properties (PEP 850).

Their code runs with the user's permissions. So pip runs it only if the user trusts, by name,
every package that pip would install for the plugin. pip installs a plugin from plain wheels
into a temporary folder and runs it in a separate process.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol, cast

from pip._vendor.packaging.requirements import Requirement
from pip._vendor.packaging.utils import canonicalize_name
from pip._vendor.wheel_variants.plugin_variables import visible

from pip._internal.build_env.installer import InprocessBuildEnvironmentInstaller
from pip._internal.cache import WheelCache
from pip._internal.console.output import get_logger
from pip._internal.exceptions import DistributionNotFound
from pip._internal.index.collector import LinkCollector
from pip._internal.index.package_finder import PackageFinder
from pip._internal.models.format_control import FormatControl
from pip._internal.models.scheme import Scheme
from pip._internal.models.selection_prefs import SelectionPreferences
from pip._internal.operations.build.build_tracker import get_build_tracker
from pip._internal.req.constructors import install_req_from_line
from pip._internal.utils.logging import capture_logging
from pip._internal.utils.misc import redact_auth_from_url
from pip._internal.variants.errors import describe_error
from pip._internal.variants.providers.plugin_limits import UntrustedProvider
from pip._internal.variants.providers.plugin_query import PluginFailed, query_plugin
from pip._internal.variants.providers.result import ProviderResult, Source, no_result

if TYPE_CHECKING:
    from pip._vendor.wheel_variants.manifest import Provider
    from pip._vendor.wheel_variants.properties import Property

    from pip._internal.operations.build.build_tracker import BuildTracker
    from pip._internal.req.req_install import InstallRequirement
    from pip._internal.resolution.resolvelib.resolver import Resolver
    from pip._internal.variants.providers.plugin_limits import PluginLimits
    from pip._internal.variants.settings import Settings

logger = get_logger(__name__)


class PluginHost(Protocol):
    """The parts of a run that plugins need.

    :ivar collector: the link collector of the command; None before its creation.
    :ivar plugin_limits: the limits on installing plugins; None if no plugin may run.
    """

    collector: LinkCollector | None
    plugin_limits: PluginLimits | None

    @property
    def settings(self) -> Settings:
        """The options of the command."""

    def limit(self, collector: LinkCollector) -> None:
        """Limit *collector* to plain wheels within the limits of plugins."""

    def wait_for_upstream(self) -> None:
        """Wait for the resolver's turn.

        :raises NotAnswered: if pip is choosing files to prefetch.
        """


class Plugins:
    """The plugins of one run, each installed and queried at most once."""

    def __init__(self, host: PluginHost) -> None:
        self._host = host
        self._answers: dict[tuple[str, tuple[str, ...], str], ProviderResult] = {}

    def ask(
        self,
        provider: Provider,
        requirements: Sequence[Requirement],
        known: Sequence[Property],
    ) -> ProviderResult:
        """Query the plugin of *provider*, if the user trusts the plugin.

        :param requirements: the applicable requirements of the provider, at least one.
        :param known: the properties of the namespace in the manifest's variants.
        """
        host = self._host
        names = sorted(canonicalize_name(each.name) for each in requirements)
        plugin = f"the plugin {', '.join(names)}"
        untrusted = tuple(
            name for name in names if name not in host.settings.trusted_providers
        )
        if untrusted:
            return _untrusted(untrusted)
        if host.plugin_limits is None:
            return _failed(plugin, "plugins do not run for build requirements")
        if any(requirement.url for requirement in requirements):
            return _failed(plugin, "it is required from a URL, not an index")
        # If the manifest names no module, the package name is the default.
        default = canonicalize_name(requirements[0].name).replace("-", "_")
        api = provider.plugin_api or default
        key = (provider.namespace, tuple(sorted(map(str, requirements))), api)
        answer = self._answers.get(key)
        if answer is None:
            host.wait_for_upstream()
            answer = self._ask(plugin, host.plugin_limits, key[1], api, known)
            self._answers[key] = answer
        return answer

    def _ask(
        self,
        plugin: str,
        limits: PluginLimits,
        requirements: Sequence[str],
        api: str,
        known: Sequence[Property],
    ) -> ProviderResult:
        host, settings = self._host, self._host.settings
        environ = visible(
            os.environ, settings.trusted_providers, settings.provider_variables
        )
        logger.info("Installing %s", plugin)
        try:
            with tempfile.TemporaryDirectory(
                prefix="pip-provider-", ignore_cleanup_errors=True
            ) as folder:
                _install(host, limits, requirements, folder)
                features = query_plugin(
                    folder, api, known, environ, settings.provider_timeout
                )
        except UntrustedProvider as error:
            return _untrusted((error.project,))
        except PluginFailed as error:
            return _failed(plugin, str(error))
        reason = None if features else f"{plugin} reports no supported features"
        return ProviderResult(features, plugin, reason, source=Source.PLUGIN)


def _failed(plugin: str, problem: str) -> ProviderResult:
    reason = f"{plugin}: {problem}"
    warning = reason[:1].upper() + reason[1:]
    return no_result(reason, warnings=(warning,), source=Source.PLUGIN)


def _untrusted(names: tuple[str, ...]) -> ProviderResult:
    reason = f"its provider requires untrusted plugins: {', '.join(names)}"
    return no_result(reason, untrusted=names)


def _install(
    host: PluginHost, limits: PluginLimits, requirements: Sequence[str], folder: str
) -> None:
    """Install *requirements* and their dependencies in a folder, as plain wheels.

    Sends no request for packages that are not trusted.

    :raises UntrustedProvider: if a required package is not trusted.
    :raises PluginFailed: if the installation fails.
    """
    with capture_logging() as log, get_build_tracker() as tracker:
        try:
            for req in _prepared(host, limits, requirements, tracker):
                _install_wheel(req, folder)
        except (UntrustedProvider, PluginFailed):
            raise
        # A server can send broken pages, wheels and URLs.
        except Exception as error:
            for line in log.getvalue().splitlines():
                logger.debug("Installing %s: %s", requirements, line)
            raise PluginFailed(
                f"it cannot be installed: {describe_error(error)}"
            ) from None


def _prepared(
    host: PluginHost,
    limits: PluginLimits,
    requirements: Sequence[str],
    tracker: BuildTracker,
) -> Sequence[InstallRequirement]:
    """Find and download a plugin and its dependencies within the user's limits."""
    command = host.collector
    assert command is not None, "only a command's own run looks things up"
    # A requirements file may disable indexes.
    scope = limits.scope(no_index=command.search_scope.no_index)
    collector = LinkCollector(command.session, scope)
    host.limit(collector)
    finder = PackageFinder.create(
        link_collector=collector,
        selection_prefs=SelectionPreferences(
            allow_yanked=False,
            # The user's formats are part of the limits.
            format_control=FormatControl(set(), {":all:"}),
            release_control=limits.release_control,
            prefer_binary=True,
        ),
        uploaded_prior_to=limits.uploaded_prior_to,
    )
    installer = InprocessBuildEnvironmentInstaller(
        finder=finder, build_tracker=tracker, wheel_cache=WheelCache("")
    )
    installer._preparer.require_hashes = limits.require_hashes
    resolver = cast("Resolver", installer._make_resolver())
    roots = [install_req_from_line(each, user_supplied=True) for each in requirements]
    try:
        found = resolver.resolve(
            [*roots, *limits.constraints()], check_supported_wheels=True
        )
    except DistributionNotFound as error:
        problem = describe_error(error)
        if problem.startswith("ResolutionImpossible"):
            problem = "its requirements contradict each other"
        places = map(redact_auth_from_url, [*finder.index_urls, *finder.find_links])
        raise PluginFailed(
            f"it cannot be installed from {', '.join(places)}: {problem}. Constraints, "
            "--uploaded-prior-to, --pre and --all-releases also apply to plugins"
        ) from None
    resolved = [*found.requirements.values()]
    installer._preparer.prepare_linked_requirements_more(resolved)
    return resolved


def _install_wheel(req: InstallRequirement, folder: str) -> None:
    """Install a downloaded wheel in a folder, without scripts and data."""
    # Slow to import.
    from pip._internal.operations.install.wheel import install_wheel

    assert req.name is not None
    assert req.local_file_path is not None
    aside = os.path.join(folder, ".aside")
    scheme = Scheme(
        platlib=folder, purelib=folder, headers=aside, scripts=aside, data=aside
    )
    install_wheel(
        *(req.name, req.local_file_path, scheme, str(req)),
        pycompile=False,
        warn_script_location=False,
    )
