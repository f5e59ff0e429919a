"""Read the notes of a release from NEWS.md."""

from __future__ import annotations

import re
from pathlib import Path

from tools.release.errors import ReleaseError

__all__ = ["check_tag", "notes"]

_HEADING = re.compile(r"^## (\S+) \(", re.MULTILINE)


def notes(news: str, version: str) -> str | None:
    """Return the section of a release without its heading, or None if there is none."""
    headings = list(_HEADING.finditer(news))
    for position, heading in enumerate(headings):
        if heading[1] == version:
            following = headings[position + 1 :]
            section = news[
                heading.start() : following[0].start() if following else None
            ]
            return section.partition("\n")[2].strip() + "\n"
    return None


def check_tag(tag: str, version: str, root: Path) -> None:
    """Check that a tag matches the version to release.

    :param version: the version of the fork.
    :param root: the root of the project.
    :raises ReleaseError: if the tag is for another version, or NEWS.md has no section for
        it.
    """
    if tag != f"v{version}":
        raise ReleaseError(
            f"fork/version.py has {version}, so the tag must be 'v{version}'. Change "
            f"the version or the tag. Tag: {tag!r}"
        )
    fragments = sorted(file.name for file in (root / "news").glob("*.rst"))
    if fragments:
        raise ReleaseError(
            f"news/ has fragments that NEWS.md lacks ({', '.join(fragments[:3])}, …). "
            f"Run: nox -s news -- {version}"
        )
    if notes((root / "NEWS.md").read_text(encoding="utf-8"), version) is None:
        raise ReleaseError(
            f"NEWS.md says nothing of {version}. Run: nox -s news -- {version}"
        )
