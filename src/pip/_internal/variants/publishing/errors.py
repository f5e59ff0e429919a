"""What goes wrong when variants are published, told in pip's way."""

from __future__ import annotations

from collections.abc import Iterable

from pip._vendor.rich.text import Text

from pip._internal.exceptions import DiagnosticPipError
from pip._internal.variants.publishing.rules import Finding
from pip._internal.variants.publishing.texts import capital

__all__ = [
    "BadProjectTable",
    "CannotBuildVariant",
    "CannotIndex",
    "NoSuchTarget",
    "finding_lines",
]


class BadProjectTable(DiagnosticPipError):
    """The ``[variant]`` table of a ``pyproject.toml`` cannot be used."""

    reference = "invalid-variant-table"

    def __init__(self, path: str, problem: str, hint: str) -> None:
        super().__init__(
            message=Text(f"The variants in {path} cannot be used."),
            context=Text(f"{problem}."),
            hint_stmt=Text(f"{hint}."),
        )


class CannotBuildVariant(DiagnosticPipError):
    """A wheel cannot be made into the one that was asked for."""

    reference = "cannot-build-variant"

    def __init__(self, wheel: str, problem: str, hint: str) -> None:
        super().__init__(
            message=Text(f"No variant can be built from {wheel}."),
            context=Text(f"{capital(problem)}."),
            hint_stmt=Text(f"{hint}."),
        )

    @classmethod
    def for_findings(
        cls, wheel: str, findings: Iterable[Finding]
    ) -> CannotBuildVariant:
        """Say which rules the variant would break."""
        listed = list(findings)
        remedies = dict.fromkeys(each.remedy for each in listed if each.remedy)
        return cls(
            wheel,
            ".\n".join(finding.problem for finding in listed),
            ".\n".join(remedies) or "Change the properties, namespaces or providers",
        )


class CannotIndex(DiagnosticPipError):
    """The files of a directory do not make an index."""

    reference = "cannot-index"

    def __init__(self, directory: str, findings: Iterable[Finding]) -> None:
        listed = list(findings)
        lines = [line for finding in listed for line in finding_lines(finding)]
        super().__init__(
            message=Text(f"No index can be made of {directory}."),
            context=Text("\n".join(lines)),
            note_stmt="Nothing was written.",
            hint_stmt=Text(
                "Mend or remove the files. 'pip variants check' tells more about each."
            ),
        )


class NoSuchTarget(DiagnosticPipError):
    """There is nothing to check or to index where the user said."""

    reference = "nothing-to-publish"

    def __init__(self, target: str, problem: str, hint: str) -> None:
        super().__init__(
            message=Text(f"Nothing that could be published was found at {target}."),
            context=Text(f"{problem}."),
            hint_stmt=Text(f"{hint}."),
        )


def finding_lines(finding: Finding) -> list[str]:
    """Tell what was found, and what to do about it, in two lines at most."""
    lines = [f"{' and '.join(finding.subjects)}: {finding.problem}."]
    if finding.remedy is not None:
        lines.append(f"  {finding.remedy}.")
    return lines
