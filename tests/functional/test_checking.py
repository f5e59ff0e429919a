"""``wheel-variants check``: wheels, manifests, folders and indexes."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.lib.environments import Result
from tests.lib.index import IndexServer
from tests.lib.manifests import PluginSpec, cuda, make_manifest, variant_json
from tests.lib.publisher import WheelCli
from tests.lib.repository import Repository
from tests.lib.wheels import make_sdist, make_wheel

Check = Callable[..., Result]
Found = Callable[..., list[tuple[str, str]]]

MANIFEST = make_manifest({"cu128": cuda("12.8"), "null": {}}, namespaces=["nvidia"])


@pytest.fixture
def check(publish: WheelCli, tmp_path: Path) -> Check:
    """Return a function that checks targets."""

    def run(*arguments: str | Path, code: int = 0) -> Result:
        return publish("check", *arguments, code=code, cwd=tmp_path)

    return run


@pytest.fixture
def found(check: Check) -> Found:
    """Return a function that gives rules and subjects of what a check finds."""

    def run(*arguments: str | Path, code: int = 0) -> list[tuple[str, str]]:
        report = json.loads(check("--json", *arguments, code=code).stdout)
        assert report["errors"] + report["warnings"] == len(report["findings"])
        return [(each["rule"], each["subjects"][0]) for each in report["findings"]]

    return run


@pytest.fixture
def repository() -> Repository:
    """Return a good release, as an index or a folder may have it."""
    made = Repository()
    made.add_release("demo", "1.0", {}, manifest=MANIFEST)
    return made


@pytest.fixture
def dist(repository: Repository, tmp_path: Path) -> Path:
    """Return a folder with the good release."""
    folder = tmp_path / "dist"
    folder.mkdir()
    for entries in repository.projects.values():
        for entry in entries:
            entry.file.write_to(folder)
    return folder


@pytest.mark.on_wheel
def test_what_is_good(check: Check, dist: Path, tmp_path: Path) -> None:
    for target, counted in (
        ("dist", "3 wheels and 1 manifest"),
        ("dist/demo-1.0-py3-none-any-cu128.whl", "1 wheel and 0 manifests"),
        ("dist/demo-1.0-variants.json", "0 wheels and 1 manifest"),
    ):
        result = check(target, "--strict")
        assert result.lines == [f"Checked {counted}: 0 errors, 0 warnings."]
        assert result.stderr == ""
    (tmp_path / "variant.json").write_text(json.dumps(variant_json(MANIFEST, "null")))
    for name in ("demo-1.0.tar.gz", "demo-1.0-py3-none-any.whl.metadata"):
        (dist / name).touch()
    check("variant.json", *map(str, dist.iterdir()))


def test_errors_fail_and_warnings_do_not(check: Check, dist: Path) -> None:
    (dist / "demo-1.0-py3-none-any.whl").unlink()
    result = check("dist")
    problem = "demo 1.0 has no plain wheel for py3-none-any"
    remedy = (
        "Publish a plain wheel; to make one from a variant, run 'wheel-variants build "
        "--from-label'"
    )
    assert result.lines == [
        "dist",
        f"  warning: {problem}. [plain-fallback; PEP 825, Variant wheel]",
        f"  {remedy}.",
        "Checked 2 wheels and 1 manifest: 0 errors, 1 warning.",
    ]
    check("dist", "--strict", code=1)
    (dist / "demo-1.0-variants.json").write_text("{}")
    check("dist", code=1)


def test_damage(found: Found, dist: Path) -> None:
    wheel = dist / "demo-1.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "a") as archive:
        archive.writestr("demo/data.bin", "as it was")
    wheel.write_bytes(wheel.read_bytes().replace(b"as it was", b"as it is!"))
    assert ("wheel-readable", f"dist/{wheel.name}") in found("dist", code=1)


def test_json_is_for_programs(check: Check, dist: Path) -> None:
    (dist / "demo-1.0-variants.json").write_text("{")
    report = json.loads(check("--json", "dist", code=1).stdout)
    (finding,) = report.pop("findings")
    told = {
        name: report[name] for name in ("errors", "warnings", "wheels", "manifests")
    }
    assert told == {"errors": 1, "warnings": 0, "wheels": 3, "manifests": 1}
    assert finding.pop("problem").startswith("Not valid JSON")
    assert finding == {
        "rule": "manifest-json",
        "severity": "error",
        "installers": "refuse the metadata",
        "source": "PEP 825, Variant metadata",
        "text": "Metadata is JSON in UTF-8.",
        "subjects": ["dist/demo-1.0-variants.json"],
        "remedy": "Write JSON in UTF-8 without repeated keys",
    }


def test_files_of_a_folder_together(found: Found, dist: Path) -> None:
    (dist / "demo-1.0-py3-none-any-null.whl").unlink()
    other = make_manifest({"cu129": cuda("12.9")})
    wheel = make_wheel("demo", "1.0", label="cu129", variant_json=other)
    wheel.write_to(dist)
    wheel = make_wheel("other", "1.0", label="cu129", variant_json=other)
    wheel.write_to(dist)
    make_sdist("other", "1.0").write_to(dist)
    manifest = "dist/demo-1.0-variants.json"
    assert found("dist", code=1) == [
        ("wheel-listed", manifest),
        ("label-used", manifest),
        ("manifest-present", "dist"),
    ]


@pytest.fixture
def page(index: IndexServer) -> str:
    """Return the page of the good release on an index."""
    index.add_release("demo", "1.0", {}, manifest=MANIFEST)
    return f"{index.index_url}demo/"


@pytest.mark.parametrize("page_format", ["html", "json"])
def test_index(
    check: Check, found: Found, index: IndexServer, page: str, page_format: Any
) -> None:
    index.page_format = page_format
    index.add_release("plain", "1.0", {}, manifest={"variants": {}}, listed=False)
    assert found(page) == []
    assert found(index.index_url) == []
    # Of the wheels only parts are read, if the server can send them.
    assert not any(
        request.method == "GET" and "range" not in request.headers
        for request in index.requests
        if request.path.endswith(".whl")
    )
    index.ranges = False
    assert "does not support range requests" in check(page).stderr


def test_an_index_in_a_folder(
    publish: WheelCli, found: Found, dist: Path, tmp_path: Path
) -> None:
    (dist / "demo-1.0-variants.json").unlink()
    publish("index", "dist", "--simple", cwd=tmp_path)
    assert found("dist/simple") == []
    assert found((dist / "simple").as_uri()) == []
    make_wheel("demo", "1.0", label="null", variant_json=b"{").write_to(dist)
    page = (dist / "simple" / "demo").as_uri()
    wheel = f"{page}/demo-1.0-py3-none-any-null.whl"
    broken = [("manifest-json", wheel), ("wheel-hash", wheel)]
    assert sorted(found("dist/simple", code=1)) == broken


def test_plugins_that_nobody_can_install(
    found: Found, index: IndexServer, dist: Path, tmp_path: Path
) -> None:
    # What is built in is not looked up.
    assert found("dist", "-i", index.index_url) == []
    assert index.log() == []
    index.add(make_wheel("npu-provider", "1.0"))
    index.add(make_sdist("npu-source", "1.0"))
    path = tmp_path / "demo-1.0-variants.json"
    for requirement in ("npu-provider", "npu-provider>=2", "npu-source", "unknown"):
        manifest = make_manifest(
            {"a": ["npu :: kind :: a"], "null": {}},
            providers={"npu": PluginSpec([requirement])},
            namespaces=["npu"],
        )
        path.write_text(json.dumps(manifest))
        refused = [("provider-installable", path.name)]
        expected = [] if requirement == "npu-provider" else refused
        assert found(path.name, "-i", index.index_url) == expected
        assert found(path.name) == []
    assert dist.is_dir()


def test_what_differs_from_the_page(
    found: Found, index: IndexServer, page: str
) -> None:
    manifest = f"{page}demo-1.0-variants.json"
    index.fault("demo-1.0-variants.json", status=404)
    assert found(page, code=1) == [("manifest-present", manifest)]
    index.faults.clear()
    index.replace("demo-1.0-variants.json", sha256="0" * 64)
    assert found(page, code=1) == [("manifest-hash", manifest)]
    index.replace("demo-1.0-variants.json", sha256=None)
    other = variant_json(make_manifest({"cu128": cuda("12.9")}), "cu128")
    index.add(make_wheel("demo", "1.0", label="cu128", variant_json=other))
    index.add(make_wheel("demo", "1.0", label="X", variant_json=other))
    wheel = f"{page}demo-1.0-py3-none-any"
    assert found(page, code=1) == [
        ("wheel-name", f"{wheel}-X.whl"),
        ("properties-agree", f"{wheel}-cu128.whl"),
    ]
    # One of its files alone.
    url = index.file_url("demo-1.0-py3-none-any-X.whl")
    assert found(url, code=1) == [("wheel-name", url)]


def test_a_manifest_that_leads_out(found: Found, dist: Path, tmp_path: Path) -> None:
    manifest = dist / "demo-1.0-variants.json"
    manifest.rename(tmp_path / "outside.json")
    manifest.symlink_to("../outside.json")
    assert ("regular-file", f"dist/{manifest.name}") in found("dist", code=1)


def test_nothing_to_check(check: Check, index: IndexServer) -> None:
    for target, problem in (
        ("nowhere", "No such file or directory"),
        (".", "the folder contains no wheels or manifests"),
        ("http://127.0.0.1:1/simple/", "the page cannot be fetched"),
        (index.index_url, "links to no files"),
    ):
        result = check(target, "--retries", "0", code=1)
        assert problem in result.stderr
        assert result.stdout == ""
