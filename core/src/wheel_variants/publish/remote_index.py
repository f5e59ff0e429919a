"""Read the pages of an index, to judge what it offers."""

from __future__ import annotations

import json
import posixpath
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urljoin, urlsplit

from pip._vendor.wheel_variants.labels import MANIFEST_SUFFIX

from pip._internal.index.collector import IndexContent, _get_index_content, parse_links
from pip._internal.models.link import Link
from pip._internal.network.session import PipSession
from pip._internal.utils.misc import redact_auth_from_url
from pip._internal.variants.publishing.errors import NoSuchTarget
from pip._internal.variants.publishing.places import Place

__all__ = ["page_of", "project_pages"]

# Whoever wants more of them judged has them in a folder.
_MOST_PROJECTS = 200

_JSON_TYPE = "application/vnd.pypi.simple.v1+json"


def project_pages(session: PipSession, url: str) -> Iterator[Place]:
    """Read the page at *url*; if it lists projects, the page of each.

    :raises NoSuchTarget: if there is no page, or it lists too many projects.
    """
    content = _read(session, url)
    links = _links(content)
    if any(_is_file(link) for link in links):
        yield page_of(content.url, links)
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
        yield page_of(content.url, _links(content))


def page_of(url: str, links: list[Link]) -> Place:
    """Return the files that the page at *url* links to."""
    shown = redact_auth_from_url(url)
    page = Place(shown, f"{shown.removesuffix('index.html').rstrip('/')}/")
    for link in links:
        page.add(str(link.filename), link)
    return page


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
    # Upstream does not validate JSON pages either.
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
