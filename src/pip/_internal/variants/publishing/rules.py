"""The rules that publishers of wheel variants keep, as data.

Those about the content of metadata, which installers act on too, are in :mod:`..rules`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from pip._internal.console.texts import capital
from pip._internal.variants.core.rules import (
    MANIFEST_RULES,
    METADATA,
    NAMES,
    PROVIDERS,
    Rule,
    Severity,
)

__all__ = ["CheckReport", "Finding", "Findings", "RULES"]


_ERROR, _WARNING = Severity.ERROR, Severity.WARNING

_INDEX = "PEP 825, Index-level metadata"
_CONSISTENCY = "PEP 825, Metadata consistency"
_MARKERS = "PEP 825, Environment markers"
_WHEELS = "Binary distribution format"
_FILES = "PEP 503, Specification"

#: By name.
RULES: Mapping[str, Rule] = {
    rule.id: rule
    for rule in (
        *MANIFEST_RULES.values(),
        # A wheel.
        Rule("wheel-name", NAMES, _ERROR, "The name of a wheel follows the grammar."),
        Rule("wheel-readable", _WHEELS, _ERROR, "A wheel is an archive with METADATA."),
        Rule(
            "wheel-entries",
            _WHEELS,
            _ERROR,
            "Each entry of a wheel is a path below its root, and is there once.",
        ),
        Rule(
            "wheel-metadata",
            METADATA,
            _ERROR,
            "A wheel with a label has variant.json in its .dist-info folder, and no "
            "other wheel has one.",
        ),
        Rule(
            "wheel-label",
            METADATA,
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
            PROVIDERS,
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
            "installers": None if self.rule.effect is None else self.rule.effect.value,
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

    def report(self, rule_id: str, problem: str, remedy: str | None = None) -> None:
        """Add what the reader of manifests finds (:class:`..manifest_parser.Report`)."""
        self.add(rule_id, capital(problem), remedy)

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


@dataclass(slots=True)
class CheckReport:
    """What was judged, and what is wrong with it."""

    findings: list[Finding] = field(default_factory=list)
    wheels: int = 0
    manifests: int = 0

    @property
    def errors(self) -> int:
        """Give how many findings must be mended."""
        return sum(finding.is_error for finding in self.findings)

    @property
    def warnings(self) -> int:
        """Give how many findings need not be mended."""
        return len(self.findings) - self.errors
