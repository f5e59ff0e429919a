"""Ask for the supported properties of a namespace: the first source that has a say.

The order, in which each step excludes those after it (PEP 850): what is disabled
supports nothing; the manifest's own static list; the host file of the user; a built-in
provider; otherwise nothing. No code of others is run.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from importlib import import_module
from typing import TYPE_CHECKING

from pip._vendor.packaging.markers import (
    InvalidMarker,
    Marker,
    UndefinedComparison,
    UndefinedEnvironmentName,
)
from pip._vendor.packaging.requirements import InvalidRequirement, Requirement
from pip._vendor.packaging.utils import canonicalize_name

from pip._internal.utils._log import getLogger
from pip._internal.variants import target
from pip._internal.variants.manifest import Manifest, Provider, ProviderKind
from pip._internal.variants.properties import SupportedProperties
from pip._internal.variants.providers.answer import Answer
from pip._internal.variants.providers.host_file import Host, read_host_file

if TYPE_CHECKING:
    import optparse

    from pip._internal.variants.providers.answer import BuiltinProvider

__all__ = ["BUILTIN_NAMESPACES", "Providers", "supported"]

logger = getLogger(__name__)

#: Each has a module of its name here.
BUILTIN_NAMESPACES = ("nvidia", "x86_64", "aarch64")


class Providers:
    """The answers of one run: each namespace of a machine is asked at most once."""

    def __init__(
        self,
        *,
        environ: Mapping[str, str],
        environment: Mapping[str, str],
        hardware: bool,
        host: Host | None = None,
    ) -> None:
        """Make the chain for one target.

        :param environ: where override variables are read.
        :param environment: environment markers of the target.
        :param hardware: whether the target is this machine.
        :param host: the machine that replaces detection, if any.
        """
        self._environ = environ
        self._environment = environment
        self._hardware = hardware
        self.host = host
        self._detected: dict[str, Answer] = {}

    @classmethod
    def for_options(cls, options: optparse.Values, host_file: str | None) -> Providers:
        """Make the chain for the target that the options of a command name.

        :raises InvalidHostFile: if *host_file* is given and does not describe one.
        """
        host = None if host_file is None else read_host_file(host_file)
        return cls(
            environ=os.environ,
            environment=target.marker_environment(
                options, {} if host is None else host.environment
            ),
            hardware=target.is_this_machine(options),
            host=host,
        )

    def ask(self, manifest: Manifest, namespaces: Iterable[str]) -> dict[str, Answer]:
        """Ask for *namespaces* as *manifest* says they are provided."""
        return {
            namespace: self._ask(manifest.provider(namespace))
            for namespace in namespaces
        }

    def _ask(self, provider: Provider) -> Answer:
        if provider.optional:
            return Answer(reason="its provider is optional and was not enabled")
        if provider.enable_if is not None:
            reason = self._excluded_by(provider.enable_if)
            if reason is not None:
                return Answer(reason=reason)
        if provider.kind is ProviderKind.STATIC:
            return Answer(provider.static, "the manifest")
        if self.host is not None:
            features = self.host.supported.features(provider.namespace)
            if not features:
                return Answer(reason=f"{self.host.path} does not name the namespace")
            return Answer(features, self.host.path)
        if provider.kind is ProviderKind.PLUGIN:
            return self._ask_in_place_of_plugin(provider)
        if provider.kind is ProviderKind.UNNAMED:
            if provider.namespace in BUILTIN_NAMESPACES:
                return self.detect(provider.namespace)
            return Answer(reason="no provider is named for it")
        return Answer(reason="its kind of provider is not supported")

    def _excluded_by(self, marker: str) -> str | None:
        """Say why the marker of a provider keeps it from applying, if it does."""
        try:
            if Marker(marker).evaluate({**self._environment}):
                return None
        except (InvalidMarker, UndefinedComparison, UndefinedEnvironmentName) as error:
            logger.debug("Cannot evaluate %r: %s", marker, error)
            return f"it applies if {marker!r}, which cannot be evaluated"
        return f"it applies only if {marker}"

    def _ask_in_place_of_plugin(self, provider: Provider) -> Answer:
        required = self._required_packages(provider)
        if provider.namespace in BUILTIN_NAMESPACES and required & (
            _builtin(provider.namespace).PACKAGES
        ):
            return self.detect(provider.namespace)
        names = ", ".join(sorted(required)) or "none that applies here"
        return Answer(
            reason=f"it needs a provider package ({names}) that is not built in"
        )

    def _required_packages(self, provider: Provider) -> set[str]:
        """Name the packages that a plugin needs on the target."""
        names: set[str] = set()
        for text in provider.requires:
            try:
                requirement = Requirement(text)
                if requirement.marker is not None and not requirement.marker.evaluate(
                    {**self._environment, "extra": ""}
                ):
                    continue
            except (
                InvalidRequirement,
                UndefinedComparison,
                UndefinedEnvironmentName,
            ) as error:
                logger.debug("Ignoring the requirement %r: %s", text, error)
                continue
            # What lies at some URL need not be the package that is known.
            if requirement.url is None:
                names.add(canonicalize_name(requirement.name))
        return names

    def described(self) -> dict[str, Answer]:
        """Give what the host file of the user describes, by namespace."""
        if self.host is None:
            return {}
        return {
            namespace: Answer(features, self.host.path)
            for namespace, features in self.host.supported.items()
        }

    def detect(self, namespace: str) -> Answer:
        """Ask the built-in provider of *namespace*, once a run."""
        answer = self._detected.get(namespace)
        if answer is None:
            answer = self._detect(namespace)
            self._detected[namespace] = answer
            logger.debug("Provider of %s: %s", namespace, answer)
            for warning in answer.warnings:
                logger.warning("%s", warning)
        return answer

    def _detect(self, namespace: str) -> Answer:
        try:
            return _builtin(namespace).detect(self._environ, hardware=self._hardware)
        except Exception as error:
            # A provider must not raise. If one does, that costs its namespace alone.
            logger.debug("The provider of %s failed", namespace, exc_info=True)
            reason = f"its provider failed: {error!r}"
            return Answer(reason=reason, warnings=(f"{namespace}: {reason}",))


def supported(answers: Mapping[str, Answer]) -> SupportedProperties:
    """Collect the features of *answers*."""
    return SupportedProperties(
        {namespace: answer.features for namespace, answer in answers.items()}
    )


def _builtin(namespace: str) -> BuiltinProvider:
    provider: BuiltinProvider = import_module(
        f"pip._internal.variants.providers.{namespace}"
    )
    return provider
