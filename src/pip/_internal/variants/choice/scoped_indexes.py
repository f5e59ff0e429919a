"""Indexes for certain projects only: how they are written, and which one a project has.

One is written ``torch,torchvision=https://example.com/simple``. Loaded when any is given.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlsplit

from pip._vendor.packaging.utils import InvalidName, canonicalize_name

from pip._internal.utils.misc import redact_auth_from_url
from pip._internal.utils.urls import path_to_url
from pip._internal.variants.choice.option_values import Place
from pip._internal.variants.errors import ContradictoryOptions, InvalidOption

if TYPE_CHECKING:
    from pip._vendor.packaging.utils import NormalizedName

__all__ = [
    "FORM",
    "ScopedIndex",
    "by_project",
    "scoped_index",
    "redacted_value",
]

#: What a user has to write.
FORM = "PROJECT[,PROJECT...]=URL"
_EXAMPLE = "torch,torchvision=https://download.pytorch.org/whl/variant"
_SCHEMES = ("http", "https", "file")
#: What begins a URL, or else a value; a user and a password may follow, in any form.
_BEFORE_CREDENTIALS = re.compile(r".*?//|[^=@]*=|", re.DOTALL)
#: Another index, where just one can be named.
_ANOTHER = re.compile(r",[^/,=]+=")


class ScopedIndex(NamedTuple):
    """An index, and the projects that come from it alone.

    :ivar projects: normalised names, in the order in which they were written.
    :ivar url: of the index, as ``--index-url`` takes it, with credentials if there are any.
    :ivar place: the command line, or the configuration and the environment.
    """

    projects: tuple[NormalizedName, ...]
    url: str
    place: Place = Place.LINE

    def __str__(self) -> str:
        """Return it for people, without credentials."""
        return f"{','.join(self.projects)}={redact_auth_from_url(self.url)}"

    @property
    def written(self) -> str:
        """Return it as it is configured, with credentials."""
        return f"{','.join(self.projects)}={self.url}"


def scoped_index(opt: str, text: str) -> ScopedIndex:
    """Read an index and its projects.

    :param opt: as it was typed; where it was configured, its key, without dashes.
    :raises InvalidOption: if *text* is no such thing.
    """
    names, equals, location = text.partition("=")
    shown = redacted_value(text)

    def invalid(problem: str) -> InvalidOption:
        return InvalidOption(
            f"option {opt}: {problem} in {shown!r}, expected {FORM} without blanks, something "
            f"like '{_EXAMPLE}'"
        )

    if not equals:
        raise invalid("no '='")
    several = [each for each in text.split() if re.match("[^/]+=.*//", each)]
    if len(several) > 1:
        shown = " ".join(f"{each.partition('=')[0]}=..." for each in several)
        raise invalid("several indexes, each of which needs an option of its own,")
    projects = dict.fromkeys(_projects(names, invalid))
    if _ANOTHER.search(location):
        raise invalid("two indexes, each of which needs an option of its own,")
    place = Place.LINE if opt.startswith("-") else Place.CONFIGURATION
    url = _url(location.strip())
    if url is None:
        raise invalid("no URL of an index, nor a folder that is there,")
    if re.search("[?#]", url):
        shown = re.split("[?#]", shown)[0]  # There may be a token.
        raise invalid("no page of a project can follow the '?' or '#' in the URL,")
    return ScopedIndex(tuple(projects), url, place)


def _projects(
    names: str, invalid: Callable[[str], InvalidOption]
) -> Iterator[NormalizedName]:
    for name in names.split(","):
        if not name.strip():
            raise invalid("no name of a project" if names else "no project")
        try:
            yield canonicalize_name(name.strip(), validate=True)
        except InvalidName:
            what = "invalid name of a project"
            if "*" in name or "?" in name:
                what = "a pattern in place of the name of a project"
            elif "//" not in name:
                what = f"{what} ({name.strip()!r})"
            raise invalid(what) from None


def redacted_value(text: str) -> str:
    """Return what may be an index with its projects without what may be a password."""
    credentials, at, rest = text.rpartition("@")
    begin = _BEFORE_CREDENTIALS.match(credentials)
    assert begin is not None, "it matches nothing, too"
    return f"{begin[0]}****@{rest}" if at else text


def _url(location: str) -> str | None:
    """Return the URL of a location without a slash at its end, None if it has none."""
    if re.search(r"\s", location):
        return None
    try:
        parts = urlsplit(location)
        _ = parts.port  # It fails if that is no number.
    except ValueError:
        return None
    if parts.scheme in _SCHEMES:
        has_place = bool(parts.hostname)
        if parts.scheme == "file":
            # Of this machine: //home is a server, and no folder.
            has_place = parts.netloc in ("", "localhost") and bool(parts.path)
        return location.rstrip("/") if has_place else None
    if "://" in location or not location or not os.path.isdir(location):
        return None
    return path_to_url(location).rstrip("/")


def by_project(indexes: Iterable[ScopedIndex]) -> dict[NormalizedName, ScopedIndex]:
    """Return the index of each project: the one that was typed, or else configured.

    :raises ContradictoryOptions: if two of one place are for the same project.
    """
    found: dict[NormalizedName, ScopedIndex] = {}
    for each in sorted(indexes, key=lambda index: index.place):
        for project in each.projects:
            other = found.get(project)
            if other and other.place is each.place and other.url != each.url:
                raise ContradictoryOptions(
                    _said(project, other),
                    _said(project, each),
                    f"{project} comes from one index alone.",
                    f"Leave {project} out of one of the two.",
                )
            found[project] = each
    return found


def _said(project: NormalizedName, index: ScopedIndex) -> str:
    where = "" if index.place is Place.LINE else " in the configuration or environment"
    return f"--variant-index {project}={redact_auth_from_url(index.url)}{where}"
