"""What goes wrong with variants, told in pip's way: what, why, what to type."""

from __future__ import annotations

from collections.abc import Iterable

from pip._vendor.rich.markup import escape
from pip._vendor.rich.text import Text

from pip._internal.exceptions import (
    DiagnosticPipError,
    DistributionNotFound,
    MetadataInconsistent,
)
from pip._internal.variants.texts import printable

__all__ = [
    "InvalidHostFile",
    "InvalidVariantWheel",
    "LockConflict",
    "NoCompatibleVariant",
    "UnsupportedVariant",
    "UnusableManifest",
    "VariantDisagreement",
    "VariantLabelNotFound",
    "VariantsDisabled",
    "in_words",
]


def _lines(lines: Iterable[str]) -> Text | None:
    text = "\n".join(lines)
    return Text(text) if text else None


def in_words(error: BaseException) -> str:
    """Say what went wrong in plain text, within a sentence, and just once."""
    if isinstance(error, DiagnosticPipError):
        said = error.context or error.message
        text = said if isinstance(said, Text) else Text.from_markup(said)
        return text.plain.rstrip(".")
    # Many an error repeats the one beneath it.
    match error.args:
        case [Exception() as inner, *_]:
            return in_words(inner)
        case [str() as said, Exception()]:
            return said
    return str(error)


class InvalidHostFile(DiagnosticPipError):
    """The file given with ``--variant-host`` does not describe a machine."""

    reference = "invalid-variant-host"

    def __init__(self, path: str, problem: str) -> None:
        super().__init__(
            message=f"The variant host file {escape(path)} cannot be used.",
            context=Text(problem),
            hint_stmt=Text(
                "Common machines have names: cuda-12.8-sm_90, cpu-x86_64-v3. "
                'A host file is JSON: {"host-schema": 1, "supported": {"nvidia": '
                '[{"feature": "cuda_version_lower_bound", "values": ["12.8", "12.0"]}'
                "]}}, with the values of each feature best first."
            ),
        )


class InvalidVariantWheel(DiagnosticPipError):
    """A wheel is not the variant that its file name says."""

    reference = "invalid-variant-wheel"

    def __init__(self, filename: str, problem: str) -> None:
        self.problem = problem = printable(problem)
        super().__init__(
            message=Text(f"{printable(filename)} is not a valid variant wheel."),
            context=Text(problem[:1].upper() + problem[1:] + "."),
            hint_stmt=Text(
                "Whoever made the wheel has to mend it: PEP 825 asks for a variant.json "
                "with the label of the file name."
            ),
        )


class LockConflict(DiagnosticPipError):
    """What depends on the builds that are chosen cannot be put into one lock file."""

    reference = "variant-lock-conflict"

    def __init__(self, problem: str, reasons: Iterable[str]) -> None:
        super().__init__(
            message=Text(problem),
            context=_lines(reasons),
            hint_stmt=Text(
                "Lock fewer builds: --variant LABEL or --variant PACKAGE=LABEL, once for "
                "each that is wanted; for several kinds of machines, a file each."
            ),
        )


class VariantDisagreement(MetadataInconsistent, DiagnosticPipError):
    """A wheel is another variant than the manifest that chose it says.

    While the resolver runs, it takes the next candidate then.

    :param stated: what the manifest says of the variant.
    :param found: what the wheel says of itself.
    """

    reference = "variant-disagreement"

    def __init__(self, filename: str, stated: str, found: str) -> None:
        filename = printable(filename)
        self._line = (
            f"{filename} is not what the variants manifest says: that is {stated}; "
            f"the wheel: {found}"
        )
        DiagnosticPipError.__init__(
            self,
            message=Text(f"{filename} is not what the variants manifest says."),
            context=_lines([f"The manifest: {stated}", f"The wheel: {found}"]),
            hint_stmt=Text(
                "Whoever publishes them has to mend one of the two. Until then, choose "
                "another build with --variant PACKAGE=LABEL, or none with --no-variants."
            ),
        )

    def __str__(self) -> str:
        return self._line


class VariantLabelNotFound(DiagnosticPipError, DistributionNotFound):
    """No variant has the label that was chosen by hand."""

    reference = "variant-label-not-found"

    def __init__(self, label: str, available: Iterable[str], hint: str) -> None:
        super().__init__(
            message=f"No variant is labelled [bold]{escape(label)}[/].",
            context=_lines(available),
            hint_stmt=Text(hint),
        )


class UnsupportedVariant(DiagnosticPipError):
    """The target cannot run a variant that was chosen by hand or by path."""

    reference = "unsupported-variant"

    def __init__(self, what: str, reasons: Iterable[str], instead: str) -> None:
        super().__init__(
            message=Text(f"{printable(what)} cannot run on the target machine."),
            context=_lines(reasons),
            hint_stmt=Text(
                "If it is meant for another machine, describe that one with "
                f"--variant-host FILE. {instead}"
            ),
        )


class UnusableManifest(DiagnosticPipError):
    """The file given as a manifest is none."""

    reference = "unusable-manifest"

    def __init__(self, path: str, problem: str) -> None:
        super().__init__(
            message=Text(f"{path} cannot be used as a variants manifest."),
            context=Text(problem[:1].upper() + problem[1:] + "."),
            hint_stmt=Text(
                "A manifest is a file like torch-2.8.0-variants.json beside the wheels "
                "of a release, or variant.json inside one of them."
            ),
        )


class VariantsDisabled(DiagnosticPipError):
    """A variant wheel was named although variants are off."""

    reference = "variants-disabled"

    def __init__(self, filename: str) -> None:
        super().__init__(
            message=Text(
                f"{printable(filename)} is a variant wheel, and variants are off."
            ),
            context=Text(
                "--no-variants, its environment variable or configuration key, or the "
                "legacy resolver turns them off."
            ),
            hint_stmt=Text("Leave that out to install variant wheels."),
        )


class NoCompatibleVariant(DiagnosticPipError, DistributionNotFound):
    """Nothing that could be installed is left, since the variants were refused."""

    reference = "no-compatible-variant"

    def __init__(
        self, requirement: str, reasons: Iterable[str], hint: str, *, judged: bool
    ) -> None:
        message = f"No variant of {requirement} runs on the target machine."
        if not judged:
            message = f"No variant of {requirement} can be judged."
        super().__init__(
            message=Text(message), context=_lines(reasons), hint_stmt=Text(hint)
        )
