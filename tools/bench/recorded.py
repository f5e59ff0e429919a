"""A real project and all that it needs, as a registry had it when it was recorded.

Only what a resolver reads is there; nothing can be installed. Digests, sizes and dates are
invented, so that pages are as long as real ones. Metadata lies beside each wheel, as on PyPI,
whether or not the registry that was recorded has it. That of a release that was not taken asks
for a project that does not exist, so that whoever takes it fails.
"""

from __future__ import annotations

import functools
import hashlib
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TypedDict, cast

from tests.lib.repository import Entry, Repository
from tests.lib.wheels import DistFile

__all__ = ["DATA", "ROOT", "Group", "Recording", "add_recorded", "resolved"]

#: What was resolved, with all that it needs.
ROOT = "jupyter"
#: What :mod:`tools.bench.record` writes.
DATA = Path(__file__).with_name("data") / f"{ROOT}.json"

#: Files that follow each other on a page: how their names begin, version, bounds of
#: Python, whether they are yanked, how their names end.
Group = tuple[str, str, str | None, bool, list[str]]


class Recording(TypedDict):
    """What was recorded.

    :ivar made: where.
    :ivar left_out: the number of older files that are not listed.
    :ivar resolved: the projects that were taken, by version of Python.
    :ivar metadata: lines of core metadata, by project and version.
    :ivar pages: by project.
    """

    made: str
    left_out: int
    resolved: Mapping[str, Sequence[str]]
    metadata: Mapping[str, Mapping[str, Sequence[str]]]
    pages: Mapping[str, Sequence[Group]]


_NOT_RECORDED = ["Requires-Dist: not-recorded"]
# Nobody fetches it: what is recorded is resolved, not installed.
_CONTENT = b"not recorded"
_UPLOADED = "2026-01-01T00:00:00.000000Z"


@functools.cache
def _read() -> Recording:
    return cast(Recording, json.loads(DATA.read_text(encoding="utf-8")))


def resolved() -> dict[str, str | None]:
    """Return the projects that this Python must come to, none if it is not known."""
    version = f"{sys.version_info[0]}.{sys.version_info[1]}"
    return dict.fromkeys(_read()["resolved"].get(version, ()))


def add_recorded(repository: Repository) -> None:
    """Add every project that was recorded."""
    recording = _read()
    for project, page in recording["pages"].items():
        metadata = recording["metadata"].get(project, {})
        # Repository.add() looks for files of the same name, one by one.
        repository.projects[project] = list(_entries(project, page, metadata))


def _entries(
    project: str, page: Sequence[Group], metadata: Mapping[str, Sequence[str]]
) -> Iterator[Entry]:
    for stem, version, requires_python, is_yanked, ends in page:
        head = [f"Name: {project}", f"Version: {version}"]
        lines = metadata.get(version, [*head, *_NOT_RECORDED])
        told = "\n".join(["Metadata-Version: 2.1", *lines, ""]).encode()
        for end in ends:
            name = stem + end
            digest = hashlib.sha256(name.encode()).hexdigest()
            beside = told if name.endswith(".whl") else None
            file = DistFile(project, version, name, _CONTENT, beside)
            yield Entry(
                file,
                f"{digest[:2]}/{digest[2:4]}/{digest[4:]}/{name}",
                sha256=digest,
                yanked="" if is_yanked else None,
                requires_python=requires_python,
                upload_time=_UPLOADED,
            )
