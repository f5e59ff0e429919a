"""Query the sources of supported properties; the first applicable source counts.

A provider that is disabled, or optional and not enabled, supports nothing. For other
providers, the sources are, in the order of PEP 850: the manifest's static list, the versions
of other packages (``abi_dependency``), the user's host file, a built-in provider, and a
plugin that the user trusts. If no source applies, nothing is supported.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from importlib import import_module
from typing import TYPE_CHECKING

from pip._vendor.packaging.utils import canonicalize_name
from pip._vendor.wheel_variants.built_in import BUILT_IN_PLUGINS
from pip._vendor.wheel_variants.manifest import ABI_DEPENDENCY, ProviderKind
from pip._vendor.wheel_variants.properties import SupportedProperties
from pip._vendor.wheel_variants.provider_requirements import (
    UnusableProvider,
    applies,
    parse_requirement,
    requirement_applies,
)

from pip._internal.console.output import get_logger
from pip._internal.variants.providers import host_file, target
from pip._internal.variants.providers.result import (
    NOT_THIS_MACHINE,
    ProviderResult,
    Source,
    no_result,
)

if TYPE_CHECKING:
    from pip._vendor.packaging.requirements import Requirement
    from pip._vendor.wheel_variants.abi_dependency import PackageVersions
    from pip._vendor.wheel_variants.manifest import Manifest, Provider

    from pip._internal.models.target_python import TargetPython
    from pip._internal.variants.providers.plugins import Plugins
    from pip._internal.variants.providers.tegra import Tegra
    from pip._internal.variants.settings import Settings

logger = get_logger(__name__)

_UNKNOWN = (
    "The hardware of the target machine is unknown, so pip uses only variants "
    "without hardware requirements. To describe the hardware, use --variant-host"
)
_DISABLED = no_result(
    "--disable-variant-provider turned its provider off", source=Source.DISABLED
)


@dataclass(eq=False, repr=False, kw_only=True)
class ProviderChain:
    """The chain for one target; queries each provider at most once.

    :ivar environ: the environment with the override variables.
    :ivar environment: the environment markers of the target.
    :ivar hardware: whether the target is this machine.
    :ivar host: the machine that replaces detection, if any.
    :ivar plugins: the plugins; None if pip must not query plugins.
    :ivar enabled: the namespaces with an enabled optional provider.
    :ivar disabled: the namespaces without support.
    :ivar kinds: the user's choice, ``"plugin"`` or ``"builtin"``, by namespace.
    :ivar package_versions: the versions of other packages; None if unknown.
    :ivar absent_devices: by namespace, the reason why the target has no devices for it.
    :ivar detected: the results of built-in providers so far.
    """

    environ: Mapping[str, str]
    environment: Mapping[str, str]
    hardware: bool
    host: host_file.HostDescription | None = None
    plugins: Plugins | None = None
    enabled: Collection[str] = ()
    disabled: Collection[str] = ()
    kinds: Mapping[str, str] = field(default_factory=dict)
    package_versions: PackageVersions | None = None
    absent_devices: Mapping[str, str] = field(default_factory=dict)
    detected: dict[str, ProviderResult] = field(default_factory=dict)

    @classmethod
    def for_settings(
        cls,
        settings: Settings,
        plugins: Plugins | None = None,
        package_versions: PackageVersions | None = None,
    ) -> ProviderChain:
        """Create the chain for the target in the options of a command.

        :raises InvalidHostFile: if the host file does not describe a machine.
        """
        host = None
        if settings.variant_host is not None:
            from pip._internal.variants.providers.host_names import read_host

            host = read_host(settings.variant_host)
        return cls(
            environ=os.environ,
            environment=target.marker_environment(settings, host),
            hardware=target.is_this_machine(settings),
            host=host,
            plugins=plugins,
            enabled=settings.enabled_providers,
            disabled=settings.disabled_providers,
            kinds=settings.provider_kinds,
            package_versions=package_versions,
        )

    def without_plugins(self) -> ProviderChain:
        """Return the same chain, with cached results but without plugins."""
        return replace(self, plugins=None)

    def query(
        self, manifest: Manifest, namespaces: Iterable[str], project: str | None = None
    ) -> dict[str, ProviderResult]:
        """Query *namespaces*, with the providers in *manifest*.

        :param project: the normalized name of the manifest's project, if known.
        """
        return {
            namespace: self._ask(manifest, manifest.provider(namespace), project)
            for namespace in namespaces
        }

    def _ask(
        self, manifest: Manifest, provider: Provider, project: str | None
    ) -> ProviderResult:
        namespace = provider.namespace
        if namespace in self.disabled:
            return _DISABLED
        if provider.optional and namespace not in self.enabled:
            reason = f"its provider is optional: --enable-variant-provider {namespace}"
            return no_result(reason, source=Source.OPTIONAL)
        excluded = self._excluded(provider)
        if excluded is not None:
            return ProviderResult(reason=excluded, source=Source.CONDITION)
        if provider.problem is not None:
            return no_result(provider.problem)
        if provider.kind is ProviderKind.STATIC:
            return ProviderResult(provider.static, "the manifest", source=Source.STATIC)
        if provider.builtin == ABI_DEPENDENCY:
            return self._abi_dependency(manifest, namespace, project)
        if namespace in self.absent_devices:
            # The user excluded these devices.
            return ProviderResult(
                reason=self.absent_devices[namespace], source=Source.DECLARED
            )
        if self.host is not None:
            return self._described(namespace)
        if provider.kind is ProviderKind.PLUGIN:
            return self._ask_plugin(manifest, provider)
        if namespace in BUILT_IN_PLUGINS:
            return self.detect(namespace)
        return no_result(f"the metadata names no provider for {namespace}")

    def _abi_dependency(
        self, manifest: Manifest, namespace: str, project: str | None
    ) -> ProviderResult:
        """Return the supported versions of other packages."""
        from pip._vendor.wheel_variants import abi_dependency

        features, why = abi_dependency.supported(
            manifest, namespace, self.package_versions, project
        )
        return ProviderResult(features, "this installation", why, source=Source.BUILTIN)

    def _described(self, namespace: str) -> ProviderResult:
        """Return the features of a namespace in the user's host file."""
        assert self.host is not None
        features, path = self.host.supported.get(namespace, ()), self.host.path
        if not features:
            return ProviderResult(
                reason=f"{path} does not list namespace {namespace}", source=Source.HOST
            )
        devices = self.host.devices.get(namespace, ())
        return ProviderResult(features, path, source=Source.HOST, devices=devices)

    def _excluded(self, provider: Provider) -> str | None:
        """Return why the marker of a provider excludes the provider on the target, or None."""
        marker = provider.enable_if
        try:
            if marker is None or applies(marker, provider.namespace, self.environment):
                return None
        except UnusableProvider as error:
            return str(error)
        return f"its provider applies only if {marker}"

    def _ask_plugin(self, manifest: Manifest, provider: Provider) -> ProviderResult:
        """Query a plugin, or the equivalent built-in provider."""
        namespace = provider.namespace
        kind = self.kinds.get(namespace)
        is_built_in = namespace in BUILT_IN_PLUGINS
        if is_built_in and kind == "builtin":
            return self.detect(namespace)
        try:
            required = self._required(provider)
        except UnusableProvider as error:
            return no_result(str(error))
        if is_built_in and kind != "plugin":
            # A package from a URL need not be the known package of that name.
            names = {
                canonicalize_name(each.name) for each in required if each.url is None
            }
            if not names.isdisjoint(BUILT_IN_PLUGINS[namespace]):
                return self.detect(namespace)
        if not required:
            return ProviderResult(reason="none of its plugins applies here")
        if not self.hardware:
            return no_result(NOT_THIS_MACHINE, warnings=(_UNKNOWN,))
        if self.plugins is None:
            return no_result("pip did not query its plugin")
        of_variants = (each.properties() for each in manifest.variants.values())
        stated = frozenset().union(*of_variants)
        known = sorted(each for each in stated if each.namespace == namespace)
        return self.plugins.ask(provider, required, known)

    def _required(self, provider: Provider) -> list[Requirement]:
        """Return those requirements of a plugin that apply on the target.

        :raises UnusableProvider: if a requirement is unreadable, so that pip does not know which
            code the plugin runs.
        """
        required = []
        for text in provider.requires:
            requirement = parse_requirement(text, provider.namespace)
            if requirement_applies(requirement, provider.namespace, self.environment):
                # The marker was evaluated for the target, not for this machine.
                requirement.marker = None
                required.append(requirement)
        return required

    def tegra(self) -> Tegra | None:
        """Return the target's Tegra (Jetson) system, or None if it is unknown or not a Tegra."""
        from pip._internal.variants.providers import tegra

        kernel = "platform_release"
        if self.host is not None:
            return tegra.described(self.host.environment.get(kernel, ""))
        return tegra.find(self.environment[kernel]) if self.hardware else None

    def query_all(self, manifest: Manifest | None = None) -> dict[str, ProviderResult]:
        """Query all known namespaces.

        The namespaces of *manifest* come first, then the namespaces of the host file. Without a
        host file, the built-in namespaces follow instead.
        """
        answers = {} if manifest is None else self.query(manifest, manifest.namespaces)
        known = BUILT_IN_PLUGINS if self.host is None else self.host.supported
        tell = self.detect if self.host is None else self._described
        for each in known:
            if each not in answers:
                answers[each] = _DISABLED if each in self.disabled else tell(each)
        return answers

    def described_host(
        self, answers: Mapping[str, ProviderResult], python: TargetPython | None
    ) -> dict[str, object]:
        """Return the target in the format of a host file.

        :param answers: the results of :meth:`query_all`; the static lists of a manifest are
            left out.
        :param python: the platform and interpreter of the target; None to describe only
            devices.
        """
        environment = {
            name: value
            for name, value in sorted(self.environment.items())
            if name in host_file.MARKER_VARIABLES and python is not None
        }
        if self.tegra() is not None:
            from pip._internal.variants.providers import tegra

            # Here, files identify a Tegra; in a host file, only this name does.
            kernel = "platform_release"
            environment[kernel] = tegra.named(environment.get(kernel, ""))
        tags = {} if python is None else target.tags_of(python)
        supported = {
            namespace: [
                {"feature": feature.name, "values": list(feature.values)}
                for feature in answer.features
            ]
            for namespace, answer in answers.items()
            if answer.features and answer.source is not Source.STATIC
        }
        devices = {
            namespace: [each._asdict() for each in answers[namespace].several_devices]
            for namespace in supported
            if answers[namespace].several_devices
        }
        return {
            "host-schema": host_file.HOST_SCHEMA,
            "supported": supported,
            **({"devices": devices} if devices else {}),
            **({"environment": environment} if environment else {}),
            **tags,
        }

    def detect(self, namespace: str) -> ProviderResult:
        """Query the built-in provider of *namespace*, once.

        The module of the namespace has a function ``detect(environ, *, hardware)``, which
        returns a result within two seconds, even if a driver hangs, and reads only override
        variables if *hardware* is false.
        """
        answer = self.detected.get(namespace)
        if answer is None:
            answer = self._detect(namespace)._replace(source=Source.BUILTIN)
            if not self.hardware and not answer.features:
                answer = answer._replace(warnings=(*answer.warnings, _UNKNOWN))
            self.detected[namespace] = answer
            logger.debug("Provider of %s: %s", namespace, answer)
        return answer

    def _detect(self, namespace: str) -> ProviderResult:
        try:
            module = import_module(f"pip._internal.variants.providers.{namespace}")
            found: ProviderResult = module.detect(self.environ, hardware=self.hardware)
            return found
        except Exception as error:
            # A provider must not raise. If it does, only its namespace is lost.
            logger.debug("The provider of %s failed", namespace, exc_info=True)
            reason = f"its provider failed: {error!r}"
            return no_result(reason, warnings=(f"{namespace}: {reason}",))


def warnings_of(answers: Mapping[str, ProviderResult]) -> list[str]:
    """Return the warnings in *answers*, without duplicates."""
    warnings = [warning for answer in answers.values() for warning in answer.warnings]
    return list(dict.fromkeys(warnings))


def supported(answers: Mapping[str, ProviderResult]) -> SupportedProperties:
    """Return the features in *answers*."""
    return {namespace: answer.features for namespace, answer in answers.items()}
