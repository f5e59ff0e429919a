"""What goes wrong with variants, told as pip does: what, why, what to type."""

from __future__ import annotations

import optparse
from collections.abc import Iterable, Sequence
from tempfile import gettempdir
from typing import TYPE_CHECKING, NamedTuple

from pip._vendor.packaging.requirements import InvalidRequirement
from pip._vendor.rich.text import Text

from pip._internal.console import printable
from pip._internal.console.output import text_of
from pip._internal.console.texts import capital
from pip._internal.exceptions import (
    CommandError,
    DiagnosticPipError,
    DistributionNotFound,
    InstallationError,
    MetadataInconsistent,
)
from pip._internal.fast.space import DiskFull, is_full

if TYPE_CHECKING:
    from pip._vendor.rich.console import Console, ConsoleOptions, RenderResult

__all__ = [
    "AcceleratorRequired",
    "BuildConflict",
    "BuiltForThisMachine",
    "ContradictoryOptions",
    "DependencyNotListed",
    "DroppedVariants",
    "IndexTaken",
    "InvalidEnvironment",
    "InvalidHostFile",
    "InvalidOption",
    "InvalidVariantWheel",
    "KeepsToFork",
    "LabelInVersion",
    "NoCompatibleVariant",
    "NoSuitableFile",
    "OtherMachine",
    "UnknownHost",
    "UnknownPackage",
    "UnsupportedVariant",
    "UnusableConfiguration",
    "UnusableManifest",
    "UnusableRequirement",
    "VariantDisagreement",
    "VariantError",
    "VariantLabelNotFound",
    "VariantLost",
    "VariantNotInstallable",
    "VariantsDisabled",
    "WrongUse",
    "in_words",
]


def in_words(error: BaseException) -> str:
    """Say what went wrong as part of a sentence, in plain text, and only once."""
    from pip._internal.variants.errors.requests import said_of_request

    of_request = said_of_request(error)
    if of_request is not None:
        return _one_line(of_request)
    if isinstance(error, DiagnosticPipError):
        said = error.context or error.message
        text = said if isinstance(said, Text) else Text.from_markup(said)
        return _one_line(text.plain).rstrip(".")
    if is_full(error):
        # An error that names no place is about a temporary file.
        full = error if isinstance(error, DiskFull) else DiskFull(gettempdir(), 0)
        return full.said
    # Many errors repeat the one that they wrap.
    match error.args:
        case [Exception() as inner, *_]:
            return in_words(inner)
        case [str() as said, Exception()]:
            return _one_line(said)
    return _one_line(str(error))


def _one_line(text: str) -> str:
    return " ".join(text.split())


#: The width of what upstream puts before the lines of an error, such as ``hint:``.
_BESIDE = len("hint: ")


_Lines = str | Iterable[str]


class VariantError(DiagnosticPipError):
    """An error whose lines quote whatever others wrote, in printable characters.

    :param subject: what stands in the form; without a form, the whole message.
    :param context: why, as one line or several.
    :param hint: what to type next, likewise.
    :param note: what else there is to know, likewise.
    :cvar form: what happened; ``{}`` stands for the subject.
    :cvar usual_context: why, unless the error says.
    :cvar usual_hint: what to type next, unless the error says.
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
            context=text_of(self._context),
            hint_stmt=text_of(self._hint),
            note_stmt=text_of(self._note),
        )

    def add_note_line(self, line: str) -> None:
        """Add what else there is to know."""
        if line not in map(str, self._note):
            self._note = [*self._note, *_lines(line)]
            self.note_stmt = text_of(self._note)

    def note_configured_host(self, host: str) -> None:
        """Add where the host comes from, which nobody typed."""
        self.add_note_line(
            f"PIP_VARIANT_HOST or the configuration names {host}; --variant-host '' "
            "leaves it out."
        )

    def __rich_console__(
        self, console: Console, options: ConsoleOptions
    ) -> RenderResult:
        """Show it as upstream does; on a terminal, break lines between words."""
        if console.is_terminal:
            from pip._internal.console.wrapped import paragraphs

            width = options.max_width - _BESIDE
            message = self.message
            assert isinstance(message, Text), "it was made one"
            shown = DiagnosticPipError(
                reference=self.reference,
                message=paragraphs([message], width),
                context=paragraphs(self._context, width) or None,
                hint_stmt=paragraphs(self._hint, width) or None,
                note_stmt=paragraphs(self._note, width) or None,
            )
            return shown.__rich_console__(console, options)
        return super().__rich_console__(console, options)


def _lines(given: _Lines) -> list[str]:
    return list(filter(None, [given] if isinstance(given, str) else given))


class _Printable(Exception):
    """An error whose message quotes whatever others wrote, in printable characters."""

    def __init__(self, problem: str) -> None:
        super().__init__(printable(problem))


class WrongUse(_Printable, CommandError):
    """A command cannot do what its arguments say."""


class InvalidOption(_Printable, optparse.OptionValueError):
    """An option has a value that it cannot have."""


class UnusableRequirement(_Printable, InvalidRequirement):
    """A dependency cannot be evaluated."""


class BuildConflict(_Printable, InstallationError):
    """Builds that were tried conflict; the message says why."""


class ContradictoryOptions(VariantError):
    """The user asked for two things that exclude each other."""

    reference = "contradictory-options"

    #: Why, with a field for what it is about.
    WITHOUT_VARIANTS = "Without variants there is nothing to choose from."
    ONE_BUILD = "Only one build of {} is installed."
    BOTH_LABELS = "{} has variants with both labels."
    WHICH_LABEL = "Say which one is meant: {}."
    ASKED_OR_NOT = "The provider of {} cannot be asked and not be asked."
    NOTHING_TO_PREFER = "Nothing of {} that is disabled can be preferred."
    NOT_ASKED = "The provider of {} is not asked, whichever it is."
    ONE_PROVIDER = "Only one provider of {} is asked."
    NOTHING_IS_BUILT = "Nothing can be built here for another kind of machine."

    def __init__(
        self,
        first: str,
        second: str,
        why: str,
        hint: str = "Leave one of the two out.",
    ) -> None:
        super().__init__(f"{first} contradicts {second}.", why, hint)


class InvalidHostFile(VariantError):
    """The file given with ``--variant-host`` does not describe a machine."""

    reference = "invalid-variant-host"
    form = "The variant host {} cannot be used."
    usual_hint = (
        "Common machines have names: cuda-12.8-sm_90, macos-arm64-py313. "
        'A host file is JSON: {"host-schema": 1, "supported": {"nvidia": '
        '[{"feature": "cuda_version_lower_bound", "values": ["12.8", "12.0"]}'
        "]}}, with the values of each feature best first."
    )


class InvalidEnvironment(InvalidHostFile):
    """The name given with ``--environment`` has more than a platform and a Python."""

    reference = "invalid-environment"
    form = "The environment {} cannot be used."


class UnknownHost(VariantError):
    """The value of ``--variant-host`` is neither a file nor the name of a machine."""

    reference = "unknown-variant-host"
    form = "{} is neither a file nor the name of a machine that is known."
    usual_hint = (
        "A name has parts in any order, joined by dashes: cuda-X.Y-sm_NN, "
        "rocm[-VERSION][-gfxNNN], xpu, tpu or cpu; x86_64[-vN], aarch64 or tegra "
        "(Jetson); linux, macos[-VERSION] or windows; glibc-2.NN or musl-1.N; py312. "
        "Examples: cuda-12.8-sm_90 (CUDA 12.8, compute capability 9.0), cuda-12.8-h100, "
        "rocm-7.1-mi300x. For any other machine: "
        "pip variants host --json > host.json there, and --variant-host host.json here."
    )

    def __init__(self, name: str, nearest: str | None) -> None:
        super().__init__(
            name, f"Did you mean {nearest}?" if nearest is not None else ()
        )


class OtherMachine(VariantError):
    """What is for another kind of machine would be installed into this one."""

    reference = "variant-host-of-another-platform"
    form = "{} is a machine of another kind: what is for it may not run here."


class BuiltForThisMachine(VariantError):
    """Something would have to be built for another kind of machine."""

    reference = "nothing-is-built-for-another-machine"
    form = "{} is no wheel, and nothing can be built here for another kind of machine."
    usual_hint = (
        "Name a wheel, or build one on such a machine: pip wheel --no-deps -w DIR PROJECT; then "
        "--find-links DIR here."
    )

    def __init__(self, link: str, host: str) -> None:
        super().__init__(link, f"--variant-host {host} is another kind of machine.")


class InvalidVariantWheel(VariantError):
    """A wheel is not the variant that its file name says."""

    reference = "invalid-variant-wheel"
    form = "{} is not a valid variant wheel."
    usual_hint = (
        "Whoever made the wheel has to mend it: PEP 825 asks for a variant.json "
        "with the label of the file name."
    )

    def __init__(self, filename: str, problem: str) -> None:
        self.problem = problem
        super().__init__(filename, f"{capital(problem)}.")


class LabelInVersion(VariantError, DistributionNotFound):
    """A requirement has the label of a variant in place of a local version."""

    reference = "variant-label-in-version"

    def __init__(self, project: str, version: str, local: str, label: str) -> None:
        super().__init__(
            f"No version of {project} is {version}+{local}.",
            f"{label} is a variant of {project} {version}, not a part of its version.",
            f"Write {project}=={version} --variant {project}={label}.",
        )


class VariantDisagreement(MetadataInconsistent, VariantError):
    """A wheel is another variant than its release's manifest says.

    If the resolver meets this error, it takes the next candidate.

    :param stated: what the manifest says of the variant.
    :param found: what the wheel says of itself.
    """

    reference = "variant-disagreement"

    def __init__(self, filename: str, stated: str, found: str) -> None:
        self._line = printable(
            f"{filename} is not what the variants manifest says: that is {stated}; "
            f"the wheel: {found}"
        )
        VariantError.__init__(
            self,
            f"{filename} is not what the variants manifest says.",
            [f"The manifest: {stated}", f"The wheel: {found}"],
            "Whoever publishes them has to mend one of the two. Until then, choose "
            "another build with --variant PACKAGE=LABEL, or none with --no-variants.",
        )

    def __str__(self) -> str:
        return self._line


class VariantLabelNotFound(VariantError, DistributionNotFound):
    """No variant has the label that was chosen by hand."""

    reference = "variant-label-not-found"
    form = "No variant is labelled {}."

    def __init__(self, label: str, available: Iterable[str], hint: str) -> None:
        super().__init__(label, available, hint)
        assert isinstance(self.message, Text), "it was made one"
        self.message.highlight_words([label], "bold")


class VariantNotInstallable(VariantError, DistributionNotFound):
    """The variant that was chosen by hand is listed, but pip may not take its files."""

    reference = "variant-not-installable"

    def __init__(self, release: str, label: str, reasons: Iterable[str]) -> None:
        super().__init__(
            f"The variant {label} of {release} cannot be installed.",
            reasons,
            "Choose another variant or another version, or leave --variant out.",
        )


class UnknownPackage(VariantError):
    """A label was chosen for a package that the command does not have.

    :param typed: the option as the user wrote it.
    :param meant: what to type instead; None if no package of the command is similar.
    """

    reference = "unknown-package"

    def __init__(self, typed: str, project: str, meant: str | None) -> None:
        super().__init__(
            f"{typed}: no package of this command is called '{project}'.",
            hint=meant or "Leave this option out, or name a package of this command.",
        )


class UnsupportedVariant(VariantError):
    """The target cannot run a variant that was chosen by hand or by path."""

    reference = "unsupported-variant"
    form = "{} cannot run on the target machine."

    def __init__(self, what: str, reasons: Iterable[str], instead: str) -> None:
        hint = "If it is meant for another machine, describe that one with"
        super().__init__(what, reasons, f"{hint} --variant-host FILE. {instead}")


class UnusableManifest(VariantError):
    """A file that should be a manifest is none."""

    reference = "unusable-manifest"
    form = "{} cannot be used as a variants manifest."
    usual_hint = (
        "A manifest is a file like torch-2.8.0-variants.json beside the wheels "
        "of a release, or variant.json inside one of them."
    )

    def __init__(self, path: str, problem: str) -> None:
        super().__init__(path, f"{capital(problem)}.")


class UnusableConfiguration(VariantError):
    """The configuration cannot be written, or what it says cannot be read."""

    reference = "unusable-configuration"
    form = "{} is of no use: nothing was configured."


class IndexTaken(VariantError):
    """A project comes from another index than the one that is to be set up.

    :param where: the file that says so.
    """

    reference = "index-taken"

    def __init__(self, project: str, url: str, where: str, hint: str) -> None:
        super().__init__(
            f"{project} comes from {url} already.",
            f"So says {where}; a project comes from one index alone.",
            hint,
        )


class DroppedVariants(NamedTuple):
    """A reason to leave variants out.

    :ivar lost: what is left out, as ``the variants cu128, cu126 of torch 2.8.0``.
    :ivar reason: why, as the clause that follows a colon.
    :ivar warning: the whole warning in one line; None for no warning, since more has to
        go wrong before something is lost, or another error tells it.
    :ivar follows: what pip does then, as ``goes on with a plain build``; may be empty.
    :ivar hints: what to type, in questions, or sentences without a final period.
    :ivar otherwise: likewise, how to do without these variants and without a warning.
    :ivar about: the subject, about which there is one warning; None for the text itself.
    """

    lost: str
    reason: str
    warning: str | None = None
    follows: str = ""
    hints: Sequence[str] = ()
    otherwise: str = ""
    about: str | None = None


class VariantLost(VariantError):
    """A variant would be left out, and the user did not choose that.

    No :class:`InstallationError`, which would be a reason to try another candidate.
    """

    reference = "variant-lost"

    def __init__(self, dropped: DroppedVariants) -> None:
        lost = dropped.lost[:1].upper() + dropped.lost[1:]
        follows = dropped.follows or "gives a warning"
        super().__init__(
            f"{lost} would be left out.",
            dropped.reason,
            filter(None, (*dropped.hints, dropped.otherwise)),
            f"That is an error with --strict-variants; without it, pip {follows}.",
        )


class AcceleratorRequired(VariantError):
    """A package that must use an accelerator would not use one.

    No :class:`InstallationError`, which would be a reason to try another candidate.
    """

    reference = "accelerator-required"
    form = "--require-accelerator is not satisfied by {}."


class VariantsDisabled(VariantError):
    """A variant wheel was named, but variants are off."""

    reference = "variants-disabled"
    form = "{} is a variant wheel, and variants are off."
    usual_context = (
        "--no-variants, its environment variable or configuration key, or the "
        "legacy resolver turns them off."
    )
    usual_hint = "Leave that out to install variant wheels."


class NoSuitableFile(VariantError, DistributionNotFound):
    """All listed files are for other machines, or are excluded by options."""

    reference = "no-suitable-file"
    form = "Nothing that is listed for {} can be installed."


class DependencyNotListed(VariantError, DistributionNotFound):
    """No index that is searched has what a variant depends on.

    :param where: the indexes, in a few words; may be empty.
    """

    reference = "dependency-not-listed"

    def __init__(self, project: str, parent: str, where: str, hint: str) -> None:
        super().__init__(
            f"{parent} depends on {project}, which was not found{where}.",
            hint=hint,
            note="Of what several indexes have, the newest version is taken.",
        )


class KeepsToFork(VariantError, DistributionNotFound):
    """Only releases of upstream's pip suit, and they do not replace this one unasked."""

    reference = "keeps-to-fork"
    form = "There is no release of this pip for {}."


class NoCompatibleVariant(VariantError, DistributionNotFound):
    """Nothing is left to install, because the variants were refused."""

    reference = "no-compatible-variant"

    def __init__(
        self,
        requirement: str,
        reasons: Iterable[str],
        hints: Iterable[str],
        *,
        judged: bool,
    ) -> None:
        problem = "runs on the target machine" if judged else "can be judged"
        super().__init__(f"No variant of {requirement} {problem}.", reasons, hints)
