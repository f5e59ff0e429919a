"""What is read from servers that do not answer as they should."""

from __future__ import annotations

import gc
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from pip._internal.models.link import Link
from pip._internal.network.session import PipSession
from pip._internal.variants.index.remote_wheels import remote_wheel
from pip._internal.variants.index.sources import ManifestUnavailable, fetch_manifest
from tests.lib.faults import Fault
from tests.lib.index import IndexServer
from tests.lib.manifests import PREVIEW_TORCH, variant_json

MANIFEST, WHEEL = "torch-2.8.0-variants.json", "torch-2.8.0-py3-none-any-cu128.whl"


@pytest.fixture
def torch(index: IndexServer) -> IndexServer:
    """Return an index with the preview's torch."""
    index.add_release("torch", "2.8.0", {}, manifest=PREVIEW_TORCH)
    return index


@pytest.fixture
def session() -> Iterator[PipSession]:
    """Return a session that tries nothing twice."""
    with PipSession(retries=0) as session:
        yield session
    # Upstream's reader of a wheel leaves its temporary file to this.
    gc.collect()


pytestmark = [
    pytest.mark.filterwarnings(f"ignore:{text}")
    for text in ("unclosed:ResourceWarning", "Exception ignored in")
]


def test_a_wheel_that_breaks_off_is_asked_for_again(
    torch: IndexServer, session: PipSession
) -> None:
    torch.fault(WHEEL, truncate=10, methods=("GET",), times=2)
    dist = remote_wheel(session, Link(torch.file_url(WHEEL)))
    assert json.loads(dist.read_text("variant.json")) == variant_json(
        PREVIEW_TORCH, "cu128"
    )


def link(torch: IndexServer, sha256: str, page: str | None = None) -> Link:
    return Link(f"{torch.file_url(MANIFEST)}#sha256={sha256}", comes_from=page)


def test_a_wrong_hash_is_compared_with_the_page_as_it_is_now(
    torch: IndexServer, session: PipSession
) -> None:
    torch.page_format = "html"
    page = f"{torch.index_url}torch/"
    wrong = "0" * 64
    found = fetch_manifest(session, link(torch, wrong, page))
    assert "cu128" in found.variants
    for given, fault in (
        (link(torch, wrong), None),
        (link(torch, wrong, page), Fault(status=404)),
        (link(torch, wrong, page), Fault(body=b"<a href='other.whl'>other</a>")),
    ):
        if fault is not None:
            torch.faults["/simple/torch/"] = fault
        with pytest.raises(ManifestUnavailable, match="hash does not match"):
            fetch_manifest(session, given)


def test_what_is_damaged_in_the_cache_is_fetched_anew(
    tls_index: IndexServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for variable in ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"):
        monkeypatch.delenv(variable, raising=False)
    tls_index.add_release("torch", "2.8.0", {}, manifest=PREVIEW_TORCH)
    entry = next(e for e in tls_index.projects["torch"] if e.file.filename == MANIFEST)
    given = link(tls_index, entry.file.sha256)
    with PipSession(cache=str(tmp_path / "cache"), retries=0) as session:
        session.verify = str(tls_index.certificates)
        first = fetch_manifest(session, given)
        tls_index.requests.clear()
        assert fetch_manifest(session, given) == first
        assert tls_index.log() == []
        unhashed = Link(given.url_without_fragment)
        (body,) = (tmp_path / "cache").rglob("*.body")
        for damage in (b"", b"{}"):
            body.write_bytes(damage)
            assert fetch_manifest(session, unhashed).variants == first.variants
