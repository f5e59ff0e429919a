"""The options of variants: on the command line, in configuration and requirements."""

from __future__ import annotations

import optparse
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from pip._vendor.packaging._variants import is_valid_label
from pip._vendor.packaging.requirements import InvalidRequirement, Requirement
from pip._vendor.packaging.utils import (
    InvalidName,
    NormalizedName,
    canonicalize_name,
)

from pip._internal.cli.cmdoptions import PipOption
from pip._internal.exceptions import CommandError
from pip._internal.variants.preferences import Preference, parse_blank_separated
from pip._internal.variants.properties import InvalidProperty, is_valid_namespace

if TYPE_CHECKING:
    from pip._internal.commands.debug import DebugCommand
    from pip._internal.index.package_finder import PackageFinder
    from pip._internal.network.session import PipSession
    from pip._internal.req.req_file import ParsedLine, ParsedRequirement

__all__ = [
    "LabelChoice",
    "PROVIDER_KINDS",
    "about_this_machine",
    "as_variables",
    "debug_options",
    "disable_variant_provider",
    "enable_variant_provider",
    "no_variants",
    "prefer_variant",
    "preferences_in_order",
    "requirements_line",
    "trust_variant_provider",
    "upgrade_variants",
    "variant",
    "variant_host",
    "variant_provider",
    "variant_provider_timeout",
]


#: What may serve a namespace in place of what would by default.
PROVIDER_KINDS = ("plugin", "builtin")


@dataclass(frozen=True, slots=True)
class LabelChoice:
    """A label chosen by hand: for one project, or for each that has it."""

    label: str
    project: NormalizedName | None = None


def _check_label_choice(
    option: optparse.Option, opt: str, value: object
) -> LabelChoice:
    if isinstance(value, LabelChoice):
        return value
    text = str(value)
    package, equals, label = text.rpartition("=")
    if not is_valid_label(label):
        raise optparse.OptionValueError(
            f"option {opt}: invalid label {label!r} in {text!r}: a label has lower-case "
            "letters, digits, '_' and '.' only, as in 'cu128' or 'torch=cu128'"
        )
    if not equals:
        return LabelChoice(label)
    try:
        return LabelChoice(label, canonicalize_name(package, validate=True))
    except InvalidName:
        raise optparse.OptionValueError(
            f"option {opt}: invalid package name {package!r} in {text!r}, expected "
            "something like 'torch=cu128'"
        ) from None


def _check_namespace(option: optparse.Option, opt: str, value: str) -> str:
    if not is_valid_namespace(value):
        raise optparse.OptionValueError(
            f"option {opt}: invalid namespace {value!r}, expected something like "
            "'nvidia' or 'x86_64'"
        )
    return value


def _check_provider_kind(
    option: optparse.Option, opt: str, value: object
) -> tuple[str, str]:
    if isinstance(value, tuple):
        return value
    namespace, _, kind = str(value).partition("=")
    if kind not in PROVIDER_KINDS:
        raise optparse.OptionValueError(
            f"option {opt}: invalid value {value!r}, expected "
            f"{' or '.join(f'NAMESPACE={each}' for each in PROVIDER_KINDS)}"
        )
    return _check_namespace(option, opt, namespace), kind


def _check_seconds(option: optparse.Option, opt: str, value: object) -> float:
    try:
        seconds = float(str(value))
    except ValueError:
        seconds = 0
    if not 0 < seconds <= 3600:
        raise optparse.OptionValueError(
            f"option {opt}: invalid number of seconds {value!r}, expected one above 0 "
            "and up to 3600"
        )
    return seconds


def _check_preference(option: optparse.Option, opt: str, value: str) -> object:
    """Give a :class:`Preference`; what is not typed stays the word that it is."""
    if not opt.startswith("-"):
        # Configuration and environment are split at blanks, also at those around "::".
        return value
    try:
        return Preference.parse(value)
    except InvalidProperty as error:
        raise optparse.OptionValueError(
            f"option {opt}: {error}, expected something like "
            "'blas_lapack :: library :: mkl', 'nvidia :: sm_arch' or 'x86_64'"
        ) from None


def preferences_in_order(given: Iterable[Preference | str]) -> Sequence[Preference]:
    """Put preferences in order: those that were typed are stronger than configured ones.

    :param given: values of ``--prefer-variant``; words are what was configured.
    :raises CommandError: if those words are no preferences.
    """
    typed: list[Preference] = []
    words: list[str] = []
    for each in given:
        if isinstance(each, Preference):
            typed.append(each)
        else:
            words.append(each)
    try:
        return tuple(dict.fromkeys([*typed, *parse_blank_separated(words)]))
    except InvalidProperty as error:
        raise CommandError(
            f"prefer-variant in the configuration, or PIP_PREFER_VARIANT: {error}"
        ) from None


class VariantOption(PipOption):
    """An option with a value of one of the kinds that only variants have."""

    TYPES = (
        *PipOption.TYPES,
        "label_choice",
        "namespace",
        "preference",
        "provider_kind",
        "seconds",
    )
    TYPE_CHECKER = PipOption.TYPE_CHECKER.copy()
    TYPE_CHECKER["label_choice"] = _check_label_choice
    TYPE_CHECKER["namespace"] = _check_namespace
    TYPE_CHECKER["preference"] = _check_preference
    TYPE_CHECKER["provider_kind"] = _check_provider_kind
    TYPE_CHECKER["seconds"] = _check_seconds


variant: Callable[..., optparse.Option] = partial(
    VariantOption,
    "--variant",
    dest="variants",
    action="append",
    type="label_choice",
    metavar="[PACKAGE=]LABEL",
    help="Install the variant with this label instead of the best one: of PACKAGE, or "
    "of each package that has it. It is an error if the target machine cannot run it. "
    "This option can be used multiple times.",
)

prefer_variant: Callable[..., optparse.Option] = partial(
    VariantOption,
    "--prefer-variant",
    dest="preferences",
    action="append",
    type="preference",
    metavar="PROPERTY",
    help="Of the variants that the target machine can run, take one with this property "
    "if there is one: NAMESPACE::FEATURE::VALUE, or NAMESPACE::FEATURE or NAMESPACE "
    "for any. This option can be used multiple times, the strongest first.",
)

upgrade_variants: Callable[..., optparse.Option] = partial(
    PipOption,
    "--upgrade-variants",
    dest="upgrade_variants",
    action="store_true",
    default=False,
    help="Replace an installed build by the best variant of its version for the target "
    "machine, as after its hardware has changed. Without this option, a build that is "
    "installed stays.",
)

no_variants: Callable[..., optparse.Option] = partial(
    PipOption,
    "--no-variants",
    dest="no_variants",
    action="store_true",
    default=False,
    help="Ignore wheel variants: only plain wheels and source distributions are used.",
)

variant_host: Callable[..., optparse.Option] = partial(
    PipOption,
    "--variant-host",
    dest="variant_host",
    type="path",
    metavar="FILE|NAME",
    default=None,
    help="Choose variants for the machine that this JSON file describes, or for one "
    "with a name like cuda-12.8-sm_90 or cpu-x86_64-v3, instead of detecting what this "
    "machine supports.",
)

enable_variant_provider: Callable[..., optparse.Option] = partial(
    VariantOption,
    "--enable-variant-provider",
    dest="enabled_providers",
    action="append",
    type="namespace",
    metavar="NAMESPACE",
    help="Ask the provider of this namespace although packages declare it optional. "
    "This option can be used multiple times.",
)

disable_variant_provider: Callable[..., optparse.Option] = partial(
    VariantOption,
    "--disable-variant-provider",
    dest="disabled_providers",
    action="append",
    type="namespace",
    metavar="NAMESPACE",
    help="Take no property of this namespace for supported. This option can be used "
    "multiple times.",
)

trust_variant_provider: Callable[..., optparse.Option] = partial(
    VariantOption,
    "--trust-variant-provider",
    dest="trusted_providers",
    action="append",
    type="package_name",
    metavar="PACKAGE",
    help="Let this package be installed in a private place and its code run, with your "
    "rights, to find out what this machine supports. What it depends on must be "
    "trusted too. This option can be used multiple times.",
)

variant_provider: Callable[..., optparse.Option] = partial(
    VariantOption,
    "--variant-provider",
    dest="provider_kinds",
    action="append",
    type="provider_kind",
    metavar="NAMESPACE=KIND",
    help="Whether a namespace is served by the plugin that packages name (plugin) or "
    "by what pip brings along (builtin). This option can be used multiple times.",
)

variant_provider_timeout: Callable[..., optparse.Option] = partial(
    VariantOption,
    "--variant-provider-timeout",
    dest="provider_timeout",
    type="seconds",
    metavar="SECONDS",
    default=10.0,
    help="How long a provider plugin may take to answer (default: 10 seconds).",
)


def debug_options(fn: Callable[[DebugCommand], None], command: DebugCommand) -> None:
    """Give ``pip debug`` the option that replaces detection, which it shows."""
    command.cmd_opts.add_option(variant_host())
    fn(command)


#: The options about the machine that pip runs on, not about the target, and the
#: variables that say the same to a child of pip.
_ABOUT_THIS_MACHINE = {
    "enabled_providers": "PIP_ENABLE_VARIANT_PROVIDER",
    "disabled_providers": "PIP_DISABLE_VARIANT_PROVIDER",
    "trusted_providers": "PIP_TRUST_VARIANT_PROVIDER",
    "provider_kinds": "PIP_VARIANT_PROVIDER",
    "provider_timeout": "PIP_VARIANT_PROVIDER_TIMEOUT",
}


def about_this_machine(options: optparse.Values) -> optparse.Values:
    """Give the options that count too for what runs on this machine to build."""
    kept = (*_ABOUT_THIS_MACHINE, "cache_dir")
    return optparse.Values({name: _given(options, name) for name in kept})


def as_variables(options: optparse.Values) -> dict[str, str]:
    """Give the environment variables that stand for :func:`about_this_machine`."""
    variables = {}
    for name, variable in _ABOUT_THIS_MACHINE.items():
        given = _given(options, name)
        if given:
            parts = given if isinstance(given, list | set) else [given]
            variables[variable] = " ".join(
                "=".join(part) if isinstance(part, tuple) else str(part)
                for part in parts
            )
    return variables


def requirements_line(
    fn: Callable[..., ParsedRequirement | None],
    line: ParsedLine,
    options: optparse.Values | None = None,
    finder: PackageFinder | None = None,
    session: PipSession | None = None,
) -> ParsedRequirement | None:
    """Apply the options of variants in one line of a requirements file.

    On a line with a requirement, ``--variant LABEL`` is for that package alone.
    """
    from pip._internal.variants.context import context_of

    parsed = fn(line, options, finder, session)
    context = None if finder is None else context_of(finder)
    if context is not None:
        choices = _given(line.opts, "variants") or []
        if parsed is not None and choices:
            choices = [
                _for_requirement(choice, parsed.requirement) for choice in choices
            ]
        context.add_choices(choices)
        if parsed is None and _given(line.opts, "no_variants"):
            context.disable()
    return parsed


def _given(options: optparse.Values, name: str) -> Any:
    return vars(options).get(name)


def _for_requirement(choice: LabelChoice, requirement: str) -> LabelChoice:
    try:
        project = canonicalize_name(Requirement(requirement).name)
    except InvalidRequirement:
        return choice
    return LabelChoice(choice.label, choice.project or project)
