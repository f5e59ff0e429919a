"""Links to manifests and wheels, their sources, and pinned versions."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING
from urllib.parse import parse_qs

from pip._vendor.packaging.utils import parse_sdist_filename, parse_wheel_filename
from pip._vendor.packaging.version import Version
from pip._vendor.wheel_variants.labels import split_label

from pip._internal.models.link import Link, PathComponent
from pip._internal.utils.misc import redact_auth_from_url
from pip._internal.utils.urls import path_to_url, url_to_path

if TYPE_CHECKING:
    import datetime
    from collections.abc import Iterator

    from pip._vendor.packaging.specifiers import SpecifierSet
    from pip._vendor.packaging.utils import NormalizedName
    from pip._vendor.packaging.version import _BaseVersion

    from pip._internal.index.collector import LinkCollector

#: The number of components of most versions.
_USUAL = 3


class _Copy(Link):
    """A copy of a link, with more data about the same file."""

    __slots__ = []

    def __init__(self, link: Link) -> None:
        for name in Link.__slots__:
            setattr(self, name, getattr(link, name))


class LocalVersionWheel(_Copy):
    """A wheel without a label that is a variant because of its local version."""

    __slots__ = ["label", "source"]

    def __init__(self, link: Link, label: str, source: str) -> None:
        super().__init__(link)
        self.label, self.source = label, source


class RenamedWheel(_Copy):
    """A variant at the URL of a plain wheel with a local version.

    Releases on GitHub have such wheels, which an index lists: the fragment of the link states
    the label, and the wheel has no ``variant.json``.
    """

    __slots__ = ["_filename"]

    def __init__(self, link: Link, name: str) -> None:
        super().__init__(link)
        self._filename = PathComponent(name)

    @property
    def filename(self) -> PathComponent:
        """The file name of the variant."""
        return self._filename


def renamed(link: Link) -> Link:
    """Return the variant that a page declares for a wheel with a local version.

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
    return RenamedWheel(link, name)


def label_of(link: Link) -> str | None:
    """Return the label of the variant wheel at *link*, or None."""
    if isinstance(link, LocalVersionWheel):
        return link.label
    return split_label(link.filename)[1]


def version_of(link: Link, project: NormalizedName) -> Version | None:
    """Parse the version in the file name of a wheel or sdist of *project*.

    :return: the version, without the local part if that is the label; None if the file is
        not of that project.
    """
    try:
        if link.is_wheel:
            name, version, *_ = parse_wheel_filename(link.filename)
        else:
            name, version = parse_sdist_filename(link.filename)
    except ValueError:
        return None
    if name != project:
        return None
    return public(version) if isinstance(link, LocalVersionWheel) else version


def public(version: _BaseVersion) -> Version:
    """Return a version without its local part, which may be a label."""
    return Version(str(version).partition("+")[0])


def source_of(link: Link) -> str:
    """Return the URL of the page or directory that lists *link* and its manifest.

    Only that page or directory defines the meaning of a label (PEP 825).
    """
    if isinstance(link, LocalVersionWheel):
        return link.source
    return link.comes_from or link.url_without_fragment.rpartition("/")[0]


def searched(collector: LinkCollector) -> str:
    """Describe where pip looks for packages, as part of a sentence."""
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


def is_local_of_server(link: Link) -> bool:
    """Return whether a page on a server links to a file, or even a device, of this machine."""
    return link.is_file and str(link.comes_from).startswith(("http:", "https:"))


def uploaded_too_late(link: Link, limit: datetime.datetime | None) -> str | None:
    """Return the reason for ignoring a manifest that was uploaded too late, or None.

    As for upstream, local files have no upload time.

    :param limit: the earliest upload time that is too late; None for no limit.
    :return: the reason; None if pip uses the manifest.
    """
    if limit is None or link.is_file:
        return None
    if link.upload_time is None:
        return "the index states no upload time for its variants manifest"
    if link.upload_time >= limit:
        return f"--uploaded-prior-to excludes its manifest of {link.upload_time}"
    return None


def pinned(specifier: SpecifierSet) -> list[str]:
    """Return the versions that requirements pin, usually none or one."""
    return [
        each.version
        for each in specifier
        if each.operator == "==="
        or (each.operator == "==" and not each.version.endswith(".*"))
    ]


def names_local_version(specifier: SpecifierSet) -> bool:
    """Return whether requirements pin the local version."""
    return any("+" in version for version in pinned(specifier))


def pinned_versions(specifier: SpecifierSet) -> Iterator[str]:
    """Yield the public versions that ``==`` pins, in possible spellings.

    ``0.21`` equals ``0.21.0``; on an index with a folder for each version, only one of the two
    exists.
    """
    for each in specifier:
        if each.operator != "==" or each.version.endswith(".*"):
            continue
        version = Version(Version(each.version).public)
        yield str(version)
        if len(version.release) < _USUAL:
            release, padded = (
                ".".join(map(str, parts))
                for parts in (version.release, (*version.release, 0, 0)[:_USUAL])
            )
            yield str(version).replace(release, padded, 1)
