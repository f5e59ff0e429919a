"""Write the manifests of a folder of wheels, and a static index.

What an index was made from is remembered, so that only changed files are read again.
"""

from __future__ import annotations

import itertools
import json
import logging
import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from typing import Any

from wheel_variants.manifest import InvalidManifest, Manifest
from wheel_variants.manifest_parser import parse_document, parse_manifest
from wheel_variants.merging import merge
from wheel_variants.publish import files, simple_index
from wheel_variants.publish.documents import to_json
from wheel_variants.publish.errors import CannotWrite, NothingFound, PublishError, said
from wheel_variants.publish.findings import Finding
from wheel_variants.publish.releases import Release, ScannedFolder, scan_folder
from wheel_variants.publish.simple_index import FileFacts, IndexedFile
from wheel_variants.publish.wheels import open_wheel

__all__ = [
    "IndexReport",
    "IndexState",
    "ReleaseReport",
    "SIMPLE",
    "STATE_FILE",
    "breaking_changes",
    "make_index",
]

#: The folder of the pages.
SIMPLE = "simple"
#: Its name in the folder of the index.
STATE_FILE = ".pip-variants-index.json"

# Raise it when something else is read of a wheel, or wheels are judged differently.
_FORMAT = 2

logger = logging.getLogger(__name__)


@dataclass(slots=True)
class IndexState:
    """What earlier runs read and wrote.

    :ivar files: facts by file name.
    :ivar written: digests of the files written, by path within the folder.
    """

    files: dict[str, FileFacts] = field(default_factory=dict)
    written: dict[str, str] = field(default_factory=dict)

    @classmethod
    def load(cls, folder: str) -> IndexState:
        """Read the state of a folder; an empty one if there is no usable one."""
        try:
            with files.open_regular(STATE_FILE, folder) as file:
                content = json.load(file)
            if content["format"] == _FORMAT:
                known = {name: _facts(each) for name, each in content["files"].items()}
                return cls(known, dict(content["written"]))
        except FileNotFoundError:
            pass
        # An invalid manifest is a ValueError.
        except (
            *(OSError, RecursionError, ValueError),
            *(KeyError, TypeError, AttributeError),
        ) as error:
            logger.debug("Reading everything again: %s: %r", STATE_FILE, error)
        return cls()

    def save(self, folder: str) -> None:
        """Write the state of a folder."""
        content = {
            "format": _FORMAT,
            "files": {name: asdict(each) for name, each in sorted(self.files.items())},
            "written": dict(sorted(self.written.items())),
        }
        text = json.dumps(content, indent=1)
        files.write_if_changed(folder, STATE_FILE, text.encode("ascii"))


def _facts(content: Mapping[str, Any]) -> FileFacts:
    facts = FileFacts(**content)
    texts = (facts.sha256, facts.metadata_sha256, facts.requires_python)
    if not all(each is None or isinstance(each, str) for each in texts):
        raise TypeError(f"not text: {texts!r}")
    if facts.document is not None:
        parse_document(facts.document)
    return facts


@dataclass(frozen=True, slots=True)
class ReleaseReport:
    """The files of a release in an index.

    :ivar manifest: the path of its manifest; None if it has no variants.
    """

    name: str
    version: str
    labels: tuple[str, ...]
    plain_wheels: int
    manifest: str | None


@dataclass(slots=True)
class IndexReport:
    """The files that were read, written and removed.

    :ivar read: the number of files read; the others had not changed.
    :ivar written: paths of new and changed files.
    :ivar removed: paths of files from earlier runs that are no longer needed.
    :ivar pages: the folder of the index's pages; None if none were asked for.
    :ivar warnings: one sentence each, without its period.
    """

    releases: list[ReleaseReport] = field(default_factory=list)
    files: int = 0
    read: int = 0
    written: list[str] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    pages: str | None = None
    warnings: list[str] = field(default_factory=list)


def make_index(folder: str, output: str, *, simple: bool) -> IndexReport:
    """Write the manifest of each release that has variant wheels in *folder*.

    :param output: the folder to write to; if it is another one, pages come with links
        to the wheels, or copies.
    :param simple: whether to write pages too.
    :raises NothingFound: if there are no wheels.
    :raises PublishError: if wheels are broken or contradict each other; nothing is
        written then.
    :raises CannotWrite: if the output cannot be written.
    """
    state = IndexState.load(output)
    try:
        scanned = scan_folder(folder, state.files, hashes=simple)
    except OSError as error:
        where = error.filename or folder
        raise NothingFound(where, said(error), "Name a folder of wheels") from None
    try:
        return _Indexer(scanned, output, state, simple=simple).make()
    except OSError as error:
        raise CannotWrite("the index", error, "--output") from None


class _Indexer:
    def __init__(
        self, scanned: ScannedFolder, output: str, state: IndexState, *, simple: bool
    ) -> None:
        self.folder, self.output, self.simple = scanned.name, output, simple
        self.before = state.written
        self.scanned = scanned
        self.report = IndexReport(files=len(scanned.files), read=scanned.read)
        #: Of all files of the output, by path within it.
        self.digests: dict[str, str] = {}
        #: The files on the page of each project.
        self.listed: dict[str, list[IndexedFile]] = {}

    def make(self) -> IndexReport:
        """Check what was read, then write everything."""
        scanned, releases = self.scanned, self.scanned.releases.values()
        if not scanned.findings and not any(each.wheels for each in releases):
            raise NothingFound(
                self.folder,
                "there are no wheels in it; subfolders are not read",
                "Name a folder of wheels",
            )
        after = IndexState(scanned.files, self.before)
        self._refuse_errors(after)
        os.makedirs(self.output, exist_ok=True)
        for release in releases:
            self._write_manifest(release)
        if self.simple:
            for release in releases:
                self._offer_files(release)
            self._write_pages()
            self._remove_stale()
        elif self.report.written and any(
            path.startswith(f"{SIMPLE}/") for path in self.before
        ):
            self.report.warnings.append(
                f"The pages in {os.path.join(self.output, SIMPLE)} are those of an "
                "earlier run: add --simple to update them"
            )
        after.written = {**({} if self.simple else self.before), **self.digests}
        after.save(self.output)
        return self.report

    def _refuse_errors(self, after: IndexState) -> None:
        agree = (each.check_agreement() for each in self.scanned.releases.values())
        findings = itertools.chain(self.scanned.findings, *agree)
        errors = [each for each in findings if each.is_error]
        if not errors:
            return
        # Good files need not be read again once the others are fixed.
        if os.path.isdir(self.output):
            after.save(self.output)
        raise PublishError(
            f"Cannot make an index of {self.folder}; nothing was written",
            "Fix or remove these files; 'wheel-variants check' shows each rule",
            details=map(_line, errors),
        )

    def _write(self, path: str, content: bytes) -> None:
        """Write a file of the output, if it changed."""
        native = os.path.join(*path.split("/"))
        self.digests[path] = files.sha256(content)
        if files.write_if_changed(self.output, native, content):
            self.report.written.append(os.path.join(self.output, native))

    def _write_manifest(self, release: Release) -> None:
        path = None
        if release.embedded:
            manifest, name = merge(release.embedded), release.due_manifest_name
            content = to_json(manifest.document)
            path = os.path.join(self.output, name)
            with (
                suppress(FileNotFoundError),
                files.open_regular(name, self.output) as old,
            ):
                self.report.warnings += (
                    f"{path}: {change}; installations that used the old manifest may be "
                    "affected"
                    for change in breaking_changes(old.read(), manifest)
                )
            self._write(name, content)
            facts = FileFacts(len(content), 0, sha256=self.digests[name])
            self._list(release, name, facts)
        plain, version = len(release.wheels_of(None)), str(release.version)
        self.report.releases.append(
            ReleaseReport(release.name, version, tuple(release.labels), plain, path)
        )

    def _list(self, release: Release, name: str, facts: FileFacts) -> None:
        """List a file on the pages of its project."""
        file = IndexedFile(name, release.version, facts)
        self.listed.setdefault(release.name, []).append(file)

    def _offer_files(self, release: Release) -> None:
        """Put files where the pages link to them, with core metadata beside them."""
        elsewhere = not os.path.samefile(self.folder, self.output)
        wheels = [each.filename for each in release.wheels]
        for name in sorted([*wheels, *release.sdists]):
            facts = self.scanned.files[name]
            if elsewhere:
                assert facts.sha256 is not None, "hashes were asked for"
                self.digests[name] = facts.sha256
                target = os.path.join(self.output, name)
                if _link(self.folder, name, target):
                    self.report.written.append(target)
            if facts.metadata_sha256 is not None:
                self._write_metadata(name, facts.metadata_sha256)
            self._list(release, name, facts)

    def _write_metadata(self, name: str, digest: str) -> None:
        path = f"{name}.metadata"
        target = os.path.join(self.output, path)
        if self.before.get(path) == digest and files.is_plain_file(target):
            self.digests[path] = digest
            return
        with open_wheel(name, self.folder) as wheel:
            self._write(path, wheel.metadata())

    def _write_pages(self) -> None:
        projects = sorted(self.listed)
        for project in projects:
            pages = simple_index.project_pages(
                project, self.listed[project], up="../../"
            )
            for name, content in pages.items():
                self._write(f"{SIMPLE}/{project}/{name}", content)
        for name, content in simple_index.root_pages(projects).items():
            self._write(f"{SIMPLE}/{name}", content)
        self.report.pages = os.path.join(self.output, SIMPLE)

    def _remove_stale(self) -> None:
        """Remove files that an earlier run wrote and nobody has changed since."""
        for path, digest in self.before.items():
            native = os.path.join(*path.split("/"))
            target = os.path.join(self.output, native)
            is_ours = files.is_plain_file(target) and files.is_regular_below(
                self.output, native
            )
            if path in self.digests or not is_ours:
                continue
            # Another run may do it first.
            with suppress(FileNotFoundError):
                if files.file_sha256(target) == digest:
                    os.unlink(target)
                    self.report.removed.append(target)
                    with suppress(OSError):
                        # Only if it is empty now.
                        os.rmdir(os.path.dirname(target))


def _line(finding: Finding) -> str:
    """Return a finding, and what to do about it, in one line."""
    remedy = f" {finding.remedy}." if finding.remedy is not None else ""
    return f"{' and '.join(finding.subjects)}: {finding.problem}.{remedy}"


def _link(folder: str, name: str, target: str) -> bool:
    """Link or copy a file of *folder* to *target*; return whether *target* changed."""
    if files.is_plain_file(target):
        ours, theirs = os.stat(files.below(folder, name)), os.stat(target)
        if os.path.samestat(ours, theirs) or (
            (ours.st_size, ours.st_mtime_ns) == (theirs.st_size, theirs.st_mtime_ns)
        ):
            return False
    files.link_or_copy(folder, name, target)
    return True


def breaking_changes(before: bytes, after: Manifest) -> Iterator[str]:
    """Yield changes that are not backward compatible (PEP 825, "Index-level metadata").

    :return: one sentence each, without its period.
    """
    try:
        old = parse_manifest(before)
    except InvalidManifest:
        # Nobody relied on it.
        return
    for label, variant in sorted(old.variants.items()):
        new = after.variants.get(label)
        if new is None:
            yield f"the label {label!r} is gone"
        elif new.properties() != variant.properties():
            yield f"the label {label!r} has other properties than before"
    if after.namespaces[: len(old.namespaces)] != old.namespaces:
        yield "the namespaces are ordered differently"
