"""A tag is refused that is not the one of what would be released."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.release.errors import ReleaseError
from tools.release.news import check_tag, notes

NEWS = """\
# News

## 0.2.0 (2027-01-01)

### Features

- A thing.

## 0.1.0 (2026-11-22)

All of it.
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Return a project whose news are written."""
    (tmp_path / "NEWS.md").write_text(NEWS, encoding="utf-8")
    (tmp_path / "news").mkdir()
    return tmp_path


@pytest.mark.parametrize(
    ("version", "expected"),
    [
        ("0.2.0", "### Features\n\n- A thing.\n"),
        ("0.1.0", "All of it.\n"),
        ("0.1", None),
    ],
)
def test_notes_of_a_release(version: str, expected: str | None) -> None:
    assert notes(NEWS, version) == expected


def test_the_tag_of_the_version(root: Path) -> None:
    check_tag("v0.2.0", "0.2.0", root)


@pytest.mark.parametrize("tag", ["0.2.0", "v0.2", "v0.3.0"])
def test_another_tag(tag: str, root: Path) -> None:
    with pytest.raises(
        ReleaseError, match=r"its tag is 'v0\.2\.0'. Change one of them"
    ):
        check_tag(tag, "0.2.0", root)


def test_news_that_are_not_written(root: Path) -> None:
    with pytest.raises(ReleaseError, match=r"NEWS\.md says nothing of 0\.3\.0. Type: "):
        check_tag("v0.3.0", "0.3.0", root)
    (root / "news" / "thing.feature.rst").write_text("A thing.\n", encoding="utf-8")
    with pytest.raises(ReleaseError, match=r"NEWS\.md lacks \(thing\.feature\.rst"):
        check_tag("v0.2.0", "0.2.0", root)
