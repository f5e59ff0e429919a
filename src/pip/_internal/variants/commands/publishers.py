"""Indexes with variants that publishers run, as far as they are known.

pip ships them as data, and contacts or configures none of them unless a user says so. Each is
for its own projects alone, in the form of the configuration: ``torch,torchvision=URL``.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Sequence
from typing import NamedTuple

from pip._vendor.packaging.utils import canonicalize_name

from pip._internal.console.texts import without_credentials
from pip._internal.utils.compat import tomllib

__all__ = ["PUBLISHERS", "READ", "Publisher", "added", "bare", "removed", "taken"]


class Publisher(NamedTuple):
    """An index of a publisher; the table says what the fields mean."""

    name: str
    publisher: str
    url: str
    projects: Sequence[str]
    source: str
    note: str


_TABLE = tomllib.loads(
    (pkgutil.get_data(__package__, "publishers.toml") or b"").decode()
)
#: When these were read.
READ: str = _TABLE["read"]
#: By name, in the order in which they are shown.
PUBLISHERS = {each["name"]: Publisher(**each) for each in _TABLE["publisher"]}


def bare(url: str) -> str:
    """Return the URL of an index without credentials, and without a slash at the end."""
    return without_credentials(url.rstrip("/"), "").replace("://@", "://")


def _split(value: str) -> list[tuple[list[str], str, str]]:
    """Return the names, the bare URL and the text of each index in a value."""
    found = []
    for text in value.split():
        names, _, url = text.partition("=")
        projects = [str(canonicalize_name(each)) for each in names.split(",")]
        found.append((projects, bare(url), text))
    return found


def taken(value: str, publisher: Publisher) -> dict[str, str]:
    """Return the bare URLs from which projects of a publisher come already, by project."""
    return {
        project: url
        for projects, url, _ in _split(value)
        for project in projects
        if project in publisher.projects
    }


def added(value: str, publisher: Publisher) -> str:
    """Add the index of a publisher to a value; what else stands there is kept as it is.

    No project of it may come from elsewhere (:func:`taken`).
    """
    there = taken(value, publisher)
    lacking = ",".join(each for each in publisher.projects if each not in there)
    new = [f"{lacking}={publisher.url}"] if lacking else []
    return "\n".join([*value.split(), *new])


def removed(value: str, publisher: Publisher) -> str:
    """Remove the index of a publisher from a value, for its projects alone."""
    texts = []
    for projects, url, text in _split(value):
        left = [each for each in projects if each not in publisher.projects]
        if url != bare(publisher.url) or left == projects:
            texts.append(text)
        elif left:
            texts.append(f"{','.join(left)}={text.partition('=')[2]}")
    return "\n".join(texts)
