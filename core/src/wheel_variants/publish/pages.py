"""Read the pages of an index: PEP 503 in HTML, PEP 691 in JSON."""

from __future__ import annotations

import json
import os
import posixpath
from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Any
from urllib.parse import unquote, urljoin, urlsplit
from urllib.request import url2pathname

from wheel_variants.labels import MANIFEST_SUFFIX
from wheel_variants.publish.errors import NothingFound, said, without_credentials
from wheel_variants.publish.files import open_regular
from wheel_variants.publish.http import Fetched, HttpSession, Unavailable
from wheel_variants.publish.simple_index import HTML_PAGE

__all__ = ["Link", "Page", "fetch", "project_pages", "read_page"]

#: To check more projects, check the folder that they come from.
_MOST_PROJECTS = 200
_MAX_PAGE_SIZE = 256 << 20
_FILES = (".whl", ".tar.gz", ".zip", MANIFEST_SUFFIX)
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
    def of(cls, url: str, *, yanked: bool = False) -> Link:
        """Return a link of which little more is known than its URL."""
        path, _, fragment = url.partition("#")
        name = unquote(posixpath.basename(urlsplit(path).path))
        algorithm, _, digest = fragment.partition("=")
        return cls(path, name, {algorithm: digest} if digest else {}, yanked)

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
    page, shown = _page(session, url), without_credentials(url)
    if page.files:
        yield page
    elif not page.projects:
        problem = "the page links to no files and no projects"
        raise NothingFound(shown, problem, "Name another page")
    elif len(page.projects) > _MOST_PROJECTS:
        problem = f"it lists {len(page.projects)} projects, more than {_MOST_PROJECTS}"
        hint = f"Name the page of a project, such as {shown.rstrip('/')}/torch/"
        raise NothingFound(shown, problem, hint)
    else:
        for each in page.projects:
            yield _page(session, each)


def _page(session: HttpSession, url: str) -> Page:
    try:
        return read_page(session, url)
    except Unavailable as error:
        problem = f"the page of the index cannot be read: {error}"
        hint = "Name a page such as https://index.example/simple/torch/"
    except ValueError as error:
        problem = f"the page of the index is not what it says it is: {error}"
        hint = "Fix it, or name another page"
    raise NothingFound(without_credentials(url), problem, hint)


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
    page = Page(fetched.url)
    try:
        if fetched.content_type.lower().startswith(_JSON_TYPE):
            _read_json(page, json.loads(fetched.body))
        else:
            _HtmlReader(page).feed(fetched.body.decode("utf-8", "replace"))
    except (KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ValueError(repr(error)) from None
    if urlsplit(url).scheme != "file":
        # A server has no say about the files of this machine.
        page.files = [each for each in page.files if each.path is None]
    return page


def _read_json(page: Page, document: Any) -> None:
    for each in document.get("files", []):
        hashes = {str(name): str(text) for name, text in each["hashes"].items()}
        url, yanked = urljoin(page.url, each["url"]), bool(each.get("yanked", False))
        page.files.append(Link(url, str(each["filename"]), hashes, yanked))
    base = page.url if page.url.endswith("/") else f"{page.url}/"
    for each in document.get("projects", []):
        page.projects.append(urljoin(base, f"{each['name']}/"))


class _HtmlReader(HTMLParser):
    """Adds the links of an HTML page."""

    def __init__(self, page: Page) -> None:
        super().__init__()
        self.page, self.base = page, page.url
        self.below = posixpath.dirname(urlsplit(page.url).path)

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        """Add the target of an anchor, or note the base of all of them."""
        attributes = dict(attrs)
        href = attributes.get("href")
        if href is None:
            return
        url = urljoin(self.base, href)
        if tag == "base":
            self.base = url
        elif tag == "a":
            link = Link.of(url, yanked="data-yanked" in attributes)
            if link.filename.endswith(_FILES):
                self.page.files.append(link)
            elif link.url not in self.page.projects and urlsplit(
                link.url
            ).path.startswith(self.below):
                self.page.projects.append(link.url)
