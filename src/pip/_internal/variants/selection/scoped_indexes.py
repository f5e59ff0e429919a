"""Parse scoped indexes, and find the index of a project.

An example is ``torch,torchvision=https://example.com/simple``. Loaded only if the user gives
a scoped index.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlsplit

from pip._vendor.packaging.utils import InvalidName, canonicalize_name

from pip._internal.configuration import OVERRIDE_ORDER, Kind
from pip._internal.utils.misc import redact_auth_from_url
from pip._internal.utils.urls import path_to_url
from pip._internal.variants import errors

if TYPE_CHECKING:
    from pip._vendor.packaging.utils import NormalizedName

    from pip._internal.configuration import Configuration

#: The configuration key.
KEY = "variant-index"
#: The expected form of a value.
FORM = "PROJECT[,PROJECT...]=URL"
#: The start of a URL, or else of a value; a user and a password may follow, in any form.
_BEFORE_CREDENTIALS = re.compile(r".*?//|[^=@]*=|", re.DOTALL)


class ScopedIndex(NamedTuple):
    """An index and its scoped projects.

    :ivar projects: the normalized names, in the order written.
    :ivar url: the URL of the index, as for ``--index-url``, with any credentials.
    """

    projects: tuple[NormalizedName, ...]
    url: str

    def __str__(self) -> str:
        """Return the index for messages, without credentials."""
        return f"{','.join(self.projects)}={redact_auth_from_url(self.url)}"

    @property
    def written(self) -> str:
        """The index as in the configuration, with credentials."""
        return f"{','.join(self.projects)}={self.url}"


#: The index of each scoped project.
Indexes = Mapping["NormalizedName", ScopedIndex]


def scoped_index(opt: str, text: str) -> ScopedIndex:
    """Parse an index and its projects.

    :param opt: the option as typed, or its configuration key, without dashes.
    :raises InvalidOption: if *text* is invalid.
    """
    names, equals, location = text.partition("=")
    url = _url(location.strip())
    problem = "" if url else "neither the URL of an index nor an existing folder"
    projects: dict[NormalizedName, None] = {}
    try:
        for name in names.split(",") if equals else ():
            projects[canonicalize_name(name.strip(), validate=True)] = None
    except InvalidName:
        problem = "invalid project name (patterns are not allowed)"
    if not equals:
        problem = "no '='"
    if problem:
        raise errors.InvalidOption(
            f"option {opt}: {problem} in {_redacted(text)!r}, expected {FORM} without "
            f"blanks, '?' or '#', such as "
            "'torch,torchvision=https://download.pytorch.org/whl/variant'"
        )
    return ScopedIndex(tuple(projects), url)


def index_url(opt: str, text: str) -> str:
    """Parse the URL of an index.

    :return: the URL without a trailing slash.
    :raises InvalidOption: if *text* is not a URL.
    """
    url = _url(text.strip())
    if not url:
        raise errors.InvalidOption(
            f"option {opt}: invalid URL {_redacted(text)!r}, expected a URL such as "
            "'https://download.pytorch.org/whl'"
        )
    return url


def _redacted(text: str) -> str:
    """Return an index and its projects, valid or not, with secrets redacted."""
    credentials, at, rest = text.rpartition("@")
    begin = _BEFORE_CREDENTIALS.match(credentials)
    assert begin is not None, "it matches nothing, too"
    redacted = f"{begin[0]}****@{rest}" if at else text
    # A token may follow in the query or fragment.
    return re.split("[?#]", redacted)[0]


def _url(location: str) -> str:
    """Return the URL of an index without a trailing slash; empty if invalid."""
    if "://" not in location and location and os.path.isdir(location):
        return path_to_url(location).rstrip("/")
    try:
        parts = urlsplit(location)
        _ = parts.port  # Raises ValueError if the port is not a number.
    except ValueError:
        return ""
    if parts.scheme == "file":
        # Only this machine: //home is a server, not a folder.
        is_url = parts.netloc in ("", "localhost") and bool(parts.path)
        is_url = is_url and "%00" not in location
    else:
        is_url = parts.scheme in ("http", "https") and bool(parts.hostname)
    # pip appends the name of a project; blanks separate several indexes.
    is_url = is_url and re.search(r"[\s?#]|,[^/=\s]+=", location) is None
    return location.rstrip("/") if is_url else ""


def parse_indexes(value: str) -> list[ScopedIndex]:
    """Parse a configured value.

    :raises UnusableConfiguration: if an index is invalid.
    """
    try:
        return [scoped_index(KEY, text) for text in value.split()]
    except errors.InvalidOption as error:
        raise errors.UnusableConfiguration(
            "The configuration", f"{error}.", "To find that setting: pip config debug"
        ) from None


def configured(
    configuration: Configuration, command: str = "install"
) -> list[list[ScopedIndex]]:
    """Return the values from all sources of a command, strongest last.

    Unlike the values of other keys, these values add up: a file, a section or a variable with
    an index for one project must not drop the indexes of other projects. Only an empty value
    for all commands drops other indexes.

    :raises UnusableConfiguration: if an index is invalid.
    """
    files = [
        values
        for kind in OVERRIDE_ORDER[:-1]
        for values in configuration.get_values_in_config(kind).values()
    ]
    variables = configuration.get_values_in_config(Kind.ENV_VAR).get(":env:", {})
    for_all = (values.get(f"global.{KEY}") for values in files)
    found: list[str] = [value for value in for_all if value is not None]
    found += filter(None, (values.get(f"{command}.{KEY}") for values in files))
    found += filter(None, [variables.get(f":env:.{KEY}")])
    places: list[list[ScopedIndex]] = []
    for value in found:
        places = [*places, parse_indexes(value)] if value.strip() else []
    return places


def by_project(
    places: Iterable[Iterable[ScopedIndex]],
) -> dict[NormalizedName, ScopedIndex]:
    """Return the index of each project, from the strongest source.

    :param places: the indexes of each place, the strongest place last.
    :raises ContradictoryOptions: if one place has two indexes for the same project.
    """
    found: dict[NormalizedName, ScopedIndex] = {}
    for place in places:
        here: dict[NormalizedName, ScopedIndex] = {}
        for each in place:
            for project in each.projects:
                other = here.setdefault(project, each)
                if other.url != each.url:
                    first, second = map(redact_auth_from_url, (other.url, each.url))
                    raise errors.ContradictoryOptions(
                        f"--variant-index {project}={first}",
                        f"--variant-index {project}={second}",
                        f"'{project}' can come from only one index.",
                        f"Remove '{project}' from one of these options.",
                    )
        found |= here
    return found
