"""The rules that the metadata of variants keep, as data.

Each has a verdict for installers, on which :mod:`.manifest_parser` acts, and one for those
who publish: installers are lenient where a text lets them be, whoever publishes is held to
the letter. The letter is that of the schemas 0.0.2 to 0.2.0 (PEP 825 for the format, PEP
850 for providers); what only this or that installer asks for is a warning.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from typing import NamedTuple

__all__ = [
    "MANIFEST_RULES",
    "METADATA",
    "NAMES",
    "PROVIDERS",
    "Effect",
    "Rule",
    "Severity",
]


class Severity(enum.Enum):
    """How bad it is for those who publish to break a rule."""

    #: Installers may ignore the release's variants, or install a wrong one.
    ERROR = "error"
    #: It works, though not for everyone, or not as it was probably meant.
    WARNING = "warning"


class Effect(enum.Enum):
    """What installers make of metadata that break a rule."""

    #: They ignore all variants of the release.
    REFUSED = "refuse the metadata"
    #: Nothing of the namespace is supported.
    UNSUPPORTED = "take the namespace as unsupported"
    #: The property is not supported, so that no variant that needs it is taken.
    DROPPED = "drop the label"
    #: It means the same to them as if the rule were kept.
    NONE = "go on"


class Rule(NamedTuple):
    """Something that publishers keep to.

    :ivar source: the text that asks for it, with its section.
    :ivar text: what holds where it is kept.
    :ivar effect: what installers do if not; None where it is about other things than
        the content of metadata.
    """

    id: str
    source: str
    severity: Severity
    text: str
    effect: Effect | None = None


_ERROR, _WARNING = Severity.ERROR, Severity.WARNING
_REFUSED, _NONE = Effect.REFUSED, Effect.NONE
_UNSUPPORTED, _DROPPED = Effect.UNSUPPORTED, Effect.DROPPED

#: Sections of the texts that ask for what the rules say.
NAMES = "PEP 825, Variant label"
PROPERTIES = "PEP 825, Variant properties"
METADATA = "PEP 825, Variant metadata"
_SCHEMA = "PEP 825, Schema"
_PRIORITIES = "PEP 825, Default priorities"
PROVIDERS = "PEP 850, Providers"

#: By name.
MANIFEST_RULES: Mapping[str, Rule] = {
    rule.id: rule
    for rule in (
        Rule(
            "manifest-json", METADATA, _ERROR, "Metadata is JSON, in UTF-8.", _REFUSED
        ),
        Rule(
            "manifest-limits",
            METADATA,
            _ERROR,
            "Metadata keeps within what installers read.",
            _REFUSED,
        ),
        Rule(
            "manifest-types",
            METADATA,
            _ERROR,
            "Every part of metadata has its type.",
            _REFUSED,
        ),
        Rule(
            "missing-keys",
            METADATA,
            _ERROR,
            "There are default-priorities and variants.",
            _REFUSED,
        ),
        Rule(
            "manifest-keys",
            METADATA,
            _ERROR,
            "There are no keys but those known.",
            _NONE,
        ),
        Rule(
            "manifest-schema",
            _SCHEMA,
            _ERROR,
            "$schema names a version of the format that installers can know.",
            _REFUSED,
        ),
        Rule(
            "schema-version",
            _SCHEMA,
            _ERROR,
            "$schema is there, and names a version that exists.",
            _NONE,
        ),
        Rule(
            "draft-schema",
            METADATA,
            _WARNING,
            "The version of the format is not one that a later draft has replaced.",
            _NONE,
        ),
        Rule(
            "namespaces",
            _PRIORITIES,
            _ERROR,
            "default-priorities.namespace names each namespace once, in order, those of "
            "all properties among them.",
            _REFUSED,
        ),
        Rule("label", NAMES, _ERROR, "Labels are of 0-9, a-z, _ and . only.", _REFUSED),
        Rule(
            "label-length",
            NAMES,
            _ERROR,
            "Labels are no longer than the version of the format allows.",
            _NONE,
        ),
        Rule(
            "label-path",
            NAMES,
            _ERROR,
            "A label can be the name of a file or folder: it is neither . nor .., which "
            "lead elsewhere.",
            _NONE,
        ),
        Rule(
            "property",
            PROPERTIES,
            _ERROR,
            "Properties follow the grammar, and each feature has a value.",
            _REFUSED,
        ),
        Rule(
            "repeated-values",
            PROPERTIES,
            _ERROR,
            "Each item of a list is there once.",
            _NONE,
        ),
        Rule(
            "empty-lists",
            PROPERTIES,
            _WARNING,
            "What would mean nothing is left out.",
            _NONE,
        ),
        Rule(
            "null-variant",
            NAMES,
            _ERROR,
            "The label null stands for the variant without properties.",
            _REFUSED,
        ),
        Rule(
            "other-null",
            NAMES,
            _WARNING,
            "The variant without properties is labelled null.",
            _NONE,
        ),
        Rule(
            "same-properties",
            NAMES,
            _WARNING,
            "Labels with the same properties are one variant, with one label.",
            _NONE,
        ),
        Rule(
            "unsorted-values",
            "PEP 825, Variants",
            _WARNING,
            "The values of a feature are sorted.",
            _NONE,
        ),
        Rule(
            "never-supported",
            PROVIDERS,
            _WARNING,
            "Properties are among those that their provider knows.",
            _DROPPED,
        ),
        Rule(
            "providers",
            PROVIDERS,
            _ERROR,
            "There is one provider for each namespace, and none beside.",
            _NONE,
        ),
        Rule(
            "no-providers",
            PROVIDERS,
            _WARNING,
            "The metadata tells who provides its namespaces.",
            _NONE,
        ),
        Rule(
            "provider-kind",
            PROVIDERS,
            _ERROR,
            "A provider is a plugin that requires packages, a static list or built into "
            "installers, and one of these alone.",
            _REFUSED,
        ),
        Rule(
            "no-provider-kind",
            PROVIDERS,
            _ERROR,
            "A provider is one of these.",
            _UNSUPPORTED,
        ),
        Rule(
            "provider-requires",
            PROVIDERS,
            _ERROR,
            "A plugin requires packages by dependency specifiers, which do not depend on "
            "the variant.",
            _UNSUPPORTED,
        ),
        Rule(
            "provider-api",
            PROVIDERS,
            _ERROR,
            "plugin-api is an entry point of a plugin: module, or module:object.",
            _REFUSED,
        ),
        Rule(
            "provider-static",
            PROVIDERS,
            _ERROR,
            "feature-order names every feature of the static list once; it may be left "
            "out if there is only one.",
            _REFUSED,
        ),
        Rule(
            "static-order",
            "PEP 817, Static properties",
            _ERROR,
            "In version 0.0.3, default-priorities.feature names every feature of a "
            "static list that has several.",
            _NONE,
        ),
        Rule(
            "provider-builtin",
            PROVIDERS,
            _WARNING,
            "Installers know the built-in provider.",
            _UNSUPPORTED,
        ),
        Rule(
            "enable-if",
            "PEP 817, Provider information",
            _ERROR,
            "enable-if is an environment marker.",
            _UNSUPPORTED,
        ),
        Rule(
            "abi-dependency",
            "PEP 850, ABI dependency",
            _ERROR,
            "Features of an ABI dependency are normalised names of distributions, their "
            "values the first one to three parts of a release.",
            _DROPPED,
        ),
        Rule(
            "provider-url",
            PROVIDERS,
            _WARNING,
            "A plugin comes from an index, not from some address.",
            _NONE,
        ),
        Rule(
            "provider-installable",
            PROVIDERS,
            _WARNING,
            "Somebody can install the plugin, or it is built into installers.",
            _NONE,
        ),
        Rule(
            "provider-in-uv",
            PROVIDERS,
            _WARNING,
            "The provider is declared so that uv 0.13.9 takes the one it brings along.",
            _NONE,
        ),
    )
}
