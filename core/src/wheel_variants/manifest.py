"""Variant manifests as a validated model, one for all schema generations.

PEP 825, "Index-level metadata", and PEP 850 for the providers. Pure: no I/O and nothing
from the rest of pip; :mod:`.manifest_parser` makes it from bytes.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from wheel_variants.labels import NULL_LABEL
from wheel_variants.properties import Property, SupportedFeature

__all__ = [
    "ABI_DEPENDENCY",
    "InvalidManifest",
    "Manifest",
    "Provider",
    "ProviderKind",
    "Variant",
]

ABI_DEPENDENCY = "abi_dependency"


class InvalidManifest(ValueError):
    """The bytes are no manifest, or one of an unknown schema."""

    def __init__(self, problem: str, rule: str = "manifest-limits") -> None:
        """Say what is wrong.

        :param rule: the name of the broken rule (:mod:`.rules`).
        """
        # Names and values may have any length, but people read these lines.
        super().__init__(problem if len(problem) <= 500 else f"{problem[:497]}...")
        self.rule = rule


class ProviderKind(enum.Enum):
    """Where the supported properties of a namespace come from."""

    #: The manifest names no provider (PEP 825 alone).
    UNNAMED = "unnamed"
    #: The manifest lists the supported values itself.
    STATIC = "static"
    #: A package that is asked on the target machine.
    PLUGIN = "plugin"
    #: Something that every installer is expected to bring.
    BUILTIN = "builtin"
    #: A provider that does not say what it is; it supports nothing.
    UNKNOWN = "unknown"


class Provider(NamedTuple):
    """How the supported properties of one namespace are found (PEP 850).

    :ivar requires: requirements of the plugin, as written.
    :ivar plugin_api: where in the plugin its entry point is, if stated.
    :ivar optional: whether it applies only if the user enabled it.
    :ivar enable_if: an environment marker that must hold, as written.
    :ivar static: the listed features of a static provider.
    :ivar builtin: the name of a built-in provider.
    :ivar problem: why nothing of the namespace is supported on any machine, if the
        manifest alone says so.
    """

    namespace: str
    kind: ProviderKind
    requires: tuple[str, ...] = ()
    plugin_api: str | None = None
    optional: bool = False
    enable_if: str | None = None
    static: tuple[SupportedFeature, ...] = ()
    builtin: str | None = None
    problem: str | None = None


class Variant(NamedTuple):
    """A label and its properties: namespace, then feature, then accepted values."""

    label: str
    features: Mapping[str, Mapping[str, tuple[str, ...]]]

    def properties(self) -> frozenset[Property]:
        """Return the properties as a set."""
        return frozenset(
            Property(namespace, feature, value)
            for namespace, features in self.features.items()
            for feature, values in features.items()
            for value in values
        )


class Manifest(NamedTuple):
    """The variants of one release.

    :ivar namespaces: most important first.
    :ivar providers: for each namespace, how its properties are found.
    :ivar variants: by label.
    :ivar feature_order: features that come first in a namespace (before 0.1.1).
    :ivar value_order: values that come first, by namespace and feature (before
        0.1.1).
    :ivar schema: the value of ``$schema``, if any.
    :ivar url: where it was fetched, without credentials; None if not from an index.
    :ivar document: the JSON object from which all this was read.
    """

    namespaces: tuple[str, ...]
    providers: Mapping[str, Provider]
    variants: Mapping[str, Variant]
    feature_order: Mapping[str, tuple[str, ...]] = MappingProxyType({})
    value_order: Mapping[str, Mapping[str, tuple[str, ...]]] = MappingProxyType({})
    schema: str | None = None
    url: str | None = None
    document: Mapping[str, Any] = MappingProxyType({})

    def provider(self, namespace: str) -> Provider:
        """Return the provider of *namespace*; an unnamed one if the manifest has none."""
        return self.providers.get(namespace) or Provider(
            namespace, ProviderKind.UNNAMED
        )

    def variant(self, label: str) -> Variant | None:
        """Return the variant of *label*; the null variant need not be listed."""
        if label == NULL_LABEL and label not in self.variants:
            return Variant(NULL_LABEL, {})
        return self.variants.get(label)
