"""Pages that are read fast, beside upstream's way with the same pages."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pip._internal.fast.pages import all_links, links_of_page, listed_size
from pip._internal.index.collector import IndexContent, LinkCollector, parse_links
from pip._internal.index.package_finder import PackageFinder
from pip._internal.models.candidate import InstallationCandidate
from pip._internal.models.format_control import FormatControl
from pip._internal.models.link import Link
from pip._internal.models.search_scope import SearchScope
from pip._internal.models.selection_prefs import SelectionPreferences
from pip._internal.models.target_python import TargetPython
from pip._internal.network.session import PipSession

_PAGE = "https://index.test/simple/thing/"
_JSON = "application/vnd.pypi.simple.v1+json"

_NAMES = st.one_of(
    st.builds(
        "{}-{}{}-{}-{}-{}.whl".format,
        st.sampled_from(["thing", "Thing", "th.ing", "other", "thi__ng"]),
        st.sampled_from(["1.0", "1.0+local", "2.0a1", "1.x", "3!1", "1" * 300]),
        st.sampled_from(["", "", "-7", "-7a", "-x", "-1-2"]),
        st.sampled_from(
            ["py3", "cp311", "py2.py3", "cp27", "CP311", "", "py 3", "p\xfc"]
        ),
        st.sampled_from(["none", "abi3", "cp27m", "none.abi3", "none..abi3"]),
        st.sampled_from(["any", "win_amd64", "any.win_amd64", "ANY", "", "any-label"]),
    ),
    st.sampled_from(
        [
            *("thing-1.0.tar.gz", "thing-1.0.exe", "thing-1.0.egg", "thing-1.0.zip"),
            *("thing-1.0-variants.json", ".whl", "..", "", "a b.whl", "%2e%2e"),
            *("C:x.whl", "thing-1.0.tar.gz.", "a\\b.whl", "x?y", "\n"),
            "thing-1.0-py2-none-any.WHL",
        ]
    ),
    st.text(max_size=8),
)
_BEFORE_NAME = st.sampled_from(
    [
        *("https://files.test/a/b/", "http://files.test:8080/", "HTTPS://FILES.test/"),
        *("https://files.test//a//", "https://user:pw@files.test/", "https://[::1]/"),
        *("https://[bad/", "https://files.test:x/", "https://\u2100/", "https:/"),
        *("https://files.test/a/../b/./", "https://files.test", "https:///", "", "?"),
        *("../../files/", "/files/", "//files.test/", "file:///tmp/", "file:/", "c:\\"),
        *("https://files.test/%41/", "https://files.test/%2f/", "\\\\share\\"),
        *(
            "https://files.test/a b/",
            "https://files.test/\xe9/",
            "https://fi\tles.test/",
        ),
        *("https://files.test/a@b/", "https://files.test/a;b/", "git+https://x.test/"),
        *("https://files.test/+f/", "https://files.test/a?b=/", "https://x.test/#/"),
        *(" https://files.test/", "https://files.test/x-py2-none-win_amd64.whl/"),
    ]
)
_AFTER_NAME = st.sampled_from(
    [
        *("", "", "", "#", "#sha256=00ff", "#sha256=00FF", "#sha256=", "#md5=00", "?"),
        *("/", "//", "#sha256=00&egg=thing", "#egg=thing", "#egg=th ing", "?a=b", "%"),
        *("#sha256=0g", "#sha256=00#sha512=00", "#subdirectory=x&sha1=0", "\n", " "),
        "#x\u2100",
    ]
)


@st.composite
def _urls(draw: st.DrawFn, name: str) -> str:
    quoted = draw(st.sampled_from([name, name.replace("+", "%2B"), name + "x"]))
    return draw(_BEFORE_NAME) + quoted + draw(_AFTER_NAME)


_ODD: Sequence[Any] = (None, False, True, 0, 7, "", "x", [], ["x"], {}, {"x": 1})
_DIGESTS = (
    {"sha256": "0a"},
    {"sha256": "0a", "md5": "1"},
    {"blake": "7"},
    {"md5": None},
)
_TIMES = ("2026-01-01T00:00:00.000000Z", "2026-01-01T00:00:00Z", "2026-99-01T00:00Z")
_MORE: dict[str, Sequence[Any]] = {
    "hashes": _DIGESTS,
    "core-metadata": _DIGESTS,
    "dist-info-metadata": _DIGESTS,
    "yanked": (),
    "requires-python": (">=3.8", "<3", "nonsense", ">=3.8,<4"),
    "size": (12,),
    "upload-time": _TIMES,
}


@st.composite
def _files(draw: st.DrawFn) -> Any:
    name = draw(_NAMES)
    file: dict[str, Any] = {"filename": name, "url": draw(_urls(name))}
    # Mostly, only a few things are odd.
    for key in draw(st.lists(st.sampled_from(list(_MORE)), max_size=3)):
        file[key] = draw(st.sampled_from([*_ODD, *_MORE[key]]))
    if draw(st.integers(0, 9)) == 0:
        file[draw(st.sampled_from(["filename", "url"]))] = draw(st.sampled_from(_ODD))
    return file


_PAGES = st.lists(st.one_of(_files(), _files(), _files()), max_size=6)


def _finder(**preferences: Any) -> PackageFinder:
    scope = SearchScope.create([], [], no_index=True)
    collector = LinkCollector(PipSession(), scope)
    target = TargetPython(
        platforms=["any", "linux_x86_64"], py_version_info=(3, 11), abis=None
    )
    return PackageFinder.create(
        collector, SelectionPreferences(**{"allow_yanked": True, **preferences}), target
    )


_FINDER = _finder()


def _page(files: Any, **changes: Any) -> IndexContent:
    content = json.dumps({"files": files}).encode()
    options: dict[str, Any] = {
        "content_type": _JSON,
        "encoding": None,
        "url": _PAGE,
        "cache_link_parsing": False,
        **changes,
    }
    return IndexContent(content, **options)


def _read(page: IndexContent, finder: PackageFinder = _FINDER) -> list[Link]:
    return links_of_page(parse_links, page, finder.target_python)


def _told(link: Link) -> dict[str, Any]:
    """Return all that there is to know of a link."""
    asked = (
        "filename ext is_wheel url_without_fragment show_url is_yanked has_hash hash"
    )
    return {name: getattr(link, name) for name in [*Link.__slots__, *asked.split()]} | {
        "hash": hash(link),
        "digests": list(link._hashes.items()),
        "text": str(link),
        "splitext": link.splitext(),
        "metadata": link.metadata_link() and link.metadata_link().url,  # type: ignore[union-attr]
    }


@pytest.mark.parametrize(("size", "listed"), [(7, 7), (-1, None), (10**400, None)])
def test_sizes(size: int, listed: int | None) -> None:
    """Stock pip knows none, so none may make pip fail."""
    url = f"https://files.test/{len(str(size))}/thing-1.0-py3-none-any.whl"
    file = {"filename": "thing-1.0-py3-none-any.whl", "url": url, "size": size}
    assert [*map(listed_size, _read(_page([file])))] == [listed]


def _candidates(
    finder: PackageFinder, links: Sequence[Link]
) -> list[InstallationCandidate]:
    evaluator = finder.make_link_evaluator("thing")
    return PackageFinder.evaluate_links(finder, evaluator, links)


def _outcome(what: Any, *args: Any) -> Any:
    try:
        return what(*args)
    except Exception as error:
        return type(error), str(error)


@given(_PAGES)
@example([{"filename": "thing-1.0-py3-none-any.whl", "url": ".."}])
def test_links_are_those_of_upstream(files: Any) -> None:
    def upstreams() -> list[dict[str, Any]]:
        return [_told(link) for link in parse_links(_page(files))]

    def ours() -> list[dict[str, Any]]:
        return [_told(link) for link in all_links(_read(_page(files)))]

    def kept() -> list[dict[str, Any]]:
        return [_told(link) for link in _read(_page(files))]

    everything = _outcome(upstreams)
    if isinstance(everything, tuple):
        # Where stock pip fails for a file that does not suit, this pip goes on.
        return
    assert _outcome(ours) == everything
    # What is kept is as it was, in the same order.
    left = iter(everything)
    assert all(one in left for one in kept())


@given(
    _PAGES,
    st.booleans(),
    st.booleans(),
    st.sampled_from([(), ("thing",), (":all:",)]),
    st.sampled_from([(), (":all:",)]),
)
def test_candidates_are_those_of_upstream(
    files: Any,
    allow_yanked: bool,
    ignore_requires_python: bool,
    no_binary: Sequence[str],
    only_binary: Sequence[str],
) -> None:
    finders = [
        _finder(
            allow_yanked=allow_yanked,
            ignore_requires_python=ignore_requires_python,
            format_control=FormatControl(set(no_binary), set(only_binary)),
        )
        for _ in range(2)
    ]

    def by_upstream(page: IndexContent, _: PackageFinder) -> list[Link]:
        return list(parse_links(page))

    def found(finder: PackageFinder, read: Callable[..., list[Link]]) -> Any:
        candidates = _candidates(finder, read(_page(files), finder))
        return [(each, _told(each.link)) for each in candidates]

    fast, slow = map(_outcome, (found, found), finders, (_read, by_upstream))
    if isinstance(slow, tuple):
        return
    assert fast == slow
    reasons = [finder.requires_python_skipped_reasons() for finder in finders]
    assert reasons[0] == reasons[1]


def _file(name: str) -> dict[str, Any]:
    return {"filename": name, "url": f"https://files.test/{name}"}


_FOREIGN = "thing-1.0-cp27-cp27m-win_amd64.whl"
_SUITABLE = "thing-1.0-py3-none-any.whl"


def test_a_wheel_that_does_not_suit_has_no_link() -> None:
    page = _page([_file(_FOREIGN), _file(_SUITABLE), _file("thing-1.0.tar.gz")])
    links = _read(page)
    assert [link.filename for link in links] == [_SUITABLE, "thing-1.0.tar.gz"]
    assert [link.filename for link in all_links(links)] == [
        _FOREIGN,
        _SUITABLE,
        "thing-1.0.tar.gz",
    ]


def test_a_query_is_no_name() -> None:
    file = _file(_SUITABLE)
    file["url"] += f"?name=/{_FOREIGN}"
    assert [link.filename for link in _read(_page([file]))] == [_SUITABLE]


def test_no_link_is_left_out_where_each_is_logged(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with caplog.at_level(logging.DEBUG, logger="pip._internal.fast.pages"):
        links = _read(_page([_file(_FOREIGN), _file(_SUITABLE)]))
    assert len(links) == 2
    assert not logging.getLogger("pip._internal.index.package_finder").filters


def test_a_name_with_more_parts_is_not_judged() -> None:
    names = [
        "thing-1.0-7-cp27-cp27m-win_amd64.whl",
        "thing-1.0-cp27-cp27m-win_amd64-more.whl",
    ]
    assert len(_read(_page([_file(name) for name in names]))) == 2


def test_other_pages_are_read_by_upstream() -> None:
    files = [_file(_FOREIGN), _file(_SUITABLE)]
    assert len(_read(_page(files, cache_link_parsing=True))) == 2
    html = f"<a href='https://files.test/{_FOREIGN}'>x</a>".encode()
    links = _read(IndexContent(html, "text/html", None, _PAGE, False))
    assert [type(link) for link in links] == [Link]
