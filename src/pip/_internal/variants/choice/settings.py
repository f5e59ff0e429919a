"""The options of variants, in one table, and what those of one command come to.

They stand on the command line, in the configuration, the environment and requirements
files. Each run of pip that installs loads this module, so it makes no class that takes
long to make; what the values mean is known to modules that few runs need.
"""

from __future__ import annotations

import optparse
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Literal

from pip._internal.cli.cmdoptions import PipOption
from pip._internal.variants.slots import TYPED

if TYPE_CHECKING:
    #: The commands that choose candidates; requirements files; commands and actions that
    #: have few of these options.
    Place = Literal[
        "install",
        "requirements files",
        "pip check",
        "pip debug",
        "host",
        "list",
        "explain",
        "build",
        "index",
        "check",
    ]

__all__ = [
    "DISABLE_PROVIDER",
    "ENABLE_PROVIDER",
    "IN_BUILD",
    "NO_VARIANTS",
    "OPTIONS",
    "PREFER_VARIANT",
    "PROVIDER_KIND",
    "TRUST_PROVIDER",
    "UPGRADE_VARIANTS",
    "VARIANT",
    "VARIANT_HOST",
    "OptionRow",
    "VariantOption",
    "about_this_machine",
    "allowed",
    "as_variables",
    "kind",
]

#: Set for the pip that fills a build environment: what the user chose for the target
#: is not for the machine that builds.
IN_BUILD = "_PIP_VARIANTS_IN_BUILD"


class OptionRow:
    """One row of a table of options; called, it makes the option for one parser.

    :ivar name: how it is typed in full.
    :ivar dest: the name of its value.
    :ivar where: the places where it may stand.
    :ivar check: checks and converts a value, given the name as typed (without dashes
        where it is configured) and the text; None for flags and for types of upstream's.
    :ivar needs_variants: whether it asks for something that only variants can give.
        Others limit what is done with them, which is as true without.
    :ivar about_this_machine: whether it counts too for what runs on this machine, which
        need not be the target, to build something.
    :ivar repeated: in which proposed commands it stands again if it was typed: ``"any"``
        that has it, ``"same"`` for the running one only, or ``"none"``.
    """

    def __init__(
        self,
        *names: str,
        dest: str,
        where: Iterable[Place],
        check: Callable[[str, str], object] | None = None,
        needs_variants: bool = False,
        about_this_machine: bool = False,
        repeated: Literal["any", "same", "none"] = "none",
        **attributes: Any,
    ) -> None:
        """Make a row.

        :param names: the full one last.
        :param attributes: further ones that optparse knows.
        """
        self.names, self.name, self.dest = names, names[-1], dest
        self.where = frozenset(where)
        self.check = check
        self.needs_variants = needs_variants
        self.about_this_machine = about_this_machine
        self.repeated = repeated
        if check is not None:
            attributes["type"] = _CHECKED
        elif "type" not in attributes:
            attributes |= {"action": "store_true", "default": False}
        self.attributes = attributes

    @property
    def variable(self) -> str:
        """Return the environment variable that says the same."""
        return f"PIP_{self.name[2:].upper().replace('-', '_')}"

    def __call__(self) -> optparse.Option:
        """Return the option, for one parser."""
        return VariantOption(self)


#: The type of values that a row checks.
_CHECKED = "checked"


def _check(option: optparse.Option, opt: str, value: str) -> object:
    assert isinstance(option, VariantOption)
    assert option.row.check is not None
    return option.row.check(opt, value)


class VariantOption(PipOption):
    """An option of a row.

    What was typed is kept apart from what stands in the configuration and the
    environment: optparse acts on nothing else.
    """

    TYPES = (*PipOption.TYPES, _CHECKED)
    TYPE_CHECKER = PipOption.TYPE_CHECKER | {_CHECKED: _check}

    def __init__(self, row: OptionRow) -> None:
        super().__init__(*row.names, dest=row.dest, **row.attributes)
        self.row = row

    def take_action(
        self, action: str, dest: str, opt: str, value: Any, values: Any, parser: Any
    ) -> int:
        """Do what the option is for, and note that it was typed."""
        typed: list[Any] = TYPED.once(values, lambda _: [])
        typed.append((self.row, opt, value))
        return super().take_action(action, dest, opt, value, values, parser)


def allowed(rows: Iterable[OptionRow], place: Place) -> tuple[OptionRow, ...]:
    """Return the rows of a table that may stand in a place."""
    return tuple(row for row in rows if place in row.where)


def kind(name: str) -> Callable[[str, str], object]:
    """Return the check of a kind of values, which is loaded when there is a value."""

    def check(opt: str, value: str) -> object:
        from pip._internal.variants.choice import option_values

        return option_values.check(name, opt, value)

    return check


VARIANT = OptionRow(
    "--variant",
    dest="variants",
    where=("install", "requirements files"),
    action="append",
    check=kind("label_choice"),
    metavar="[PACKAGE=]LABEL",
    needs_variants=True,
    repeated="any",
    help="Install the variant with this label instead of the best one: of PACKAGE, or "
    "of whatever has it. What you name comes in the newest release that has it. It is an "
    "error if nothing has it, or the target machine cannot run it. This option can be "
    "used multiple times, for different packages.",
)
NO_VARIANTS = OptionRow(
    "--no-variants",
    dest="no_variants",
    where=("install", "requirements files"),
    repeated="any",
    help="Ignore wheel variants: only plain wheels and source distributions are used.",
)
PREFER_VARIANT = OptionRow(
    "--prefer-variant",
    dest="preferences",
    where=("install",),
    action="append",
    check=kind("preference"),
    metavar="PROPERTY",
    needs_variants=True,
    repeated="any",
    help="Of the variants that the target machine can run, take one with this property "
    "if there is one: NAMESPACE::FEATURE::VALUE, or NAMESPACE::FEATURE or NAMESPACE "
    "for any. This option can be used multiple times, the strongest first.",
)
UPGRADE_VARIANTS = OptionRow(
    "--upgrade-variants",
    dest="upgrade_variants",
    where=("install",),
    needs_variants=True,
    repeated="same",
    help="Replace an installed build by the best variant of its version for the target "
    "machine, as after its hardware has changed. Without this option, a build that is "
    "installed stays.",
)
STRICT_VARIANTS = OptionRow(
    "--strict-variants",
    dest="strict_variants",
    where=("install",),
    # No word about a machine, but a variable or configuration reaches the child too.
    about_this_machine=True,
    repeated="any",
    help="Fail where a variant would otherwise be left out with a warning: its manifest "
    "is missing, unreadable or not to be had, its wheel is not what the manifest says, "
    "or a provider plugin fails or is not trusted.",
)
VARIANT_HOST = OptionRow(
    "--variant-host",
    dest="variant_host",
    where=("install", "pip debug", "host"),
    type="path",
    metavar="FILE|NAME",
    default=None,
    needs_variants=True,
    repeated="any",
    help="Choose variants for the machine that this JSON file describes, or for one "
    "with a name like cuda-12.8-sm_90 or cpu-x86_64-v3, instead of detecting what this "
    "machine supports.",
)
ENABLE_PROVIDER = OptionRow(
    "--enable-variant-provider",
    dest="enabled_providers",
    where=("install", "host"),
    action="append",
    check=kind("namespace"),
    metavar="NAMESPACE",
    needs_variants=True,
    about_this_machine=True,
    repeated="any",
    help="Ask the provider of this namespace although packages declare it optional. "
    "This option can be used multiple times.",
)
DISABLE_PROVIDER = OptionRow(
    "--disable-variant-provider",
    dest="disabled_providers",
    where=("install", "host"),
    action="append",
    check=kind("namespace"),
    metavar="NAMESPACE",
    about_this_machine=True,
    repeated="any",
    help="Take no property of this namespace for supported. This option can be used "
    "multiple times.",
)
TRUST_PROVIDER = OptionRow(
    "--trust-variant-provider",
    dest="trusted_providers",
    where=("install", "host"),
    action="append",
    check=kind("project"),
    metavar="PACKAGE",
    needs_variants=True,
    about_this_machine=True,
    repeated="any",
    help="Let this package be installed in a private place and its code run, with your "
    "rights, to find out what this machine supports. What it depends on must be "
    "trusted too. This option can be used multiple times.",
)
PROVIDER_KIND = OptionRow(
    "--variant-provider",
    dest="provider_kinds",
    where=("install", "host"),
    action="append",
    check=kind("provider_kind"),
    metavar="NAMESPACE=KIND",
    needs_variants=True,
    about_this_machine=True,
    repeated="any",
    help="Whether a namespace is served by the plugin that packages name (plugin) or "
    "by what pip brings along (builtin). This option can be used multiple times.",
)
_PROVIDER_TIMEOUT = OptionRow(
    "--variant-provider-timeout",
    dest="provider_timeout",
    where=("install", "host"),
    check=kind("seconds"),
    metavar="SECONDS",
    default=10.0,
    about_this_machine=True,
    repeated="any",
    help="How long a provider plugin may take to answer (default: 10 seconds).",
)
_PROVIDER_VARIABLE = OptionRow(
    "--variant-provider-variable",
    dest="provider_variables",
    where=("install", "host"),
    action="append",
    check=kind("variable"),
    metavar="NAME",
    about_this_machine=True,
    repeated="any",
    help="Let provider plugins see this environment variable. Those that are named "
    "PACKAGE_FORCE_..., after a package that is trusted, they see anyway. This option "
    "can be used multiple times.",
)
_NO_LOOKAHEAD = OptionRow(
    "--no-variant-lookahead",
    dest="no_variant_lookahead",
    where=("install",),
    help="Ask for one index page, manifest or metadata file after the other, instead of "
    "for those that will be needed at the same time.",
)
_NO_AGREEMENT = OptionRow(
    "--no-variant-agreement",
    dest="no_variant_agreement",
    where=("install",),
    repeated="any",
    help="Take the best variant of each package, even if they are for different major "
    "versions of CUDA. Without this option, ones that agree on it are preferred.",
)
_STRICT_CHECK = OptionRow(
    STRICT_VARIANTS.name,
    dest=STRICT_VARIANTS.dest,
    where=("pip check",),
    repeated="any",
    help="Fail where this machine does not support a variant that is installed.",
)
_MANIFEST = OptionRow(
    "--manifest",
    dest="manifest",
    where=("host", "explain"),
    type="path",
    metavar="FILE",
    default=None,
    help="The variants manifest in this file, or on standard input (-): explain judges "
    "what it describes, without an index; host asks the providers that it names, the "
    "plugins that are trusted among them.",
)
_ALL_VERSIONS = OptionRow(
    "--all-versions",
    dest="all_versions",
    where=("list",),
    help="List all versions that satisfy the requirement and have variants, instead of "
    "the one that would be installed.",
)

#: In the order of help.
OPTIONS = (
    VARIANT,
    NO_VARIANTS,
    PREFER_VARIANT,
    UPGRADE_VARIANTS,
    STRICT_VARIANTS,
    _STRICT_CHECK,
    _MANIFEST,
    VARIANT_HOST,
    ENABLE_PROVIDER,
    DISABLE_PROVIDER,
    TRUST_PROVIDER,
    PROVIDER_KIND,
    _PROVIDER_TIMEOUT,
    _PROVIDER_VARIABLE,
    _NO_LOOKAHEAD,
    _NO_AGREEMENT,
    _ALL_VERSIONS,
)

_ABOUT_THIS_MACHINE = tuple(row for row in OPTIONS if row.about_this_machine)


def about_this_machine(options: optparse.Values) -> optparse.Values:
    """Return the options that count too for what runs on this machine to build."""
    kept = (
        *(row.dest for row in _ABOUT_THIS_MACHINE),
        "cache_dir",
        "uploaded_prior_to",
    )
    return optparse.Values({name: vars(options).get(name) for name in kept})


def as_variables(options: optparse.Values) -> dict[str, str]:
    """Return the environment variables that stand for :func:`about_this_machine`."""
    variables = {}
    for row in _ABOUT_THIS_MACHINE:
        given = vars(options).get(row.dest)
        if given:
            parts = given if isinstance(given, list | set) else [given]
            variables[row.variable] = " ".join(
                "=".join(part) if isinstance(part, tuple) else str(part)
                for part in parts
            )
    return variables
