"""Where manifests are found, and what happens where they are broken."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Literal

import pytest

from tests.lib.environments import Environment, Result
from tests.lib.faults import Fault
from tests.lib.hosts import forced
from tests.lib.index import IndexServer
from tests.lib.manifest_rows import ROWS, good_document
from tests.lib.manifests import (
    PREVIEW_TORCH,
    SCHEMAS,
    cuda,
    make_manifest,
    manifest_file,
)
from tests.lib.publisher import Publisher
from tests.lib.wheels import make_wheel

Pip = Callable[..., Result]
PageFormat = Literal["html", "json"]
MANIFEST = "torch-2.8.0-variants.json"
GPU = forced("12.8")
CHOSEN = "Using the variant cu128 of torch 2.8.0"


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


def test_at_a_content_addressed_url(pip: Pip, index: IndexServer) -> None:
    index.page_format = "json"
    index.add_release("torch", "2.8.0", {}, manifest=PREVIEW_TORCH, listed=False)
    index.add(manifest_file("torch", "2.8.0", PREVIEW_TORCH), content_addressed=True)
    result = pip("install", "torch", "-i", index.index_url, env=GPU)
    assert CHOSEN in result.stdout


def test_on_a_find_links_page(pip: Pip, torch: IndexServer) -> None:
    options = ["--no-index", "--find-links", torch.find_links_url]
    assert CHOSEN in pip("install", "torch", *options, env=GPU).stdout


def test_in_a_directory(pip: Pip, torch: IndexServer, tmp_path: Path) -> None:
    torch.write_directory(tmp_path / "wheels")
    options = ["--no-index", "--find-links", tmp_path / "wheels"]
    assert CHOSEN in pip("install", "torch", *options, env=GPU).stdout


def test_in_a_file_index(pip: Pip, torch: IndexServer, tmp_path: Path) -> None:
    torch.write_file_index(tmp_path / "simple")
    options = ["-i", (tmp_path / "simple").as_uri()]
    assert CHOSEN in pip("install", "torch", *options, env=GPU).stdout


@pytest.mark.parametrize("schema", SCHEMAS)
def test_of_each_generation(pip: Pip, index: IndexServer, schema: str) -> None:
    variants = {"cu128": cuda("12.8"), "cu126": cuda("12.6"), "null": {}}
    index.add_release("torch", "2.8.0", variants, schema=schema)
    result = pip("install", "torch", "-i", index.index_url, env=GPU)
    assert CHOSEN in result.stdout


@pytest.mark.parametrize(
    "filename",
    ["Torch-2.8-variants.json", "torch-2.8.0.0-variants.json"],
)
def test_under_another_spelling(pip: Pip, index: IndexServer, filename: str) -> None:
    index.add_release("torch", "2.8.0", {}, manifest=PREVIEW_TORCH, listed=False)
    index.add(manifest_file("torch", "2.8.0", PREVIEW_TORCH, filename=filename))
    assert CHOSEN in pip("install", "torch", "-i", index.index_url, env=GPU).stdout


def assert_plain(result: Result, reason: str, version: str = "2.8.0") -> None:
    """Assert that the plain wheel was installed, with one warning that says why."""
    assert f"Using a plain build of torch {version}" in result.stdout
    assert f"Successfully installed torch-{version}" in result.stdout
    (line,) = result.stderr.splitlines()
    assert line.startswith(f"WARNING: Ignoring the variant wheels of torch {version}: ")
    assert reason in line


BROKEN: Mapping[str, tuple[bytes, str]] = {
    "empty": (b"", "it is not JSON"),
    "html": (b"<html>Sorry</html>", "it is not JSON"),
    "truncated": (json.dumps(PREVIEW_TORCH).encode()[:-1], "it is not JSON"),
    "list": (b"[]", "it is a list, not an object"),
    "deep": (b"[" * 100_000, "nested too deeply"),
    "huge": (b" " * (9 << 20), "larger than 2 MiB"),
    "future": (
        json.dumps({**PREVIEW_TORCH, "$schema": "v2.0.0.json"}).encode(),
        "its schema is not supported: 'v2.0.0.json'",
    ),
    "no variants": (
        json.dumps({**PREVIEW_TORCH, "variants": {}}).encode(),
        "it lists no variants",
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


#: Some rows of the table of rules, of each kind.
TRIED = (
    "empty orders in 0.0.2",
    "empty static lists in 0.0.3",
    "null with an empty namespace",
    "a number for a schema",
    "a plugin and a static list",
    "an entry point of nothing",
    "an order for a plugin",
    "an unknown builtin",
    "enable-if that is no marker",
    "abi_dependency by its name in 0.2.0",
    "a version of 14 digits",
)


@pytest.mark.parametrize("name", TRIED)
def test_installing_and_checking_read_alike(
    pip: Pip, publish: Publisher, index: IndexServer, tmp_path: Path, name: str
) -> None:
    row = ROWS[name]
    path = tmp_path / "torch-2.8.0-variants.json"
    path.write_text(json.dumps(row.document))
    checked = publish("check", "--json", path, code=None)
    findings = json.loads(checked.stdout)["findings"]
    assert {each["rule"]: each["problem"] for each in findings} == row.findings
    # What a sentence begins with.
    words = [problem[:1].lower() + problem[1:] for problem in row.said.values()]
    good = row.document if row.effect != "REFUSED" else good_document()
    index.add_release("torch", "2.8.0", {}, manifest=good, listed=False)
    index.add(manifest_file("torch", "2.8.0", row.document))
    index.add(make_wheel("numpy", "2.8.0"))
    options = ["torch", "-i", index.index_url]
    result = pip("install", *options, env=GPU)
    if row.effect == "REFUSED":
        assert_plain(result, *words)
        return
    assert "torch-2.8.0 (" in result.lines[-1]
    assert result.stderr == ""
    told = " ".join(pip("variants", "explain", *options, env=GPU).stdout.split())
    assert [each in told for each in words] == [row.effect != "NONE"] * len(words)


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


@pytest.mark.parametrize("where", ["html", "json", "links"])
def test_without_one_the_wheels_are_read(
    pip: Pip, without_manifest: IndexServer, where: Literal["html", "json", "links"]
) -> None:
    index = without_manifest
    options = ["-i", index.index_url]
    if where == "links":
        options = ["--no-index", "--find-links", index.find_links_url]
    else:
        index.page_format = where
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
    assert whole == ["/files/torch-2.8.0-py3-none-any-cu128.whl"]


@pytest.mark.parametrize("status", [404, 410])
def test_where_it_is_gone_the_wheels_are_read(
    pip: Pip, torch: IndexServer, status: int
) -> None:
    torch.fault(MANIFEST, status=status)
    result = pip("install", "torch", "-i", torch.index_url, env=GPU)
    assert CHOSEN in result.stdout
    assert result.stderr == ""


@pytest.mark.parametrize("page_format", ["html", "json"])
def test_without_one_and_without_ranges_plain_wheels_are_left(
    pip: Pip, without_manifest: IndexServer, page_format: PageFormat
) -> None:
    without_manifest.ranges = False
    without_manifest.page_format = page_format
    options = ["-i", without_manifest.index_url]
    result = pip("install", "torch", *options, env=GPU)
    reason = f"{without_manifest.index_url}torch/ lists no variants manifest, and its"
    assert_plain(result, f"{reason} server cannot send the part of a wheel that")
    assert "or the wheels in a folder (--find-links DIR), lets pip" in result.stderr
    without_manifest.replace("torch-2.8.0-py3-none-any.whl", requires_python="<3")
    options += ["--force-reinstall"]
    result = pip("install", "torch", *options, code=1, env=GPU)
    assert "× No variant of torch can be judged." in result.stderr
    assert f"      cu129, cu128, cu126, 00000000: {reason} server" in result.stderr
    assert "\n\nhint: An index with a manifest that can be used (--ind" in result.stderr


@pytest.mark.parametrize("kind", ["index", "links", "directory"])
@pytest.mark.parametrize("driver", ["13.0", "12.9", "12.8", "12.6", "12.0"])
def test_without_one_the_choices_are_the_same(
    venv: Environment, index: IndexServer, kind: str, driver: str, tmp_path: Path
) -> None:
    arguments = ["install", "--dry-run", "torch", "blas"]
    options = {
        "index": ["-i", index.index_url],
        "links": ["--no-index", "-f", index.find_links_url],
        "directory": ["--no-index", "-f", str(tmp_path / "wheels")],
    }[kind]
    chosen = []
    for listed in (True, False):
        index.projects.clear()
        index.add_release("torch", "2.8.0", {}, manifest=PREVIEW_TORCH, listed=listed)
        libraries = {
            name: [f"blas_lapack :: provider :: {name}"] for name in ("mkl", "openblas")
        }
        index.add_release("blas", "1.0", {"null": {}, **libraries}, listed=listed)
        if (tmp_path / "wheels").exists():
            shutil.rmtree(tmp_path / "wheels")
        index.write_directory(tmp_path / "wheels")
        result = venv.pip(*arguments, *options, env=forced(driver))
        chosen.append([line for line in result.lines if line.startswith("Using the")])
    assert chosen[0] == chosen[1]
    assert "Using the variant openblas of blas 1.0" in chosen[0][1]


def test_an_index_without_one_beside_an_index_with_one(
    pip: Pip, make_index: Callable[[], IndexServer]
) -> None:
    mirror, index = make_index(), make_index()
    mirror.ranges = False
    for server in (mirror, index):
        listed = server is index
        server.add_release("torch", "2.8.0", {}, manifest=PREVIEW_TORCH, listed=listed)
    options = ["-i", mirror.index_url, "--extra-index-url", index.index_url]
    result = pip("install", "torch", *options, env=GPU)
    assert CHOSEN in result.stdout
    assert "several indexes" not in result.stderr


def test_a_directory_needs_none(
    pip: Pip, without_manifest: IndexServer, tmp_path: Path
) -> None:
    without_manifest.write_directory(tmp_path / "wheels")
    options = ["--no-index", "--find-links", tmp_path / "wheels"]
    assert CHOSEN in pip("install", "torch", *options, env=GPU).stdout


def test_a_wheel_that_cannot_be_read_costs_its_label(
    pip: Pip, without_manifest: IndexServer, tmp_path: Path
) -> None:
    folder = without_manifest.write_directory(tmp_path / "wheels")
    (folder / "torch-2.8.0-py3-none-any-cu128.whl").write_bytes(b"PK nonsense")
    options = ["--no-index", "--find-links", folder]
    result = pip("install", "torch", *options, env=GPU)
    assert "Using the variant cu126 of torch 2.8.0" in result.stdout


def test_wheels_that_contradict_leave_plain_wheels(
    pip: Pip, without_manifest: IndexServer
) -> None:
    other = make_manifest(
        {"x": {"amd": {"rocm_version": ["6.4"]}}}, namespaces=["amd", "nvidia"]
    )
    without_manifest.add(make_wheel("torch", "2.8.0", label="x", variant_json=other))
    result = pip("install", "torch", "-i", without_manifest.index_url, env=GPU)
    assert_plain(result, "order namespaces as ['amd', 'nvidia'] and as ['nvidia']")


FAULTS: Mapping[str, tuple[dict[str, Any], str]] = {
    "401": ({"status": 401}, "401 Unauthorized"),
    "403": ({"status": 403}, "403 Forbidden"),
    "truncated": ({"truncate": 100}, "the connection broke after 100 of "),
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


def test_without_plain_wheels_a_broken_one_is_an_error(
    pip: Pip, index: IndexServer
) -> None:
    index.add_release(
        "torch", "2.8.0", {}, manifest=PREVIEW_TORCH, plain=False, listed=False
    )
    index.add(manifest_file("torch", "2.8.0", b"{}"))
    result = pip("install", "torch", "-i", index.index_url, env=GPU, code=1)
    assert "error: no-compatible-variant" in result.stderr
    labels = "cu129, cu128, cu126, 00000000"
    assert f"{labels}: its variants manifest cannot be used" in result.stderr


@pytest.mark.parametrize("fault", [{"status": 503}, {"truncate": 100}], ids=str)
def test_a_failing_fetch_is_tried_again(
    pip: Pip, torch: IndexServer, fault: dict[str, Any]
) -> None:
    torch.fault(MANIFEST, **fault, times=2)
    result = pip("install", "torch", "-i", torch.index_url, env=GPU)
    assert CHOSEN in result.stdout
    assert torch.log().count(("GET", f"/files/{MANIFEST}")) == 3


def test_a_wrong_hash_leaves_plain_wheels(pip: Pip, torch: IndexServer) -> None:
    torch.replace(MANIFEST, sha256=hashlib.sha256(b"else").hexdigest())
    result = pip("install", "torch", "-i", torch.index_url, env=GPU)
    assert_plain(result, "its hash is not the one the index states")
    # The page was read afresh once, and the manifest with it.
    paths = [path for _, path in torch.log()][:4]
    assert paths == ["/simple/torch/", f"/files/{MANIFEST}"] * 2


def test_a_manifest_that_grew_behind_a_cached_page(
    venv: Environment, tls_index: IndexServer
) -> None:
    options = [
        "--dry-run",
        "-i",
        tls_index.index_url,
        "--cert",
        str(tls_index.certificates),
    ]
    plain = make_wheel("torch", "2.7.0")
    tls_index.add_release("torch", "2.8.0", {}, manifest=PREVIEW_TORCH)
    tls_index.add(plain)
    # This leaves the page in the cache, and not yet the manifest.
    venv.pip("install", "torch==2.7.0", *options, env=GPU)
    # The cached page knows neither the new wheel nor the manifest's new hash.
    grown = make_manifest(
        {**PREVIEW_TORCH["variants"], "cu128.1": cuda("12.8", ["90"])}, schema="0.0.2"
    )
    tls_index.add_release("torch", "2.8.0", {}, manifest=grown)
    tls_index.clear_log()
    result = venv.pip("install", "torch", *options, env=GPU)
    assert CHOSEN in result.stdout
    assert result.stderr == ""
    paths = [path for _, path in tls_index.log()]
    assert paths[:3] == [f"/files/{MANIFEST}", "/simple/torch/", f"/files/{MANIFEST}"]


def test_authentication(pip: Pip, torch: IndexServer) -> None:
    torch.auth = ("user", "secret")
    result = pip("install", "torch", "-i", torch.index_url_with_auth, env=GPU)
    assert CHOSEN in result.stdout
    torch.fault(MANIFEST, status=404)
    options = ["--force-reinstall", "-i", torch.index_url_with_auth]
    assert "secret" not in pip("install", "torch", *options, env=GPU).output


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


def test_a_null_wheel_need_not_be_described(pip: Pip, index: IndexServer) -> None:
    manifest = make_manifest({"cu128": cuda("12.8")})
    index.add_release("torch", "2.8.0", {}, manifest=manifest)
    null = {**manifest, "variants": {"null": {}}}
    index.add(make_wheel("torch", "2.8.0", label="null", variant_json=null))
    result = pip("install", "torch", "-i", index.index_url, env=forced("12.0"))
    assert "Using the variant null of torch 2.8.0 (no properties)" in result.stdout


#: Uploads, and whether the manifest counts before 2022.
UPLOADED: Mapping[str | None, bool] = {
    "2021-12-31T23:59:59Z": True,
    "2022-01-01T00:00:00Z": False,
    "2024-01-01T00:00:00Z": False,
    None: False,
}


@pytest.mark.parametrize("uploaded", UPLOADED)
def test_one_that_was_uploaded_too_late_is_missing(
    pip: Pip, index: IndexServer, uploaded: str | None
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
    options = ["-i", index.index_url]
    limit = [*options, "--uploaded-prior-to", "2022-01-01T00:00:00Z"]
    counts = UPLOADED[uploaded]
    chosen = "00000000" if counts else "cu128"
    result = pip("install", "--dry-run", "torch", *limit, env=GPU)
    assert f"Using the variant {chosen} of torch 2.8.0" in result.stdout
    assert (("GET", f"/files/{MANIFEST}") in index.log()) == counts
    said = pip("variants", "explain", "torch", *limit, env=GPU).stdout
    told = "the index does not tell when its variants manifest was uploaded"
    if uploaded is not None:
        told = "its variants manifest was uploaded at 202"
    assert (told in " ".join(said.split())) != counts, said
    # Without a limit it counts whenever it was uploaded.
    result = pip("install", "--dry-run", "torch", *options, env=GPU)
    assert "Using the variant 00000000 of torch 2.8.0" in result.stdout


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


def test_one_in_a_folder_was_never_uploaded(
    pip: Pip, torch: IndexServer, tmp_path: Path
) -> None:
    """Nor does upstream ask when a wheel in a folder was."""
    torch.write_directory(tmp_path / "wheels")
    options = ["--no-index", "--find-links", tmp_path / "wheels"]
    options += ["--uploaded-prior-to", "2022-01-01"]
    result = pip("variants", "explain", "torch", *options, env=GPU)
    assert MANIFEST in result.stdout, result
