"""Ask for the supported properties of a namespace; the first source that applies counts.

The order (PEP 850): a provider that is disabled, or optional and not enabled, supports
nothing; then the manifest's own static list; versions of other packages
(``abi_dependency``); the user's host file; a built-in provider; a plugin that the user
trusts; otherwise nothing.
"""

from __future__ import annotations

import os
import time
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib import import_module
from typing import TYPE_CHECKING, Protocol

from pip._vendor.packaging.utils import canonicalize_name
from pip._vendor.wheel_variants.manifest import (
    ABI_DEPENDENCY,
    Manifest,
    Provider,
    ProviderKind,
)
from pip._vendor.wheel_variants.properties import SupportedProperties
from pip._vendor.wheel_variants.provider_requirements import (
    UnusableProvider,
    applies,
    parse_requirement,
    requirement_applies,
)

from pip._internal.console.output import get_logger
from pip._internal.variants.providers import target
from pip._internal.variants.providers.host_file import (
    HOST_SCHEMA,
    MARKER_VARIABLES,
    HostDescription,
)
from pip._internal.variants.providers.result import (
    NOT_THIS_MACHINE,
    ProviderResult,
    Source,
    no_result,
)

if TYPE_CHECKING:
    from pip._vendor.packaging.requirements import Requirement
    from pip._vendor.wheel_variants.abi_dependency import Neighbours

    from pip._internal.models.target_python import TargetPython
    from pip._internal.variants.providers.plugin import Plugins
    from pip._internal.variants.providers.result import BuiltinProvider
    from pip._internal.variants.providers.tegra import Tegra

__all__ = [
    "BUILTIN_NAMESPACES",
    "ProviderChain",
    "ProviderSettings",
    "supported",
    "warnings_of",
]

logger = get_logger(__name__)

#: Each has a module of that name here.
BUILTIN_NAMESPACES = ("nvidia", "amd", "intel", "tpu", "x86_64", "aarch64")

_UNKNOWN = (
    "Variants are chosen for another machine whose hardware is unknown: only builds that "
    "need none are taken. Describe it with --variant-host"
)
_DISABLED = no_result(
    "--disable-variant-provider turned it off", source=Source.DISABLED
)


class ProviderSettings(target.TargetSettings, Protocol):
    """What the options of a command say of the target and of its providers.

    :ivar variant_host: the file or name of a machine that replaces detection.
    :ivar enabled_providers: namespaces whose optional provider applies.
    :ivar disabled_providers: namespaces of which nothing is supported.
    :ivar provider_kinds: by namespace, ``"plugin"`` or ``"builtin"`` if the user chose.
    """

    variant_host: str | None
    enabled_providers: Sequence[str]
    disabled_providers: Sequence[str]
    provider_kinds: dict[str, str]


@dataclass(eq=False, repr=False, kw_only=True)
class ProviderChain:
    """The chain for one target; it asks each provider at most once a run.

    :ivar environ: where override variables are read.
    :ivar environment: environment markers of the target.
    :ivar hardware: whether the target is this machine.
    :ivar host: a machine that replaces detection, if any.
    :ivar plugins: what asks plugins; None if they are not asked.
    :ivar enabled: namespaces whose optional provider applies.
    :ivar disabled: namespaces of which nothing is supported.
    :ivar kinds: by namespace, ``"plugin"`` or ``"builtin"`` if the user chose.
    :ivar neighbours: the versions of other packages; None if unknown.
    :ivar lacks: by namespace, how the user said that the target has no such devices.
    :ivar detected: the answers of built-in providers so far.
    """

    environ: Mapping[str, str]
    environment: Mapping[str, str]
    hardware: bool
    host: HostDescription | None = None
    plugins: Plugins | None = None
    enabled: Collection[str] = ()
    disabled: Collection[str] = ()
    kinds: Mapping[str, str] = field(default_factory=dict)
    neighbours: Neighbours | None = None
    lacks: Mapping[str, str] = field(default_factory=dict)
    detected: dict[str, ProviderResult] = field(default_factory=dict)

    @classmethod
    def for_settings(
        cls,
        settings: ProviderSettings,
        plugins: Plugins | None = None,
        neighbours: Neighbours | None = None,
    ) -> ProviderChain:
        """Make the chain for the target that the options of a command name.

        :raises InvalidHostFile: if its host file does not describe a machine.
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
            neighbours=neighbours,
        )

    def without_plugins(self) -> ProviderChain:
        """Return the same chain with its answers so far, but without plugins."""
        return replace(self, plugins=None)

    def lacking(self, reasons: Mapping[str, str]) -> ProviderChain:
        """Return the same chain for a target without some devices, as the user said.

        :param reasons: by namespace, how the user said so.
        """
        return replace(self, lacks=reasons)

    @property
    def warnings(self) -> list[str]:
        """Return the warnings about what was detected so far."""
        return warnings_of(self.detected)

    def query(
        self, manifest: Manifest, namespaces: Iterable[str], project: str | None = None
    ) -> dict[str, ProviderResult]:
        """Ask for *namespaces*, with the providers that *manifest* names.

        :param project: normalised name of the manifest's project, if known.
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
            reason = (
                "its provider is optional: --enable-variant-provider "
                f"{namespace} turns it on"
            )
            return no_result(reason, source=Source.OPTIONAL)
        excluded = self._excluded(provider)
        if excluded is not None:
            return ProviderResult(reason=excluded, source=Source.CONDITION)
        if provider.problem is not None:
            return no_result(provider.problem)
        if provider.kind is ProviderKind.STATIC:
            return ProviderResult(provider.static, "the manifest", source=Source.STATIC)
        if provider.builtin == ABI_DEPENDENCY:
            from pip._vendor.wheel_variants import abi_dependency

            found = abi_dependency.supported(
                manifest, namespace, self.neighbours, project
            )
            return ProviderResult(
                found.features,
                "this installation",
                reason=found.reason,
                source=Source.BUILTIN,
            )
        if namespace in self.lacks:
            return no_result(self.lacks[namespace], source=Source.DECLARED)
        if self.host is not None:
            return self._described(namespace)
        if provider.kind is ProviderKind.PLUGIN:
            return self._ask_plugin(manifest, provider)
        if namespace in BUILTIN_NAMESPACES:
            return self.detect(namespace)
        return no_result("no provider is named for it")

    def _described(self, namespace: str) -> ProviderResult:
        """Return what the user's host file says of a namespace."""
        assert self.host is not None
        features, path = self.host.supported.features(namespace), self.host.path
        if not features:
            return ProviderResult(
                reason=f"{path} does not name the namespace", source=Source.HOST
            )
        devices = self.host.devices.get(namespace, ())
        return ProviderResult(features, path, source=Source.HOST, devices=devices)

    def _excluded(self, provider: Provider) -> str | None:
        """Say why a provider does not apply here, if its marker excludes it."""
        marker = provider.enable_if
        try:
            if marker is None or applies(marker, provider.namespace, self.environment):
                return None
        except UnusableProvider as error:
            return str(error)
        return f"it applies only if {marker}"

    def _ask_plugin(self, manifest: Manifest, provider: Provider) -> ProviderResult:
        """Ask a plugin, or the built-in provider that is known to be the same."""
        namespace = provider.namespace
        kind = self.kinds.get(namespace)
        is_built_in = namespace in BUILTIN_NAMESPACES
        if is_built_in and kind == "builtin":
            return self.detect(namespace)
        try:
            required = self._required(provider)
        except UnusableProvider as error:
            return no_result(str(error))
        if is_built_in and kind != "plugin":
            # A package from a URL need not be the known one of that name.
            names = {
                canonicalize_name(each.name) for each in required if each.url is None
            }
            if names & _builtin(namespace).PACKAGES:
                return self.detect(namespace)
        if not required:
            return ProviderResult(
                reason="none of the plugins that it requires applies here"
            )
        if not self.hardware:
            return no_result(NOT_THIS_MACHINE, warnings=(_UNKNOWN,))
        if self.plugins is None:
            return no_result("its plugin was not asked")
        of_variants = (each.properties() for each in manifest.variants.values())
        stated = frozenset().union(*of_variants)
        known = sorted(each for each in stated if each.namespace == namespace)
        return self.plugins.ask(provider, required, known)

    def _required(self, provider: Provider) -> list[Requirement]:
        """Return the requirements of a plugin that apply on the target.

        :raises UnusableProvider: if one cannot be read, since nobody could tell then what
            would run.
        """
        required = []
        for text in provider.requires:
            requirement = parse_requirement(text, provider.namespace)
            if requirement_applies(requirement, provider.namespace, self.environment):
                # It was evaluated for the target, and must not be again for this machine.
                requirement.marker = None
                required.append(requirement)
        return required

    def tegra(self) -> Tegra | None:
        """Return what Tegra (Jetson) the target is; None if it is none, or unknown."""
        from pip._internal.variants.providers import tegra

        kernel = "platform_release"
        if self.host is not None:
            return tegra.described(self.host.environment.get(kernel, ""))
        return tegra.find(self.environment[kernel]) if self.hardware else None

    def query_all(self, manifest: Manifest | None = None) -> dict[str, ProviderResult]:
        """Return what the target supports.

        First come the namespaces of *manifest*, if any; then those that need no manifest:
        the ones of the host file, or else the built-in ones.
        """
        answers = {} if manifest is None else self.query(manifest, manifest.namespaces)
        known = BUILTIN_NAMESPACES if self.host is None else self.host.supported
        tell = self.detect if self.host is None else self._described
        for each in known:
            if each not in answers:
                answers[each] = _DISABLED if each in self.disabled else tell(each)
        return answers

    def described_host(
        self, answers: Mapping[str, ProviderResult], python: TargetPython | None
    ) -> dict[str, object]:
        """Describe the target as a host file does.

        :param answers: as :meth:`query_all` returns them; what a manifest lists itself is left out.
        :param python: its platform and interpreter; None leaves all but devices out.
        """
        environment = {
            name: value
            for name, value in sorted(self.environment.items())
            if name in MARKER_VARIABLES and python is not None
        }
        if self.tegra() is not None:
            from pip._internal.variants.providers import tegra

            # Its files tell that here, and only this name does elsewhere.
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
            "host-schema": HOST_SCHEMA,
            "supported": supported,
            **({"devices": devices} if devices else {}),
            **({"environment": environment} if environment else {}),
            **tags,
        }

    def detect(self, namespace: str) -> ProviderResult:
        """Ask the built-in provider of *namespace*, but only once."""
        answer = self.detected.get(namespace)
        if answer is None:
            start = time.perf_counter()
            answer = self._detect(namespace)
            seconds = time.perf_counter() - start
            answer = answer._replace(seconds=seconds, source=Source.BUILTIN)
            if not self.hardware and not answer.features:
                answer = answer._replace(warnings=(*answer.warnings, _UNKNOWN))
            self.detected[namespace] = answer
            logger.debug("Provider of %s: %s", namespace, answer)
        return answer

    def _detect(self, namespace: str) -> ProviderResult:
        try:
            return _builtin(namespace).detect(self.environ, hardware=self.hardware)
        except Exception as error:
            # A provider must not raise. If one does, only its namespace is lost.
            logger.debug("The provider of %s failed", namespace, exc_info=True)
            reason = f"its provider failed: {error!r}"
            return no_result(reason, warnings=(f"{namespace}: {reason}",))


def warnings_of(answers: Mapping[str, ProviderResult]) -> list[str]:
    """Collect the warnings of *answers*, each once, with their remedies."""
    said: dict[str, None] = {}
    for answer in answers.values():
        *others, last = answer.warnings or ("",)
        said |= dict.fromkeys([*others, ". ".join((last, *answer.remedies))])
    return list(filter(None, said))


def supported(answers: Mapping[str, ProviderResult]) -> SupportedProperties:
    """Collect the features of *answers*."""
    return SupportedProperties(
        {namespace: answer.features for namespace, answer in answers.items()}
    )


def _builtin(namespace: str) -> BuiltinProvider:
    provider: BuiltinProvider = import_module(
        f"pip._internal.variants.providers.{namespace}"
    )
    return provider
