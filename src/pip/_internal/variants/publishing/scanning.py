"""Read the wheels of a folder, those that changed since they were read before."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace

from pip._vendor.packaging.utils import (
    InvalidSdistFilename,
    NormalizedName,
    parse_sdist_filename,
)
from pip._vendor.packaging.version import InvalidVersion, Version

from pip._internal.variants.core.manifest_parser import parse_document
from pip._internal.variants.publishing.files import file_sha256, is_regular_below
from pip._internal.variants.publishing.index_state import FileFacts
from pip._internal.variants.publishing.release_rules import Release
from pip._internal.variants.publishing.rules import Finding, Findings
from pip._internal.variants.publishing.wheel_file import (
    UnreadableWheel,
    WheelName,
    is_safe_name,
)
from pip._internal.variants.publishing.wheel_rules import check_wheel

__all__ = ["FileProgress", "FileToRead", "ScannedFolder", "scan_folder"]


@dataclass(frozen=True, slots=True)
class FileToRead:
    """A wheel or source distribution of a folder.

    :ivar facts: what is known of it.
    """

    folder: str
    name: str
    facts: FileFacts

    @property
    def path(self) -> str:
        """Give where it is."""
        return os.path.join(self.folder, self.name)

    @property
    def is_wheel(self) -> bool:
        """Tell whether it is a wheel, by its name."""
        return self.name.endswith(".whl")


#: Shows how far files are while they are read.
FileProgress = Callable[
    [list[FileToRead]], AbstractContextManager[Iterable[FileToRead]]
]


@dataclass(slots=True)
class ScannedFolder:
    """What is in a folder.

    :ivar files: by name, the wheels and source distributions that are what they say.
    :ivar releases: by project and version, in order; with the wheels that are not.
    :ivar findings: what is wrong with the files, one by one.
    :ivar read: how many were read, because they are new or changed.
    """

    files: dict[str, FileToRead] = field(default_factory=dict)
    releases: dict[tuple[str, Version], Release] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)
    read: int = 0


def scan_folder(
    folder: str,
    known: dict[str, FileFacts],
    *,
    hashes: bool,
    progress: FileProgress = nullcontext,
) -> ScannedFolder:
    """Read the files of a folder, not those in folders below it.

    :param known: what is known from before, by file name.
    :param hashes: whether the digests of all files are needed.
    :param progress: gives the files to read, one after the other, while they are.
    :raises OSError: if something cannot be read.
    """
    result = ScannedFolder()
    to_read = []
    for each in _listed(folder, result):
        before = known.get(each.name)
        if (
            before is not None
            and (before.size, before.modified) == (each.facts.size, each.facts.modified)
            and not (hashes and before.sha256 is None)
        ):
            result.files[each.name] = replace(each, facts=before)
        else:
            to_read.append(each)
    unfit = []
    with progress(to_read) as files:
        for each in files:
            result.read += 1
            facts = _read(each, result) if each.is_wheel else each.facts
            if facts is None:
                unfit.append(each)
                continue
            digest = file_sha256(each.path) if hashes else None
            found = replace(each, facts=replace(facts, sha256=digest))
            result.files[each.name] = found
    result.files = dict(sorted(result.files.items()))
    for each in (*result.files.values(), *unfit):
        _add_to_release(each, result)
    result.releases = dict(sorted(result.releases.items()))
    return result


def _listed(folder: str, result: ScannedFolder) -> Iterator[FileToRead]:
    for name in sorted(os.listdir(folder)):
        sdist = _sdist(name)
        if name.startswith(".") or not (name.endswith(".whl") or sdist):
            continue
        path, findings = os.path.join(folder, name), Findings(name)
        if not is_regular_below(path, folder):
            findings.add(
                "regular-file",
                "It is no regular file of the folder, nor a link to one",
                "Put the file itself there",
            )
        if sdist is not None and not is_safe_name(name, sdist[0]):
            findings.add(
                "sdist-name",
                f"Its name is invalid: {name!r}",
                "Build it again, or take it away",
            )
        if findings:
            result.findings += findings
            continue
        status = os.stat(path)
        yield FileToRead(folder, name, FileFacts(status.st_size, status.st_mtime_ns))


def _read(file: FileToRead, result: ScannedFolder) -> FileFacts | None:
    """Give the facts about a wheel; None if it is not fit for an index."""
    checked = check_wheel(file.path, file.name)
    errors = [finding for finding in checked.findings if finding.is_error]
    result.findings += checked.findings
    if errors:
        return None
    return replace(
        file.facts,
        metadata_sha256=checked.metadata_sha256,
        requires_python=checked.requires_python,
        document=None if checked.document is None else dict(checked.document),
    )


def _add_to_release(file: FileToRead, result: ScannedFolder) -> None:
    sdist = _sdist(file.name)
    if sdist is not None:
        _release(result, *sdist).sdists.append(file.name)
        return
    try:
        wheel = WheelName(file.name)
    except UnreadableWheel:
        # A finding says so.
        return
    release = _release(result, wheel.name, wheel.version)
    release.wheels.append(wheel)
    if file.facts.document is not None:
        release.embedded[file.name] = parse_document(file.facts.document)


def _sdist(name: str) -> tuple[NormalizedName, Version] | None:
    """Give the release of a source distribution; None for any other file."""
    try:
        return parse_sdist_filename(name)
    except (InvalidSdistFilename, InvalidVersion):
        return None


def _release(result: ScannedFolder, name: NormalizedName, version: Version) -> Release:
    return result.releases.setdefault((name, version), Release(name, version))
