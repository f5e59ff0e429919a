"""The rules that publishers of wheel variants keep, as data.

Installers are lenient where a text lets them be (:mod:`..manifest_parser`); whoever
publishes is held to the letter. The letter is that of PEP 825 for the format and of
PEP 850 for providers; what only this or that installer asks for is a warning.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

__all__ = ["Finding", "Findings", "RULES", "Rule", "Severity"]


class Severity(enum.Enum):
    """How bad it is to break a rule."""

    #: Installers may ignore the release's variants, or install a wrong one.
    ERROR = "error"
    #: It works, though not for everyone, or not as it was probably meant.
    WARNING = "warning"


@dataclass(frozen=True, slots=True)
class Rule:
    """Something that publishers keep to.

    :ivar source: the text that asks for it, with its section.
    :ivar text: what holds where it is kept.
    """

    id: str
    source: str
    severity: Severity
    text: str


_ERROR, _WARNING = Severity.ERROR, Severity.WARNING

_NAMES = "PEP 825, Variant label"
_PROPERTIES = "PEP 825, Variant properties"
_METADATA = "PEP 825, Variant metadata"
_INDEX = "PEP 825, Index-level metadata"
_CONSISTENCY = "PEP 825, Metadata consistency"
_MARKERS = "PEP 825, Environment markers"
_PROVIDERS = "PEP 850, Providers"
_WHEELS = "Binary distribution format"
_FILES = "PEP 503, Specification"

RULES: Mapping[str, Rule] = {
    rule.id: rule
    for rule in (
        # A wheel.
        Rule("wheel-name", _NAMES, _ERROR, "The name of a wheel follows the grammar."),
        Rule("wheel-readable", _WHEELS, _ERROR, "A wheel is an archive with METADATA."),
        Rule(
            "wheel-entries",
            _WHEELS,
            _ERROR,
            "Each entry of a wheel is a path below its root, and is there once.",
        ),
        Rule(
            "wheel-metadata",
            _METADATA,
            _ERROR,
            "A wheel with a label has variant.json in its .dist-info folder, and no "
            "other wheel has one.",
        ),
        Rule(
            "wheel-label",
            _METADATA,
            _ERROR,
            "variant.json describes the label of the file name and no other.",
        ),
        Rule(
            "wheel-record", _WHEELS, _ERROR, "RECORD lists every file, with its hash."
        ),
        Rule(
            "plain-markers",
            _MARKERS,
            _WARNING,
            "A plain wheel has no variant markers: installers that know no variants "
            "cannot read them.",
        ),
        # A manifest, alone.
        Rule("manifest-json", _METADATA, _ERROR, "Metadata is JSON, in UTF-8."),
        Rule(
            "manifest-schema",
            "PEP 825, Schema",
            _ERROR,
            "$schema names a version of the format that exists, and what follows has "
            "that form.",
        ),
        Rule(
            "draft-schema",
            "PEP 825, Variant metadata",
            _WARNING,
            "The version of the format is not one that a later draft has replaced.",
        ),
        Rule("manifest-keys", _METADATA, _ERROR, "There are no keys but those known."),
        Rule(
            "manifest-types", _METADATA, _ERROR, "Every part of metadata has its type."
        ),
        Rule(
            "namespaces",
            "PEP 825, Default priorities",
            _ERROR,
            "default-priorities.namespace names each namespace once, in order, those of "
            "all properties among them.",
        ),
        Rule("label", _NAMES, _ERROR, "Labels are of 0-9, a-z, _ and . only."),
        Rule(
            "label-path",
            _NAMES,
            _ERROR,
            "A label can be the name of a file or folder: it is neither . nor .., which "
            "lead elsewhere.",
        ),
        Rule("property", _PROPERTIES, _ERROR, "Properties follow the grammar."),
        Rule(
            "null-variant",
            _NAMES,
            _ERROR,
            "The label null stands for the variant without properties.",
        ),
        Rule(
            "other-null",
            _NAMES,
            _WARNING,
            "The variant without properties is labelled null.",
        ),
        Rule(
            "same-properties",
            _NAMES,
            _WARNING,
            "Labels with the same properties are one variant, with one label.",
        ),
        Rule(
            "unsorted-values",
            "PEP 825, Variants",
            _WARNING,
            "The values of a feature are sorted.",
        ),
        Rule(
            "never-supported",
            _PROVIDERS,
            _WARNING,
            "Properties are among those that their provider knows.",
        ),
        # Providers, in a manifest.
        Rule(
            "providers",
            _PROVIDERS,
            _ERROR,
            "There is one provider for each namespace, and none beside.",
        ),
        Rule(
            "no-providers",
            _PROVIDERS,
            _WARNING,
            "The metadata tells who provides its namespaces.",
        ),
        Rule(
            "provider-kind",
            _PROVIDERS,
            _ERROR,
            "A provider is a plugin, a static list or built into installers, and one of "
            "these alone.",
        ),
        Rule(
            "provider-requires",
            _PROVIDERS,
            _ERROR,
            "A plugin requires packages, by dependency specifiers.",
        ),
        Rule(
            "provider-api",
            _PROVIDERS,
            _ERROR,
            "plugin-api is an entry point: module, or module:object.",
        ),
        Rule(
            "provider-static",
            _PROVIDERS,
            _ERROR,
            "A static list gives values for each feature; feature-order names every "
            "feature once, and may be left out if there is only one.",
        ),
        Rule(
            "provider-builtin",
            _PROVIDERS,
            _WARNING,
            "Installers know the built-in provider.",
        ),
        Rule(
            "abi-dependency",
            "PEP 850, ABI dependency",
            _ERROR,
            "Features of abi_dependency are normalised names of distributions, their "
            "values the first one to three parts of a release.",
        ),
        Rule(
            "provider-url",
            _PROVIDERS,
            _WARNING,
            "A plugin comes from an index, not from some address.",
        ),
        Rule(
            "provider-installable",
            _PROVIDERS,
            _WARNING,
            "Somebody can install the plugin, or it is built into installers.",
        ),
        Rule(
            "provider-in-uv",
            _PROVIDERS,
            _WARNING,
            "The provider is declared so that uv 0.13.8 takes the one it brings along.",
        ),
        # The files of a release.
        Rule(
            "regular-file",
            _FILES,
            _ERROR,
            "What a folder offers are regular files in it.",
        ),
        Rule(
            "sdist-name",
            "Source distribution format",
            _ERROR,
            "The name of a source distribution follows the grammar.",
        ),
        Rule(
            "manifest-name",
            _INDEX,
            _ERROR,
            "A manifest is named {name}-{version}-variants.json, normalised.",
        ),
        Rule(
            "manifest-present",
            _INDEX,
            _ERROR,
            "Where variant wheels are offered, their manifest is.",
        ),
        Rule(
            "manifest-hash",
            _INDEX,
            _ERROR,
            "The hash in the link to a manifest is that of the file.",
        ),
        Rule(
            "wheel-listed",
            _INDEX,
            _ERROR,
            "The manifest lists every label that the release has wheels for.",
        ),
        Rule(
            "label-used",
            _INDEX,
            _WARNING,
            "There is a wheel for every label that the manifest lists.",
        ),
        Rule(
            "namespaces-agree",
            _CONSISTENCY,
            _ERROR,
            "The files of a release order namespaces alike; a longer list begins with "
            "the shorter one.",
        ),
        Rule(
            "properties-agree",
            _CONSISTENCY,
            _ERROR,
            "A label has the same properties in all files of a release.",
        ),
        Rule(
            "providers-agree",
            _PROVIDERS,
            _ERROR,
            "The files of a release describe the provider of a namespace alike.",
        ),
        Rule(
            "schemas-agree",
            "PEP 825, Schema",
            _WARNING,
            "The files of a release are of one version of the format.",
        ),
        Rule(
            "plain-fallback",
            "PEP 825, Variant wheel",
            _WARNING,
            "There is a plain wheel or a source distribution for installers that know "
            "no variants.",
        ),
    )
}


@dataclass(frozen=True, slots=True)
class Finding:
    """A rule that is not kept.

    :ivar subjects: the files or addresses that break it, the one to mend first.
    :ivar problem: what is wrong; a sentence without its period.
    :ivar remedy: what to do about it; likewise.
    """

    rule: Rule
    subjects: tuple[str, ...]
    problem: str
    remedy: str | None = None

    @property
    def is_error(self) -> bool:
        """Tell whether it must be mended."""
        return self.rule.severity is Severity.ERROR

    def within(self, prefix: str) -> Finding:
        """Give it with *prefix* before the names of its subjects."""
        return replace(
            self, subjects=tuple(f"{prefix}{subject}" for subject in self.subjects)
        )

    def to_dict(self) -> dict[str, Any]:
        """Give it as a JSON object."""
        return {
            "rule": self.rule.id,
            "severity": self.rule.severity.value,
            "source": self.rule.source,
            "text": self.rule.text,
            "subjects": list(self.subjects),
            "problem": self.problem,
            "remedy": self.remedy,
        }


class Findings:
    """What a check finds, in the order in which it does."""

    def __init__(self, subject: str = "") -> None:
        """Collect findings about *subject* unless they say otherwise."""
        self.subject = subject
        self._found: dict[Finding, None] = {}

    def add(
        self,
        rule_id: str,
        problem: str,
        remedy: str | None = None,
        *,
        subjects: Iterable[str] = (),
    ) -> None:
        """Add a finding; the same one counts once."""
        about = tuple(subjects) or (self.subject,)
        found = Finding(RULES[rule_id], about, problem, remedy)
        self._found[found] = None

    def extend(self, others: Iterable[Finding]) -> None:
        """Add what was found elsewhere."""
        self._found.update(dict.fromkeys(others))

    def __iter__(self) -> Iterator[Finding]:
        return iter(self._found)

    def __len__(self) -> int:
        return len(self._found)

    @property
    def errors(self) -> list[Finding]:
        """Give what must be mended."""
        return [finding for finding in self if finding.is_error]
