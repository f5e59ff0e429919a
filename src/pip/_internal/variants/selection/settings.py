"""The options of variants, in one table, and the values of those of one command.

They stand on the command line, in the configuration, the environment and requirements
files. Each run of pip that installs loads this module, so it defines no class that takes
long to define; what the values mean is known to modules that few runs need.
"""

from __future__ import annotations

import copy
import importlib
import optparse
import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar

from pip._internal.cli.cmdoptions import PipOption
from pip._internal.variants.slots import COMMAND_LINE, SEVERAL_BUILDS

if TYPE_CHECKING:
    import datetime

    from pip._vendor.packaging.utils import NormalizedName
    from pip._vendor.wheel_variants.preferences import Preference

    from pip._internal.cli.base_command import Command
    from pip._internal.cli.progress_bars import BarType
    from pip._internal.models.format_control import FormatControl
    from pip._internal.models.release_control import ReleaseControl
    from pip._internal.variants.selection.option_values import LabelChoice

    #: The commands that choose candidates; requirements files; commands and actions that
    #: have few of these options.
    OptionPlace = Literal[
        "install",
        "requirements files",
        "pip check",
        "pip debug",
        "pip lock",
        "host",
        "list",
        "explain",
        "setup",
    ]

__all__ = [
    "ALL",
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
    "Settings",
    "VariantOption",
    "add_options",
    "allowed",
    "for_environment",
    "imply_wheels",
    "kind",
    "said_in_line",
]

#: Set for the pip that fills a build environment: what the user chose for the target
#: is not for the machine that builds.
IN_BUILD = "_PIP_VARIANTS_IN_BUILD"
#: Stand for all packages, and for none, in a list.
ALL, _NONE = ":all:", ":none:"


class OptionRow:
    """One row of a table of options; called, it makes the option for one parser.

    :ivar name: how it is typed in full.
    :ivar dest: the name of its value; that of the option unless the row says so.
    :ivar where: the places where it may stand.
    :ivar check: checks and converts a value, given the name as typed (without dashes
        where it is configured) and the text; None for flags and for types of upstream's.
    :ivar needs_variants: whether it asks for something that only variants can give.
        Other options limit what is done with variants, which holds without any.
    :ivar about_this_machine: whether it also counts for what runs on this machine, which
        need not be the target, to build something.
    :ivar repeated: in which proposed commands it stands again if it was typed: ``"any"``
        that has it, ``"same"`` for the running one only, or ``"none"``. Unless the row
        says so, any if it bears on what is installed.
    """

    def __init__(
        self,
        *names: str,
        dest: str | None = None,
        where: Iterable[OptionPlace] = ("install",),
        check: Callable[[str, str], object] | None = None,
        needs_variants: bool = False,
        about_this_machine: bool = False,
        repeated: Literal["any", "same", "none"] | None = None,
        **attributes: Any,
    ) -> None:
        """Make a row.

        :param names: the full one last.
        :param attributes: further ones that optparse knows.
        """
        self.names, self.name = names, names[-1]
        self.dest = dest or self.name[2:].replace("-", "_")
        self.where = frozenset(where)
        self.check = check
        self.needs_variants = needs_variants
        self.about_this_machine = about_this_machine
        self.repeated = repeated or ("any" if "install" in self.where else "none")
        if check is not None:
            attributes["type"] = _CHECKED
        elif "type" not in attributes:
            attributes |= {"action": "store_true", "default": False}
        self.attributes = attributes

    @property
    def asks(self) -> bool:
        """Whether this option can conflict with others."""
        return self.needs_variants or self.attributes.get("action") != "store_true"

    @property
    def variable(self) -> str:
        """Return the environment variable that says the same."""
        return f"PIP_{self.name[2:].upper().replace('-', '_')}"

    def __call__(self) -> optparse.Option:
        """Return the option, for one parser."""
        return VariantOption(self)


#: What ``pip install`` knows, and some commands such as ``pip list`` do not.
_OF_INSTALL = (
    *("constraints", "build_constraints"),
    *("require_hashes", "no_require_hashes"),
)
#: The type of values that a row checks.
_CHECKED = "checked"


def _check(option: optparse.Option, opt: str, value: str) -> object:
    assert isinstance(option, VariantOption)
    assert option.row.check is not None
    return option.row.check(opt, value)


class VariantOption(PipOption):
    """An option of a row."""

    TYPES = (*PipOption.TYPES, _CHECKED)
    TYPE_CHECKER = PipOption.TYPE_CHECKER | {_CHECKED: _check}

    def __init__(self, row: OptionRow) -> None:
        super().__init__(*row.names, dest=row.dest, **row.attributes)
        self.row = row


def allowed(rows: Iterable[OptionRow], place: OptionPlace) -> tuple[OptionRow, ...]:
    """Return the rows of a table that may stand in a place."""
    return tuple(row for row in rows if place in row.where)


def add_options(command: Command) -> None:
    """Add the options of variants to ``pip check``, ``pip debug`` or ``pip lock``."""
    group = command.cmd_opts
    for row in OPTIONS:
        if f"pip {command.name}" in row.where:
            group.add_option(row())
    if group not in command.parser.option_groups:
        command.parser.insert_option_group(0, group)


def said_in_line(options: optparse.Values) -> tuple[Sequence[LabelChoice], bool]:
    """Return the labels that a line of a requirements file chooses.

    :return: and whether it turns variants off.
    """
    given = vars(options).get
    return given(VARIANT.dest) or (), bool(given(NO_VARIANTS.dest))


def kind(
    name: str, module: str = "selection.option_values"
) -> Callable[[str, str], object]:
    """Return the check of a kind of values, which is loaded when there is a value.

    :param name: of the function that checks them.
    """

    def check(opt: str, value: str) -> object:
        loaded = importlib.import_module(f"pip._internal.variants.{module}")
        return getattr(loaded, name)(opt, value)

    return check


_provider_row = partial(OptionRow, where=("install", "host"), about_this_machine=True)

#: In the order of help.
OPTIONS = (
    VARIANT := OptionRow(
        "--variant",
        dest="variants",
        where=("install", "requirements files"),
        action="append",
        check=kind("label_choice"),
        metavar="[PACKAGE=]LABEL",
        needs_variants=True,
        help="Install the variant with this label instead of the best one: of PACKAGE, or "
        "of whatever has it. What you name comes in the newest release that has it. It is an "
        "error if nothing has it, or the target machine cannot run it. This option can be "
        "used multiple times, for different packages.",
    ),
    NO_VARIANTS := OptionRow(
        "--no-variants",
        where=("install", "requirements files"),
        help="Ignore wheel variants: only plain wheels and source distributions are used.",
    ),
    PREFER_VARIANT := OptionRow(
        "--prefer-variant",
        dest="preferences",
        action="append",
        check=kind("preference"),
        metavar="PROPERTY",
        needs_variants=True,
        help="Of the variants that the target machine can run, take one with this property "
        "if there is one: NAMESPACE::FEATURE::VALUE, or NAMESPACE::FEATURE or NAMESPACE "
        "for any. This option can be used multiple times, the strongest first.",
    ),
    UPGRADE_VARIANTS := OptionRow(
        "--upgrade-variants",
        needs_variants=True,
        repeated="same",
        help="Replace an installed build by the best variant of its version for the target "
        "machine, as after its hardware has changed. Without this option, a build that is "
        "installed stays.",
    ),
    STRICT_VARIANTS := OptionRow(
        "--strict-variants",
        # No word about a machine, but a variable or configuration reaches the child too.
        about_this_machine=True,
        help="Fail where a variant would otherwise be left out with a warning: its manifest "
        "is missing, unreadable or not to be had, its wheel is not what the manifest says, "
        "or a provider plugin fails or is not trusted.",
    ),
    OptionRow(
        STRICT_VARIANTS.name,
        where=("pip check",),
        repeated="any",
        help="Fail if the machine does not support a variant that is installed.",
    ),
    REQUIRE_ACCELERATOR := OptionRow(
        "--require-accelerator",
        dest="required_accelerators",
        where=("install", "pip check"),
        action="append",
        repeated="same",
        check=kind("required_accelerators"),
        metavar="PACKAGES",
        help="Fail unless each of these packages is a wheel that is known to use an "
        "accelerator of the target machine. PACKAGES is a comma-separated list; :all: "
        "stands for every package that publishes variants for the target's accelerators, "
        "and :none: empties the list. This option can be used multiple times.",
    ),
    OptionRow(
        "--path",
        where=("pip check",),
        type="path",
        action="append",
        metavar="DIR",
        help="Check what is installed in this folder, such as one that --target names, "
        "instead of this environment. This option can be used multiple times.",
    ),
    OptionRow(
        "--manifest",
        where=("host", "explain"),
        type="path",
        metavar="FILE",
        help="The variants manifest in this file, or on standard input (-): explain judges "
        "what it describes, without an index; host asks the providers that it names, the "
        "plugins that are trusted among them.",
    ),
    VARIANT_HOST := OptionRow(
        "--variant-host",
        where=("install", "pip debug", "host"),
        type="path",
        metavar="FILE|NAME",
        needs_variants=True,
        help="Choose for the machine that this JSON file describes, or for one with a name "
        "like cuda-12.8-sm_90 or macos-arm64-py313, instead of this one: variants for its "
        "hardware and, as far as it tells them, wheels, markers and versions for its "
        "platform and its Python.",
    ),
    OptionRow(
        VARIANT_HOST.name,
        where=("pip check",),
        repeated="any",
        type="path",
        metavar="FILE|NAME",
        help="Check installed variants for the machine that this JSON file describes, or "
        "for one with a name like cuda-12.8-sm_90, instead of this one (default: the host "
        "that pip install is configured for).",
    ),
    OptionRow(
        "--environment",
        dest="environments",
        where=("pip lock",),
        action="append",
        type="string",
        repeated="same",
        metavar="NAME",
        help="Lock for the platform and the Python with this name, such as "
        "linux-aarch64-py312 or macos-arm64-py313. The file has the variants for all "
        "hardware. This option can be used multiple times, to lock for several of them in "
        "one file (default: this platform and Python).",
    ),
    OptionRow(
        "--hardware",
        where=("host",),
        help="With --json: leave the platform and the interpreter out, so that whoever uses "
        "the file takes the wheels of the machine and the Python that they run.",
    ),
    ENABLE_PROVIDER := _provider_row(
        "--enable-variant-provider",
        dest="enabled_providers",
        action="append",
        check=kind("namespace"),
        metavar="NAMESPACE",
        needs_variants=True,
        help="Ask the provider of this namespace although packages declare it optional. "
        "This option can be used multiple times.",
    ),
    DISABLE_PROVIDER := _provider_row(
        "--disable-variant-provider",
        dest="disabled_providers",
        action="append",
        check=kind("namespace"),
        metavar="NAMESPACE",
        help="Take no property of this namespace for supported. This option can be used "
        "multiple times.",
    ),
    TRUST_PROVIDER := _provider_row(
        "--trust-variant-provider",
        dest="trusted_providers",
        action="append",
        check=kind("project"),
        metavar="PACKAGE",
        needs_variants=True,
        help="Let this package be installed in a private place and its code run, with your "
        "rights, to find out what this machine supports. What it depends on must be "
        "trusted too. This option can be used multiple times.",
    ),
    PROVIDER_KIND := _provider_row(
        "--variant-provider",
        dest="provider_kinds",
        action="append",
        check=kind("provider_kind"),
        metavar="NAMESPACE=KIND",
        needs_variants=True,
        help="Whether a namespace is served by the plugin that packages name (plugin) or "
        "by what pip brings along (builtin). This option can be used multiple times.",
    ),
    _provider_row(
        "--variant-provider-timeout",
        dest="provider_timeout",
        check=kind("seconds"),
        metavar="SECONDS",
        default=10.0,
        help="How long a provider plugin may take to answer (default: 10 seconds).",
    ),
    _provider_row(
        "--variant-provider-variable",
        dest="provider_variables",
        action="append",
        check=kind("variable"),
        metavar="NAME",
        help="Let provider plugins see this environment variable. Those that are named "
        "PACKAGE_FORCE_... or PACKAGE_DISABLE_..., after a package that is trusted, they "
        "see anyway. This option can be used multiple times.",
    ),
    OptionRow(
        "--no-fast",
        about_this_machine=True,
        repeated="none",
        help="Work as slowly as upstream's pip: the same requests in the same order, nothing "
        "in parallel, nothing kept that upstream works out again. What is installed is the "
        "same.",
    ),
    OptionRow(
        "--parallel-downloads",
        about_this_machine=True,
        repeated="none",
        check=kind("count"),
        metavar="N",
        default=6,
        help="Make at most N requests to a server at the same time (default: 6). With 1, pip "
        "makes one request after the other and prefetches nothing.",
    ),
    OptionRow(
        "--link-mode",
        where=("install",),
        about_this_machine=True,
        repeated="none",
        check=kind("link_mode"),
        metavar="MODE",
        help="Keep large wheels unpacked in pip's cache, and clone, hardlink or copy their "
        "files into the next environment (default: clone if the disk can, otherwise keep no "
        "unpacked wheels). With hardlink, editing an installed file also changes the cache "
        "and the other environments.",
    ),
    OptionRow(
        "--no-variant-agreement",
        help="Take the best variant of each package, even if they are for different major "
        "versions of CUDA. Without this option, ones that agree on it are preferred.",
    ),
    OptionRow(
        "--all-versions",
        where=("list",),
        help="List all versions that satisfy the requirement and have variants, instead of "
        "the one that would be installed.",
    ),
)

_ABOUT_THIS_MACHINE = tuple(row for row in OPTIONS if row.about_this_machine)


def imply_wheels(options: optparse.Values) -> None:
    """Let ``--platform`` and its kin stand beside a host without ``--only-binary``.

    Upstream asks for it before anything else is looked at; a host implies it.
    """
    given = vars(options)
    restricted = ("platforms", "python_version", "implementation", "abis")
    formats: FormatControl | None = given.get("format_control")
    if given.get("no_variants") or formats is None or formats.no_binary:
        return
    if any(map(given.get, restricted)):
        formats.only_binary.add(":all:")


def for_environment(name: str, options: optparse.Values) -> optparse.Values:
    """Return the options of ``pip lock`` for one environment; a run changes some of them.

    :param name: of the environment.
    """
    from pip._internal.models.format_control import FormatControl
    from pip._internal.models.release_control import ReleaseControl

    own: dict[str, Any] = {}
    for key, value in vars(options).items():
        if isinstance(value, FormatControl | ReleaseControl):
            own[key] = copy.deepcopy(value)
        else:
            own[key] = copy.copy(value) if isinstance(value, list | set) else value
    return optparse.Values({**own, "environments": [name], VARIANT_HOST.dest: name})


_T = TypeVar("_T")


class _Given(Generic[_T]):
    """The value of an option as it was when the settings were read.

    :ivar of_target: whether it is not for what is built on this machine.
    """

    def __init__(
        self,
        option: OptionRow | str,
        convert: Callable[[Any], _T],
        *,
        of_target: bool = False,
    ) -> None:
        self.dest = option if isinstance(option, str) else option.dest
        self.convert = convert
        self.of_target = of_target

    def __get__(self, settings: Settings, _: type[Settings]) -> _T:
        is_left_out = self.of_target and settings.is_in_build
        return self.convert(None if is_left_out else settings.read.get(self.dest))


def _several(given: Any) -> Any:
    return given or ()


def _one(given: Any) -> Any:
    return given or None


def _names(given: Any) -> frozenset[str]:
    """Return the names in lists; ``:none:`` removes those before it."""
    found: set[str] = set()
    for name in (name for names in given or () for name in names):
        if name == _NONE:
            found.clear()
        else:
            found.add(name)
    return frozenset(found)


class Settings:
    """The options of one command that matter for variants, read once.

    An attribute named after an option is its value. That is empty if the option may be
    used several times and is not given. Other attributes are None if nothing is said.

    :ivar options: of the command, as upstream has them.
    :ivar typed: which options of variants were typed: their rows, the names as typed, and
        the values.
    :ivar preferences: what is configured comes in words, each only a part of one.
    :ivar read: the values of all options when they were read.
    :ivar several_builds: whether several builds of one project may be wanted.
    """

    variants: _Given[Sequence[LabelChoice]] = _Given(VARIANT, _several, of_target=True)
    preferences: _Given[Sequence[Preference | str]] = _Given(
        PREFER_VARIANT, _several, of_target=True
    )
    # An empty host is typed to leave out one that is configured.
    variant_host: _Given[str | None] = _Given(VARIANT_HOST, _one, of_target=True)
    #: Of a command that locks for several, those that its run is for: one.
    environments: _Given[Sequence[str]] = _Given("environments", _several)
    no_variants = _Given(NO_VARIANTS, bool)
    upgrade_variants = _Given(UPGRADE_VARIANTS, bool)
    strict_variants = _Given(STRICT_VARIANTS, bool)
    #: Normalized names, and perhaps :data:`ALL`.
    required_accelerators: _Given[frozenset[str]] = _Given(
        REQUIRE_ACCELERATOR, _names, of_target=True
    )
    no_variant_agreement = _Given("no_variant_agreement", bool)
    manifest: _Given[str | None] = _Given("manifest", _one)
    enabled_providers: _Given[Sequence[str]] = _Given(ENABLE_PROVIDER, _several)
    disabled_providers: _Given[Sequence[str]] = _Given(DISABLE_PROVIDER, _several)
    provider_kinds: _Given[dict[str, str]] = _Given(
        PROVIDER_KIND, lambda v: dict(v or ())
    )
    trusted_providers: _Given[frozenset[NormalizedName]] = _Given(
        TRUST_PROVIDER, lambda v: frozenset(v or ())
    )
    provider_timeout = _Given("provider_timeout", lambda v: float(v or 10))
    provider_variables: _Given[Sequence[str]] = _Given("provider_variables", _several)

    dry_run = _Given("dry_run", bool)
    upgrade = _Given("upgrade", bool)
    ignore_dependencies = _Given("ignore_dependencies", bool)
    cache_dir: _Given[str | None] = _Given("cache_dir", _one)
    progress_bar: _Given[BarType] = _Given("progress_bar", lambda v: v or "off")
    uploaded_prior_to: _Given[datetime.datetime | None] = _Given(
        "uploaded_prior_to", _one
    )
    # Requirements files change what these hold.
    format_control: _Given[FormatControl | None] = _Given("format_control", _one)
    release_control: _Given[ReleaseControl | None] = _Given("release_control", _one)
    platforms: _Given[Sequence[str]] = _Given("platforms", _several)
    python_version: _Given[tuple[int, ...] | None] = _Given("python_version", _one)
    implementation: _Given[str | None] = _Given("implementation", _one)
    abis: _Given[Sequence[str]] = _Given("abis", _several)
    #: The folders in which ``pip list`` or ``pip check`` looks at what is installed.
    path: _Given[list[str] | None] = _Given("path", _one)
    # Requirements files may add to these later.
    no_index = _Given("no_index", bool)
    find_links: _Given[Sequence[str]] = _Given("find_links", _several)

    def __init__(self, options: optparse.Values) -> None:
        self.options = options
        # Upstream's tests bring options of their own making.
        self._given: dict[str, Any] = vars(options)
        self.read = dict(self._given)
        self.is_in_build = bool(os.environ.get(IN_BUILD))
        _, (typed, _) = COMMAND_LINE.of(options, tuple) or (None, ((), ()))
        self._names = {option.get_opt_string() for option, _, _ in typed}
        self.typed: Sequence[tuple[OptionRow, str, Any]] = [
            (option.row, name, option.convert_value(name, text))
            for option, name, text in typed
            if isinstance(option, VariantOption)
        ]
        self.several_builds = SEVERAL_BUILDS.of(options, bool) or False

    @property
    def legacy_resolver(self) -> bool:
        """Whether upstream's old resolver is to be used."""
        features = self.read.get("deprecated_features_enabled") or ()
        return "legacy-resolver" in features

    def value(self, row: OptionRow, *, otherwise: object = None) -> Any:
        """Return the value of an option.

        :param otherwise: where the command has no such option.
        """
        return self._given.get(row.dest, otherwise)

    def is_typed(self, name: str) -> bool:
        """Return whether an option was typed, rather than configured."""
        return name in self._names

    @property
    def asks_for_something(self) -> bool:
        """Whether something was typed that may be wrong, or contradict the rest."""
        return any(row.asks for row, _, _ in self.typed)

    @property
    def installs_here(self) -> bool:
        """Whether what is chosen would be installed for this interpreter."""
        is_install = "target_dir" in self._given
        return is_install and not (self._given["target_dir"] or self.dry_run)

    @property
    def changes_this_environment(self) -> bool:
        """Whether the packages of the running interpreter may be replaced."""
        prefix = self._given.get("prefix_path")
        return (
            "target_dir" in self._given
            and not (self._given["target_dir"] or self._given.get("root_path"))
            and (not prefix or os.path.realpath(prefix) == os.path.realpath(sys.prefix))
            and "_PIP_RUNNING_IN_SUBPROCESS" not in os.environ
        )

    @property
    def is_about_this_environment(self) -> bool:
        """Whether it is of this environment that something is listed."""
        return "outdated" in self._given

    @property
    def is_eager(self) -> bool:
        """Whether dependencies are upgraded too."""
        strategy = self._given.get("upgrade_strategy")
        return strategy == "eager" and not self.ignore_dependencies

    @property
    def allows_prereleases(self) -> bool:
        """Whether pre-releases of any project may be taken."""
        return bool(self._given.get("pre")) or (
            self.release_control is not None
            and ":all:" in self.release_control.all_releases
        )

    # What limits the installation of plugins. A requirements file may say so at any time
    # that hashes are required, and not every command has these options.

    @property
    def require_hashes(self) -> bool:
        """Whether only what has a hash may be installed."""
        return bool(
            self._given.get("require_hashes") or self._of_install["require_hashes"]
        )

    @property
    def is_checking_hashes(self) -> bool:
        """Whether this command checks hashes; a requirements file may turn it on."""
        return bool(self._given.get("require_hashes"))

    @property
    def no_require_hashes(self) -> bool:
        """Whether a hash for one thing requires none for others."""
        return bool(self._of_install["no_require_hashes"])

    @property
    def constraint_files(self) -> list[str]:
        """Return the constraints files that the user names, those for builds last."""
        given = self._of_install
        return [*(given["constraints"] or ()), *(given["build_constraints"] or ())]

    @cached_property
    def _of_install(self) -> Mapping[str, Any]:
        """Return options that a command may lack; then they are as configured."""
        if all(name in self._given for name in _OF_INSTALL):
            return self._given
        return {**self._of("install"), **self._given}

    def take_host_of_install(self) -> None:
        """Take the host for which ``pip install`` is configured if no other one is named."""
        if self.value(VARIANT_HOST) is None:
            self.variant_host = self._of("install")[VARIANT_HOST.dest] or None

    def _of(self, name: str) -> Mapping[str, Any]:
        """Return the options of another command, as they are configured."""
        from pip._internal.commands import create_command

        isolated = bool(self._given.get("isolated_mode"))
        command = create_command(name, isolated=isolated)
        return vars(command.parser.get_default_values())

    # What also counts for what runs on this machine to build something

    def about_this_machine(self) -> optparse.Values:
        """Return the options that say it."""
        rows = (row.dest for row in _ABOUT_THIS_MACHINE)
        kept = (*rows, "cache_dir", "uploaded_prior_to")
        return optparse.Values({name: self._given.get(name) for name in kept})

    def as_variables(self) -> dict[str, str]:
        """Return the environment variables that say it."""
        variables = {}
        for row in _ABOUT_THIS_MACHINE:
            given = self.value(row)
            if given:
                parts = given if isinstance(given, list | set) else [given]
                variables[row.variable] = " ".join(
                    "=".join(part) if isinstance(part, tuple) else str(part)
                    for part in parts
                )
        return variables
