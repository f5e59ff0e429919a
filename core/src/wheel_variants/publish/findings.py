"""Findings of a check: broken rules (``wheel_variants.rules``)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from wheel_variants.publish.errors import capital
from wheel_variants.rules import RULES, Rule, Severity

__all__ = ["Finding", "FindingList", "found"]


@dataclass(frozen=True, slots=True)
class Finding:
    """A broken rule.

    :ivar subjects: the files or URLs that break the rule; the first must be fixed.
    :ivar problem: the problem, a sentence without its period.
    :ivar remedy: the remedy, a sentence without its period.
    """

    rule: Rule
    subjects: tuple[str, ...]
    problem: str
    remedy: str | None = None

    @property
    def is_error(self) -> bool:
        """Whether this finding must be fixed."""
        return self.rule.severity is Severity.ERROR

    def to_dict(self) -> dict[str, Any]:
        """Return this finding as a JSON object."""
        rule = self.rule
        return {
            "rule": rule.id,
            "severity": rule.severity.value,
            "installers": None if rule.effect is None else rule.effect.value,
            "source": rule.source,
            "text": rule.text,
            "subjects": list(self.subjects),
            "problem": self.problem,
            "remedy": self.remedy,
        }


def found(
    rule_id: str, subject: str, problem: str, remedy: str | None = None
) -> Finding:
    """Return a finding about one subject."""
    return Finding(RULES[rule_id], (subject,), problem, remedy)


class FindingList:
    """The findings about one subject, in order and without duplicates."""

    def __init__(self, subject: str) -> None:
        self.subject = subject
        self._found: dict[Finding, None] = {}

    def add(self, rule_id: str, problem: str, remedy: str | None = None) -> None:
        """Add a problem, such as one that the manifest parser reports (``Report``)."""
        self._found[found(rule_id, self.subject, capital(problem), remedy)] = None

    def __iter__(self) -> Iterator[Finding]:
        return iter(self._found)
