"""Write a static index: PEP 503 in HTML, PEP 691 in JSON, and PEP 658 metadata.

Links are relative, so the pages work on any web server, in a bucket and in a folder.
"""

from __future__ import annotations

import html
import json
import os
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple
from urllib.parse import quote

from packaging.utils import is_normalized_name
from packaging.version import Version

from wheel_variants.labels import MANIFEST_SUFFIX
from wheel_variants.publish import files

__all__ = [
    "HTML_PAGE",
    "IndexWriter",
    "IndexedFile",
    "JSON_PAGE",
    "SIMPLE",
    "manifest_filename",
    "project_pages",
    "root_pages",
]

#: Web servers send the HTML page for a folder; mirrors use the suffix of the JSON page.
HTML_PAGE, JSON_PAGE = "index.html", "index.v1_json"

#: The folder of the pages.
SIMPLE = "simple"

_API_VERSION = "1.1"
#: The new name and the name for older installers.
_METADATA = ("core-metadata", "dist-info-metadata")


class IndexedFile(NamedTuple):
    """An entry on an index page.

    :ivar metadata_sha256: the digest of a wheel's core metadata, which is a file next to
        the wheel.
    :ivar requires_python: the ``Requires-Python`` of a wheel.
    :ivar url: the URL of the file; None for a file in the index folder.
    """

    filename: str
    version: Version
    size: int
    sha256: str | None = None
    metadata_sha256: str | None = None
    requires_python: str | None = None
    url: str | None = None


def root_pages(projects: Sequence[str]) -> dict[str, bytes]:
    """Create the pages that list all projects, by file name."""
    anchors = [_anchor({"href": f"{quote(each)}/"}, each) for each in projects]
    content = {"projects": [{"name": each} for each in projects]}
    return _pages("Simple index", anchors, content)


def project_pages(project: str, listed: Iterable[IndexedFile]) -> dict[str, bytes]:
    """Create the pages that list the files of a project, by file name."""
    listed = sorted(listed, key=lambda file: file.version)
    described = list(map(_described, listed))
    versions = list(dict.fromkeys(str(each.version) for each in listed))
    content = {"name": project, "versions": versions, "files": described}
    return _pages(f"Links for {project}", map(_file_anchor, described), content)


def _pages(
    title: str, anchors: Iterable[str], content: Mapping[str, Any]
) -> dict[str, bytes]:
    title = html.escape(title)
    lines = [
        "<!DOCTYPE html>",
        '<html lang="en">',
        "  <head>",
        '    <meta charset="utf-8">',
        f'    <meta name="pypi:repository-version" content="{_API_VERSION}">',
        f"    <title>{title}</title>",
        "  </head>",
        "  <body>",
        f"    <h1>{title}</h1>",
        *anchors,
        "  </body>",
        "</html>",
        "",
    ]
    document = {"meta": {"api-version": _API_VERSION}, **content}
    return {
        HTML_PAGE: "\n".join(lines).encode("utf-8"),
        JSON_PAGE: f"{json.dumps(document, indent=1)}\n".encode("ascii"),
    }


def _anchor(attributes: Mapping[str, str], text: str) -> str:
    written = " ".join(
        f'{name}="{html.escape(value)}"' for name, value in attributes.items()
    )
    return f"    <a {written}>{html.escape(text)}</a><br>"


def _file_anchor(file: Mapping[str, Any]) -> str:
    href = file["url"]
    for name, digest in file["hashes"].items():
        href += f"{'&' if '#' in href else '#'}{name}={digest}"
    attributes = {"href": href}
    if "requires-python" in file:
        attributes["data-requires-python"] = file["requires-python"]
    for name in _METADATA:
        if name in file:
            attributes[f"data-{name}"] = f"sha256={file[name]['sha256']}"
    return _anchor(attributes, file["filename"])


def _described(file: IndexedFile) -> dict[str, Any]:
    described: dict[str, Any] = {
        "filename": file.filename,
        "url": file.url or f"../../{quote(file.filename)}",
        "hashes": {} if file.sha256 is None else {"sha256": file.sha256},
        "size": file.size,
    }
    if file.requires_python is not None:
        described["requires-python"] = file.requires_python
    if file.metadata_sha256 is not None:
        described |= {name: {"sha256": file.metadata_sha256} for name in _METADATA}
    return described


class IndexWriter:
    """A writer for the folder of an index.

    :ivar digests: the digests of all files, by path within the folder.
    :ivar changed: the paths of the new and changed files.
    :ivar dropped: the names of files on other servers that pages no longer list.
    """

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self.digests: dict[str, str] = {}
        self.changed: list[str] = []
        self.dropped: list[str] = []
        self._listed: dict[str, list[IndexedFile]] = {}

    def write(self, path: str, content: bytes) -> None:
        """Write a file if its content changed.

        :param path: the path within the folder, with slashes.
        """
        self.digests[path] = files.sha256(content)
        if files.write_if_changed(self.folder, path, content):
            self.changed.append(os.path.join(self.folder, path))

    def write_manifest(self, project: str, version: Version, content: bytes) -> None:
        """Write the manifest of a release, and add it to the pages of the project."""
        name = manifest_filename(project, version)
        self.write(name, content)
        file = IndexedFile(name, version, len(content), self.digests[name])
        self.add(project, file)

    def add(self, project: str, file: IndexedFile) -> None:
        """Add a file to the pages of a project."""
        self._listed.setdefault(project, []).append(file)

    def projects(self, ours: Container[str] = ()) -> Iterator[str]:
        """Yield the projects that already have a page in the folder.

        :param ours: the paths of pages that do not count.
        """
        pages = os.path.join(self.folder, SIMPLE)
        there = os.listdir(pages) if os.path.isdir(pages) else ()
        # Other runs have temporary folders here.
        for project in filter(is_normalized_name, there):
            page = f"{SIMPLE}/{project}/{HTML_PAGE}"
            if page not in ours and files.is_regular_below(self.folder, page):
                yield project

    def _linked(self, project: str) -> set[str]:
        """Return the names of the files on other servers that a page lists."""
        page = f"{SIMPLE}/{project}/{JSON_PAGE}"
        # Pages of other tools may have another format.
        with suppress(OSError, ValueError, KeyError, TypeError, AttributeError):
            with files.open_regular(page, self.folder) as file:
                listed = json.load(file)["files"]
            return {x["filename"] for x in listed if not x["url"].startswith("../")}
        return set()

    def write_pages(self, others: Iterable[str] = ()) -> None:
        """Write the pages of all projects, and the page that lists them.

        :param others: projects that already have pages.
        """
        for project, listed in self._listed.items():
            names = {each.filename for each in listed}
            self.dropped += sorted(self._linked(project) - names)
            for name, content in project_pages(project, listed).items():
                self.write(f"{SIMPLE}/{project}/{name}", content)
        for name, content in root_pages(sorted({*self._listed, *others})).items():
            self.write(f"{SIMPLE}/{name}", content)


def manifest_filename(project: str, version: Version) -> str:
    """Return the required file name of the manifest of a release (PEP 825)."""
    return f"{project.replace('-', '_')}-{version}{MANIFEST_SUFFIX}"
