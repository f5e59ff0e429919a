"""Write the manifests of a folder of wheels, and a static index.

The digests of files are saved, so that later runs hash only changed files.
"""

from __future__ import annotations

import itertools
import json
import logging
import os
import shlex
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field

from wheel_variants.labels import MANIFEST_SUFFIX
from wheel_variants.manifest import InvalidManifest, Manifest
from wheel_variants.manifest_parser import parse_manifest
from wheel_variants.merging import merge
from wheel_variants.publish import files
from wheel_variants.publish.documents import to_json
from wheel_variants.publish.errors import (
    CannotWrite,
    NothingFound,
    PublishError,
    os_reason,
)
from wheel_variants.publish.findings import Finding
from wheel_variants.publish.releases import (
    Hashed,
    ReleaseFiles,
    ScannedFolder,
    scan_folder,
)
from wheel_variants.publish.simple_index import SIMPLE, IndexWriter, manifest_filename
from wheel_variants.publish.wheels import open_wheel

__all__ = [
    "IndexReport",
    "IndexState",
    "ReleaseReport",
    "STATE_FILE",
    "breaking_changes",
    "make_index",
]

#: The name of the state file in the folder of the index.
STATE_FILE = ".pip-variants-index.json"

logger = logging.getLogger(__name__)


@dataclass(slots=True)
class IndexState:
    """The files that earlier runs read and wrote.

    :ivar hashed: the digests of the files in the folder, by name.
    :ivar written: the digests of the written files, by path within the folder.
    """

    hashed: dict[str, Hashed] = field(default_factory=dict)
    written: dict[str, str] = field(default_factory=dict)

    @classmethod
    def load(cls, folder: str) -> IndexState:
        """Return the saved state of a folder, or an empty state if no file is usable."""
        try:
            with files.open_regular(STATE_FILE, folder) as file:
                content = json.load(file)
            known = {name: Hashed(**each) for name, each in content["hashed"].items()}
            return cls(known, dict(content["written"]))
        except Exception as error:  # After any error, all files can be read again.
            logger.debug("Reading all files again: %s: %r", STATE_FILE, error)
            return cls()

    def save(self, folder: str) -> None:
        """Write the state of a folder."""
        hashed = {name: each._asdict() for name, each in sorted(self.hashed.items())}
        content = {"hashed": hashed, "written": dict(sorted(self.written.items()))}
        text = json.dumps(content, indent=1)
        files.write_if_changed(folder, STATE_FILE, text.encode("ascii"))


@dataclass(frozen=True, slots=True)
class ReleaseReport:
    """The files of a release in an index.

    :ivar manifest: the path of the manifest; None if the release has no variants.
    """

    name: str
    version: str
    labels: tuple[str, ...]
    plain_wheels: int
    manifest: str | None


@dataclass(slots=True)
class IndexReport:
    """The files that were read, written and removed.

    :ivar read: the number of new and changed files.
    :ivar written: the paths of new and changed files.
    :ivar removed: the paths of files from earlier runs that are no longer needed.
    :ivar pages: the folder of the index's pages; None without ``--simple``.
    :ivar warnings: the warnings, one sentence each without its period.
    """

    releases: list[ReleaseReport] = field(default_factory=list)
    files: int = 0
    read: int = 0
    written: list[str] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    pages: str | None = None
    warnings: list[str] = field(default_factory=list)


def make_index(folder: str, output: str, *, simple: bool) -> IndexReport:
    """Write the manifest of each release with variant wheels in *folder*.

    :param output: the folder to write to. If it is not *folder*, the wheels of an index
        are linked or copied there.
    :param simple: whether to write the pages of an index too.
    :raises NothingFound: if there are no wheels.
    :raises PublishError: if wheels are broken or contradict each other; nothing is written.
    :raises CannotWrite: if the output cannot be written.
    """
    state = IndexState.load(output)
    try:
        scanned = scan_folder(folder, state.hashed, hashes=simple)
    except OSError as error:
        where = error.filename or folder
        raise NothingFound(
            where, os_reason(error), "Specify a folder of wheels"
        ) from None
    try:
        return _Indexer(scanned, output, state).make(simple=simple)
    except OSError as error:
        raise CannotWrite("the index", error, "--output") from None


class _Indexer:
    def __init__(self, scanned: ScannedFolder, output: str, state: IndexState) -> None:
        self.scanned, self.folder = scanned, scanned.name
        self.before = state.written
        self.site = IndexWriter(output)
        self.report = IndexReport(files=len(scanned.files), read=scanned.read)
        #: Whether the output is not the folder of the wheels.
        self.elsewhere = False

    def make(self, *, simple: bool) -> IndexReport:
        """Check the files that were read, then write everything."""
        scanned, releases = self.scanned, self.scanned.releases.values()
        if not scanned.findings and not any(each.wheels for each in releases):
            raise NothingFound(
                self.folder,
                "the folder contains no wheels; subfolders are not read",
                "Specify a folder of wheels",
            )
        self._refuse_errors()
        site, report = self.site, self.report
        os.makedirs(site.folder, exist_ok=True)
        self.elsewhere = not os.path.samefile(self.folder, site.folder)
        for release in releases:
            self._write_manifest(release)
        report.written = site.changed
        pages = os.path.join(site.folder, SIMPLE)
        if simple:
            for release in releases:
                self._offer_files(release)
            # Obsolete pages of an earlier run are removed below.
            site.write_pages(site.projects(self.before))
            report.warnings += (
                f"{pages} no longer lists {name}: adopt the release listing again"
                for name in site.dropped
            )
            report.pages = pages
        self._remove_stale(simple=simple)
        is_new = site.changed or report.read or report.files != len(scanned.hashed)
        has_pages = any(each.startswith(f"{SIMPLE}/") for each in self.before)
        if has_pages and not simple and is_new:
            report.warnings.append(
                f"The pages in {pages} are from an earlier run: to update them, add "
                "--simple"
            )
        written = {**({} if simple else self.before), **site.digests}
        IndexState(scanned.hashed, written).save(site.folder)
        return report

    def _refuse_errors(self) -> None:
        scanned = self.scanned
        agree = (each.check_agreement() for each in scanned.releases.values())
        findings = itertools.chain(scanned.findings, *agree)
        errors = [each for each in findings if each.is_error]
        if not errors:
            return
        raise PublishError(
            f"Cannot index {self.folder}; nothing was written",
            "Fix or remove these files; to see broken rules, run: wheel-variants check "
            f"{shlex.quote(self.folder)}",
            details=map(_line, errors),
        )

    def _write_manifest(self, release: ReleaseFiles) -> None:
        path = None
        if release.embedded:
            manifest = merge(release.embedded)
            name = manifest_filename(*release.id)
            path = os.path.join(self.site.folder, name)
            self._warn_of_changes(name, manifest)
            self.site.write_manifest(*release.id, to_json(manifest.document))
        plain, version = len(release.wheels_of(None)), str(release.version)
        self.report.releases.append(
            ReleaseReport(release.name, version, tuple(release.labels), plain, path)
        )

    def _warn_of_changes(self, name: str, new: Manifest | None) -> None:
        """Add warnings about the changes of a manifest; *new* is None if it is removed."""
        folder = self.site.folder
        with suppress(FileNotFoundError), files.open_regular(name, folder) as old:
            self.report.warnings += (
                f"{os.path.join(folder, name)}: {change}; this may affect installations "
                "that used the old manifest"
                for change in breaking_changes(old.read(), new)
            )

    def _offer_files(self, release: ReleaseFiles) -> None:
        """Put files where the pages link to them, and write their core metadata."""
        site = self.site
        wheels = [each.filename for each in release.wheels]
        for name in sorted([*wheels, *release.sdists]):
            file = self.scanned.files[name]
            if self.elsewhere:
                assert file.sha256 is not None, "the scan hashed all files"
                site.digests[name] = file.sha256
                target = os.path.join(site.folder, name)
                is_same = self.before.get(name) == file.sha256
                if name not in self.before and files.is_plain_file(target):
                    self._warn_of_replacing(target, file.sha256)
                if _link(self.folder, name, target, is_same=is_same):
                    site.changed.append(target)
            else:
                # The publisher owns the wheels of this folder, also linked wheels.
                self.before.pop(name, None)
            if file.metadata_sha256 is not None:
                with open_wheel(name, self.folder) as wheel:
                    site.write(f"{name}.metadata", wheel.metadata())
            site.add(release.name, file)

    def _warn_of_replacing(self, target: str, digest: str) -> None:
        if files.file_sha256(target) != digest:
            warning = f"Replaced {target}, which had other content"
            self.report.warnings.append(warning)

    def _remove_stale(self, *, simple: bool) -> None:
        """Remove obsolete files that an earlier run wrote and nobody has changed.

        :param simple: whether to remove all of these files, or only manifests in the
            folder of the wheels.
        """
        output = self.site.folder
        for path in sorted(self.before.keys() - self.site.digests.keys()):
            is_manifest = path.endswith(MANIFEST_SUFFIX)
            # Without pages, several folders may have one output.
            if not simple and (self.elsewhere or not is_manifest):
                continue
            target = os.path.join(output, path)
            is_ours = files.is_plain_file(target) and files.is_regular_below(
                output, path
            )
            # Another run may remove the file first.
            with suppress(FileNotFoundError):
                if is_ours and files.file_sha256(target) == self.before[path]:
                    if is_manifest:
                        self._warn_of_changes(path, None)
                    os.unlink(target)
                    self.report.removed.append(target)
                    with suppress(OSError):
                        # This fails unless the folder is empty now.
                        os.rmdir(os.path.dirname(target))


def _line(finding: Finding) -> str:
    """Return a finding and its remedy in one line."""
    remedy = f" {finding.remedy}." if finding.remedy is not None else ""
    return f"{' and '.join(finding.subjects)}: {finding.problem}.{remedy}"


def _link(folder: str, name: str, target: str, *, is_same: bool) -> bool:
    """Link or copy a file of *folder* to *target*, and return whether *target* changed.

    :param is_same: whether an earlier run copied a file with the same content.
    """
    if files.is_plain_file(target):
        ours, theirs = os.stat(files.below(folder, name)), os.stat(target)
        if os.path.samestat(ours, theirs) or (
            is_same
            and (ours.st_size, ours.st_mtime_ns) == (theirs.st_size, theirs.st_mtime_ns)
        ):
            return False
    files.link_or_copy(folder, name, target)
    return True


def breaking_changes(before: bytes, after: Manifest | None) -> Iterator[str]:
    """Yield changes that are not backward compatible (PEP 825, "Index-level metadata").

    :param after: the new manifest; None if there is none.
    :return: the changes, one sentence each without its period.
    """
    try:
        old = parse_manifest(before)
    except InvalidManifest:
        # Installers refused the old manifest.
        return
    for label, variant in sorted(old.variants.items()):
        new = None if after is None else after.variants.get(label)
        if new is None:
            yield f"label {label!r} was removed"
        elif new.properties() != variant.properties():
            yield f"the properties of label {label!r} changed"
    if after and after.namespaces[: len(old.namespaces)] != old.namespaces:
        yield "the order of the namespaces changed"
