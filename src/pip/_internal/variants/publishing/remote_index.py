"""Read the pages of an index, to judge what it offers."""

from __future__ import annotations

import json
import posixpath
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from urllib.parse import urljoin, urlsplit

from pip._vendor.packaging._variants import (
    MANIFEST_SUFFIX,
    InvalidManifestFilename,
    parse_manifest_filename,
)
from pip._vendor.packaging.utils import (
    InvalidSdistFilename,
    NormalizedName,
    parse_sdist_filename,
)
from pip._vendor.packaging.version import InvalidVersion, Version

from pip._internal.index.collector import (
    IndexContent,
    _get_index_content,
    parse_links,
)
from pip._internal.models.link import Link
from pip._internal.network.session import PipSession
from pip._internal.utils.misc import redact_auth_from_url
from pip._internal.variants.publishing.errors import NoSuchTarget
from pip._internal.variants.publishing.release_rules import Release
from pip._internal.variants.publishing.wheel_file import UnreadableWheel, WheelName

__all__ = ["OfferedRelease", "ProjectPage", "project_pages"]

# Who wants to have more of them judged has a folder of them.
_MOST_PROJECTS = 200

_JSON_TYPE = "application/vnd.pypi.simple.v1+json"


@dataclass(slots=True)
class OfferedRelease:
    """A release on a page, and where its files are.

    :ivar links: by file name.
    :ivar manifests: links to its manifest; more than one is one too many.
    """

    release: Release
    links: dict[str, Link] = field(default_factory=dict)
    manifests: list[Link] = field(default_factory=list)


@dataclass(slots=True)
class ProjectPage:
    """A page with files.

    :ivar url: without passwords, to be shown.
    :ivar misnamed: names of files that are no wheels and no manifests, though they end
        like those; with the reason.
    """

    url: str
    releases: dict[tuple[str, Version], OfferedRelease] = field(default_factory=dict)
    misnamed: dict[str, str] = field(default_factory=dict)


def project_pages(session: PipSession, url: str) -> Iterator[ProjectPage]:
    """Read the page at *url*; if that lists projects, the page of each.

    :raises NoSuchTarget: if there is no page, or one that lists very many projects.
    """
    content = _read(session, url)
    links = _links(content)
    if any(_is_file(link) for link in links):
        yield _project_page(content.url, links)
        return
    projects = _listed_projects(content, links)
    shown = redact_auth_from_url(url)
    if not projects:
        raise NoSuchTarget(
            shown, "The page links to no files and no projects", "Name another page"
        )
    if len(projects) > _MOST_PROJECTS:
        raise NoSuchTarget(
            shown,
            f"It lists {len(projects)} projects, more than {_MOST_PROJECTS}",
            f"Name the page of a project, such as {shown.rstrip('/')}/torch/",
        )
    for each in projects:
        content = _read(session, each)
        yield _project_page(content.url, _links(content))


def _read(session: PipSession, url: str) -> IndexContent:
    content = _get_index_content(
        Link(url, cache_link_parsing=False), session=session, force_revalidate=True
    )
    if content is None:
        raise NoSuchTarget(
            redact_auth_from_url(url),
            "The page of the index cannot be read",
            "Name a page such as https://index.example/simple/torch/; -v tells more",
        )
    return content


def _links(content: IndexContent) -> list[Link]:
    with _well_formed(content):
        return list(parse_links(content))


@contextmanager
def _well_formed(content: IndexContent) -> Iterator[None]:
    try:
        yield
    # Upstream does not look at what JSON pages are made of either.
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise NoSuchTarget(
            redact_auth_from_url(content.url),
            f"The page of the index is not what it says it is: {error!r}",
            "Mend it, or name another page",
        ) from None


def _is_file(link: Link) -> bool:
    return link.filename.endswith((".whl", ".tar.gz", ".zip", MANIFEST_SUFFIX))


def _listed_projects(content: IndexContent, links: list[Link]) -> list[str]:
    if content.content_type.lower().startswith(_JSON_TYPE):
        base = content.url if content.url.endswith("/") else f"{content.url}/"
        with _well_formed(content):
            listed = json.loads(content.content).get("projects", [])
            return [urljoin(base, f"{each['name']}/") for each in listed]
    below = posixpath.dirname(urlsplit(content.url).path)
    urls = dict.fromkeys(link.url_without_fragment for link in links)
    return [url for url in urls if urlsplit(url).path.startswith(below)]


def _project_page(url: str, links: list[Link]) -> ProjectPage:
    page = ProjectPage(redact_auth_from_url(url))
    for link in links:
        name = str(link.filename)
        try:
            if name.endswith(MANIFEST_SUFFIX):
                offered = _offered(page, *parse_manifest_filename(name))
                offered.manifests.append(link)
            elif name.endswith(".whl"):
                wheel = WheelName(name)
                offered = _offered(page, wheel.name, wheel.version)
                if name not in offered.links:
                    offered.release.wheels.append(wheel)
            elif name.endswith((".tar.gz", ".zip")):
                offered = _offered(page, *parse_sdist_filename(name))
                offered.release.sdists.append(name)
            else:
                continue
        except (InvalidManifestFilename, UnreadableWheel) as error:
            page.misnamed[name] = str(error)
        except (InvalidSdistFilename, InvalidVersion):
            # Archives of another kind, which no installer looks at.
            continue
        else:
            offered.links.setdefault(name, link)
    return page


def _offered(
    page: ProjectPage, name: NormalizedName, version: Version
) -> OfferedRelease:
    key = (name, version)
    if key not in page.releases:
        page.releases[key] = OfferedRelease(Release(name, version))
    return page.releases[key]
