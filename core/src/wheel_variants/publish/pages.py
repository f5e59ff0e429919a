"""Read the pages of an index: PEP 503 in HTML, PEP 691 in JSON."""

from __future__ import annotations

import json
import os
import posixpath
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Any
from urllib.parse import unquote, urljoin, urlsplit
from urllib.request import url2pathname

from wheel_variants.labels import MANIFEST_SUFFIX
from wheel_variants.publish.errors import NothingFound
from wheel_variants.publish.files import open_regular
from wheel_variants.publish.http import Fetched, HttpSession, Unavailable
from wheel_variants.publish.simple_index import HTML_PAGE
from wheel_variants.publish.texts import said, without_credentials

__all__ = ["Link", "Page", "fetch", "project_pages", "read_page"]

#: To check more projects, check the folder that they come from.
_MOST_PROJECTS = 200
_MAX_PAGE_SIZE = 256 << 20
_JSON_TYPE = "application/vnd.pypi.simple.v1+json"
_ACCEPT = f"{_JSON_TYPE}, application/vnd.pypi.simple.v1+html;q=0.2, text/html;q=0.1"


@dataclass(frozen=True, slots=True)
class Link:
    """A link to a file.

    :ivar hashes: digests in hexadecimal, by algorithm.
    """

    url: str
    filename: str
    hashes: dict[str, str] = field(default_factory=dict)
    yanked: bool = False

    @classmethod
    def of(cls, url: str) -> Link:
        """Return a link of which no more is known than its URL."""
        path, _, fragment = url.partition("#")
        name = unquote(posixpath.basename(urlsplit(path).path))
        algorithm, _, digest = fragment.partition("=")
        return cls(path, name, {algorithm: digest} if digest else {})

    @property
    def path(self) -> str | None:
        """The path of a ``file:`` URL; None for any other."""
        parts = urlsplit(self.url)
        return url2pathname(parts.path) if parts.scheme == "file" else None


@dataclass(slots=True)
class Page:
    """A page of an index.

    :ivar url: its final URL.
    :ivar files: the files that it links to.
    :ivar projects: the URLs of the pages of projects that it lists.
    """

    url: str
    files: list[Link] = field(default_factory=list)
    projects: list[str] = field(default_factory=list)


def project_pages(session: HttpSession, url: str) -> Iterator[Page]:
    """Yield the page at *url*; if it lists projects, the page of each.

    :raises NothingFound: if there is no page, or it lists too many projects.
    """
    page = _page(session, url)
    shown = without_credentials(url)
    if page.files:
        yield page
    elif not page.projects:
        problem = "the page links to no files and no projects"
        raise NothingFound(shown, problem, "Name another page")
    elif len(page.projects) > _MOST_PROJECTS:
        raise NothingFound(
            shown,
            f"it lists {len(page.projects)} projects, more than {_MOST_PROJECTS}",
            f"Name the page of a project, such as {shown.rstrip('/')}/torch/",
        )
    else:
        for each in page.projects:
            yield _page(session, each)


def _page(session: HttpSession, url: str) -> Page:
    shown = without_credentials(url)
    try:
        return read_page(session, url)
    except Unavailable as error:
        raise NothingFound(
            shown,
            f"the page of the index cannot be read: {error}",
            "Name a page such as https://index.example/simple/torch/",
        ) from None
    except ValueError as error:
        raise NothingFound(
            shown,
            f"the page of the index is not what it says it is: {error}",
            "Fix it, or name another page",
        ) from None


def fetch(session: HttpSession, url: str, limit: int, accept: str = "*/*") -> Fetched:
    """Fetch a document, or read the file of a ``file:`` URL.

    :raises Unavailable: if there is none, or a server sends more than *limit* bytes.
    """
    path = Link.of(url).path
    if path is None:
        return session.fetch(url, limit, accept)
    if os.path.isdir(path):
        path, url = os.path.join(path, HTML_PAGE), f"{url.rstrip('/')}/{HTML_PAGE}"
    try:
        with open_regular(path) as file:
            return Fetched(url, "text/html", file.read(limit + 1))
    except OSError as error:
        raise Unavailable(said(error)) from None


def read_page(session: HttpSession, url: str) -> Page:
    """Read the page at *url*.

    :raises Unavailable: if there is none.
    :raises ValueError: if it has another form.
    """
    fetched = fetch(session, url, _MAX_PAGE_SIZE, _ACCEPT)
    if fetched.content_type.lower().startswith(_JSON_TYPE):
        page = _json_page(fetched)
    else:
        page = _html_page(fetched)
    if urlsplit(url).scheme != "file":
        # A server has no say about the files of this machine.
        page.files = [each for each in page.files if each.path is None]
    return page


def _json_page(fetched: Fetched) -> Page:
    page = Page(fetched.url)
    base = fetched.url if fetched.url.endswith("/") else f"{fetched.url}/"
    with _form():
        document = json.loads(fetched.body)
        for each in document.get("files", []):
            hashes = {str(name): str(text) for name, text in each["hashes"].items()}
            url = urljoin(fetched.url, each["url"])
            yanked = bool(each.get("yanked", False))
            page.files.append(Link(url, str(each["filename"]), hashes, yanked))
        for each in document.get("projects", []):
            page.projects.append(urljoin(base, f"{each['name']}/"))
    return page


def _html_page(fetched: Fetched) -> Page:
    page = Page(fetched.url)
    with _form():
        anchors = _Anchors(fetched.url)
        anchors.feed(fetched.body.decode("utf-8", "replace"))
    below = posixpath.dirname(urlsplit(fetched.url).path)
    for link in anchors.links:
        if link.filename.endswith((".whl", ".tar.gz", ".zip", MANIFEST_SUFFIX)):
            page.files.append(link)
        elif (
            urlsplit(link.url).path.startswith(below) and link.url not in page.projects
        ):
            page.projects.append(link.url)
    return page


class _Anchors(HTMLParser):
    """The links of an HTML page."""

    def __init__(self, base: str) -> None:
        super().__init__()
        self.base = base
        self.links: list[Link] = []

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        """Note the target of an anchor, or the base of all of them."""
        attributes = dict(attrs)
        href = attributes.get("href")
        if href is None:
            return
        url = urljoin(self.base, href)
        if tag == "base":
            self.base = url
        elif tag == "a":
            link = Link.of(url)
            is_yanked = "data-yanked" in attributes
            self.links.append(Link(link.url, link.filename, link.hashes, is_yanked))


@contextmanager
def _form() -> Iterator[None]:
    """Turn what goes wrong with a page of another form into a ValueError."""
    try:
        yield
    except (KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ValueError(repr(error)) from None
