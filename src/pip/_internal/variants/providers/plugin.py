"""Provider plugins: packages that know which properties a machine supports (PEP 850).

Their code runs with the user's rights. So it runs only if the user trusts every package
that would be installed for it, by name.
"""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

from pip._vendor.packaging.requirements import Requirement
from pip._vendor.packaging.utils import canonicalize_name

from pip._internal.variants.providers.result import ProviderResult, Source, no_result

if TYPE_CHECKING:
    from pip._vendor.wheel_variants.manifest import Provider
    from pip._vendor.wheel_variants.properties import Property

    from pip._internal.variants.providers.plugin_environment import PluginHost

__all__ = ["Plugins"]


class Plugins:
    """The plugins of one run: each is installed and asked at most once."""

    def __init__(self, host: PluginHost) -> None:
        self._host = host
        self._answers: dict[tuple[str, tuple[str, ...], str], ProviderResult] = {}

    def ask(
        self,
        provider: Provider,
        requirements: Sequence[Requirement],
        known: Sequence[Property],
    ) -> ProviderResult:
        """Ask the plugin of *provider*, if the user trusts it.

        :param requirements: its requirements that apply, at least one.
        :param known: the properties of the namespace that variants have.
        """
        names = tuple(sorted(canonicalize_name(each.name) for each in requirements))
        plugin = f"the plugin {', '.join(names)}"
        untrusted = tuple(name for name in names if name not in self._host.trusted)
        if untrusted:
            return _untrusted(untrusted)
        if any(requirement.url for requirement in requirements):
            return _failed(
                *(plugin, "it is required from a URL, not an index"),
                "Whoever publishes the package has to mend it",
            )
        # If the manifest names no module, it is named after the package.
        default = canonicalize_name(requirements[0].name).replace("-", "_")
        api = provider.plugin_api or default
        key = (provider.namespace, tuple(sorted(map(str, requirements))), api)
        answer = self._answers.get(key)
        if answer is None:
            self._host.wait_for_upstream()
            start = time.perf_counter()
            answer = self._ask(plugin, key[1], names, api, known)
            if not answer.untrusted:
                seconds = time.perf_counter() - start
                answer = answer._replace(seconds=seconds, source=Source.PLUGIN)
            self._answers[key] = answer
        return answer

    def _ask(
        self,
        plugin: str,
        requirements: tuple[str, ...],
        names: Sequence[str],
        api: str,
        known: Sequence[Property],
    ) -> ProviderResult:
        from pip._vendor.wheel_variants.plugin_variables import visible

        from pip._internal.variants.providers.plugin_environment import (
            plugin_environment,
        )
        from pip._internal.variants.providers.plugin_limits import UntrustedProvider
        from pip._internal.variants.providers.plugin_query import (
            PluginFailed,
            query_plugin,
        )

        host = self._host
        environ = visible(os.environ, host.trusted, host.provider_variables)
        origins: list[str] = []
        try:
            with plugin_environment(host, requirements) as environment:
                origins += environment.origins(names)
                features = query_plugin(
                    environment.folder, api, known, environ, host.provider_timeout
                )
        except UntrustedProvider as error:
            return _untrusted(error.projects)
        except PluginFailed as error:
            return _failed(plugin, str(error), *error.remedies, *origins)
        if not features:
            return ProviderResult(reason=f"{plugin} found nothing that it supports")
        return ProviderResult(features, plugin)


def _failed(plugin: str, problem: str, *remedies: str) -> ProviderResult:
    reason = f"{plugin}: {problem}"
    warning = reason[:1].upper() + reason[1:]
    return no_result(reason, warnings=(warning,), remedies=remedies)


def _untrusted(names: tuple[str, ...]) -> ProviderResult:
    reason = f"it needs a plugin that is not trusted: {', '.join(names)}"
    return no_result(reason, untrusted=names)
