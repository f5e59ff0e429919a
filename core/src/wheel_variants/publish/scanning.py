"""Read the wheels of a folder that have changed since the last run."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from wheel_variants.manifest_parser import parse_document
from wheel_variants.publish.files import file_sha256, is_regular_below
from wheel_variants.publish.findings import Finding, Findings
from wheel_variants.publish.index_state import FileFacts
from wheel_variants.publish.places import Place, sdist_release
from wheel_variants.publish.wheel_file import is_safe_name
from wheel_variants.publish.wheel_rules import check_wheel

__all__ = ["FileProgress", "FileToRead", "ScannedFolder", "scan_folder"]


class FileToRead(NamedTuple):
    """A wheel or source distribution of a folder.

    :ivar facts: what is known about it.
    """

    name: str
    path: str
    facts: FileFacts


#: Yields the files to read, and shows the progress.
FileProgress = Callable[[Sequence[FileToRead]], Iterable[FileToRead]]


@dataclass(slots=True)
class ScannedFolder(Place):
    """The files of a folder.

    Its releases are sorted, and include broken wheels.

    :ivar files: the wheels and source distributions without errors, by name.
    :ivar findings: the rules that each file breaks by itself.
    :ivar read: how many files were read, because they are new or changed.
    """

    files: dict[str, FileToRead] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)
    read: int = 0


def scan_folder(
    folder: str,
    known: dict[str, FileFacts],
    *,
    hashes: bool,
    prefix: str = "",
    progress: FileProgress = iter,
) -> ScannedFolder:
    """Read the files of a folder, but not of folders in it.

    :param known: facts from earlier runs, by file name.
    :param hashes: whether the digests of all files are needed.
    :param prefix: put before names of files in findings.
    :param progress: shows the progress.
    :raises OSError: if something cannot be read.
    """
    result = ScannedFolder(folder, prefix)
    to_read = []
    for each in _listed(result):
        before = known.get(each.name)
        if (
            before is not None
            and (before.size, before.modified) == (each.facts.size, each.facts.modified)
            and not (hashes and before.sha256 is None)
        ):
            result.files[each.name] = each._replace(facts=before)
        else:
            to_read.append(each)
    unfit = []
    for each in progress(to_read):
        result.read += 1
        facts = _read(each, result)
        if facts is None:
            unfit.append(each.name)
            continue
        if hashes:
            facts = replace(facts, sha256=file_sha256(each.path))
        result.files[each.name] = each._replace(facts=facts)
    result.files = dict(sorted(result.files.items()))
    for name in (*result.files, *unfit):
        release = result.add(name)
        document = result.files[name].facts.document if name in result.files else None
        if release is not None and document is not None:
            release.embedded[name] = parse_document(document)
    result.releases = dict(sorted(result.releases.items()))
    return result


def _listed(result: ScannedFolder) -> Iterator[FileToRead]:
    folder = result.name
    for name in sorted(os.listdir(folder)):
        sdist = sdist_release(name)
        if name.startswith(".") or not (name.endswith(".whl") or sdist):
            continue
        path, findings = os.path.join(folder, name), Findings(f"{result.prefix}{name}")
        if not is_regular_below(folder, name):
            findings.add(
                "regular-file",
                "It is not a regular file of the folder, nor a link to one",
                "Put the file itself there",
            )
        if sdist is not None and not is_safe_name(name, sdist[0]):
            findings.add(
                "sdist-name",
                f"Its name is invalid: {name!r}",
                "Build it again, or remove it",
            )
        result.findings += findings
        if not findings:
            status = os.stat(path)
            yield FileToRead(name, path, FileFacts(status.st_size, status.st_mtime_ns))


def _read(file: FileToRead, result: ScannedFolder) -> FileFacts | None:
    """Return the facts about a file; None for a wheel that is unfit for an index."""
    if not file.name.endswith(".whl"):
        return file.facts
    checked = check_wheel(file.path, f"{result.prefix}{file.name}")
    result.findings += checked.findings
    if any(finding.is_error for finding in checked.findings):
        return None
    return replace(
        file.facts,
        metadata_sha256=checked.metadata_sha256,
        requires_python=checked.requires_python,
        document=None if checked.document is None else dict(checked.document),
    )
