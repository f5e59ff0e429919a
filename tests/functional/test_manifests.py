"""Where manifests are found, and what happens where they are broken."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Literal

import pytest

from tests.lib.environments import Result
from tests.lib.faults import Fault
from tests.lib.hosts import forced
from tests.lib.index import IndexServer
from tests.lib.manifests import (
    PREVIEW_TORCH,
    SCHEMAS,
    cuda,
    make_manifest,
    manifest_file,
)
from tests.lib.wheels import make_wheel

Pip = Callable[..., Result]
PageFormat = Literal["html", "json"]
MANIFEST = "torch-2.8.0-variants.json"
GPU = forced("12.8")
CHOSEN = "Using torch 2.8.0, variant cu128"


@pytest.fixture
def torch(index: IndexServer) -> IndexServer:
    """Return an index with the preview's torch."""
    index.add_release("torch", "2.8.0", {}, manifest=PREVIEW_TORCH)
    return index


@pytest.mark.parametrize("page_format", ["html", "json"])
@pytest.mark.parametrize("hashes", [True, False])
def test_on_an_index_page(
    pip: Pip, torch: IndexServer, page_format: PageFormat, hashes: bool
) -> None:
    torch.page_format = page_format
    torch.pages.hashes = hashes
    result = pip("install", "torch", "-i", torch.index_url, env=GPU)
    assert CHOSEN in result.stdout


@pytest.mark.parametrize("where", ["links", "directory", "file index"])
def test_elsewhere(pip: Pip, torch: IndexServer, tmp_path: Path, where: str) -> None:
    torch.write_directory(tmp_path / "wheels")
    torch.write_file_index(tmp_path / "simple")
    options = {
        "links": ["--no-index", "--find-links", torch.find_links_url],
        "directory": ["--no-index", "--find-links", str(tmp_path / "wheels")],
        "file index": ["-i", (tmp_path / "simple").as_uri()],
    }[where]
    assert CHOSEN in pip("install", "torch", *options, env=GPU).stdout


@pytest.mark.parametrize("schema", SCHEMAS)
def test_of_each_generation(pip: Pip, index: IndexServer, schema: str) -> None:
    variants = {"cu128": cuda("12.8"), "cu126": cuda("12.6"), "null": {}}
    index.add_release("torch", "2.8.0", variants, schema=schema)
    result = pip("install", "torch", "-i", index.index_url, env=GPU)
    assert CHOSEN in result.stdout


def assert_plain(result: Result, reason: str, version: str = "2.8.0") -> None:
    """Assert that the plain wheel was installed, with one warning that says why."""
    assert f"Using torch {version}, plain wheel" in result.stdout
    assert f"Successfully installed torch-{version}" in result.stdout
    (line,) = result.stderr.splitlines()
    assert line.startswith(f"WARNING: Ignoring the variant wheels of torch {version}: ")
    assert reason in line


BROKEN: Mapping[str, tuple[bytes, str]] = {
    "html": (b"<html>Sorry</html>", "not valid JSON"),
    "list": (b"[]", "the document is a list, not an object"),
    "deep": (b"[" * 100_000, "nested too deeply"),
    "huge": (b" " * (9 << 20), "larger than 2 MiB"),
    "future": (
        json.dumps({**PREVIEW_TORCH, "$schema": "v2.0.0.json"}).encode(),
        "unsupported schema 'v2.0.0.json'",
    ),
    "no variants": (
        json.dumps({**PREVIEW_TORCH, "variants": {}}).encode(),
        "'variants' is empty",
    ),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_one_leaves_plain_wheels(
    pip: Pip, index: IndexServer, name: str
) -> None:
    content, reason = BROKEN[name]
    index.add_release("torch", "2.8.0", {}, manifest=PREVIEW_TORCH, listed=False)
    index.add(manifest_file("torch", "2.8.0", content))
    result = pip("install", "torch", "-i", index.index_url, env=GPU)
    assert_plain(result, reason)


@pytest.fixture
def without_manifest(index: IndexServer) -> IndexServer:
    """Return an index that lists the wheels of the preview's torch alone."""
    index.add_release("torch", "2.8.0", {}, manifest=PREVIEW_TORCH, listed=False)
    # These describe something else.
    index.add(manifest_file("torch", "2.8.0+cu1", PREVIEW_TORCH))
    index.add(manifest_file("torch", "2.8.1", PREVIEW_TORCH))
    wrong = "torch-cuda-2.8.0-variants.json"
    index.add(manifest_file("torch", "2.8.0", PREVIEW_TORCH, filename=wrong))
    return index


@pytest.mark.parametrize("where", ["html", "json", "links", "directory"])
def test_without_one_the_wheels_are_read(
    pip: Pip, without_manifest: IndexServer, tmp_path: Path, where: str
) -> None:
    index = without_manifest
    index.page_format = "json" if where == "json" else "html"
    options = {
        "links": ["--no-index", "--find-links", index.find_links_url],
        "directory": ["--no-index", "--find-links", str(tmp_path)],
    }.get(where, ["-i", index.index_url])
    index.write_directory(tmp_path)
    result = pip("install", "torch", *options, env=GPU)
    assert CHOSEN in result.stdout
    assert result.stderr == ""
    # Only the chosen wheel is downloaded; of the others, nobody asks for the whole.
    whole = [
        request.path
        for request in index.requests
        if request.method == "GET"
        and request.path.endswith(".whl")
        and "range" not in request.headers
    ]
    wheel = "/files/torch-2.8.0-py3-none-any-cu128.whl"
    assert whole == ([] if where == "directory" else [wheel])


@pytest.mark.parametrize("status", [404, 410])
def test_where_it_is_gone_the_wheels_are_read(
    pip: Pip, torch: IndexServer, status: int
) -> None:
    torch.fault(MANIFEST, status=status)
    result = pip("install", "torch", "-i", torch.index_url, env=GPU)
    assert CHOSEN in result.stdout
    assert result.stderr == ""


def test_without_one_and_without_ranges_small_wheels_are_read(
    pip: Pip, without_manifest: IndexServer
) -> None:
    without_manifest.ranges = False
    result = pip("install", "torch", "-i", without_manifest.index_url, env=GPU)
    assert CHOSEN in result.stdout
    assert result.stderr == ""


def test_without_one_and_without_ranges_plain_wheels_are_left(
    pip: Pip, without_manifest: IndexServer
) -> None:
    """As the wheels may be large."""
    without_manifest.hide_sizes()
    options = ["-i", without_manifest.index_url]
    result = pip("install", "torch", *options, env=GPU)
    reason = f"{without_manifest.index_url}torch/ lists no variants manifest, and its"
    assert_plain(result, f"{reason} server does not support range requests")
    assert "or a folder of wheels (--find-links DIR)" in result.stderr
    without_manifest.replace("torch-2.8.0-py3-none-any.whl", requires_python="<3")
    options += ["--force-reinstall"]
    result = pip("install", "torch", *options, code=1, env=GPU)
    assert "× No variant of 'torch' can be checked." in result.stderr
    assert f"      cu129, cu128, cu126, 00000000: {reason} server" in result.stderr
    assert (
        "\n\nhint: To let pip choose, use an index with a valid manifest (--ind"
        in result.stderr
    )


def test_wheels_that_contradict_leave_plain_wheels(
    pip: Pip, without_manifest: IndexServer
) -> None:
    other = make_manifest(
        {"x": {"amd": {"rocm_version": ["6.4"]}}}, namespaces=["amd", "nvidia"]
    )
    without_manifest.add(make_wheel("torch", "2.8.0", label="x", variant_json=other))
    result = pip("install", "torch", "-i", without_manifest.index_url, env=GPU)
    assert_plain(
        result, "rank namespaces differently: ['amd', 'nvidia'] and ['nvidia']"
    )


FAULTS: Mapping[str, tuple[dict[str, Any], str]] = {
    "401": ({"status": 401}, "401 Unauthorized"),
    "a lie about its size": ({"size": 9 << 20}, "larger than 2 MiB"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_failing_fetch_leaves_plain_wheels(
    pip: Pip, torch: IndexServer, name: str
) -> None:
    fault, reason = FAULTS[name]
    torch.fault(MANIFEST, **fault)
    result = pip("install", "torch", "-i", torch.index_url, env=GPU)
    assert_plain(result, reason)


def test_a_failing_fetch_is_tried_again(pip: Pip, torch: IndexServer) -> None:
    torch.fault(MANIFEST, truncate=100, times=2)
    result = pip("install", "torch", "-i", torch.index_url, env=GPU)
    assert CHOSEN in result.stdout
    assert torch.log().count(("GET", f"/files/{MANIFEST}")) == 3


def test_a_wrong_hash_leaves_plain_wheels(pip: Pip, torch: IndexServer) -> None:
    torch.replace(MANIFEST, sha256=hashlib.sha256(b"else").hexdigest())
    result = pip("install", "torch", "-i", torch.index_url, env=GPU)
    assert_plain(result, "its hash does not match the one on the index")
    # The page was read afresh once, and the manifest with it.
    paths = [path for _, path in torch.log()][:4]
    assert paths == ["/simple/torch/", f"/files/{MANIFEST}"] * 2


def test_labels_in_the_manifest_without_wheels_are_ignored(
    pip: Pip, index: IndexServer
) -> None:
    index.add(make_wheel("torch", "2.8.0"))
    index.add(manifest_file("torch", "2.8.0", PREVIEW_TORCH))
    result = pip("install", "torch", "-i", index.index_url, env=GPU)
    assert "Successfully installed torch-2.8.0" in result.stdout
    # Without a variant wheel, nobody needs the manifest.
    assert ("GET", f"/files/{MANIFEST}") not in index.log()


def test_wheels_that_the_manifest_does_not_describe_are_refused(
    pip: Pip, torch: IndexServer
) -> None:
    newer = make_manifest({"cu999": {}}, schema="0.2.0", namespaces=["nvidia"])
    torch.add(make_wheel("torch", "2.8.0", label="cu999", variant_json=newer))
    result = pip("install", "torch", "-i", torch.index_url, env=GPU)
    assert CHOSEN in result.stdout


@pytest.mark.parametrize(
    ("uploaded", "counts"),
    [("2021-12-31T23:59:59Z", True), ("2022-01-01T00:00:00Z", False), (None, False)],
)
def test_one_that_was_uploaded_too_late_is_missing(
    pip: Pip, index: IndexServer, uploaded: str | None, counts: bool
) -> None:
    """The wheels speak for themselves then, as where none is listed."""
    index.page_format = "json"
    index.add_release("torch", "2.8.0", {}, manifest=PREVIEW_TORCH)
    # What is published later makes of the build for CPUs the best one.
    later = {**PREVIEW_TORCH, "variants": {"00000000": {}}}
    index.add(manifest_file("torch", "2.8.0", later))
    for entry in index.projects["torch"]:
        index.replace(entry.file.filename, upload_time="2020-01-01T00:00:00Z")
    index.replace(MANIFEST, upload_time=uploaded)
    limit = ["-i", index.index_url, "--uploaded-prior-to", "2022-01-01T00:00:00Z"]
    result = pip("install", "--dry-run", "torch", *limit, env=GPU)
    chosen = "00000000" if counts else "cu128"
    assert f"Using torch 2.8.0, variant {chosen}" in result.stdout
    said = " ".join(pip("variants", "explain", "torch", *limit, env=GPU).stdout.split())
    told = "the index states no upload time for its variants manifest"
    if uploaded is not None:
        told = "--uploaded-prior-to excludes its manifest of 202"
    assert (told in said) != counts, said


def test_one_that_was_replaced_too_late_is_missing(
    pip: Pip, index: IndexServer
) -> None:
    """A page that is read afresh may tell of another upload."""
    index.page_format = "json"
    index.add_release("torch", "2.8.0", {}, manifest=PREVIEW_TORCH)
    for entry in index.projects["torch"]:
        index.replace(entry.file.filename, upload_time="2020-01-01T00:00:00Z")
    index.replace(MANIFEST, sha256="0" * 64)
    url = "/simple/torch/"
    stale = index.project_json("torch", index.pages, lambda e: index.file_url(e.path))
    headers = {"Content-Type": "application/vnd.pypi.simple.v1+json"}
    later = {**PREVIEW_TORCH, "variants": {"00000000": {}}}
    index.add(
        manifest_file("torch", "2.8.0", later), upload_time="2024-01-01T00:00:00Z"
    )
    options = ["-i", index.index_url, "--uploaded-prior-to", "2022-01-01"]
    index.faults[url] = Fault(body=stale.encode(), headers=headers, times=1)
    result = pip("install", "--dry-run", "torch", *options, env=GPU)
    assert CHOSEN in result.stdout, result
    assert index.log().count(("GET", url)) == 2
