"""The table of variant options, and their values for one command.

The values come from the command line, the configuration, environment variables and
requirements files. Every run of pip that installs loads this module, so it defines no
class that takes long to define. Modules that few runs need interpret the values.
"""

from __future__ import annotations

import copy
import importlib
import optparse
import os
import shlex
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar

from pip._internal.cli import cmdoptions
from pip._internal.locations import get_scheme
from pip._internal.variants.slots import COMMAND_LINE, SEVERAL_BUILDS

if TYPE_CHECKING:
    import datetime

    from pip._vendor.packaging.utils import NormalizedName
    from pip._vendor.wheel_variants.preferences import Preference

    from pip._internal.cli.base_command import Command
    from pip._internal.models.format_control import FormatControl
    from pip._internal.models.release_control import ReleaseControl
    from pip._internal.variants.option_values import LabelChoice

#: Set for the pip that fills a build environment, where options for the target do not
#: apply.
IN_BUILD = "_PIP_VARIANTS_IN_BUILD"
#: The options for sources in requirements files.
SOURCES_IN_FILES = (
    *(cmdoptions.index_url(), cmdoptions.extra_index_url(), cmdoptions.no_index()),
    *(cmdoptions.find_links(), cmdoptions.trusted_host()),
)
#: Words for all packages and for no packages in a list.
ALL, _NONE = ":all:", ":none:"


class OptionRow:
    """A row of the table of options; calling it creates the option.

    :ivar name: the full name of the option.
    :ivar dest: the attribute for the value; by default, the name of the option.
    :ivar where: the places that accept the option: ``"install"`` for all commands that choose
        candidates, ``"requirements files"``, other commands and actions by their names.
    :ivar check: the function that checks and converts a value, given the name as typed
        (without dashes if configured) and the text; None for flags and upstream's types.
    :ivar needs_variants: whether the option has no effect without variants; False for
        options that only restrict the use of variants.
    :ivar about_this_machine: whether the option also applies to builds on this machine, which
        need not be the target.
    :ivar repeated: the proposed commands that repeat a typed option: ``"any"`` for every
        command that has the option, ``"same"`` for the running command only, ``"none"`` for no
        command. By default, ``"any"`` if the option affects the result.
    """

    def __init__(
        self,
        *names: str,
        dest: str | None = None,
        where: Iterable[str] = ("install",),
        check: Callable[[str, str], object] | None = None,
        needs_variants: bool = False,
        about_this_machine: bool = False,
        repeated: Literal["any", "same", "none"] | None = None,
        **attributes: Any,
    ) -> None:
        """Create a row.

        :param names: the names of the option, the full name last.
        :param attributes: further attributes for optparse.
        """
        self.names, self.name = names, names[-1]
        self.dest = dest or self.name[2:].replace("-", "_")
        self.where = frozenset(where)
        self.check = check
        self.needs_variants = needs_variants
        self.about_this_machine = about_this_machine
        self.repeated = repeated or ("any" if "install" in self.where else "none")
        if check is not None:
            attributes["type"] = "string"
        elif "type" not in attributes:
            attributes |= {"action": "store_true", "default": False}
        self.attributes = attributes

    @property
    def variable(self) -> str:
        """The environment variable of the option."""
        return f"PIP_{self.name[2:].upper().replace('-', '_')}"

    def __call__(self) -> optparse.Option:
        """Create the option for one parser."""
        return VariantOption(self)


class VariantOption(cmdoptions.PipOption):
    """An option created from a row."""

    def __init__(self, row: OptionRow) -> None:
        super().__init__(*row.names, dest=row.dest, **row.attributes)
        self.row = row

    def check_value(self, opt: str, value: str) -> Any:
        """Convert a value with the row's function or stock pip's."""
        if self.row.check is None:
            return super().check_value(opt, value)
        return self.row.check(opt, value)


class TypedOption:
    """An option on a command line.

    :ivar row: the row of the option.
    :ivar name: the name as typed.
    :ivar value: the checked and converted value; None for a flag.
    """

    def __init__(self, row: OptionRow, name: str, value: Any) -> None:
        self.row, self.name, self.value = row, name, value

    def __str__(self) -> str:
        if self.value is None:
            return self.name
        if self.row is PROVIDER_KIND:
            return f"{self.name} {'='.join(self.value)}"
        return f"{self.name} {shlex.quote(str(self.value))}"

    @property
    def namespace(self) -> str | None:
        """The namespace of the option, or None."""
        about = (ENABLE_PROVIDER, DISABLE_PROVIDER, PROVIDER_KIND, PREFER_VARIANT)
        if self.row not in about:
            return None
        named: str = self.value if isinstance(self.value, str) else self.value[0]
        return named


def allowed(rows: Iterable[OptionRow], place: str) -> tuple[OptionRow, ...]:
    """Return the rows of a table that are allowed in a place."""
    return tuple(row for row in rows if place in row.where)


def add_options(command: Command) -> None:
    """Add variant options to ``pip check`` or ``pip lock``."""
    group = command.cmd_opts
    group.add_options([row() for row in allowed(OPTIONS, f"pip {command.name}")])
    if group not in command.parser.option_groups:
        command.parser.insert_option_group(0, group)


def labels_in_line(options: optparse.Values) -> tuple[Sequence[LabelChoice], bool]:
    """Return the labels on a line of a requirements file.

    :return: the labels, and whether the line turns variants off.
    """
    given = vars(options).get
    return given(VARIANT.dest) or (), bool(given(NO_VARIANTS.dest))


def lazy_check(
    name: str, module: str = "option_values"
) -> Callable[[str, str], object]:
    """Return a check for values, loaded on first use.

    :param name: the name of the function that checks them.
    """

    def check(opt: str, value: str) -> object:
        loaded = importlib.import_module(f"pip._internal.variants.{module}")
        return getattr(loaded, name)(opt, value)

    return check


_provider_row = partial(
    OptionRow, where=("install", "host"), action="append", about_this_machine=True
)
_speed_row = partial(OptionRow, about_this_machine=True, repeated="none")

#: The table of options, in the order of the help.
OPTIONS = (
    VARIANT := OptionRow(
        "--variant",
        dest="variants",
        where=("install", "requirements files"),
        action="append",
        check=lazy_check("label_choice"),
        metavar="[PACKAGE=]LABEL",
        needs_variants=True,
        help="Instead of the best variant, install the one with this label, for "
        "PACKAGE (its newest release with this label) or for every package that "
        "has this label. Fail if no release has this label, or if the target "
        "machine cannot run the variant. This option can be used multiple "
        "times, for different packages.",
    ),
    NO_VARIANTS := OptionRow(
        "--no-variants",
        where=("install", "requirements files"),
        about_this_machine=True,
        help="Ignore wheel variants. Use only plain wheels and source distributions.",
    ),
    PREFER_VARIANT := OptionRow(
        "--prefer-variant",
        dest="preferences",
        action="append",
        check=lazy_check("preference"),
        metavar="PROPERTY",
        needs_variants=True,
        help="Prefer variants with this property: NAMESPACE::FEATURE::VALUE, "
        "NAMESPACE::FEATURE for any value, or NAMESPACE for any feature. This "
        "option can be used multiple times; the first one is the strongest.",
    ),
    UPGRADE_VARIANTS := OptionRow(
        "--upgrade-variants",
        needs_variants=True,
        repeated="same",
        help="Replace installed packages with the best variant of their version for "
        "the target machine (default: keep them).",
    ),
    STRICT_VARIANTS := OptionRow(
        "--strict-variants",
        where=("install", "pip check"),
        # This option does not describe the machine, but the build environment's pip gets it too.
        about_this_machine=True,
        help="Fail instead of warning when a variant is dropped: its manifest is missing or "
        "unreadable, its wheel differs from the manifest, or a provider plugin fails or is not "
        "trusted. pip check fails if the machine does not support an installed variant.",
    ),
    REQUIRE_ACCELERATOR := OptionRow(
        "--require-accelerator",
        dest="required_accelerators",
        where=("install", "pip check"),
        action="append",
        check=lazy_check("required_accelerators"),
        metavar="PACKAGES",
        help="Fail unless each of these packages is a wheel known to use an "
        "accelerator of the target machine. PACKAGES is a comma-separated list; "
        ":all: means every package with variants for the target's accelerators, "
        "and :none: empties the list. This option can be used multiple times.",
    ),
    OptionRow(
        "--path",
        where=("pip check",),
        type="path",
        action="append",
        metavar="DIR",
        help="Check packages in this folder, such as one for --target, instead of this "
        "environment. This option can be used multiple times.",
    ),
    OptionRow(
        "--manifest",
        where=("host", "explain"),
        type="path",
        metavar="FILE",
        help="Read the variants manifest in this file, or on standard input (-). "
        "'explain' evaluates the manifest without an index. 'host' queries its "
        "providers, including trusted plugins.",
    ),
    VARIANT_HOST := OptionRow(
        "--variant-host",
        where=("install", "pip check", "host"),
        type="path",
        metavar="FILE|NAME",
        needs_variants=True,
        help="Choose or check variants for the machine in this JSON file, or for a "
        "machine with a name such as cuda-12.8-sm_90 or macos-arm64-py313. A platform and "
        "Python in the file or name also apply (default: this machine).",
    ),
    OptionRow(
        "--environment",
        dest="environments",
        where=("pip lock",),
        action="append",
        type="string",
        repeated="same",
        metavar="NAME",
        help="Lock for the platform and Python with this name, such as "
        "linux-aarch64-py312, with the variants for all hardware. Can be used "
        "multiple times; pip writes only one file (default: this platform and "
        "Python).",
    ),
    OptionRow(
        "--hardware",
        where=("host",),
        help="With --json, omit the platform and Python, so that the file works with any "
        "platform and Python.",
    ),
    ENABLE_PROVIDER := _provider_row(
        "--enable-variant-provider",
        dest="enabled_providers",
        check=lazy_check("namespace"),
        metavar="NAMESPACE",
        needs_variants=True,
        help="Query the provider of this namespace even if packages declare it "
        "optional. This option can be used multiple times.",
    ),
    DISABLE_PROVIDER := _provider_row(
        "--disable-variant-provider",
        dest="disabled_providers",
        check=lazy_check("namespace"),
        metavar="NAMESPACE",
        help="Treat all properties of this namespace as unsupported. This option can be used "
        "multiple times.",
    ),
    TRUST_PROVIDER := _provider_row(
        "--trust-variant-provider",
        dest="trusted_providers",
        check=lazy_check("project"),
        metavar="PACKAGE",
        needs_variants=True,
        help="Install this provider plugin in a private folder and run its code with "
        "your permissions, to detect what this machine supports. Each of its "
        "dependencies needs this option too. This option can be used multiple "
        "times.",
    ),
    PROVIDER_KIND := _provider_row(
        "--variant-provider",
        dest="provider_kinds",
        check=lazy_check("provider_kind"),
        metavar="NAMESPACE=KIND",
        needs_variants=True,
        help="For this namespace, query the packages' plugin (plugin) or pip's "
        "built-in provider (builtin). This option can be used multiple times.",
    ),
    _provider_row(
        "--variant-provider-timeout",
        dest="provider_timeout",
        action="store",
        check=lazy_check("seconds"),
        metavar="SECONDS",
        default=10.0,
        help="Wait at most this long for a provider plugin (default: 10 seconds).",
    ),
    _provider_row(
        "--variant-provider-variable",
        dest="provider_variables",
        check=lazy_check("variable"),
        metavar="NAME",
        help="Pass this environment variable to provider plugins, in addition to "
        "PACKAGE_FORCE_... and PACKAGE_DISABLE_... of trusted packages. This "
        "option can be used multiple times.",
    ),
    _speed_row(
        "--no-fast",
        help="Disable this fork's speed optimizations. pip installs the same files.",
    ),
    _speed_row(
        "--parallel-downloads",
        check=lazy_check("count"),
        metavar="N",
        default=6,
        help="Send at most N requests to a server at the same time (default: 6). With 1, pip "
        "prefetches nothing.",
    ),
    _speed_row(
        "--link-mode",
        type="choice",
        choices=["clone", "hardlink", "copy"],
        metavar="MODE",
        help="Keep large wheels unpacked in pip's cache, and clone, hardlink or copy their "
        "files (default: clone if the disk can, otherwise keep none). With hardlink, editing "
        "an installed file also changes the cache and other environments.",
    ),
    OptionRow(
        "--no-variant-agreement",
        help="Choose the best variant of each package, even if the CUDA major versions "
        "of these variants differ (default: prefer variants that agree).",
    ),
    OptionRow(
        "--all-versions",
        where=("list",),
        help="List all matching versions with variants, not only the version that pip "
        "would install.",
    ),
)

_ABOUT_THIS_MACHINE = tuple(row for row in OPTIONS if row.about_this_machine)


def for_environment(name: str, options: optparse.Values) -> optparse.Values:
    """Return the options of ``pip lock`` for one environment.

    :param name: the name of the environment.
    """
    from pip._internal.models.format_control import FormatControl
    from pip._internal.models.release_control import ReleaseControl

    changed = (FormatControl, ReleaseControl, list, set)
    own = {
        key: copy.deepcopy(value) if isinstance(value, changed) else value
        for key, value in vars(options).items()
    }
    return optparse.Values({**own, "environments": [name], VARIANT_HOST.dest: name})


_T = TypeVar("_T")


class _Given(Generic[_T]):
    """A descriptor for the value of an option when the settings were read.

    :ivar default: the value if the user gives no value. Given values are converted to the type
        of the default, unless the default is None.
    """

    def __init__(self, default: _T) -> None:
        self.default = default
        self.convert: Callable[[Any], _T] = type(default)

    def __set_name__(self, _: type[Settings], name: str) -> None:
        self.name = name

    def __get__(self, settings: Settings, _: type[Settings]) -> _T:
        given = settings.read.get(self.name) or self.default
        return given if self.default is None else self.convert(given)


#: Options for the target; they do not apply to a machine that builds for the target.
_OF_TARGET = (
    VARIANT,
    PREFER_VARIANT,
    VARIANT_HOST,
    UPGRADE_VARIANTS,
    REQUIRE_ACCELERATOR,
)


class Settings:
    """The variant-related options of one command, read once.

    An attribute with the name of an option has the value of that option, or the default below if
    the option is not given.

    :ivar options: upstream's options of the command.
    :ivar typed: the typed variant options, in their order.
    :ivar read: the values of all options when they were read.
    :ivar several_builds: whether the command may select several builds of one project.
    """

    variants: _Given[Sequence[LabelChoice]] = _Given(())
    preferences: _Given[Sequence[Preference | str]] = _Given(())
    # An empty value overrides a configured host.
    variant_host: _Given[str | None] = _Given(None)
    #: The environments to lock for; each run has at most one.
    environments: _Given[Sequence[str]] = _Given(())
    no_variants = _Given(False)
    upgrade_variants = _Given(False)
    strict_variants = _Given(False)
    no_variant_agreement = _Given(False)
    manifest: _Given[str | None] = _Given(None)
    enabled_providers: _Given[Sequence[str]] = _Given(())
    disabled_providers: _Given[Sequence[str]] = _Given(())
    provider_kinds: _Given[dict[str, str]] = _Given({})
    trusted_providers: _Given[frozenset[NormalizedName]] = _Given(frozenset())
    provider_timeout = _Given(10.0)
    provider_variables: _Given[Sequence[str]] = _Given(())

    dry_run = _Given(False)
    upgrade = _Given(False)
    ignore_dependencies = _Given(False)
    uploaded_prior_to: _Given[datetime.datetime | None] = _Given(None)
    # Requirements files may change these values.
    format_control: _Given[FormatControl | None] = _Given(None)
    release_control: _Given[ReleaseControl | None] = _Given(None)
    platforms: _Given[Sequence[str]] = _Given(())
    python_version: _Given[tuple[int, ...] | None] = _Given(None)
    implementation: _Given[str | None] = _Given(None)
    abis: _Given[Sequence[str]] = _Given(())
    #: The folders that ``pip list`` or ``pip check`` inspects.
    path: _Given[list[str] | None] = _Given(None)
    # Requirements files may add to these values later.
    no_index = _Given(False)
    find_links: _Given[Sequence[str]] = _Given(())

    def __init__(self, options: optparse.Values) -> None:
        self.options = options
        # Upstream's tests pass options of their own.
        self._given: dict[str, Any] = vars(options)
        self.read = dict(self._given)
        for row in _OF_TARGET if os.environ.get(IN_BUILD) else ():
            self.read.pop(row.dest, None)
        _, (self._words, _) = COMMAND_LINE.of(options, tuple) or (None, ([], ()))
        self.typed = [
            TypedOption(option.row, name, option.convert_value(name, text))
            for option, name, text in self._words
            if isinstance(option, VariantOption)
        ]
        self.several_builds = SEVERAL_BUILDS.of(options, bool) or False

    @property
    def required_accelerators(self) -> frozenset[str]:
        """The packages that must use an accelerator: normalized names, possibly with :data:`ALL`.

        A typed ``:none:`` removes the names before it.
        """
        found: set[str] = set()
        for names in self.read.get(REQUIRE_ACCELERATOR.dest) or ():
            for name in names:
                found = set() if name == _NONE else {*found, name}
        return frozenset(found)

    @property
    def legacy_resolver(self) -> bool:
        """Whether the command uses the legacy resolver."""
        return "legacy-resolver" in (self.read.get("deprecated_features_enabled") or ())

    def value(self, row: OptionRow, *, otherwise: object = None) -> Any:
        """Return the value of an option.

        :param otherwise: the value if the command has no such option.
        """
        return self._given.get(row.dest, otherwise)

    def is_typed(self, name: str) -> bool:
        """Return whether an option is on the command line."""
        return any(option.get_opt_string() == name for option, _, _ in self._words)

    def note_sources(self, given: optparse.Values, find_links: list[str]) -> None:
        """Record options of a requirements file, so that proposed commands repeat them.

        :param given: the options of one line.
        :param find_links: the locations of ``--find-links`` so far.
        """
        for option in SOURCES_IN_FILES:
            values = vars(given).get(option.dest or "") or []
            if values and option.dest == "find_links":
                # Upstream has looked for the folder beside the file.
                values = find_links[-1:]
            values = values if isinstance(values, list) else [values]
            entries = [(option, "", None if each is True else each) for each in values]
            self._words += [each for each in entries if each not in self._words]

    @property
    def needs_checks(self) -> bool:
        """Whether the typed options can be wrong or contradict other options."""
        return any(each.row.needs_variants or each.namespace for each in self.typed)

    @property
    def installs_here(self) -> bool:
        """Whether the command installs for the current interpreter."""
        is_install = "target_dir" in self._given
        return is_install and not (self._given["target_dir"] or self.dry_run)

    @property
    def kept_target(self) -> str:
        """The folder of ``--target``, if pip keeps packages in the folder; otherwise empty."""
        return "" if self._given.get("upgrade") else self._given.get("target_dir") or ""

    @property
    def overwritten_folders(self) -> list[str]:
        """The folders where the command replaces packages that the resolver does not see."""
        given: Callable[[str], Any] = self._given.get
        if given("target_dir"):
            return [] if self.kept_target else [given("target_dir")]
        if given("root_path") or given("prefix_path"):
            where = {"root": given("root_path"), "prefix": given("prefix_path")}
            scheme = get_scheme("", user=bool(given("use_user_site")), **where)
            return [scheme.purelib, scheme.platlib]
        is_install = "target_dir" in self._given
        return sys.path if is_install and given("ignore_installed") else []

    @property
    def keeps_installed(self) -> bool:
        """Whether pip keeps an installed build in the same folder, unless options are typed."""
        names = "upgrade", "upgrade_variants", "force_reinstall", "ignore_installed"
        chosen = VARIANT.dest, "cpuonly", "pytorch_backends"
        is_seen = self.changes_this_environment or bool(self._given["target_dir"])
        return is_seen and not any(map(self._configured.get, (*names, *chosen)))

    @property
    def changes_this_environment(self) -> bool:
        """Whether the command may replace packages of the current interpreter."""
        prefix = self._given.get("prefix_path")
        return (
            "target_dir" in self._given
            and not (self._given["target_dir"] or self._given.get("root_path"))
            and (not prefix or os.path.realpath(prefix) == os.path.realpath(sys.prefix))
            and "_PIP_RUNNING_IN_SUBPROCESS" not in os.environ
        )

    @property
    def is_about_this_environment(self) -> bool:
        """Whether the command lists packages of this environment."""
        return "outdated" in self._given

    @property
    def machine(self) -> str:
        """The phrase for the machine that pip chooses variants for."""
        is_here = self.variant_host is None and not self.platforms
        return "this machine" if is_here else "the target machine"

    @property
    def is_eager(self) -> bool:
        """Whether the command also upgrades dependencies."""
        strategy = self._given.get("upgrade_strategy")
        return strategy == "eager" and not self.ignore_dependencies

    @property
    def allows_prereleases(self) -> bool:
        """Whether pre-releases of any project are allowed."""
        return bool(self._given.get("pre")) or (
            self.release_control is not None
            and ":all:" in self.release_control.all_releases
        )

    # Limits on the installation of plugins. A requirements file may require hashes at any time,
    # and some commands lack these options.

    @property
    def require_hashes(self) -> bool:
        """Whether all packages need a hash."""
        return self.is_checking_hashes or bool(self._of_install["require_hashes"])

    @property
    def is_checking_hashes(self) -> bool:
        """Whether this command checks hashes; a requirements file may turn the checks on."""
        return bool(self._given.get("require_hashes"))

    @property
    def no_require_hashes(self) -> bool:
        """Whether hashes for some packages do not make hashes required for other packages."""
        return bool(self._of_install["no_require_hashes"])

    @property
    def constraint_files(self) -> list[str]:
        """The user's constraints files, build constraints last."""
        given = self._of_install
        return [*(given["constraints"] or ()), *(given["build_constraints"] or ())]

    @cached_property
    def _of_install(self) -> Mapping[str, Any]:
        """The options of ``pip install``, from the command or the configuration."""
        if "no_require_hashes" in self._given:
            return self._given
        return {**self._configured, **self._given}

    def use_install_host(self) -> None:
        """Use the configured host of ``pip install`` if no host is given."""
        if self.value(VARIANT_HOST) is None:
            self.variant_host = self._configured[VARIANT_HOST.dest] or None

    @property
    def _configured(self) -> Mapping[str, Any]:
        """The configured options of ``pip install``."""
        from pip._internal.commands import create_command

        isolated = bool(self._given.get("isolated_mode"))
        command = create_command("install", isolated=isolated)
        return vars(command.parser.get_default_values())

    # Options that also apply to builds on this machine

    def about_this_machine(self) -> optparse.Values:
        """Return the options that also apply to builds on this machine."""
        rows = (row.dest for row in _ABOUT_THIS_MACHINE)
        kept = (*rows, "cache_dir", "uploaded_prior_to")
        return optparse.Values({name: self._given.get(name) for name in kept})

    def as_variables(self) -> dict[str, str]:
        """Return the options of :meth:`about_this_machine` as environment variables."""
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
