"""The files and pages of an index: PEP 503 HTML, PEP 691 JSON, folders."""

from __future__ import annotations

import hashlib
import html
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from tests.lib.manifests import make_manifest, manifest_file, variant_json
from tests.lib.wheels import DistFile, make_wheel, normalize_name

HTML_TYPE = "application/vnd.pypi.simple.v1+html"
JSON_TYPE = "application/vnd.pypi.simple.v1+json"


@dataclass(frozen=True, slots=True)
class Entry:
    """A file with its link attributes.

    :ivar url_name: the last part of the URL, if it differs from the file's name.
    :ivar sha256: the digest on the page; ``None``: the right digest.
    :ivar yanked: the reason, possibly empty; ``None``: not yanked.
    """

    file: DistFile
    url_name: str | None = None
    sha256: str | None = None
    yanked: str | None = None
    requires_python: str | None = None
    upload_time: str | None = None

    @property
    def path(self) -> str:
        """The path of the file below the folder of all files."""
        return self.url_name or self.file.filename


@dataclass(slots=True)
class PageOptions:
    """The format of links.

    :ivar hashes: whether links contain the digest of their file.
    :ivar sizes: whether JSON pages list the sizes of files.
    :ivar core_metadata: whether links announce a ``.metadata`` file (PEP 658).
    """

    hashes: bool = True
    sizes: bool = True
    core_metadata: bool = True


@dataclass(slots=True)
class Repository:
    """The files of each project, in insertion order."""

    projects: dict[str, list[Entry]] = field(default_factory=dict)

    def add(
        self,
        file: DistFile,
        *,
        content_addressed: bool = False,
        sha256: str | None = None,
        yanked: str | None = None,
        requires_python: str | None = None,
        upload_time: str | None = None,
    ) -> Entry:
        """Add a file, or replace the file with the same name.

        With ``content_addressed``, the last part of the URL is the digest of the content.
        """
        entry = Entry(
            file,
            url_name=f"blob/{file.sha256}" if content_addressed else None,
            sha256=sha256,
            yanked=yanked,
            requires_python=requires_python,
            upload_time=upload_time,
        )
        entries = self.projects.setdefault(file.project, [])
        for position, other in enumerate(entries):
            if other.file.filename == file.filename:
                entries[position] = entry
                break
        else:
            entries.append(entry)
        return entry

    def add_release(
        self,
        name: str,
        version: str,
        variants: Mapping[str, Any],
        *,
        schema: str = "0.2.0",
        plain: bool = True,
        listed: bool = True,
        manifest: Mapping[str, Any] | None = None,
        **wheel_options: Any,
    ) -> dict[str, Any]:
        """Add a release: one wheel per label, a plain wheel and the manifest.

        :param variants: the properties by label; ignored if ``manifest`` is given.
        :param plain: whether to add a wheel without a label.
        :param listed: whether to publish the manifest; otherwise, only the wheels contain
            it.
        :param wheel_options: the options of :func:`tests.lib.wheels.make_wheel`.
        :returns: the manifest.
        """
        content = dict(manifest or make_manifest(variants, schema=schema))
        for label in content["variants"]:
            self.add(
                make_wheel(
                    name,
                    version,
                    label=label,
                    variant_json=variant_json(content, label),
                    **wheel_options,
                )
            )
        if plain:
            self.add(make_wheel(name, version, **wheel_options))
        if listed:
            self.add(manifest_file(name, version, content))
        return content

    def find(self, path: str) -> Entry | None:
        """Return the entry of the file at a path."""
        for entries in self.projects.values():
            for entry in entries:
                if entry.path == path:
                    return entry
        return None

    def replace(self, filename: str, **changes: Any) -> None:
        """Change fields of the entry with this file name."""
        for entries in self.projects.values():
            for position, entry in enumerate(entries):
                if entry.file.filename == filename:
                    entries[position] = replace(entry, **changes)
                    return
        raise KeyError(filename)

    def root_html(self) -> str:
        """Return the page that lists the projects."""
        return _html_page(
            "Simple index", [f'<a href="{p}/">{p}</a>' for p in self.projects]
        )

    def root_json(self) -> str:
        """Return the JSON page that lists the projects."""
        return json.dumps(
            {
                "meta": {"api-version": "1.1"},
                "projects": [{"name": project} for project in self.projects],
            }
        )

    def project_html(
        self,
        entries: Sequence[Entry],
        options: PageOptions,
        url: Callable[[Entry], str],
    ) -> str:
        """Return a page of links to these entries."""
        return _html_page("Links", [_anchor(e, options, url(e)) for e in entries])

    def project_json(
        self, project: str, options: PageOptions, url: Callable[[Entry], str]
    ) -> str:
        """Return the JSON page of a project."""
        entries = self.projects[project]
        return json.dumps(
            {
                "meta": {"api-version": "1.1"},
                "name": project,
                "versions": list(dict.fromkeys(e.file.version for e in entries)),
                "files": [_json_file(e, options, url(e)) for e in entries],
            }
        )

    def write_directory(self, folder: Path) -> Path:
        """Write all files to a folder for ``--find-links DIR``."""
        folder.mkdir(parents=True, exist_ok=True)
        for entries in self.projects.values():
            for entry in entries:
                entry.file.write_to(folder)
        return folder

    def write_file_index(
        self, folder: Path, options: PageOptions | None = None
    ) -> Path:
        """Write a ``file://`` index with an ``index.html`` per project."""
        for project, entries in self.projects.items():
            page = folder / normalize_name(project)
            page.mkdir(parents=True, exist_ok=True)
            for entry in entries:
                entry.file.write_to(page)
            text = self.project_html(
                entries,
                options or PageOptions(core_metadata=False),
                lambda e: e.file.filename,
            )
            (page / "index.html").write_text(text, encoding="utf-8")
        return folder


def _claimed_sha256(entry: Entry) -> str:
    return entry.sha256 or entry.file.sha256


def _metadata_sha256(entry: Entry, options: PageOptions) -> str | None:
    if not options.core_metadata or entry.file.metadata is None:
        return None
    return hashlib.sha256(entry.file.metadata).hexdigest()


def _html_page(title: str, anchors: Sequence[str]) -> str:
    lines = "<br/>\n".join(anchors)
    return (
        "<!DOCTYPE html>\n<html>\n<head>\n"
        '<meta name="pypi:repository-version" content="1.1">\n'
        f"<title>{title}</title>\n</head>\n<body>\n{lines}\n</body>\n</html>\n"
    )


def _anchor(entry: Entry, options: PageOptions, url: str) -> str:
    if options.hashes:
        url += f"#sha256={_claimed_sha256(entry)}"
    attributes = {"href": url}
    if entry.requires_python is not None:
        attributes["data-requires-python"] = entry.requires_python
    if entry.yanked is not None:
        attributes["data-yanked"] = entry.yanked
    digest = _metadata_sha256(entry, options)
    if digest is not None:
        attributes["data-core-metadata"] = f"sha256={digest}"
    written = " ".join(f'{k}="{html.escape(v)}"' for k, v in attributes.items())
    return f"<a {written}>{html.escape(entry.file.filename)}</a>"


def _json_file(entry: Entry, options: PageOptions, url: str) -> dict[str, Any]:
    file: dict[str, Any] = {
        "filename": entry.file.filename,
        "url": url,
        "hashes": {"sha256": _claimed_sha256(entry)} if options.hashes else {},
    }
    if options.sizes:
        file["size"] = len(entry.file.content)
    if entry.requires_python is not None:
        file["requires-python"] = entry.requires_python
    if entry.yanked is not None:
        file["yanked"] = entry.yanked or True
    if entry.upload_time is not None:
        file["upload-time"] = entry.upload_time
    digest = _metadata_sha256(entry, options)
    if digest is not None:
        file["core-metadata"] = {"sha256": digest}
    return file
