"""The loopback index answers as its options say and logs what it was asked."""

from __future__ import annotations

import gzip
import http.client
import json
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import cast
from urllib.parse import urljoin

import pytest

from tests.lib.index import IndexServer
from tests.lib.repository import JSON_TYPE, Entry
from tests.lib.wheels import DistFile, make_wheel


def _get(url: str, **headers: str) -> tuple[int, bytes, dict[str, str]]:
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    try:
        with urllib.request.urlopen(urllib.request.Request(url, headers=names)) as got:
            return got.status, got.read(), dict(got.headers)
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read(), dict(error.headers)


@pytest.fixture
def filled(index: IndexServer) -> IndexServer:
    index.add_release("My.Pkg", "1.0", {"a": ["x86_64 :: level :: v3"], "null": {}})
    return index


def test_html_and_json_by_accept_header(filled: IndexServer) -> None:
    _, page, headers = _get(f"{filled.index_url}my-pkg/")
    assert headers["Content-Type"].endswith("html")
    assert b"/files/my_pkg-1.0-variants.json#sha256=" in page
    _, page, _ = _get(f"{filled.index_url}my-pkg/", Accept=JSON_TYPE)
    files = json.loads(page)["files"]
    assert [file["filename"] for file in files] == [
        "my_pkg-1.0-py3-none-any-a.whl",
        "my_pkg-1.0-py3-none-any-null.whl",
        "my_pkg-1.0-py3-none-any.whl",
        "my_pkg-1.0-variants.json",
    ]
    filled.page_format = "html"
    _, page, headers = _get(f"{filled.index_url}my-pkg/", Accept=JSON_TYPE)
    assert headers["Content-Type"].endswith("html")
    assert filled.log() == [("GET", "/simple/my-pkg/")] * 3


def test_links_lead_to_files_from_every_page(filled: IndexServer) -> None:
    filled.relative_urls = filled.redirect_pages = True
    for page in (f"{filled.index_url}my-pkg/", filled.find_links_url):
        with urllib.request.urlopen(page) as got:
            base, text = got.url, got.read().decode()
        href = text.split('href="')[1].split('"')[0].split("#")[0]
        assert href.startswith("../")
        status, body, _ = _get(urljoin(base, href))
        assert (status, body[:2]) == (200, b"PK")


def test_core_metadata_on_and_off(filled: IndexServer) -> None:
    url = filled.file_url("my_pkg-1.0-py3-none-any.whl") + ".metadata"
    assert b"Name: My.Pkg" in _get(url)[1]
    filled.pages.core_metadata = False
    assert _get(url)[0] == 404
    assert b"core-metadata" not in _get(f"{filled.index_url}my-pkg/")[1]


def test_ranges(filled: IndexServer) -> None:
    url = filled.file_url("my_pkg-1.0-py3-none-any.whl")
    content = _get(url)[1]
    status, body, headers = _get(url, Range="bytes=2-5")
    assert (status, body) == (206, content[2:6])
    assert headers["Content-Range"] == f"bytes 2-5/{len(content)}"
    assert _get(url, Range="bytes=-4")[1] == content[-4:]
    filled.ranges = False
    assert _get(url, Range="bytes=2-5")[:2] == (200, content)


def test_revalidation(filled: IndexServer) -> None:
    url = f"{filled.index_url}my-pkg/"
    etag = _get(url)[2]["ETag"]
    assert _get(url, If_None_Match=etag)[0] == 304
    filled.add(make_wheel("my-pkg", "2.0"))
    assert _get(url, If_None_Match=etag)[0] == 200


def test_content_addressed_url(index: IndexServer) -> None:
    index.add(make_wheel("pkg", "1"), content_addressed=True)
    url = index.file_url("pkg-1-py3-none-any.whl")
    assert "pkg" not in url
    assert _get(url)[1] == make_wheel("pkg", "1").content


def test_faults(filled: IndexServer) -> None:
    name = "my_pkg-1.0-variants.json"
    url = filled.file_url(name)
    filled.fault(name, status=503, times=2)
    assert [_get(url)[0] for _ in range(3)] == [503, 503, 200]
    filled.fault(name, body=b"<html>")
    assert _get(url)[1] == b"<html>"
    filled.fault(name, size=1 << 20)
    assert len(_get(url)[1]) == 1 << 20
    filled.fault(name, truncate=10)
    with pytest.raises(http.client.IncompleteRead):
        _get(url)


def test_basic_auth(filled: IndexServer) -> None:
    filled.auth = ("user", "pass:word")
    url = f"{filled.index_url}my-pkg/"
    assert _get(url)[0] == 401
    assert _get(url, Authorization="Basic dXNlcjpwYXNzOndvcmQ=")[0] == 200


def test_folders(filled: IndexServer, tmp_path: Path) -> None:
    names = {file.name for file in filled.write_directory(tmp_path / "flat").iterdir()}
    assert "my_pkg-1.0-variants.json" in names
    page = filled.write_file_index(tmp_path / "tree") / "my-pkg" / "index.html"
    assert 'href="my_pkg-1.0-variants.json#sha256=' in page.read_text()
    assert {file.name for file in page.parent.iterdir()} == {*names, "index.html"}


def test_compressed_pages(filled: IndexServer) -> None:
    url = f"{filled.index_url}my-pkg/"
    plain = _get(url, Accept_Encoding="gzip")[1]
    filled.compresses = True
    status, body, headers = _get(url, Accept_Encoding="gzip")
    assert (status, headers["Content-Encoding"]) == (200, "gzip")
    assert gzip.decompress(body) == plain
    assert _get(url)[1] == plain
    _, _, of_file = _get(filled.file_url("my_pkg-1.0-variants.json"))
    assert "Content-Encoding" not in of_file


def test_files_on_another_port() -> None:
    server = IndexServer()
    server.files_apart = True
    server.add(make_wheel("pkg", "1"))
    with server:
        assert server.files_url != server.url
        page = _get(f"{server.index_url}pkg/")[1].decode()
        assert f'href="{server.file_url("pkg-1-py3-none-any.whl")}' in page
        assert _get(server.file_url("pkg-1-py3-none-any.whl"))[1][:2] == b"PK"


def test_what_is_fixed_is_computed_once(filled: IndexServer) -> None:
    filled.is_fixed = True
    page = _get(f"{filled.index_url}my-pkg/")
    filled.add(make_wheel("my-pkg", "2.0"))
    assert _get(f"{filled.index_url}my-pkg/")[1] == page[1]
    filled.pages.core_metadata = False
    assert b"my_pkg-2.0" in _get(f"{filled.index_url}my-pkg/")[1]


class Zeros:
    """Content that is nowhere."""

    def __init__(self, size: int) -> None:
        self.size = size

    def __len__(self) -> int:
        return self.size

    def __getitem__(self, part: slice, /) -> Zeros:
        return Zeros(len(range(*part.indices(self.size))))

    def __bytes__(self) -> bytes:
        assert self.size <= 1 << 18, "it is read in blocks"
        return bytes(self.size)


def test_what_is_not_in_memory(index: IndexServer) -> None:
    file = DistFile(
        "large", "1", "large-1-py3-none-any.whl", cast(bytes, Zeros(1 << 20))
    )
    index.projects["large"] = [Entry(file, sha256="0" * 64)]
    url = index.file_url(file.filename)
    assert _get(url)[1] == bytes(1 << 20)
    assert _get(url, Range="bytes=-5")[:2] == (206, bytes(5))
    assert [(each.status, each.sent) for each in index.exchanges] == [
        (200, 1 << 20),
        (206, 5),
    ]


def test_as_slow_as_wanted(filled: IndexServer) -> None:
    url = filled.file_url("my_pkg-1.0-py3-none-any.whl")
    size = len(_get(url)[1])
    filled.delay, filled.line.rate = 0.1, size / 0.2
    begun = time.monotonic()
    _get(url)
    assert time.monotonic() - begun > 0.2


def test_several_indexes(make_index: Callable[[], IndexServer]) -> None:
    assert make_index().url != make_index().url


def test_a_log_knows_nothing_of_what_was_left_before(filled: IndexServer) -> None:
    left = http.client.HTTPConnection("127.0.0.1", filled.port)
    left.connect()
    filled.fault("my_pkg-1.0-variants.json", status=503, times=1)
    path = filled.file_path("my_pkg-1.0-variants.json")
    left.request("HEAD", "/simple/")
    left.getresponse().read()
    filled.clear_log()
    left.request("GET", path)
    assert left.getresponse().status == 410
    left.close()
    assert filled.log() == []
    assert _get(filled.files_url + path)[0] == 503, "the fault is still there"
    assert filled.log() == [("GET", path)]
    assert len(filled.exchanges) == 1
