"""The options of variants: on the command line, in configuration and requirements."""

from __future__ import annotations

import optparse
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from pip._internal.cli.cmdoptions import PipOption

if TYPE_CHECKING:
    from pip._internal.index.package_finder import PackageFinder
    from pip._internal.network.session import PipSession
    from pip._internal.req.req_file import ParsedLine, ParsedRequirement

__all__ = [
    "IN_BUILD",
    "SEVERAL_BUILDS",
    "TYPED",
    "VariantOption",
    "about_this_machine",
    "as_variables",
    "disable_variant_provider",
    "enable_variant_provider",
    "no_variant_agreement",
    "no_variant_lookahead",
    "no_variants",
    "prefer_variant",
    "requirements_line",
    "strict_variants",
    "strict_variants_of_check",
    "trust_variant_provider",
    "upgrade_variants",
    "variant",
    "variant_host",
    "variant_provider",
    "variant_provider_timeout",
    "variant_provider_variable",
]

#: Set for the pip that fills a build environment: what the user chose for the target
#: is not for the machine that builds.
IN_BUILD = "_PIP_VARIANTS_IN_BUILD"
#: Set among the options of a command that may take several builds of one project.
SEVERAL_BUILDS = "variants_several_builds"
#: Types of values that only variants have.
_KINDS = (
    "label_choice",
    "namespace",
    "preference",
    "project",
    "provider_kind",
    "seconds",
    "variable",
)


#: Where the values of a command line keep which options about variants were typed: their
#: names, the names of their values, and what was typed. No class is made for that here:
#: each run of pip loads this module.
TYPED = "variants_typed"


def _check(option: optparse.Option, opt: str, value: str) -> object:
    # The values of variants are known to a module that few runs need.
    from pip._internal.variants.choice.option_values import check

    assert option.type is not None
    return check(option.type, opt, value)


class VariantOption(PipOption):
    """An option about variants, which may have a value of one of their own kinds.

    What was typed is kept apart from what stands in the configuration and the
    environment: optparse acts on nothing else.
    """

    TYPES = (*PipOption.TYPES, *_KINDS)
    TYPE_CHECKER = PipOption.TYPE_CHECKER | dict.fromkeys(_KINDS, _check)

    def take_action(
        self, action: str, dest: str, opt: str, value: Any, values: Any, parser: Any
    ) -> int:
        """Do what the option is for, and note that it was typed."""
        values.ensure_value(TYPED, []).append((opt, dest, value))
        return super().take_action(action, dest, opt, value, values, parser)


variant: Callable[..., optparse.Option] = partial(
    VariantOption,
    "--variant",
    dest="variants",
    action="append",
    type="label_choice",
    metavar="[PACKAGE=]LABEL",
    help="Install the variant with this label instead of the best one: of PACKAGE, or "
    "of whatever has it. What you name comes in the newest release that has it. It is an "
    "error if nothing has it, or the target machine cannot run it. This option can be "
    "used multiple times, for different packages.",
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
    VariantOption,
    "--upgrade-variants",
    dest="upgrade_variants",
    action="store_true",
    default=False,
    help="Replace an installed build by the best variant of its version for the target "
    "machine, as after its hardware has changed. Without this option, a build that is "
    "installed stays.",
)

no_variants: Callable[..., optparse.Option] = partial(
    VariantOption,
    "--no-variants",
    dest="no_variants",
    action="store_true",
    default=False,
    help="Ignore wheel variants: only plain wheels and source distributions are used.",
)

no_variant_lookahead: Callable[..., optparse.Option] = partial(
    VariantOption,
    "--no-variant-lookahead",
    dest="no_variant_lookahead",
    action="store_true",
    default=False,
    help="Ask for one index page, manifest or metadata file after the other, instead of "
    "for those that will be needed at the same time.",
)

no_variant_agreement: Callable[..., optparse.Option] = partial(
    VariantOption,
    "--no-variant-agreement",
    dest="no_variant_agreement",
    action="store_true",
    default=False,
    help="Take the best variant of each package, even if they are for different major "
    "versions of CUDA. Without this option, ones that agree on it are preferred.",
)

strict_variants: Callable[..., optparse.Option] = partial(
    PipOption,
    "--strict-variants",
    dest="strict_variants",
    action="store_true",
    default=False,
    help="Fail where a variant would otherwise be left out with a warning: its manifest "
    "is missing, unreadable or not to be had, its wheel is not what the manifest says, "
    "or a provider plugin fails or is not trusted.",
)

strict_variants_of_check: Callable[..., optparse.Option] = partial(
    strict_variants,
    help="Fail where this machine does not support a variant that is installed.",
)

variant_host: Callable[..., optparse.Option] = partial(
    VariantOption,
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
    type="project",
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

variant_provider_variable: Callable[..., optparse.Option] = partial(
    VariantOption,
    "--variant-provider-variable",
    dest="provider_variables",
    action="append",
    type="variable",
    metavar="NAME",
    help="Let provider plugins see this environment variable. Those that are named "
    "PACKAGE_FORCE_..., after a package that is trusted, they see anyway. This option "
    "can be used multiple times.",
)


#: The options about the machine that pip runs on, not about the target, and the
#: variables that say the same to a child of pip.
_ABOUT_THIS_MACHINE = {
    "enabled_providers": "PIP_ENABLE_VARIANT_PROVIDER",
    "disabled_providers": "PIP_DISABLE_VARIANT_PROVIDER",
    "trusted_providers": "PIP_TRUST_VARIANT_PROVIDER",
    "provider_kinds": "PIP_VARIANT_PROVIDER",
    "provider_timeout": "PIP_VARIANT_PROVIDER_TIMEOUT",
    "provider_variables": "PIP_VARIANT_PROVIDER_VARIABLE",
    # No word about a machine, but a variable or configuration reaches the child too.
    "strict_variants": "PIP_STRICT_VARIANTS",
}


def about_this_machine(options: optparse.Values) -> optparse.Values:
    """Give the options that count too for what runs on this machine to build."""
    kept = (*_ABOUT_THIS_MACHINE, "cache_dir", "uploaded_prior_to")
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
    from pip._internal.variants.choice.context import context_of

    parsed = fn(line, options, finder, session)
    context = None if finder is None else context_of(finder)
    if context is not None:
        limits = context.plugin_limits
        if limits is not None and parsed is not None and parsed.constraint:
            limits.note(parsed)
        choices = _given(line.opts, "variants") or []
        if parsed is not None and choices:
            found = (choice.for_requirement(parsed.requirement) for choice in choices)
            choices = [choice for choice in found if choice is not None]
        context.add_choices(choices)
        if parsed is None and _given(line.opts, "no_variants"):
            context.disable(line.filename)
    return parsed


def _given(options: optparse.Values, name: str) -> Any:
    return vars(options).get(name)
