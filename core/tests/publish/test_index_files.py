"""The files and pages of an index: complete, harmless and separate."""

from __future__ import annotations

import json
import os
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from packaging.version import Version

from wheel_variants.publish.files import link_or_copy, open_regular, write_if_changed
from wheel_variants.publish.simple_index import (
    HTML_PAGE,
    JSON_PAGE,
    IndexedFile,
    project_pages,
    root_pages,
)


def test_pages_have_no_markup_but_their_own() -> None:
    name = "<img src=x>\"'&.whl"
    file = IndexedFile(name, Version("1"), 1, "0", requires_python='"><b>')
    pages = project_pages("<b>", [file])
    for page in (pages[HTML_PAGE], root_pages(["<i>"])[HTML_PAGE]):
        text = page.decode()
        assert not re.search(r"<(img|b|i)\b", text)
        parser = _Tags()
        parser.feed(text)
        assert parser.tags == {
            *("html", "head", "meta", "title", "body", "h1", "a", "br")
        }
    assert json.loads(pages[JSON_PAGE])["files"][0]["filename"] == name


class _Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()

    def handle_starttag(self, tag: str, _attrs: object) -> None:
        self.tags.add(tag)


@pytest.mark.parametrize("links", [True, False])
def test_another_run_at_the_same_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, links: bool
) -> None:
    """Each run writes a separate file, which then replaces the old file."""
    source, target = tmp_path / "source", tmp_path / "target"
    source.write_bytes(b"new")
    real, calls = os.replace, 0
    if not links:
        monkeypatch.delattr(os, "link")
        monkeypatch.setattr(os, "link", _no_links, raising=False)

    def replace(old: str, new: str) -> None:
        nonlocal calls
        calls += 1
        if calls == 1:
            link_or_copy(str(tmp_path), "source", str(target))
            assert write_if_changed(str(tmp_path), "page", b"whole")
        real(old, new)

    monkeypatch.setattr(os, "replace", replace)
    link_or_copy(str(tmp_path), "source", str(target))
    write_if_changed(str(tmp_path), "page", b"whole")
    assert calls == 3
    assert target.read_bytes() == b"new"
    assert {each.name for each in tmp_path.iterdir()} == {"page", "source", "target"}


def _no_links(*_: str) -> None:
    raise OSError("there are none")


def test_a_link_is_followed_before_it_is_linked_to(tmp_path: Path) -> None:
    (tmp_path / "stored").write_bytes(b"content")
    (tmp_path / "name").symlink_to("stored")
    (tmp_path / "site").mkdir()
    link_or_copy(str(tmp_path), "name", str(tmp_path / "site" / "name"))
    assert not (tmp_path / "site" / "name").is_symlink()
    assert (tmp_path / "site" / "name").read_bytes() == b"content"


@pytest.mark.parametrize("kind", ["pipe", "folder", "device"])
@pytest.mark.linux
def test_what_may_never_end_is_not_read(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "x"
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    else:
        path.symlink_to("/dev/zero")
    with pytest.raises(OSError, match=r"x'$"), open_regular(str(path)):
        pass
