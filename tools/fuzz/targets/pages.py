"""Fuzz index pages and their links."""

from __future__ import annotations

import json
import optparse
from collections.abc import Iterator
from typing import Any

from hypothesis import strategies as st

from pip._vendor.packaging.utils import (
    InvalidWheelFilename,
    canonicalize_name,
    parse_wheel_filename,
)
from pip._vendor.wheel_variants.labels import is_valid_label

from pip._internal.index.collector import IndexContent, LinkCollector, parse_links
from pip._internal.index.package_finder import PackageFinder
from pip._internal.models.link import Link
from pip._internal.models.search_scope import SearchScope
from pip._internal.models.selection_prefs import SelectionPreferences
from pip._internal.network.session import PipSession
from pip._internal.variants.index.links import label_of
from pip._internal.variants.output.reporter import Reporter
from pip._internal.variants.selection.release import Release
from pip._internal.variants.selection.run import Run
from pip._internal.variants.settings import Settings
from tools.fuzz.shapes import ANYTHING, mostly, named
from tools.fuzz.target import FuzzTarget, structured

__all__ = ["TARGETS"]

_URL = "https://index.example/simple/foo/"
_JSON = "application/vnd.pypi.simple.v1+json"
_SESSION = PipSession()


def _make_run(*, enabled: bool) -> tuple[Run, PackageFinder]:
    scope = SearchScope.create(find_links=[], index_urls=[], no_index=True)
    collector = LinkCollector(_SESSION, scope)
    run = Run(_SESSION, Settings(optparse.Values()), Reporter, enabled=enabled)
    run.attach(collector)
    collector._variants = run  # type: ignore[attr-defined]
    preferences = SelectionPreferences(allow_yanked=True)
    return run, PackageFinder.create(collector, preferences)


_RUN, _FINDER = _make_run(enabled=True)
_RUN_WITHOUT, _FINDER_WITHOUT = _make_run(enabled=False)


def _read(content_type: str, data: bytes) -> None:
    links = [link for link in _links(content_type, data) if not _breaks_upstream(link)]
    evaluator = _FINDER.make_link_evaluator("foo")
    for run in _RUN, _RUN_WITHOUT:
        run.catalog.manifests.clear()
        run.catalog.listed.clear()
    found = _FINDER.evaluate_links(evaluator, links)
    for (project, _, _), link in _RUN.catalog.manifests.items():
        assert project == "foo"
        assert link.filename.endswith("-variants.json")
    by_version: dict[Any, list[Link]] = {}
    for candidate in found:
        label = label_of(candidate.link)
        assert label is None or is_valid_label(label)
        by_version.setdefault(candidate.version, []).append(candidate.link)
    for version, of_version in by_version.items():
        name = canonicalize_name("foo")
        release = Release(_RUN, name, version, of_version, [_URL])
        assert set(release.wheels) <= {_URL}
    for candidate in _FINDER_WITHOUT.evaluate_links(evaluator, links):
        assert label_of(candidate.link) is None


def _links(content_type: str, data: bytes) -> list[Link]:
    page = IndexContent(data, content_type, "utf-8", _URL, cache_link_parsing=False)
    try:
        return list(parse_links(page))
    except Exception:
        # Upstream's parsers fail on pages with a wrong content type.
        return []


def _breaks_upstream(link: Link) -> bool:
    """Return whether stock pip fails for a plain wheel with that name."""
    if label_of(link) is not None:
        return False
    try:
        parse_wheel_filename(link.filename)
    except InvalidWheelFilename:
        return False
    except ValueError:  # thousands of digits
        return True
    return False


_PARTS = (
    ("foo", "Foo", "f.o", "foo-bar"),
    ("1.0", "1!2", "1.0+cu1", "1.0-1", "x"),
    ("py3-none-any", "2x-py3-none-any", "variants"),
    (".whl", "-cu128.whl", "-null.whl", "-CU.whl", ".json"),
)
_BASES = ("", "/", "https://x/", "file:///", "//", "https://[::1", "data:,")
_TAILS = ("", "#sha256=" + "0" * 64, "#md5=x", "?x=y", "#egg=a&b", "%0a")


_FILE_NAME = st.tuples(*(named(*options) for options in _PARTS)).map(
    lambda parts: "-".join(parts[:3]) + parts[3]
)
_URL_TEXT = st.tuples(st.sampled_from(_BASES), _FILE_NAME, st.sampled_from(_TAILS)).map(
    "".join
)
_ENTRY = st.fixed_dictionaries(
    {"filename": mostly(_FILE_NAME), "url": mostly(_URL_TEXT)},
    optional={
        "hashes": mostly(st.just({"sha256": "0" * 64})),
        "yanked": ANYTHING,
        "requires-python": st.sampled_from((">=3", ">=99", "\x1b[31m")),
        "core-metadata": ANYTHING,
        "upload-time": st.sampled_from(("2026-01-01T00:00:00Z", "x")),
    },
)


def _check_links(entries: list[Any], urls: list[str]) -> None:
    page = json.dumps({"meta": {"api-version": "1.0"}, "files": entries})
    _read(_JSON, page.encode())
    html = "".join(f'<a href="{url}">x</a>' for url in urls)
    _read("text/html", html.encode("utf-8", "surrogatepass"))


def _json_seeds() -> Iterator[bytes]:
    file = {"filename": "foo-1.0-py3-none-any-cu128.whl", "url": "x.whl", "hashes": {}}
    manifest = {"filename": "foo-1.0-variants.json", "url": "blob/0", "hashes": {}}
    yield json.dumps({"files": [file, manifest]}).encode()


def _html_seeds() -> Iterator[bytes]:
    yield (
        b'<base href="x"><a href="foo-1.0-py3-none-any-cu128.whl#sha256=0">x</a>'
        b'<a href="foo-1.0-variants.json" data-yanked>x</a>'
    )


TARGETS = (
    structured(
        "page-links",
        _check_links,
        st.lists(_ENTRY, max_size=5),
        st.lists(_URL_TEXT, max_size=5),
    ),
    FuzzTarget("page-json", lambda data: _read(_JSON, data), _json_seeds),
    FuzzTarget("page-html", lambda data: _read("text/html", data), _html_seeds),
)
