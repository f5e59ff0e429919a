"""Links to manifests and builds: what they lead to, and what lists them."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING
from urllib.parse import parse_qs

from pip._vendor.packaging.utils import (
    InvalidSdistFilename,
    InvalidWheelFilename,
    parse_sdist_filename,
    parse_wheel_filename,
)
from pip._vendor.packaging.version import InvalidVersion, Version
from pip._vendor.wheel_variants.labels import split_label

from pip._internal.models.link import Link, PathComponent
from pip._internal.utils.misc import redact_auth_from_url
from pip._internal.utils.urls import path_to_url, url_to_path

if TYPE_CHECKING:
    import datetime

    from pip._vendor.packaging.utils import NormalizedName
    from pip._vendor.packaging.version import _BaseVersion

    from pip._internal.index.collector import LinkCollector

__all__ = [
    "LocalVersionWheel",
    "RenamedWheel",
    "folder_url",
    "label_of",
    "public",
    "renamed",
    "searched",
    "source_of",
    "uploaded_too_late",
    "version_of",
]


class LocalVersionWheel(Link):
    """A wheel that is a variant by its version, though its name has no label."""

    __slots__ = ["label", "source"]

    label: str
    source: str

    @classmethod
    def of(cls, link: Link, label: str, source: str) -> LocalVersionWheel:
        """Make a variant of the wheel at *link*."""
        build = cls.__new__(cls)
        for name in Link.__slots__:
            setattr(build, name, getattr(link, name))
        build.label, build.source = label, source
        return build


class RenamedWheel(Link):
    """A variant at a URL that ends with the name of a plain wheel with a local version.

    So are wheels that a release on GitHub offers, and an index lists: the fragment of the
    link states the label, and the wheel has no ``variant.json``.
    """

    __slots__ = ["_filename"]

    _filename: PathComponent

    @property
    def filename(self) -> PathComponent:
        """The name that the wheel has as a variant."""
        return self._filename


def renamed(link: Link) -> Link:
    """Return the variant that a page makes of a wheel with a local version.

    :return: *link* itself if its URL has no fragment with ``variant=LABEL``.
    """
    if "variant=" not in link._url:
        return link
    label = parse_qs(link._parsed_url.fragment).get("variant", [""])[0]
    project, _, rest = link.filename.removesuffix(".whl").partition("-")
    version, _, tags = rest.partition("-")
    name = f"{project}-{version.partition('+')[0]}-{tags}-{label}.whl"
    if label_of(link) is not None or split_label(name)[1] != label:
        return link
    variant = RenamedWheel.__new__(RenamedWheel)
    for slot in Link.__slots__:
        setattr(variant, slot, getattr(link, slot))
    variant._filename = PathComponent(name)
    return variant


def label_of(link: Link) -> str | None:
    """Return the label of the variant wheel at *link*; None for any other file."""
    return (
        link.label
        if isinstance(link, LocalVersionWheel)
        else split_label(link.filename)[1]
    )


def version_of(link: Link, project: NormalizedName) -> Version | None:
    """Read the version in the name of a wheel or source distribution of *project*.

    :return: None if the file is not of that project; without the local part if that is
        the label.
    """
    try:
        if link.is_wheel:
            name, version, *_ = parse_wheel_filename(link.filename)
        else:
            name, version = parse_sdist_filename(link.filename)
    except (InvalidWheelFilename, InvalidSdistFilename, InvalidVersion):
        return None
    if name != project:
        return None
    return public(version) if isinstance(link, LocalVersionWheel) else version


def public(version: _BaseVersion) -> Version:
    """Return a version without its local part, which may be a label."""
    return Version(str(version).partition("+")[0])


def source_of(link: Link) -> str:
    """Return the URL of the page or directory that lists *link* and its manifest.

    The meaning of a label is defined there, and nowhere else (PEP 825).
    """
    if isinstance(link, LocalVersionWheel):
        return link.source
    return link.comes_from or link.url_without_fragment.rpartition("/")[0]


def searched(collector: LinkCollector) -> str:
    """Say where packages are looked for, to be put into a sentence; may be empty."""
    scope = collector.search_scope
    places = [*scope.find_links, *([] if scope.no_index else scope.index_urls)]
    return f" on {' or '.join(map(redact_auth_from_url, places))}" if places else ""


def folder_url(location: str) -> str:
    """Return the URL that :func:`source_of` returns for a ``--find-links`` location."""
    if location.startswith("file:"):
        location = url_to_path(location)
    if os.path.isfile(location):
        location = os.path.dirname(location)
    return path_to_url(location) if os.path.isdir(location) else location


def uploaded_too_late(link: Link, limit: datetime.datetime | None) -> str | None:
    """Say why a manifest does not count, if it was uploaded too late.

    Like upstream, this does not ask when local files were uploaded.

    :param limit: uploads at this moment or later do not count; None for no limit.
    :return: None if it counts.
    """
    if limit is None or link.is_file:
        return None
    if link.upload_time is None:
        return "the index does not tell when its variants manifest was uploaded"
    if link.upload_time >= limit:
        return f"its variants manifest was uploaded at {link.upload_time}"
    return None
