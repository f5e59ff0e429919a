"""The pages of a static index: PEP 503 in HTML, PEP 691 in JSON, PEP 658 metadata.

Every link is relative, so that the pages work from any web server, from a bucket and
from a folder.
"""

from __future__ import annotations

import html
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

__all__ = ["HTML_PAGE", "IndexedFile", "JSON_PAGE", "project_pages", "root_pages"]

#: Web servers send the first for a folder; mirrors use the suffix of the second.
HTML_PAGE, JSON_PAGE = "index.html", "index.v1_json"

_API_VERSION = "1.1"


@dataclass(frozen=True, slots=True)
class IndexedFile:
    """A file that a page links to.

    :ivar metadata_sha256: digest of the file beside it with its core metadata, if any.
    """

    filename: str
    version: str
    size: int
    sha256: str
    requires_python: str | None = None
    metadata_sha256: str | None = None


def root_pages(projects: Sequence[str]) -> dict[str, bytes]:
    """Return the pages that list all projects, by file name."""
    anchors = [_anchor({"href": f"{quote(each)}/"}, each) for each in projects]
    content = {"projects": [{"name": each} for each in projects]}
    return _pages("Simple index", anchors, content)


def project_pages(
    project: str, files: Sequence[IndexedFile], *, up: str
) -> dict[str, bytes]:
    """Return the pages that list the files of a project, by file name.

    :param up: the path from the page to the folder of the files.
    """
    content = {
        "name": project,
        "versions": list(dict.fromkeys(each.version for each in files)),
        "files": [_described(each, up) for each in files],
    }
    anchors = [_anchor(_attributes(each, up), each.filename) for each in files]
    return _pages(f"Links for {project}", anchors, content)


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


def _attributes(file: IndexedFile, up: str) -> dict[str, str]:
    attributes = {"href": f"{up}{quote(file.filename)}#sha256={file.sha256}"}
    if file.requires_python is not None:
        attributes["data-requires-python"] = file.requires_python
    if file.metadata_sha256 is not None:
        digest = f"sha256={file.metadata_sha256}"
        attributes["data-core-metadata"] = digest
        # Older installers look for the older name.
        attributes["data-dist-info-metadata"] = digest
    return attributes


def _described(file: IndexedFile, up: str) -> dict[str, Any]:
    described: dict[str, Any] = {
        "filename": file.filename,
        "url": f"{up}{quote(file.filename)}",
        "hashes": {"sha256": file.sha256},
        "size": file.size,
    }
    if file.requires_python is not None:
        described["requires-python"] = file.requires_python
    if file.metadata_sha256 is not None:
        metadata = {"sha256": file.metadata_sha256}
        described["core-metadata"] = metadata
        described["dist-info-metadata"] = metadata
    return described
