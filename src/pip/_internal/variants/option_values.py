"""Parse and check the values of variant options.

Loaded only if the user gives such an option; most runs of pip use none.
"""

from __future__ import annotations

import enum
import re
from typing import TYPE_CHECKING, NamedTuple

from pip._vendor.packaging.markers import UndefinedComparison, UndefinedEnvironmentName
from pip._vendor.packaging.requirements import InvalidRequirement, Requirement
from pip._vendor.packaging.utils import InvalidName, canonicalize_name
from pip._vendor.wheel_variants.labels import is_valid_label
from pip._vendor.wheel_variants.plugin_variables import SECRETS, is_secret
from pip._vendor.wheel_variants.preferences import Preference
from pip._vendor.wheel_variants.properties import InvalidProperty, is_valid_namespace

from pip._internal.variants.errors import InvalidOption

if TYPE_CHECKING:
    from pip._vendor.packaging.utils import NormalizedName

_MOST = 1_000_000


class OptionSource(enum.IntEnum):
    """The source of a label, lowest precedence first."""

    #: A configuration file or the environment.
    CONFIGURATION = enum.auto()
    #: A requirements or constraints file.
    FILE = enum.auto()
    LINE = enum.auto()


class LabelChoice(NamedTuple):
    """A label that the user selected, for one project or all projects."""

    label: str
    project: NormalizedName | None = None
    place: OptionSource = OptionSource.LINE

    def __str__(self) -> str:
        return self.label if self.project is None else f"{self.project}={self.label}"

    @property
    def is_configured(self) -> bool:
        """Whether the label comes from the configuration or environment."""
        return self.place is OptionSource.CONFIGURATION

    @property
    def written(self) -> str:
        """The option as written, with its source unless that is the command line."""
        where = " in a requirements file" if self.place is OptionSource.FILE else ""
        return f"--variant {self}{where}"

    def in_file(self) -> LabelChoice:
        """Return the same label with a requirements file as its source."""
        return self._replace(place=OptionSource.FILE)

    def for_requirement(self, requirement: str) -> LabelChoice | None:
        """Return the same label for the project of *requirement* only.

        :return: the label; None if the requirement is for another environment.
        """
        try:
            wanted = Requirement(requirement)
            if wanted.marker is not None and not wanted.marker.evaluate():
                return None
        except (InvalidRequirement, UndefinedComparison, UndefinedEnvironmentName):
            # A path, or an invalid requirement, which upstream reports.
            return self
        project = self.project or canonicalize_name(wanted.name)
        return self._replace(project=project)


def _invalid(opt: str, what: str, value: str, expected: str) -> InvalidOption:
    return InvalidOption(f"option {opt}: invalid {what} {value!r}, expected {expected}")


# Checks of values. Each function gets the option as written (or the name of the setting) and
# the value, and raises InvalidOption.


def label_choice(opt: str, text: str) -> LabelChoice:
    """Parse a label, optionally for one package."""
    # Upstream passes the names of configured options without dashes.
    place = OptionSource.LINE if opt.startswith("-") else OptionSource.CONFIGURATION
    package, equals, label = text.rpartition("=")
    if not is_valid_label(label):
        expected = "lower-case letters, digits, '_' and '.', as in 'torch=cu128'"
        raise _invalid(opt, "label", label, expected)
    if not equals:
        return LabelChoice(label, place=place)
    try:
        return LabelChoice(label, canonicalize_name(package, validate=True), place)
    except InvalidName:
        raise _invalid(
            opt, "package name", package, "a name, as in 'torch=cu128'"
        ) from None


def namespace(opt: str, text: str) -> str:
    """Parse a namespace."""
    if not is_valid_namespace(text):
        raise _invalid(opt, "namespace", text, "a name such as 'nvidia' or 'x86_64'")
    return text


def project(opt: str, text: str) -> str:
    """Parse the name of a package."""
    try:
        return canonicalize_name(text, validate=True)
    except InvalidName:
        expected = "only a name, such as 'nvidia-variant-provider'"
        raise _invalid(opt, "package name", text, expected) from None


def provider_kind(opt: str, value: str) -> tuple[str, str]:
    """Parse the kind of provider for a namespace."""
    name, _, kind = value.partition("=")
    if kind not in ("plugin", "builtin"):
        expected = "NAMESPACE=plugin or NAMESPACE=builtin"
        raise _invalid(opt, "value", value, expected)
    return namespace(opt, name), kind


def required_accelerators(opt: str, value: str) -> tuple[str, ...]:
    """Parse a list of projects, ``:all:`` or ``:none:``.

    :return: normalized names.
    """
    words = [*filter(None, (word.strip() for word in value.split(",")))]
    if not words and opt.startswith("-"):
        raise _invalid(opt, "value", value, "package names, ':all:' or ':none:'")
    return tuple(
        word if word in (":all:", ":none:") else project(opt, word) for word in words
    )


def count(opt: str, value: str) -> int:
    """Parse a positive integer."""
    if not (value.isascii() and value.isdecimal()) or not 1 <= int(value) <= _MOST:
        raise _invalid(opt, "number", value, f"a number from 1 to {_MOST}")
    return int(value)


def seconds(opt: str, value: str) -> float:
    """Parse a number of seconds."""
    try:
        seconds = float(value)
    except ValueError:
        seconds = 0
    if not 0 < seconds <= 3600:
        raise _invalid(opt, "number of seconds", value, "more than 0, at most 3600")
    return seconds


def preference(opt: str, value: str) -> Preference | str:
    """Parse a :class:`Preference`."""
    if not opt.startswith("-"):
        return value
    try:
        return Preference.parse(value)
    except InvalidProperty as error:
        raise InvalidOption(
            f"option {opt}: {error}, expected a preference such as "
            "'blas_lapack :: library :: mkl', 'nvidia :: sm_arch' or 'x86_64'"
        ) from None


def variable(opt: str, value: str) -> str:
    """Parse the name of an environment variable for plugins."""
    if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", value):
        expected = "only a name, such as 'NPU_HOME'"
        raise _invalid(opt, "name of a variable", value, expected)
    if is_secret(value):
        raise InvalidOption(
            f"option {opt}: pip passes plugins no variables that may contain secrets, "
            f"and the name {value!r} contains one of {', '.join(SECRETS)}"
        )
    return value
