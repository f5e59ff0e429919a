"""What the user may write as the value of an option, checked and taken apart.

Loaded when such an option is given: most runs of pip have none.
"""

from __future__ import annotations

import enum
import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from pip._vendor.packaging.markers import UndefinedComparison, UndefinedEnvironmentName
from pip._vendor.packaging.requirements import InvalidRequirement, Requirement
from pip._vendor.packaging.utils import InvalidName, canonicalize_name
from pip._vendor.wheel_variants.labels import is_valid_label
from pip._vendor.wheel_variants.plugin_variables import SECRETS, is_secret
from pip._vendor.wheel_variants.preferences import Preference, parse_blank_separated
from pip._vendor.wheel_variants.properties import InvalidProperty, is_valid_namespace

from pip._internal.variants.errors import InvalidOption, WrongUse

if TYPE_CHECKING:
    from pip._vendor.packaging.utils import NormalizedName

__all__ = [
    "LabelChoice",
    "OptionSource",
    "count",
    "label_choice",
    "link_mode",
    "namespace",
    "preference",
    "preferences_in_order",
    "project",
    "provider_kind",
    "required_accelerators",
    "seconds",
    "variable",
]

#: What may serve a namespace instead of its usual provider.
_PROVIDER_KINDS = ("plugin", "builtin")
_LINK_MODES = ("clone", "hardlink", "copy")
_MOST = 1_000_000


class OptionSource(enum.IntEnum):
    """Where a label was chosen by hand, the weakest place first."""

    #: A configuration file or the environment.
    CONFIGURATION = enum.auto()
    #: A requirements or constraints file.
    FILE = enum.auto()
    LINE = enum.auto()


class LabelChoice(NamedTuple):
    """A label chosen by hand: for one project, or for each that has it."""

    label: str
    project: NormalizedName | None = None
    place: OptionSource = OptionSource.LINE

    def __str__(self) -> str:
        return self.label if self.project is None else f"{self.project}={self.label}"

    def for_requirement(self, requirement: str) -> LabelChoice | None:
        """Return the same choice for the project of *requirement* alone.

        :return: None if the requirement is for another environment.
        """
        try:
            wanted = Requirement(requirement)
            if wanted.marker is not None and not wanted.marker.evaluate():
                return None
        except (InvalidRequirement, UndefinedComparison, UndefinedEnvironmentName):
            # A path, or what upstream will complain about.
            return self
        project = self.project or canonicalize_name(wanted.name)
        return self._replace(project=project)


# The checks of kinds of values. Each gets what the user wrote, an option or the name of a
# setting, and the value; it raises InvalidOption.


def label_choice(opt: str, text: str) -> LabelChoice:
    """Read a label, or one for a package."""
    # Upstream names what is configured without the dashes of the option.
    place = OptionSource.LINE if opt.startswith("-") else OptionSource.CONFIGURATION
    package, equals, label = text.rpartition("=")
    if not is_valid_label(label):
        raise InvalidOption(
            f"option {opt}: invalid label {label!r} in {text!r}: a label has lower-case "
            "letters, digits, '_' and '.' only, as in 'cu128' or 'torch=cu128'"
        )
    if not equals:
        return LabelChoice(label, place=place)
    try:
        return LabelChoice(label, canonicalize_name(package, validate=True), place)
    except InvalidName:
        raise InvalidOption(
            f"option {opt}: invalid package name {package!r} in {text!r}, expected "
            "something like 'torch=cu128'"
        ) from None


def namespace(opt: str, text: str) -> str:
    """Read the name of a namespace."""
    if not is_valid_namespace(text):
        raise InvalidOption(
            f"option {opt}: invalid namespace {text!r}, expected something like "
            "'nvidia' or 'x86_64'"
        )
    return text


def project(opt: str, text: str) -> str:
    """Read the name of a package."""
    try:
        return canonicalize_name(text, validate=True)
    except InvalidName:
        raise InvalidOption(
            f"option {opt}: invalid package name {text!r}, expected a name alone, "
            "something like 'nvidia-variant-provider'"
        ) from None


def provider_kind(opt: str, value: str) -> tuple[str, str]:
    """Read what is to serve a namespace."""
    name, _, kind = value.partition("=")
    if kind not in _PROVIDER_KINDS:
        raise InvalidOption(
            f"option {opt}: invalid value {value!r}, expected "
            f"{' or '.join(f'NAMESPACE={each}' for each in _PROVIDER_KINDS)}"
        )
    return namespace(opt, name), kind


def required_accelerators(opt: str, value: str) -> tuple[str, ...]:
    """Read a list of projects, or ``:all:``, or ``:none:``.

    :return: normalized names.
    """
    words = filter(None, (word.strip() for word in value.split(",")))
    return tuple(
        word if word in (":all:", ":none:") else project(opt, word) for word in words
    )


def link_mode(opt: str, value: str) -> str:
    """Check how stored wheels are installed."""
    if value not in _LINK_MODES:
        raise InvalidOption(
            f"option {opt}: invalid mode {value!r}, expected {', '.join(_LINK_MODES[:-1])} "
            f"or {_LINK_MODES[-1]}"
        )
    return value


def count(opt: str, value: str) -> int:
    """Read a number of things, at least one."""
    if not (value.isascii() and value.isdecimal()) or not 1 <= int(value) <= _MOST:
        raise InvalidOption(
            f"option {opt}: invalid number {value!r}, expected one from 1 to {_MOST}"
        )
    return int(value)


def seconds(opt: str, value: str) -> float:
    """Read a number of seconds."""
    try:
        seconds = float(value)
    except ValueError:
        seconds = 0
    if not 0 < seconds <= 3600:
        raise InvalidOption(
            f"option {opt}: invalid number of seconds {value!r}, expected one above 0 "
            "and up to 3600"
        )
    return seconds


def preference(opt: str, value: str) -> Preference | str:
    """Read a :class:`Preference`; what is configured stays a word."""
    if not opt.startswith("-"):
        # Configuration and environment are split at blanks, also at those around "::".
        return value
    try:
        return Preference.parse(value)
    except InvalidProperty as error:
        raise InvalidOption(
            f"option {opt}: {error}, expected something like "
            "'blas_lapack :: library :: mkl', 'nvidia :: sm_arch' or 'x86_64'"
        ) from None


def variable(opt: str, value: str) -> str:
    """Read the name of an environment variable that a plugin may see."""
    if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", value):
        raise InvalidOption(
            f"option {opt}: invalid name of a variable {value!r}, expected a name alone, "
            "something like 'NPU_HOME'"
        )
    if is_secret(value):
        raise InvalidOption(
            f"option {opt}: a plugin never sees a variable that may hold a secret, and "
            f"{value!r} has one of {', '.join(SECRETS)} in its name"
        )
    return value


def preferences_in_order(given: Iterable[Preference | str]) -> Sequence[Preference]:
    """Put preferences in order: those that were typed are stronger than configured ones.

    :param given: values of ``--prefer-variant``; words are what was configured.
    :raises WrongUse: if those words are no preferences.
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
        raise WrongUse(
            f"prefer-variant in the configuration, or PIP_PREFER_VARIANT: {error}"
        ) from None
