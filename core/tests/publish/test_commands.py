"""What the commands of ``wheel-variants`` keep, refuse and say."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest

from tests.lib.environments import Result
from tests.lib.index import IndexServer
from tests.lib.manifests import cuda, make_manifest, variant_json
from tests.lib.publisher import WheelCli
from tests.lib.wheels import make_wheel

MANIFEST = make_manifest(
    {"cu126": cuda("12.6"), "cu128": cuda("12.8")}, namespaces=["nvidia"]
)
PLAIN = "demo-1.0-py3-none-any.whl"


@pytest.fixture
def publish(tmp_path: Path) -> WheelCli:
    """Return a function that runs ``wheel-variants``."""
    return WheelCli(tmp_path / "home", tmp_path)


@pytest.fixture
def dist(tmp_path: Path) -> Path:
    """Return a folder with a plain wheel and a variant."""
    folder = tmp_path / "dist"
    folder.mkdir()
    make_wheel("demo", "1.0").write_to(folder)
    add(folder, "cu128")
    return folder


def add(folder: Path, label: str, version: str = "1.0") -> Path:
    content = variant_json(MANIFEST, label)
    wheel = make_wheel("demo", version, label=label, variant_json=content)
    return wheel.write_to(folder)


def names(folder: Path) -> set[str]:
    return {each.name for each in folder.glob("*.whl")}


def test_index_keeps_the_wheels_of_its_own_folder(
    publish: WheelCli, dist: Path, tmp_path: Path
) -> None:
    """Even if an earlier run linked them there."""
    publish("index", dist, "--simple", "-o", "site")
    before = names(dist)
    add(tmp_path / "site", "cu126")
    publish("index", "site", "--simple")
    publish("index", "site", "--simple")
    assert names(tmp_path / "site") == {*before, "demo-1.0-py3-none-any-cu126.whl"}


def adopt(publish: WheelCli, index: IndexServer, version: str, code: int = 0) -> Result:
    """Adopt the wheels of a release on a server into the folder ``dist``."""
    name = f"demo-{version}+cu130-py3-none-any.whl"
    index.add(make_wheel("demo", version, filename=name))
    (publish.work / "listing").write_text(index.file_url(name), encoding="utf-8")
    command = ["adopt", "--release-listing", "listing", "-d", "dist"]
    return publish(*command, code=code)


def test_adopt_keeps_the_other_releases_on_a_page(
    publish: WheelCli, dist: Path
) -> None:
    """And the wheels of the folder, whose labels stay in the manifest."""
    publish("index", dist, "--simple")
    page = dist / "simple/demo/index.v1_json"
    old = {each["filename"]: each for each in json.loads(page.read_bytes())["files"]}
    with IndexServer() as index:
        adopt(publish, index, "2.0")
        adopt(publish, index, "1.0")
        listed = json.loads(page.read_bytes())["files"]
        found = {each["filename"]: each for each in listed}
        assert len(listed) == len(found)
        assert set(found) - set(old) == {
            "demo-1.0-py3-none-any-cu130.whl",
            "demo-2.0-py3-none-any-cu130.whl",
            "demo-2.0-variants.json",
        }
        for name in names(dist):
            assert found[name] == old[name]
        manifest = json.loads((dist / "demo-1.0-variants.json").read_bytes())
        assert set(manifest["variants"]) == {"cu128", "cu130"}
        page.write_text('{"files": 5}', encoding="utf-8")
        error = adopt(publish, index, "1.0", code=1).stderr
    assert error.startswith("error: Cannot add to the index: ")


PROPERTY = ("--property", "nvidia :: cuda_version_lower_bound :: 12.8")


def changed(path: Path, old: bytes, new: bytes) -> Path:
    """Replace bytes in the METADATA of a wheel."""
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in members.items():
            is_metadata = name.endswith("METADATA")
            archive.writestr(
                name, content.replace(old, new) if is_metadata else content
            )
    return path


@pytest.mark.parametrize(
    ("files", "version", "problem"),
    [
        (
            {"demo-1.0+cu128.data/a": "", "demo-1.0.data/a": ""},
            b"Version: 1.0+cu128",
            "the wheel already contains the folder demo-1.0.data",
        ),
        (
            *({}, b"Version:\n 1.0+cu128"),
            "the name or version in METADATA spans several lines",
        ),
    ],
)
def test_build_does_not_drop_a_local_version_that_it_cannot_rename(
    publish: WheelCli, files: dict[str, str], version: bytes, problem: str
) -> None:
    path = make_wheel("demo", "1.0+cu128", files=files).write_to(publish.work)
    changed(path, b"Version: 1.0+cu128", version)
    command = ["build", path.name, "--label", "a", *PROPERTY, "--drop-local"]
    result = publish(*command, "-d", "dist", code=1)
    assert f"error: Cannot build a variant from {path.name}: {problem}" in result.stderr
    assert not (publish.work / "dist").exists()


@pytest.mark.parametrize(
    "change", [(b"Name: demo", b"Name: other"), (b"Version: 1.0", b"Version: 2.0")]
)
def test_metadata_of_another_release(
    publish: WheelCli, dist: Path, change: tuple[bytes, bytes]
) -> None:
    """Pip refuses such a wheel."""
    changed(dist / PLAIN, *change)
    problem = "he name or version in METADATA differs from the file name"
    checked = publish("check", "dist", code=1).stdout
    assert f"dist/{PLAIN}\n  error: T{problem}. [wheel-readable; " in checked
    assert f"  {PLAIN}: T{problem}.\n" in publish("index", "dist", code=1).stderr
    command = ["build", f"dist/{PLAIN}", "--label", "a", *PROPERTY]
    assert f"{PLAIN}: t{problem}\n" in publish(*command, code=1).stderr
