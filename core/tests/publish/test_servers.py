"""Pages and wheels on servers with faults."""

from __future__ import annotations

import argparse
import base64
import io
import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.lib.faults import Fault
from tests.lib.index import IndexServer
from tests.lib.manifests import PREVIEW_TORCH
from tests.lib.repository import JSON_TYPE
from tests.lib.tls import use_tls
from wheel_variants.publish import http
from wheel_variants.publish.errors import NothingFound
from wheel_variants.publish.http import (
    HttpSession,
    NoRangeSupport,
    RemoteFile,
    Unavailable,
)
from wheel_variants.publish.pages import project_pages, read_page
from wheel_variants.publish.wheels import WheelName, wheel_in

MANIFEST, WHEEL = "torch-2.8.0-variants.json", "torch-2.8.0-py3-none-any-cu128.whl"
MakeSession = Callable[..., HttpSession]


@pytest.fixture
def torch() -> Iterator[IndexServer]:
    """Return an index with the preview's torch."""
    with IndexServer() as server:
        server.add_release("torch", "2.8.0", {}, manifest=PREVIEW_TORCH)
        yield server


@pytest.fixture
def tls_index(tmp_path: Path) -> Iterator[IndexServer]:
    """Return an index with TLS and the preview's torch."""
    server = IndexServer()
    use_tls(server, tmp_path)
    server.add_release("torch", "2.8.0", {}, manifest=PREVIEW_TORCH)
    with server:
        yield server


@pytest.fixture
def make_session(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> MakeSession:
    """Return a function that creates a session with command-line options."""
    for name in ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "NETRC"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    parser = argparse.ArgumentParser()
    http.add_http_options(parser)
    return lambda *words: HttpSession(parser.parse_args(["--retries", "0", *words]))


@pytest.fixture
def session(make_session: MakeSession) -> Iterator[HttpSession]:
    """Return a session that retries no request."""
    with make_session() as session:
        yield session


#: What is wrong with a wheel's server, and the error.
WHEELS: Mapping[str, tuple[Mapping[str, Any], type[Exception], str]] = {
    "missing": ({"status": 404}, Unavailable, "404 Not Found"),
    "a part is forbidden": (
        {"status": 403, "methods": ("GET",)},
        Unavailable,
        "403 Forbidden",
    ),
    "whole files only": ({"whole": True, "methods": ("GET",)}, NoRangeSupport, "^$"),
    "no length": (
        {"headers": {"Content-Length": ""}, "methods": ("HEAD",)},
        NoRangeSupport,
        "^$",
    ),
    "a length of many digits": (
        {"headers": {"Content-Length": "9" * 5000}, "methods": ("HEAD",)},
        NoRangeSupport,
        "^$",
    ),
    "another part": ({"shift": 1}, NoRangeSupport, "^$"),
    "parts that end early": (
        {"truncate": 10, "methods": ("GET",)},
        Unavailable,
        "IncompleteRead|broken",
    ),
    "a redirect to nowhere": (
        {"status": 302, "headers": {"Location": "http://["}},
        Unavailable,
        ".",
    ),
}


@pytest.mark.parametrize("case", WHEELS)
def test_wheels(torch: IndexServer, session: HttpSession, case: str) -> None:
    fault, error, problem = WHEELS[case]
    torch.fault(WHEEL, **fault)
    with pytest.raises(error, match=problem):
        io.BufferedReader(RemoteFile(session, torch.file_url(WHEEL))).read(100)


def test_parts_of_a_wheel(torch: IndexServer, session: HttpSession) -> None:
    file = io.BufferedReader(RemoteFile(session, torch.file_url(WHEEL)))
    with wheel_in(file, WheelName(WHEEL)) as wheel:
        data = wheel.read("variant.json")
    assert data is not None
    assert list(json.loads(data)["variants"]) == ["cu128"]
    assert {each.method for each in torch.requests} == {"HEAD", "GET"}
    assert all("range" in e.headers for e in torch.requests if e.method == "GET")


def test_no_more_of_a_wheel_than_its_metadata_takes(
    torch: IndexServer, session: HttpSession
) -> None:
    large = {"Content-Length": str(1 << 40)}
    torch.fault(WHEEL, headers=large, methods=("HEAD",))
    file = RemoteFile(session, torch.file_url(WHEEL))
    with pytest.raises(Unavailable, match="more than 8 MiB"):
        file.readinto(bytearray((8 << 20) + 1))


def test_a_body_that_never_ends(
    torch: IndexServer, session: HttpSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http, "_MAX_TIME", 0.2)
    torch.fault(MANIFEST, pace=0.1, size=1 << 20)
    with pytest.raises(Unavailable, match="did not arrive within"):
        session.fetch(torch.file_url(MANIFEST), 1 << 21, "*/*")


def test_pages_of_a_project(torch: IndexServer, session: HttpSession) -> None:
    """Other files on a page are left out, or reported with their problem."""
    names = [
        *("torch-2.8.0.tar.gz", "torch-2.8.0.zip", "torch.zip", "torch-x.tar.gz"),
        *("notes.txt", "torch-2.8.0-x.whl", "torch-x-variants.json"),
        *(WHEEL, WHEEL, MANIFEST),
    ]
    links = "".join(f"<a href='/files/{name}'>{name}</a>" for name in names)
    torch.faults["/simple/torch/"] = Fault(body=links.encode())
    torch.page_format = "html"
    (place,) = project_pages(session, f"{torch.index_url}torch/")
    assert list(place.misnamed) == ["torch-2.8.0-x.whl", "torch-x-variants.json"]
    (release,) = place.releases.values()
    assert release.sdists == ["torch-2.8.0.tar.gz", "torch-2.8.0.zip"]
    assert [each.filename for each in release.wheels] == [WHEEL]
    assert release.manifest_name == MANIFEST


@pytest.mark.parametrize("form", ["html", "json"])
def test_a_server_has_no_say_about_files_here(
    torch: IndexServer, session: HttpSession, form: str
) -> None:
    file = {"filename": WHEEL, "url": "file:///dev/zero", "hashes": {}}
    bodies = {
        "html": "<base href='file:///dev/'><a href='zero/x-1-py3-none-any.whl'>x</a>"
        "<a href='/dev/y/'>y</a>",
        "json": json.dumps({"files": [file], "projects": [{"name": "file:///dev"}]}),
    }
    headers = {"Content-Type": JSON_TYPE if form == "json" else "text/html"}
    fault = Fault(body=bodies[form].encode(), headers=headers)
    torch.faults["/simple/torch/"] = fault
    page = read_page(session, f"{torch.index_url}torch/")
    assert (page.links, page.projects) == ({}, [])


def test_pages_that_are_none(torch: IndexServer, session: HttpSession) -> None:
    with pytest.raises(
        NothingFound, match="cannot be fetched: the server answered 404"
    ):
        list(project_pages(session, f"{torch.index_url}missing/"))


def test_credentials_of_a_page_are_those_of_its_links(
    torch: IndexServer, session: HttpSession
) -> None:
    """Links work without repeating the credentials; no message has the credentials."""
    url = torch.index_url.replace("://", "://user:p%40ss@")
    page = read_page(session, f"{url}torch/")
    session.fetch(torch.file_url(MANIFEST), 1 << 20, "*/*")
    wanted = f"Basic {base64.b64encode(b'user:p@ss').decode()}"
    assert {each.headers["authorization"] for each in torch.requests} == {wanted}
    assert "p%40ss" not in page.name
    with pytest.raises(NothingFound) as raised:
        list(project_pages(session, f"{url}missing/"))
    assert "p%40ss" not in raised.value.message


def test_netrc(torch: IndexServer, session: HttpSession, tmp_path: Path) -> None:
    netrc = tmp_path / ".netrc"
    netrc.write_text(f"machine {torch.host} login user password secret\n")
    netrc.chmod(0o600)
    read_page(session, f"{torch.index_url}torch/")
    assert "authorization" in torch.requests[-1].headers


def test_certificates(tls_index: IndexServer, make_session: MakeSession) -> None:
    url = f"{tls_index.index_url}torch/"
    with make_session() as session, pytest.raises(Unavailable, match="CERTIFICATE"):
        read_page(session, url)
    for words in (
        ["--cert", str(tls_index.certificates)],
        ["--trusted-host", tls_index.host],
    ):
        with make_session(*words) as session:
            assert read_page(session, url).links


def test_a_proxy(
    torch: IndexServer, make_session: MakeSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The option takes precedence over the environment variables."""
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:1")
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    with make_session("--proxy", torch.url.rstrip("/")) as session:
        read_page(session, "http://index.invalid/simple/torch/")
    assert torch.requests[-1].path.endswith("/simple/torch/")


def test_more_than_was_asked_for(torch: IndexServer, session: HttpSession) -> None:
    file = RemoteFile(session, torch.file_url(WHEEL))
    torch.fault(WHEEL, body=b"\0" * (1 << 20), methods=("GET",), status=206)
    with pytest.raises((Unavailable, NoRangeSupport)):
        file.readinto(bytearray(100))
    torch.fault(MANIFEST, size=3 << 20)
    with pytest.raises(Unavailable, match="more than 2 MiB"):
        session.fetch(torch.file_url(MANIFEST), 2 << 20, "*/*")
