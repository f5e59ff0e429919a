"""The rules that publishers of wheel variants keep, in one table.

Each has two verdicts: one for installers, on which :mod:`.manifest_parser` acts, and one
for publishers. Installers are lenient where the texts allow it; publishers are held to
the letter of the schemas 0.0.2 to 0.2.0 (PEP 825 for the format, PEP 850 for providers).
What only some installers ask for is a warning.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from typing import NamedTuple

__all__ = ["RULES", "Effect", "Rule", "Severity"]


class Severity(enum.Enum):
    """How bad it is for publishers to break a rule."""

    #: Installers may ignore the release's variants, or install a wrong one.
    ERROR = "error"
    #: It works, but not for everyone, or probably not as intended.
    WARNING = "warning"


class Effect(enum.Enum):
    """What installers do with metadata that breaks a rule."""

    #: They ignore all variants of the release.
    REFUSED = "refuse the metadata"
    #: Nothing of the namespace is supported.
    UNSUPPORTED = "take the namespace as unsupported"
    #: The property is not supported, so no variant that needs it is chosen.
    DROPPED = "drop the label"
    #: They go on as if the rule were kept.
    NONE = "go on"


class Rule(NamedTuple):
    """Something that publishers must or should keep to.

    :ivar source: the text that asks for it, with its section.
    :ivar text: what is true if it is kept.
    :ivar effect: what installers do if it is broken; None for rules that are not about
        the content of metadata.
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
        "manifest-json": "Metadata is JSON, in UTF-8.",
        "manifest-limits": "Metadata keeps within what installers read.",
        "manifest-types": "Every part of metadata has its type.",
        "missing-keys": "There are default-priorities and variants.",
    },
    (_ERROR, _REFUSED, _SCHEMA): {
        "manifest-schema": (
            "$schema names a version of the format that installers can know."
        )
    },
    (_ERROR, _REFUSED, "PEP 825, Default priorities"): {
        "namespaces": (
            "default-priorities.namespace names each namespace once, in order, those "
            "of all properties among them."
        )
    },
    (_ERROR, _REFUSED, _NAMES): {
        "label": "Labels are of 0-9, a-z, _ and . only.",
        "null-variant": "The label null stands for the variant without properties.",
    },
    (_ERROR, _REFUSED, _PROPERTIES): {
        "property": "Properties follow the grammar, and each feature has a value."
    },
    (_ERROR, _REFUSED, _PROVIDERS): {
        "provider-kind": (
            "A provider is a plugin that requires packages, a static list or built "
            "into installers, and one of these alone."
        ),
        "provider-api": (
            "plugin-api is an entry point of a plugin: module, or module:object."
        ),
        "provider-static": (
            "feature-order names every feature of the static list once; it may be "
            "left out if there is only one."
        ),
    },
    (_ERROR, _UNSUPPORTED, _PROVIDERS): {
        "no-provider-kind": "A provider is one of these.",
        "provider-requires": (
            "A plugin requires packages by dependency specifiers, which do not depend "
            "on the variant."
        ),
    },
    (_ERROR, _UNSUPPORTED, "PEP 817, Provider information"): {
        "enable-if": "enable-if is an environment marker."
    },
    (_WARNING, _UNSUPPORTED, _PROVIDERS): {
        "provider-builtin": "Installers know the built-in provider."
    },
    (_ERROR, _DROPPED, "PEP 850, ABI dependency"): {
        "abi-dependency": (
            "Features of an ABI dependency are normalised names of distributions, "
            "their values the first one to three parts of a release."
        )
    },
    (_WARNING, _DROPPED, _PROVIDERS): {
        "never-supported": "Properties are among those that their provider knows."
    },
    (_ERROR, _NONE, _METADATA): {"manifest-keys": "There are no keys but those known."},
    (_ERROR, _NONE, _SCHEMA): {
        "schema-version": "$schema is there, and names a version that exists."
    },
    (_ERROR, _NONE, _NAMES): {
        "label-length": "Labels are no longer than the version of the format allows.",
        "label-path": (
            "A label can be the name of a file or folder: it is neither . nor .., "
            "which lead elsewhere."
        ),
    },
    (_ERROR, _NONE, _PROPERTIES): {
        "repeated-values": "Each item of a list is there once."
    },
    (_ERROR, _NONE, _PROVIDERS): {
        "providers": "There is one provider for each namespace, and none beside."
    },
    (_ERROR, _NONE, "PEP 817, Static properties"): {
        "static-order": (
            "In version 0.0.3, default-priorities.feature names every feature of a "
            "static list that has several."
        )
    },
    (_WARNING, _NONE, _METADATA): {
        "draft-schema": (
            "The version of the format is not one that a later draft has replaced."
        )
    },
    (_WARNING, _NONE, _PROPERTIES): {
        "empty-lists": "What would mean nothing is left out."
    },
    (_WARNING, _NONE, _NAMES): {
        "other-null": "The variant without properties is labelled null.",
        "same-properties": (
            "Labels with the same properties are one variant, with one label."
        ),
    },
    (_WARNING, _NONE, "PEP 850, Static properties"): {
        "gpus-stated": (
            "Builds for one CUDA that only a static list orders state their GPUs."
        )
    },
    (_WARNING, _NONE, "PEP 825, Variants"): {
        "unsorted-values": "The values of a feature are sorted."
    },
    (_WARNING, _NONE, _PROVIDERS): {
        "no-providers": "The metadata tells who provides its namespaces.",
        "provider-url": "A plugin comes from an index, not from some address.",
        "provider-installable": (
            "Somebody can install the plugin, or it is built into installers."
        ),
        "provider-in-uv": (
            "The provider is declared so that uv 0.13.9 takes the one it brings along."
        ),
    },
    (_ERROR, None, _NAMES): {"wheel-name": "The name of a wheel follows the grammar."},
    (_ERROR, None, "Binary distribution format"): {
        "wheel-readable": "A wheel is an archive with METADATA.",
        "wheel-entries": (
            "Each entry of a wheel is a path below its root, and is there once."
        ),
        "wheel-record": "RECORD lists every file, with its hash.",
    },
    (_ERROR, None, _METADATA): {
        "wheel-metadata": (
            "A wheel with a label has variant.json in its .dist-info folder, and no "
            "other wheel has one."
        ),
        "wheel-label": (
            "variant.json describes the label of the file name and no other."
        ),
    },
    (_ERROR, None, "PEP 503, Specification"): {
        "regular-file": "What a folder offers are regular files in it."
    },
    (_ERROR, None, "Source distribution format"): {
        "sdist-name": "The name of a source distribution follows the grammar."
    },
    (_ERROR, None, _INDEX): {
        "manifest-name": (
            "A manifest is named {name}-{version}-variants.json, normalised."
        ),
        "manifest-present": "Where variant wheels are offered, their manifest is.",
        "manifest-hash": "The hash in the link to a manifest is that of the file.",
        "wheel-listed": (
            "The manifest lists every label that the release has wheels for."
        ),
    },
    (_ERROR, None, "PEP 825, Metadata consistency"): {
        "namespaces-agree": (
            "The files of a release order namespaces alike; a longer list begins with "
            "the shorter one."
        ),
        "properties-agree": (
            "A label has the same properties in all files of a release."
        ),
    },
    (_ERROR, None, _PROVIDERS): {
        "providers-agree": (
            "The files of a release describe the provider of a namespace alike."
        )
    },
    (_WARNING, None, "PEP 825, Environment markers"): {
        "plain-markers": (
            "A plain wheel has no variant markers: installers that know no variants "
            "cannot read them."
        )
    },
    (_WARNING, None, _INDEX): {
        "label-used": "There is a wheel for every label that the manifest lists."
    },
    (_WARNING, None, _SCHEMA): {
        "schemas-agree": "The files of a release are of one version of the format."
    },
    (_WARNING, None, "PEP 825, Variant wheel"): {
        "plain-fallback": (
            "There is a plain wheel or a source distribution for installers that know "
            "no variants."
        )
    },
}

#: By name.
RULES: Mapping[str, Rule] = {
    name: Rule(name, source, severity, text, effect)
    for (severity, effect, source), texts in _TABLE.items()
    for name, text in texts.items()
}
