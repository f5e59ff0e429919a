"""What goes wrong when variants are published, told in pip's way."""

from __future__ import annotations

from collections.abc import Iterable

from pip._internal.console.texts import capital
from pip._internal.parallel.space import DiskFull
from pip._internal.variants.errors import VariantError
from pip._internal.variants.publishing.findings import Finding

__all__ = [
    "BadProjectTable",
    "CannotBuildVariant",
    "CannotIndex",
    "CannotWrite",
    "NoSuchTarget",
]


class BadProjectTable(VariantError):
    """The ``[variant]`` table of a ``pyproject.toml`` cannot be used."""

    reference = "invalid-variant-table"

    def __init__(self, path: str, problem: str, hint: str) -> None:
        super().__init__(
            f"The variants in {path} cannot be used.", [f"{problem}."], [f"{hint}."]
        )


class CannotBuildVariant(VariantError):
    """A wheel cannot be made into the one that was asked for.

    :param problems: why, one sentence each, without its period.
    :param hints: what to do about it; likewise.
    """

    reference = "cannot-build-variant"

    def __init__(
        self, wheel: str, problems: Iterable[str], hints: Iterable[str]
    ) -> None:
        super().__init__(
            f"No variant can be built from {wheel}.",
            [f"{capital(each)}." for each in problems],
            [f"{each}." for each in hints],
        )


class CannotIndex(VariantError):
    """The files of a folder do not make an index."""

    reference = "cannot-index"

    def __init__(self, directory: str, findings: Iterable[Finding]) -> None:
        super().__init__(
            f"No index can be made of {directory}.",
            [line for finding in findings for line in _lines(finding)],
            ["Mend or remove the files. 'pip variants check' tells more about each."],
            ["Nothing was written."],
        )


class CannotWrite(VariantError):
    """The result cannot be written.

    :param option: the option that names another folder.
    """

    reference = "cannot-write"

    def __init__(self, what: str, error: OSError, option: str) -> None:
        said = f"{error.filename}: {error.strerror or error}"
        hint = f"Name another folder with {option}."
        if isinstance(error, DiskFull):
            said, hint = error.said, f"Make room there, or name another with {option}."
        super().__init__(f"{what} cannot be written.", [f"{capital(said)}."], [hint])


class NoSuchTarget(VariantError):
    """There is nothing to check or to index where the user said."""

    reference = "nothing-to-publish"

    def __init__(self, target: str, problem: str, hint: str) -> None:
        super().__init__(
            f"Nothing that could be published was found at {target}.",
            [f"{problem}."],
            [f"{hint}."],
        )


def _lines(finding: Finding) -> list[str]:
    """Return a finding, and what to do about it, in at most two lines."""
    lines = [f"{' and '.join(finding.subjects)}: {finding.problem}."]
    if finding.remedy is not None:
        lines.append(f"  {finding.remedy}.")
    return lines
