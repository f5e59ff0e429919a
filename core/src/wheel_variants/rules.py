"""The rules for publishers of wheel variants, in one table.

Each rule has an effect on installers, which :mod:`.manifest_parser` applies, and a
severity for publishers. Installers are lenient where the specifications allow it;
publishers must follow the schemas 0.0.2 to 0.2.0 exactly (PEP 825 for the format, PEP 850
for providers). A rule that only some installers enforce is a warning.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from typing import NamedTuple

__all__ = ["RULES", "Effect", "Rule", "Severity"]


class Severity(enum.Enum):
    """The severity of a broken rule for publishers."""

    #: Installers may ignore the release's variants, or install the wrong one.
    ERROR = "error"
    #: The release does not work for everyone, or probably not as intended.
    WARNING = "warning"


class Effect(enum.Enum):
    """The reaction of installers to metadata that breaks a rule."""

    #: Installers ignore all variants of the release.
    REFUSED = "refuse the metadata"
    #: Installers support no property of the namespace.
    UNSUPPORTED = "take the namespace as unsupported"
    #: Installers do not support the property, so they never select a variant that needs it.
    DROPPED = "drop the label"
    #: Installers ignore the broken rule.
    NONE = "go on"


class Rule(NamedTuple):
    """A rule that publishers must or should follow.

    :ivar source: the specification that defines the rule, with its section.
    :ivar text: a statement that is true for metadata that follows the rule.
    :ivar effect: the reaction of installers; None for rules that are not about the content
        of metadata.
    """

    id: str
    source: str
    severity: Severity
    text: str
    effect: Effect | None = None


_ERROR, _WARNING = Severity.ERROR, Severity.WARNING
_REFUSED, _UNSUPPORTED = Effect.REFUSED, Effect.UNSUPPORTED
_DROPPED, _NONE = Effect.DROPPED, Effect.NONE

_NAMES = "PEP 825, Variant label"
_PROPERTIES = "PEP 825, Variant properties"
_METADATA = "PEP 825, Variant metadata"
_SCHEMA = "PEP 825, Schema"
_INDEX = "PEP 825, Index-level metadata"
_PROVIDERS = "PEP 850, Providers"

#: The texts of all rules, by severity, effect and source, then by name.
_TABLE: Mapping[tuple[Severity, Effect | None, str], Mapping[str, str]] = {
    (_ERROR, _REFUSED, _METADATA): {
        "manifest-json": "Metadata is JSON in UTF-8.",
        "manifest-limits": "Metadata stays within the limits of installers.",
        "manifest-types": "Every value in metadata has the required type.",
        "missing-keys": "Metadata has default-priorities and variants.",
    },
    (_ERROR, _REFUSED, _SCHEMA): {
        "manifest-schema": "$schema names a version that installers support."
    },
    (_ERROR, _REFUSED, "PEP 825, Default priorities"): {
        "namespaces": (
            "default-priorities.namespace lists every namespace in use once, most "
            "important first."
        )
    },
    (_ERROR, _REFUSED, _NAMES): {
        "label": "Labels consist of 0-9, a-z, _ and . only.",
        "null-variant": "The label null is reserved for the variant without properties.",
    },
    (_ERROR, _REFUSED, _PROPERTIES): {
        "property": "Properties follow the grammar, and each feature has a value."
    },
    (_ERROR, _REFUSED, _PROVIDERS): {
        "provider-kind": (
            "A provider has exactly one kind: a plugin that requires packages, a "
            "static list, or a built-in provider."
        ),
        "provider-api": (
            "plugin-api is the entry point of a plugin: module or module:object."
        ),
        "provider-static": (
            "feature-order lists every feature of the static list once; it is optional "
            "for a single feature."
        ),
    },
    (_ERROR, _UNSUPPORTED, _PROVIDERS): {
        "no-provider-kind": "A provider has a kind.",
        "provider-requires": (
            "A plugin requires packages by dependency specifiers that do not depend on "
            "the variant."
        ),
    },
    (_ERROR, _UNSUPPORTED, "PEP 817, Provider information"): {
        "enable-if": "enable-if is an environment marker."
    },
    (_WARNING, _UNSUPPORTED, _PROVIDERS): {
        "provider-builtin": "Installers include the built-in provider."
    },
    (_ERROR, _DROPPED, "PEP 850, ABI dependency"): {
        "abi-dependency": (
            "Features of an ABI dependency are normalized distribution names; values "
            "are the first one to three parts of a version."
        )
    },
    (_WARNING, _DROPPED, _PROVIDERS): {
        "never-supported": "The provider can support every property in use."
    },
    (_ERROR, _NONE, _METADATA): {"manifest-keys": "Metadata has no unknown keys."},
    (_ERROR, _NONE, _SCHEMA): {
        "schema-version": "$schema is present and names an existing version."
    },
    (_ERROR, _NONE, _NAMES): {
        "label-path": "A label is a valid file or folder name, so it is not . or ..",
    },
    (_ERROR, _NONE, _PROPERTIES): {"repeated-values": "No list repeats an item."},
    (_ERROR, _NONE, _PROVIDERS): {
        "providers": "Each listed namespace has a provider, and no other namespace has one."
    },
    (_WARNING, _NONE, _METADATA): {
        "draft-schema": "The schema version is not an obsolete draft."
    },
    (_WARNING, _NONE, _PROPERTIES): {
        "empty-lists": "Metadata has no empty lists or tables."
    },
    (_WARNING, _NONE, _NAMES): {
        "other-null": "The variant without properties has the label null.",
        "same-properties": "Each label has its own set of properties.",
    },
    (_WARNING, _NONE, "PEP 850, Static properties"): {
        "gpus-stated": (
            "Variants for one CUDA version that differ only in a static list state "
            "their GPUs."
        )
    },
    (_WARNING, _NONE, "PEP 825, Variants"): {
        "unsorted-values": "The values of a feature are sorted."
    },
    (_WARNING, _NONE, _PROVIDERS): {
        "no-providers": "Metadata names the providers of its namespaces.",
        "provider-url": "A plugin comes from an index, not from a URL.",
        "provider-installable": (
            "The plugin can be installed, or is built into installers."
        ),
    },
    (_ERROR, None, _NAMES): {
        "wheel-name": "The file name of a wheel follows the grammar."
    },
    (_ERROR, None, "Binary distribution format"): {
        "wheel-readable": "A wheel is a zip archive with METADATA.",
        "wheel-entries": (
            "Each entry of a wheel is unique and stays inside the archive root."
        ),
        "wheel-record": "RECORD lists every file with its hash.",
    },
    (_ERROR, None, _METADATA): {
        "wheel-metadata": (
            "A wheel has variant.json in its .dist-info folder if its file name has a "
            "label, and only then."
        ),
        "wheel-label": (
            "variant.json describes the label in the file name, and no other."
        ),
    },
    (_ERROR, None, "PEP 503, Specification"): {
        "regular-file": "A published folder offers regular files only."
    },
    (_ERROR, None, "Source distribution format"): {
        "sdist-name": "The file name of a source distribution follows the grammar."
    },
    (_ERROR, None, _INDEX): {
        "manifest-name": (
            "A manifest is named {name}-{version}-variants.json, with the normalized "
            "name and version."
        ),
        "manifest-present": "A release with variant wheels has a manifest.",
        "manifest-hash": "The hash in the link to a manifest matches the file.",
        "wheel-hash": "The hash in the link to a wheel matches the file.",
        "wheel-listed": "The manifest lists the label of every variant wheel.",
    },
    (_ERROR, None, "PEP 825, Metadata consistency"): {
        "namespaces-agree": (
            "The files of a release rank namespaces in the same order; a longer list "
            "starts with the shorter one."
        ),
        "properties-agree": (
            "A label has the same properties in all files of a release."
        ),
    },
    (_ERROR, None, _PROVIDERS): {
        "providers-agree": (
            "All files of a release describe the provider of a namespace the same way."
        )
    },
    (_WARNING, None, "PEP 825, Environment markers"): {
        "plain-markers": (
            "A plain wheel has no variant markers, which other installers cannot parse."
        )
    },
    (_WARNING, None, _INDEX): {
        "label-used": "Every label in the manifest has a wheel."
    },
    (_WARNING, None, _SCHEMA): {
        "schemas-agree": "All files of a release use the same schema version."
    },
    (_WARNING, None, "PEP 825, Variant wheel"): {
        "plain-fallback": (
            "Installers without variant support find a plain wheel or a source "
            "distribution."
        )
    },
}

#: All rules by name.
RULES: Mapping[str, Rule] = {
    name: Rule(name, source, severity, text, effect)
    for (severity, effect, source), texts in _TABLE.items()
    for name, text in texts.items()
}
