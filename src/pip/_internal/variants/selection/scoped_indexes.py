"""Indexes for certain projects only: how they are written, and which one a project has.

One is written ``torch,torchvision=https://example.com/simple``. Loaded when any is given.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlsplit

from pip._vendor.packaging.utils import InvalidName, canonicalize_name

from pip._internal.configuration import OVERRIDE_ORDER, Kind
from pip._internal.utils.misc import redact_auth_from_url
from pip._internal.utils.urls import path_to_url
from pip._internal.variants.errors import ContradictoryOptions, InvalidOption
from pip._internal.variants.selection.option_values import OptionSource

if TYPE_CHECKING:
    from pip._vendor.packaging.utils import NormalizedName

    from pip._internal.configuration import Configuration

__all__ = [
    "FORM",
    "KEY",
    "ConfiguredPlace",
    "ScopedIndex",
    "added_up",
    "by_project",
    "configured",
    "in_force",
    "index_url",
    "redacted_value",
    "scoped_index",
]

#: Of the configuration.
KEY = "variant-index"
#: Of the environment.
VARIABLE = "PIP_VARIANT_INDEX"
#: What a user has to write.
FORM = "PROJECT[,PROJECT...]=URL"
_EXAMPLE = "torch,torchvision=https://download.pytorch.org/whl/variant"
_URL_EXAMPLE = "https://download.pytorch.org/whl"
#: What begins a URL, or else a value; a user and a password may follow, in any form.
_BEFORE_CREDENTIALS = re.compile(r".*?//|[^=@]*=|", re.DOTALL)
#: Another index, where just one can be named.
_ANOTHER = re.compile(r"[\s,][^/=\s]+=")


class ScopedIndex(NamedTuple):
    """An index, and the projects that come from it alone.

    :ivar projects: normalised names, in the order in which they were written.
    :ivar url: of the index, as ``--index-url`` takes it, with credentials if there are any.
    :ivar place: the command line, or the configuration and the environment.
    """

    projects: tuple[NormalizedName, ...]
    url: str
    place: OptionSource = OptionSource.LINE

    def __str__(self) -> str:
        """Return it for people, without credentials."""
        return f"{','.join(self.projects)}={redact_auth_from_url(self.url)}"

    @property
    def written(self) -> str:
        """Return it as it is configured, with credentials."""
        return f"{','.join(self.projects)}={self.url}"


class ConfiguredPlace(NamedTuple):
    """A place of the configuration, and what it says of such indexes.

    :ivar path: of the file, or the name of the variable.
    :ivar section: the command that it is for, or ``"global"``.
    :ivar value: empty to drop what weaker places say.
    """

    kind: Kind
    path: str
    section: str
    value: str

    @property
    def name(self) -> str:
        """The place, for people."""
        if self.section == "global":
            return self.path
        return f"{self.path}, below [{self.section}],"


def scoped_index(opt: str, text: str) -> ScopedIndex:
    """Read an index and its projects.

    :param opt: as it was typed; where it was configured, its key, without dashes.
    :raises InvalidOption: if *text* is no such thing.
    """
    names, equals, location = text.partition("=")
    projects: dict[NormalizedName, None] = {}
    shown = redacted_value(text)
    url, problem = _url(location.strip())
    if not equals:
        problem = "no '='"
    elif _ANOTHER.search(location):
        problem = "several indexes, each of which needs an option of its own,"
        shown = f"{names}=..."
    elif "?" in problem:
        shown = re.split("[?#]", shown)[0]  # There may be a token.
    try:
        for name in names.split(",") if equals else ():
            projects[canonicalize_name(name.strip(), validate=True)] = None
    except InvalidName:
        problem = "invalid name of a project, which is no pattern,"
    if problem:
        raise InvalidOption(
            f"option {opt}: {problem} in {shown!r}, expected {FORM} without blanks, something "
            f"like '{_EXAMPLE}'"
        )
    place = OptionSource.LINE if opt.startswith("-") else OptionSource.CONFIGURATION
    return ScopedIndex(tuple(projects), url, place)


def index_url(opt: str, text: str) -> str:
    """Read the URL of an index, without a slash at its end.

    :raises InvalidOption: if *text* is none.
    """
    url, problem = _url(text.strip())
    if problem:
        shown = re.split("[?#]", redacted_value(text))[0]
        raise InvalidOption(
            f"option {opt}: invalid URL {shown!r}, expected something like {_URL_EXAMPLE!r}"
        )
    return url


def redacted_value(text: str) -> str:
    """Return what may be an index with its projects without what may be a password."""
    credentials, at, rest = text.rpartition("@")
    begin = _BEFORE_CREDENTIALS.match(credentials)
    assert begin is not None, "it matches nothing, too"
    return f"{begin[0]}****@{rest}" if at else text


def _url(location: str) -> tuple[str, str]:
    """Return the URL of a location without a slash at its end, and what is wrong with it."""
    none = "", "no URL of an index, nor a folder that is there,"
    try:
        parts = urlsplit(location)
        _ = parts.port  # It fails if that is no number.
    except ValueError:
        return none
    if parts.scheme == "file":
        # Of this machine: //home is a server, and no folder.
        is_url = parts.netloc in ("", "localhost") and bool(parts.path)
        is_url = is_url and "%00" not in location
    else:
        is_url = parts.scheme in ("http", "https") and bool(parts.hostname)
    if re.search(r"\s", location):
        return none
    if not is_url and "://" not in location and location and os.path.isdir(location):
        location, is_url = path_to_url(location), True
    if not is_url:
        return none
    if re.search("[?#]", location):
        return "", "no page of a project can follow the '?' or '#' in the URL,"
    return location.rstrip("/"), ""


def configured(configuration: Configuration) -> list[ConfiguredPlace]:
    """Return what the configuration and the environment say, the strongest place last.

    Places add up, unlike those of other keys: a file, a section or a variable with an index
    for one project must not drop the indexes of others. Only an empty value for all
    commands does that.
    """
    found: list[ConfiguredPlace] = []
    of_commands: list[ConfiguredPlace] = []
    for kind in OVERRIDE_ORDER[:-1]:
        for path, values in configuration.get_values_in_config(kind).items():
            for key, value in values.items():
                section, _, name = key.partition(".")
                place = ConfiguredPlace(kind, path, section, value.strip())
                if name == KEY and section == "global":
                    found.append(place)
                elif name == KEY and value:
                    of_commands.append(place)
    for values in configuration.get_values_in_config(Kind.ENV_VAR).values():
        value = values.get(f":env:.{KEY}")
        if value:
            of_commands.append(
                ConfiguredPlace(Kind.ENV_VAR, VARIABLE, "global", value.strip())
            )
    return [*found, *of_commands]


def in_force(places: Iterable[ConfiguredPlace]) -> list[ConfiguredPlace]:
    """Return the places without those that an empty value of a stronger one drops."""
    left: list[ConfiguredPlace] = []
    for each in places:
        left = [*left, each] if each.value else []
    return left


def added_up(places: Iterable[ConfiguredPlace]) -> list[list[ScopedIndex]]:
    """Return the indexes of each place that is in force.

    :raises InvalidOption: if one is invalid.
    """
    return [
        [scoped_index(KEY, text) for text in each.value.split()]
        for each in in_force(places)
    ]


def by_project(
    levels: Iterable[Iterable[ScopedIndex]],
) -> dict[NormalizedName, ScopedIndex]:
    """Return the index of each project: that of the strongest place that names one.

    :param levels: the indexes of each place, those of the strongest place last.
    :raises ContradictoryOptions: if two of one place are for the same project.
    """
    found: dict[NormalizedName, ScopedIndex] = {}
    for level in levels:
        here: dict[NormalizedName, ScopedIndex] = {}
        for each in level:
            for project in each.projects:
                other = here.setdefault(project, each)
                if other.url != each.url:
                    raise ContradictoryOptions(
                        _said(project, other),
                        _said(project, each),
                        f"{project} comes from one index alone.",
                        f"Leave {project} out of one of the two.",
                    )
        found |= here
    return found


def _said(project: NormalizedName, index: ScopedIndex) -> str:
    where = (
        ""
        if index.place is OptionSource.LINE
        else " in the configuration or environment"
    )
    return f"--variant-index {project}={redact_auth_from_url(index.url)}{where}"
