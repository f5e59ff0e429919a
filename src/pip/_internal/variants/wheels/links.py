"""Manifest links on index pages, find-links pages and in directories."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from pip._vendor.packaging._variants import (
    MANIFEST_SUFFIX,
    InvalidManifestFilename,
    parse_manifest_filename,
    split_label,
)
from pip._vendor.packaging.utils import (
    InvalidSdistFilename,
    InvalidWheelFilename,
    parse_sdist_filename,
    parse_wheel_filename,
)
from pip._vendor.packaging.version import InvalidVersion, Version

from pip._internal.console.output import get_logger
from pip._internal.models.link import Link
from pip._internal.utils.misc import redact_auth_from_url
from pip._internal.utils.urls import path_to_url, url_to_path
from pip._internal.variants.choice.context import context_of

if TYPE_CHECKING:
    import datetime

    from pip._vendor.packaging.utils import NormalizedName
    from pip._vendor.packaging.version import _BaseVersion

    from pip._internal.index.collector import LinkCollector
    from pip._internal.index.package_finder import LinkEvaluator, PackageFinder
    from pip._internal.index.sources import _FlatDirectoryToUrls
    from pip._internal.models.candidate import InstallationCandidate
    from pip._internal.variants.choice.context import Context

__all__ = [
    "BuildLink",
    "ManifestLink",
    "evaluate_links",
    "folder_url",
    "label_of",
    "manifest_link_from_json",
    "public",
    "scan_directory",
    "searched",
    "source_of",
    "uploaded_too_late",
    "version_of",
]

logger = get_logger(__name__)


class ManifestLink(Link):
    """A link whose URL does not end in the name of the manifest it leads to."""

    __slots__ = ["stated_filename"]

    stated_filename: str

    @property
    def filename(self) -> Any:
        """Give the file name that the index states."""
        return self.stated_filename


class BuildLink(Link):
    """A wheel that is a variant although its name has no label: its version tells it."""

    __slots__ = ["label", "source"]

    label: str
    source: str

    @classmethod
    def of(cls, link: Link, label: str, source: str) -> BuildLink:
        """Make a variant of the wheel at *link*."""
        build = cls.__new__(cls)
        for name in Link.__slots__:
            setattr(build, name, getattr(link, name))
        build.label, build.source = label, source
        return build


def label_of(link: Link) -> str | None:
    """Give the label of the variant wheel at *link*, None for any other file."""
    return link.label if isinstance(link, BuildLink) else _label_in_name(link)


# It is asked for each file of a release again and again.
@functools.lru_cache(maxsize=8192)
def _label_in_name(link: Link) -> str | None:
    return split_label(link.filename)[1]


def version_of(link: Link, project: NormalizedName) -> Version | None:
    """Read the version in the name of a wheel or source distribution of *project*.

    :return: None if it is none of that project; without its local part if that tells
        the build.
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
    return public(version) if isinstance(link, BuildLink) else version


def public(version: _BaseVersion) -> Version:
    """Give a version without its local part, which may name the build."""
    return Version(str(version).partition("+")[0])


def source_of(link: Link) -> str:
    """Name the page or directory that lists *link*: its manifest is listed there too.

    The meaning of a label is that source's alone (PEP 825).
    """
    if isinstance(link, BuildLink):
        return link.source
    return link.comes_from or link.url_without_fragment.rpartition("/")[0]


def searched(collector: LinkCollector) -> str:
    """Say where packages are looked for, in a sentence; nothing if that is nowhere."""
    scope = collector.search_scope
    places = [*scope.find_links, *([] if scope.no_index else scope.index_urls)]
    return f" on {' or '.join(map(redact_auth_from_url, places))}" if places else ""


def folder_url(location: str) -> str:
    """Name what ``--find-links`` names as :func:`source_of` names a folder."""
    if location.startswith("file:"):
        location = url_to_path(location)
    if os.path.isfile(location):
        location = os.path.dirname(location)
    return path_to_url(location) if os.path.isdir(location) else location


def manifest_link_from_json(
    fn: Callable[..., Link | None],
    cls: type[Link],
    file_data: dict[str, Any],
    page_url: str,
) -> Link | None:
    """Keep the file name that a JSON page states for a manifest (PEP 691)."""
    filename: str = file_data["filename"]
    if not filename.endswith(MANIFEST_SUFFIX):
        return fn(cls, file_data, page_url)
    link = fn(ManifestLink, file_data, page_url)
    if isinstance(link, ManifestLink):
        link.stated_filename = filename
    return link


def scan_directory(
    fn: Callable[[_FlatDirectoryToUrls], None], directory: _FlatDirectoryToUrls
) -> None:
    """Find the manifests of a directory too, which otherwise only lists archives."""
    fn(directory)
    with os.scandir(directory._path) as entries:
        for entry in entries:
            if entry.name.endswith(MANIFEST_SUFFIX):
                try:
                    project, _ = parse_manifest_filename(entry.name)
                except InvalidManifestFilename as error:
                    logger.debug("Skipping %s: %s", entry.path, error)
                    continue
                directory._project_name_to_urls[project].append(path_to_url(entry.path))


def evaluate_links(
    fn: Callable[..., list[InstallationCandidate]],
    finder: PackageFinder,
    link_evaluator: LinkEvaluator,
    links: Iterable[Link],
) -> list[InstallationCandidate]:
    """Take the manifests out of a page's links; without variants, their wheels too."""
    context = context_of(finder)
    links = list(links)
    if context is None or not context.enabled:
        left = _without_variants(finder, links)
    else:
        left = _without_manifests(context, link_evaluator, links)
    found = fn(finder, link_evaluator, left)
    if context is not None and (not found or len(left) < len(links)):
        # Should there be nothing to install, this tells why.
        context.listed.setdefault(link_evaluator._canonical_name, []).extend(links)
    return found


def _without_manifests(
    context: Context, link_evaluator: LinkEvaluator, links: list[Link]
) -> list[Link]:
    # Of a page's 10,000 links few or none are of manifests: the rest pass with the two
    # cheapest of tests, which is why properties are not used.
    manifests = [
        link
        for link in links
        if MANIFEST_SUFFIX in link._url or type(link) is ManifestLink
        if link.filename.endswith(MANIFEST_SUFFIX)
    ]
    if manifests:
        for link in manifests:
            _register(context, link_evaluator, link)
        # A page may have thousands of them.
        set_aside = set(map(id, manifests))
        links = [link for link in links if id(link) not in set_aside]
    return links


def _register(context: Context, link_evaluator: LinkEvaluator, link: Link) -> None:
    try:
        project, version = parse_manifest_filename(link.filename)
    except InvalidManifestFilename as error:
        logger.debug("Skipping link: %s: %s", error, link)
        return
    page = link.comes_from or ""
    if link.is_file and page.startswith(("http:", "https:")):
        # A page may state any name: what is read there may be a device.
        logger.debug("Skipping link: a manifest of this machine: %s", link)
        return
    if project == link_evaluator._canonical_name:
        key = project, version, source_of(link)
        too_new = uploaded_too_late(link, link_evaluator._uploaded_prior_to)
        if too_new is None:
            context.manifest_links.setdefault(key, link)
        else:
            logger.debug("Skipping link: a manifest: %s: %s", too_new, link)
            context.skipped_manifests[key] = too_new


def uploaded_too_late(link: Link, limit: datetime.datetime | None) -> str | None:
    """Say why a manifest does not count where later uploads are ruled out.

    Of what is on this machine upstream does not ask either when it was uploaded.

    :param limit: the moment before which it must have been uploaded, None for none.
    :return: None if it counts.
    """
    if limit is None or link.is_file:
        return None
    if link.upload_time is None:
        return "the index does not tell when its variants manifest was uploaded"
    if link.upload_time >= limit:
        return f"its variants manifest was uploaded at {link.upload_time}"
    return None


def _without_variants(finder: PackageFinder, links: Iterable[Link]) -> list[Link]:
    """Leave out the wheels whose names are invalid for a pip without variants."""
    from pip._internal.index.package_finder import LinkType

    rest = []
    for link in links:
        if label_of(link) is None:
            rest.append(link)
        else:
            finder._log_skipped_link(
                link, LinkType.format_invalid, "invalid wheel filename"
            )
    return rest
