"""The pages of a static index: PEP 503 in HTML, PEP 691 in JSON, PEP 658 metadata.

Every link is relative, so that the pages work from any web server, from a bucket and
from a folder.
"""

from __future__ import annotations

import html
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple
from urllib.parse import quote

from packaging.version import Version

__all__ = [
    "FileFacts",
    "HTML_PAGE",
    "IndexedFile",
    "JSON_PAGE",
    "project_pages",
    "root_pages",
]

#: Web servers send the first for a folder; mirrors use the suffix of the second.
HTML_PAGE, JSON_PAGE = "index.html", "index.v1_json"

_API_VERSION = "1.1"


@dataclass(frozen=True, slots=True)
class FileFacts:
    """What an index knows of a file, without reading the file again.

    :ivar modified: time of its last change, in nanoseconds.
    :ivar sha256: None if it was not needed yet.
    :ivar metadata_sha256: of the core metadata of a wheel, which lies beside the wheel.
    :ivar requires_python: of a wheel.
    :ivar document: the ``variant.json`` of a variant wheel.
    """

    size: int
    modified: int
    sha256: str | None = None
    metadata_sha256: str | None = None
    requires_python: str | None = None
    document: dict[str, Any] | None = None


class IndexedFile(NamedTuple):
    """A file that a page links to.

    :ivar url: None for a file of the index itself.
    """

    filename: str
    version: Version
    facts: FileFacts
    url: str | None = None


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
    files = sorted(files, key=lambda file: file.version)
    content = {
        "name": project,
        "versions": list(dict.fromkeys(str(each.version) for each in files)),
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
    facts = file.facts
    href, hash_of_it = _url(file, up), f"sha256={facts.sha256}"
    if facts.sha256 is not None:
        href += f"&{hash_of_it}" if "#" in href else f"#{hash_of_it}"
    attributes = {"href": href}
    if facts.requires_python is not None:
        attributes["data-requires-python"] = facts.requires_python
    if facts.metadata_sha256 is not None:
        # Older installers look for the older name.
        for name in ("data-core-metadata", "data-dist-info-metadata"):
            attributes[name] = f"sha256={facts.metadata_sha256}"
    return attributes


def _url(file: IndexedFile, up: str) -> str:
    return file.url or f"{up}{quote(file.filename)}"


def _described(file: IndexedFile, up: str) -> dict[str, Any]:
    facts = file.facts
    described: dict[str, Any] = {
        "filename": file.filename,
        "url": _url(file, up),
        "hashes": {} if facts.sha256 is None else {"sha256": facts.sha256},
        "size": facts.size,
    }
    if facts.requires_python is not None:
        described["requires-python"] = facts.requires_python
    if facts.metadata_sha256 is not None:
        for name in ("core-metadata", "dist-info-metadata"):
            described[name] = {"sha256": facts.metadata_sha256}
    return described
