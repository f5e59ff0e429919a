"""A validated model of variant manifests, the same for all schema versions.

PEP 825, "Index-level metadata", and PEP 850 for the providers. Pure: no I/O;
:mod:`.manifest_parser` creates the model from bytes.
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
    """A file is not a manifest, or uses an unsupported schema."""

    def __init__(self, problem: str, rule: str = "manifest-limits") -> None:
        """Create an error.

        :param rule: the name of the broken rule (:mod:`.rules`).
        """
        # Names and values can have any length, but messages must stay readable.
        super().__init__(problem if len(problem) <= 500 else f"{problem[:497]}...")
        self.rule = rule


class ProviderKind(enum.Enum):
    """The source of the supported properties of a namespace."""

    #: The manifest names no provider (PEP 825 without PEP 850).
    UNNAMED = "unnamed"
    #: The manifest lists the supported values.
    STATIC = "static"
    #: A package that the installer queries on the target machine.
    PLUGIN = "plugin"
    #: A provider that every installer is expected to include.
    BUILTIN = "builtin"
    #: A provider without a kind; it supports nothing.
    UNKNOWN = "unknown"


class Provider(NamedTuple):
    """The provider of one namespace, which determines its supported properties (PEP 850).

    :ivar requires: the requirements of the plugin, as written.
    :ivar plugin_api: the entry point of the plugin, or None.
    :ivar optional: whether the user must enable the provider.
    :ivar enable_if: an environment marker that must be true, as written, or None.
    :ivar static: the listed features of a static provider.
    :ivar builtin: the name of a built-in provider, or None.
    :ivar problem: the reason why no machine can support the namespace, if the manifest is
        broken.
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
    """A label and its accepted values, by namespace and feature."""

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

    :ivar namespaces: the namespaces, most important first.
    :ivar providers: the providers by namespace.
    :ivar variants: the variants by label.
    :ivar feature_order: the features that come first in a namespace (before 0.1.1).
    :ivar value_order: the values that come first, by namespace and feature (before 0.1.1).
    :ivar schema: the value of ``$schema``, or None.
    :ivar url: the URL on the index, without credentials; None if not from an index.
    :ivar document: the original JSON object.
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
        """Return the provider of *namespace*, or one of kind ``UNNAMED``."""
        return self.providers.get(namespace) or Provider(
            namespace, ProviderKind.UNNAMED
        )

    def describes(self, label: str) -> bool:
        """Return whether there is a variant with *label*.

        The null variant always exists, even if the manifest does not list it.
        """
        return label == NULL_LABEL or label in self.variants

    def variant(self, label: str) -> Variant:
        """Return the variant with *label*; without properties if there is none."""
        return self.variants.get(label) or Variant(label, {})
