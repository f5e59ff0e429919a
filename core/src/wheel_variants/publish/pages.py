"""Read the pages of an index: PEP 503 in HTML, PEP 691 in JSON."""

from __future__ import annotations

import json
import posixpath
from collections.abc import Iterator
from html.parser import HTMLParser
from typing import Any
from urllib.parse import urljoin, urlsplit

from wheel_variants.labels import MANIFEST_SUFFIX
from wheel_variants.publish.errors import NothingFound, without_credentials
from wheel_variants.publish.http import Fetched, HttpSession, Unavailable, local_path
from wheel_variants.publish.releases import Link, Place
from wheel_variants.publish.simple_index import HTML_PAGE

__all__ = ["html_links", "project_pages", "read_page"]

#: A larger index should be checked as a folder.
_MOST_PROJECTS = 200
_MAX_PAGE_SIZE = 256 << 20
_FILES = (".whl", ".tar.gz", ".zip", MANIFEST_SUFFIX)
_JSON_TYPE = "application/vnd.pypi.simple.v1+json"
_ACCEPT = f"{_JSON_TYPE}, application/vnd.pypi.simple.v1+html;q=0.2, text/html;q=0.1"


def project_pages(session: HttpSession, url: str) -> Iterator[Place]:
    """Yield the page at *url*; if that page lists projects, yield the page of each project.

    :raises NothingFound: if there is no page, or if the page lists too many projects.
    """
    page, shown = _page(session, url), without_credentials(url)
    if page.links or page.misnamed:
        yield page
    elif not page.projects:
        problem = "the page links to no files and no projects"
        raise NothingFound(shown, problem, "Specify another page")
    elif len(page.projects) > _MOST_PROJECTS:
        problem = "the page lists "
        problem += f"{len(page.projects)} projects; the limit is {_MOST_PROJECTS}"
        hint = f"Specify the page of a project, such as {shown.rstrip('/')}/torch/"
        raise NothingFound(shown, problem, hint)
    else:
        for each in page.projects:
            yield _page(session, each)


def _page(session: HttpSession, url: str) -> Place:
    try:
        return read_page(session, url)
    except (Unavailable, ValueError) as error:
        is_there = isinstance(error, ValueError)
        problem = "is not an index page" if is_there else "cannot be fetched"
        problem = f"the page {problem}: {error}"
        hint = "Specify a page such as https://index.example/simple/torch/"
        raise NothingFound(without_credentials(url), problem, hint) from None


def read_page(session: HttpSession, url: str) -> Place:
    """Read the page at *url*.

    :raises Unavailable: if the page cannot be fetched.
    :raises ValueError: if the page is not in a supported format.
    """
    fetched = session.fetch(url, _MAX_PAGE_SIZE, _ACCEPT)
    shown = without_credentials(fetched.url)
    page = Place(shown, f"{shown.removesuffix(HTML_PAGE).rstrip('/')}/")
    try:
        if fetched.content_type.lower().startswith(_JSON_TYPE):
            links = _json_links(fetched, page)
        else:
            links = _HtmlReader(fetched, page).links
        projects = list(dict.fromkeys(page.projects))
    except (KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ValueError(repr(error)) from None
    # A page on a server must not link to files or pages of this machine.
    is_local = local_path(url) is not None
    page.projects = [each for each in projects if is_local or local_path(each) is None]
    for link in links:
        if is_local or link.path is None:
            page.add(link.filename, link)
    return page


def html_links(fetched: Fetched) -> list[Link]:
    """Return the links to files on any HTML page."""
    return _HtmlReader(fetched, Place("")).links


def _json_links(fetched: Fetched, page: Place) -> list[Link]:
    document = json.loads(fetched.body)
    base = fetched.url if fetched.url.endswith("/") else f"{fetched.url}/"
    for each in document.get("projects", []):
        page.projects.append(urljoin(base, f"{each['name']}/"))
    return [
        Link(
            urljoin(fetched.url, each["url"]),
            str(each["filename"]),
            {str(name): str(text) for name, text in each["hashes"].items()},
            bool(each.get("yanked", False)),
        )
        for each in document.get("files", [])
    ]


class _HtmlReader(HTMLParser):
    """A parser that collects the links of an HTML page."""

    def __init__(self, fetched: Fetched, page: Place) -> None:
        super().__init__()
        self.page, self.base = page, fetched.url
        self.below = posixpath.dirname(urlsplit(fetched.url).path)
        self.links: list[Link] = []
        self.feed(fetched.body.decode("utf-8", "replace"))

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        """Record the target of an anchor, or the base URL of all anchors."""
        attributes = dict(attrs)
        href = attributes.get("href")
        if href is None:
            return
        url = urljoin(self.base, href)
        if tag == "base":
            self.base = url
        elif tag == "a":
            link = Link.of(url, yanked="data-yanked" in attributes)
            is_below = urlsplit(link.url).path.startswith(self.below)
            if link.filename.endswith(_FILES):
                self.links.append(link)
            elif is_below:
                self.page.projects.append(link.url)
