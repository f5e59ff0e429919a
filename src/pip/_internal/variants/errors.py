"""Errors about variants, in pip's format: what, why, what to type."""

from __future__ import annotations

import optparse
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from pip._vendor.packaging.requirements import InvalidRequirement
from pip._vendor.rich.text import Text
from pip._vendor.urllib3 import exceptions as urllib3_errors

from pip._internal import exceptions
from pip._internal.console import printable
from pip._internal.console.output import folded
from pip._internal.console.texts import capital

if TYPE_CHECKING:
    from pip._vendor.rich.console import Console, ConsoleOptions, RenderResult


def describe_error(error: BaseException) -> str:
    """Return an error as part of a sentence, in plain text."""
    if isinstance(error, exceptions.DiagnosticPipError):
        stated = error.context or error.message
        text = stated if isinstance(stated, Text) else Text.from_markup(stated)
        return _one_line(text.plain)
    # Many errors repeat the error that they wrap.
    match error:
        case urllib3_errors.ReadTimeoutError():
            return "the server stopped sending before the end"
        case urllib3_errors.ProtocolError():
            return "the connection broke before the end"
        case (
            urllib3_errors.MaxRetryError(reason=Exception() as inner)
            | BaseException(args=[Exception() as inner, *_])
        ):
            return describe_error(inner)
        case BaseException(args=[str() as stated, Exception()]):
            return _one_line(stated)
    return _one_line(str(error))


def _one_line(text: str) -> str:
    return " ".join(text.split()).rstrip(".")


_Lines = str | Iterable[str]


class VariantError(exceptions.DiagnosticPipError):
    """An error with several lines, in printable characters.

    :param subject: the text for ``{}`` in :attr:`form`; without a form, the whole message.
    :param context: the reason, as one line or several.
    :param hint: the commands or options to type next, as one line or several.
    :param note: further facts, as one line or several.
    :cvar form: the message; ``{}`` stands for the subject.
    :cvar usual_context: the default reason.
    :cvar usual_hint: the default hint.
    """

    form = "{}"
    usual_context = usual_hint = ""

    def __init__(
        self, subject: str, context: _Lines = (), hint: _Lines = (), note: _Lines = ()
    ) -> None:
        self._context = _lines(context) or _lines(self.usual_context)
        self._hint = _lines(hint) or _lines(self.usual_hint)
        self._note = _lines(note)
        super().__init__(
            message=Text(printable(self.form.format(subject))),
            context=_text(self._context),
            hint_stmt=_text(self._hint),
            note_stmt=_text(self._note),
        )

    def note_configured_host(self, host: str) -> None:
        """Name the source of a host that was not on the command line."""
        line = (
            f"'{host}' comes from PIP_VARIANT_HOST or the configuration. To ignore "
            "it: --variant-host ''."
        )
        if line not in self._note:
            self._note.append(line)
            self.note_stmt = _text(self._note)

    def __rich_console__(
        self, console: Console, options: ConsoleOptions
    ) -> RenderResult:
        """Show the error like stock pip; on a terminal, fold lines between words."""
        if not console.is_terminal:
            return super().__rich_console__(console, options)
        # Upstream puts labels of this width before the lines of an error.
        width = options.max_width - len("hint: ")
        error = exceptions.DiagnosticPipError(
            reference=self.reference,
            message=folded(str(self.message), width),
            context=_text(self._context, width),
            hint_stmt=_text(self._hint, width),
            note_stmt=_text(self._note, width),
        )
        return error.__rich_console__(console, options)


def _lines(given: _Lines) -> list[str]:
    return list(filter(None, [given] if isinstance(given, str) else given))


def _text(lines: Iterable[str], width: int | None = None) -> Text | None:
    """Return preformatted lines, or None if there are none.

    :param width: the maximum width of a line; None for no limit.
    """
    if width is None:
        return Text("\n".join(map(printable, lines))) or None
    return Text("\n").join(folded(line, width) for line in lines) or None


class _PrintableError(Exception):
    """An error with a message in printable characters."""

    def __init__(self, problem: str) -> None:
        super().__init__(printable(problem))


class WrongUse(_PrintableError, exceptions.CommandError):
    """The arguments of a command are invalid."""


class InvalidOption(_PrintableError, optparse.OptionValueError):
    """The value of an option is invalid."""


class UnusableRequirement(_PrintableError, InvalidRequirement):
    """A dependency cannot be evaluated."""


class BuildConflict(_PrintableError, exceptions.InstallationError):
    """The candidate builds conflict; the message explains why."""


class ContradictoryOptions(VariantError):
    """Two options contradict each other."""

    reference = "contradictory-options"

    #: The reason; ``{}`` stands for the subject.
    WITHOUT_VARIANTS = "Without variants, pip has nothing to choose from."
    ONE_BUILD = "pip can install only one variant of '{}'."
    NOTHING_IS_BUILT = "pip cannot build here for another kind of machine."

    def __init__(
        self, first: str, second: str, why: str, hint: str = "Remove either option."
    ) -> None:
        super().__init__(f"{first} contradicts {second}.", why, hint)


class InvalidHostFile(VariantError):
    """The file of ``--variant-host`` does not describe a machine."""

    reference = "invalid-variant-host"
    form = "The variant host '{}' cannot be used."
    usual_hint = (
        "Common machines have names: cuda-12.8-sm_90, macos-arm64-py313. "
        'A host file is JSON: {"host-schema": 1, "supported": {"nvidia": '
        '[{"feature": "cuda_version_lower_bound", "values": ["12.8", "12.0"]}'
        "]}}. List the values of each feature best first."
    )


class UnknownHost(VariantError):
    """The value of ``--variant-host`` is neither a file nor the name of a machine."""

    reference = "unknown-variant-host"
    form = "'{}' is neither a file nor a known host name."
    usual_hint = (
        "A name has dash-joined parts in any order: cuda-X.Y-sm_NN, "
        "rocm[-VERSION][-gfxNNN], xpu, tpu or cpu; x86_64[-vN], aarch64 or tegra "
        "(Jetson); linux, macos[-VERSION] or windows; glibc-2.NN or musl-1.N; py312. "
        "Examples: cuda-12.8-sm_90 (CUDA 12.8, compute capability 9.0), "
        "cuda-12.8-h100, rocm-7.1-mi300x. For other machines, run there: pip "
        "variants host --json > host.json. Then add --variant-host host.json."
    )

    def __init__(self, name: str, nearest: str | None) -> None:
        super().__init__(
            name, f"Did you mean '{nearest}'?" if nearest is not None else ()
        )


class OtherMachine(VariantError):
    """A file for another kind of machine would be installed in this environment."""

    reference = "variant-host-of-another-platform"
    form = "'{}' is another kind of machine, and packages for it may not run here."


class BuiltForThisMachine(VariantError):
    """A package would have to be built for another kind of machine."""

    reference = "nothing-is-built-for-another-machine"
    form = "{} is not a wheel, and pip cannot build here for another kind of machine."
    usual_hint = (
        "Specify a wheel, or build one on such a machine (pip wheel --no-deps -w DIR "
        "PROJECT), copy DIR here and add --find-links DIR."
    )

    def __init__(self, link: str, host: str, *why: str) -> None:
        other = f"{host} is another kind of machine."
        super().__init__(link, [other, *why])


class InvalidVariantWheel(VariantError):
    """A wheel does not contain the variant that its file name states."""

    reference = "invalid-variant-wheel"
    form = "{} is not a valid variant wheel."
    usual_hint = (
        "Ask the publisher to fix the wheel: PEP 825 requires a variant.json with the "
        "label of the file name."
    )

    def __init__(self, filename: str, problem: str) -> None:
        self.problem = problem
        super().__init__(filename, f"{capital(problem)}.")


class VariantDisagreement(exceptions.MetadataInconsistent, VariantError):
    """A wheel contradicts the manifest of its release.

    If the resolver catches this error, it tries the next candidate.

    :param stated: the variant in the manifest.
    :param found: the variant in the wheel.
    """

    reference = "variant-disagreement"

    def __init__(self, filename: str, stated: str, found: str) -> None:
        self._line = printable(
            f"{filename} does not match the variants manifest: the manifest has "
            f"{stated}, and the wheel has {found}"
        )
        VariantError.__init__(
            self,
            f"{filename} does not match the variants manifest.",
            [f"Manifest: {stated}", f"Wheel: {found}"],
            "Ask the publisher to fix the manifest or the wheel. Until then, choose "
            "another variant with --variant PACKAGE=LABEL, or none with --no-variants.",
        )

    def __str__(self) -> str:
        return self._line


class UnknownPackage(VariantError):
    """An option is for a package that the command does not install."""

    reference = "unknown-package"
    usual_hint = "Remove this option, or name a package that this command installs."


class UnsupportedVariant(VariantError):
    """The target cannot run a variant that the user selected."""

    reference = "unsupported-variant"
    form = "{} is not supported."


class UnusableManifest(VariantError):
    """A file is not a manifest."""

    reference = "unusable-manifest"
    form = "{} cannot be used as a variants manifest."
    usual_hint = (
        "A manifest is a file like torch-2.8.0-variants.json beside the wheels "
        "of a release, or variant.json inside one of them."
    )

    def __init__(self, path: str, problem: str) -> None:
        super().__init__(path, f"{capital(problem)}.")


class UnusableConfiguration(VariantError):
    """The configuration cannot be written, or has an invalid value."""

    reference = "unusable-configuration"
    form = "{} cannot be used."


class IndexTaken(VariantError):
    """A project already has another index."""

    reference = "index-taken"
    usual_context = "A project can come from only one index."


class DroppedVariants(NamedTuple):
    """Variants that pip leaves out, and why.

    :ivar lost: the dropped variants, as in ``the variants cu128, cu126 of torch 2.8.0``.
    :ivar reason: the reason, as a clause after a colon.
    :ivar warning: the whole warning in one line; None if another error reports the loss, or if
        nothing is lost unless something else fails.
    :ivar follows: the consequence, as in ``goes on with a plain build``; may be empty.
    :ivar hints: remedies, as questions, or as sentences without a final period.
    :ivar otherwise: a hint for doing without these variants and without a warning.
    :ivar about: the subject, since pip warns once for each subject; None if the text is the
        subject.
    """

    lost: str
    reason: str
    warning: str | None = None
    follows: str = ""
    hints: Sequence[str] = ()
    otherwise: str = ""
    about: str | None = None


class VariantLost(VariantError):
    """A variant would be dropped in strict mode.

    Not an :class:`InstallationError`, which would make pip try another candidate.
    """

    reference = "variant-lost"

    def __init__(self, dropped: DroppedVariants) -> None:
        follows = dropped.follows or "gives a warning"
        super().__init__(
            f"pip would ignore {dropped.lost}.",
            dropped.reason,
            filter(None, (*dropped.hints, dropped.otherwise)),
            f"--strict-variants makes this an error; otherwise, pip {follows}.",
        )


class AcceleratorRequired(VariantError):
    """A package that requires an accelerator would not use one.

    Not an :class:`InstallationError`, which would make pip try another candidate.
    """

    reference = "accelerator-required"
    form = "These packages do not satisfy --require-accelerator: {}."


class VariantsDisabled(VariantError):
    """The user named a variant wheel, but variants are disabled."""

    reference = "variants-disabled"
    form = "{} is a variant wheel, and variants are off."
    usual_context = (
        "--no-variants, its environment variable or configuration key, or the "
        "legacy resolver turns variants off."
    )
    usual_hint = "To install variant wheels, remove that setting."


class NothingToInstall(VariantError, exceptions.DistributionNotFound):
    """None of the listed files can be installed; the message explains why."""

    reference = "nothing-to-install"
