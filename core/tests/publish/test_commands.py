"""What the commands of ``wheel-variants`` keep, refuse and say."""

from __future__ import annotations

import json
import os
import shlex
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


def adopt(
    publish: WheelCli,
    index: IndexServer,
    version: str,
    folder: str = "dist",
    code: int = 0,
) -> Result:
    """Adopt the wheels of a release on a server."""
    name = f"demo-{version}+cu130-py3-none-any.whl"
    index.add(make_wheel("demo", version, filename=name))
    (publish.work / "listing").write_text(index.file_url(name), encoding="utf-8")
    command = ["adopt", "--release-listing", "listing", "-d", folder]
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
        warned = publish("index", dist, "--simple").stderr
        assert "no longer lists demo-2.0-py3-none-any-cu130.whl: adopt the" in warned
        page.write_text('{"files": 5}', encoding="utf-8")
        failed = adopt(publish, index, "1.0", code=1)
    assert failed.stderr.startswith("error: Cannot add to the index: ")
    assert "no longer lists" not in publish("index", dist, "--simple").stderr


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


def test_index_warns_of_labels_and_pages_that_are_gone(
    publish: WheelCli, dist: Path
) -> None:
    publish("index", "dist", "--simple")
    assert publish("index", "dist").stderr == ""
    make_wheel("demo", "1.0", requires=["x"]).write_to(dist)
    stale = (
        f"warning: The pages in {Path('dist/simple')} are from an earlier run: to update "
        "them, add --simple\n"
    )
    assert publish("index", "dist").stderr == stale
    (dist / "demo-1.0-py3-none-any-cu128.whl").unlink()
    manifest = Path("dist/demo-1.0-variants.json")
    result = publish("index", "dist")
    assert result.stderr == (
        f"warning: {manifest}: label 'cu128' was removed; this may affect installations "
        f"that used the old manifest\n{stale}"
    )
    assert f"Removed 1 outdated file: {manifest}" in result.lines
    assert not (publish.work / manifest).exists()
    assert publish("index", "dist", "--simple").stderr == ""
    make_wheel("other", "1.0").write_to(dist)
    publish("index", "dist", "--simple")
    (dist / "other-1.0-py3-none-any.whl").unlink()
    assert publish("index", "dist").stderr == stale
    removed = "Removed 3 outdated files: dist/other-1.0-py3-none-any.whl.metadata, "
    assert removed in publish("index", "dist", "--simple").stdout


@pytest.mark.usefixtures("dist")
def test_folders_share_an_output_without_pages(publish: WheelCli) -> None:
    other = publish.work / "other"
    other.mkdir()
    add(other, "cu126", "2.0")
    for folder in ("dist", "other"):
        assert publish("index", folder, "-o", "site").stderr == ""
    assert len(list(publish.work.glob("site/*-variants.json"))) == 2


def test_broken_wheels_are_named_and_nothing_is_written(
    publish: WheelCli, dist: Path
) -> None:
    work = dist.rename(publish.work / "my dist")
    (work / "bad-1.0-py3-none-any.whl").write_bytes(b"PK")
    before = set(work.iterdir())
    error = publish("index", work.name, code=1).stderr
    assert "  bad-1.0-py3-none-any.whl: Not a zip archive" in error
    assert set(work.iterdir()) == before
    command = error.partition("run: ")[2].strip()
    assert command == "wheel-variants check 'my dist'"
    publish(*shlex.split(command)[1:], code=1)


def test_proposed_commands_are_quoted(publish: WheelCli, tmp_path: Path) -> None:
    make_wheel("demo", "1!2.0").write_to(tmp_path)
    shown = publish("index", ".", "--simple", "-o", "my site").lines
    assert "  python -m http.server -b 127.0.0.1 -d 'my site'" in shown
    assert shown[-1].endswith(" 'demo==1!2.0'")
    with IndexServer() as index:
        shown = adopt(publish, index, "1.0", folder="my index").lines
    there = Path("my index", "simple")
    assert shown[-1].endswith(f"pip install --variant-index 'demo={there}' demo")


def test_a_variant_keeps_its_properties_without_the_local_version(
    publish: WheelCli,
) -> None:
    make_wheel("demo", "1.0+cu128").write_to(publish.work)
    label = ["--label", "a", "--property", "npu :: kind :: b", "--provider", "npu=npu"]
    publish("build", "demo-1.0+cu128-py3-none-any.whl", *label)
    command = ["--from-label", "--label", "b", "--drop-local", "--json"]
    report = publish("build", "demo-1.0+cu128-py3-none-any-a.whl", *command).stdout
    document = json.loads(report)["variant-json"]
    assert document["variants"] == {"b": {"npu": {"kind": ["b"]}}}
    assert document["providers"] == {"npu": {"requires": ["npu"]}}


def test_build_says_that_it_replaces_an_ordinary_wheel(
    publish: WheelCli, dist: Path
) -> None:
    command = ["build", "dist/demo-1.0-py3-none-any-cu128.whl", "--from-label"]
    publish(*command, "-d", "new", "--strict")
    before = (dist / PLAIN).read_bytes()
    text = f"The new wheel replaces an existing wheel: {Path('dist', PLAIN)}"
    assert f": {text}\n" in publish(*command, "-d", "dist", "--strict", code=1).stderr
    assert (dist / PLAIN).read_bytes() == before
    assert publish(*command, "-d", "dist").stderr == f"warning: {text}\n"
    assert (dist / PLAIN).read_bytes() != before


def test_folders_that_cannot_be_read(
    publish: WheelCli, dist: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "Cannot use : No such file" in publish("adopt", "", code=1).stderr
    make_wheel("demo", "1.0+cu128").write_to(dist)
    (publish.work / "closed").mkdir()
    real = os.listdir

    def listdir(path: str) -> list[str]:
        if path.endswith("closed"):
            raise PermissionError(13, "Permission denied", path)
        return real(path)

    monkeypatch.setattr("wheel_variants.publish.building.os.listdir", listdir)
    build = ["build", f"dist/{PLAIN}", "--label", "a", *PROPERTY]
    for command in (["adopt", "dist"], build):
        error = publish(*command, "-d", "closed", code=1).stderr
        closed = publish.work / "closed"
        assert f"error: Cannot use {closed}: Permission denied" in error


@pytest.mark.usefixtures("dist")
def test_check_names_the_file_that_cannot_be_read(
    publish: WheelCli, monkeypatch: pytest.MonkeyPatch
) -> None:
    def check_wheel(path: str, _subject: str, **_: bool) -> None:
        raise PermissionError(13, "Permission denied", path)

    monkeypatch.setattr("wheel_variants.publish.releases.check_wheel", check_wheel)
    path = Path("dist", "demo-1.0-py3-none-any-cu128.whl")
    error = publish("check", "dist", code=1).stderr
    assert error.startswith(f"error: Cannot use {path}: Permission denied\n")


@pytest.mark.usefixtures("dist")
def test_hints_for_names(publish: WheelCli) -> None:
    label = ["--label", "a" * 250, *PROPERTY]
    error = publish("build", f"dist/{PLAIN}", *label, code=1).stderr
    assert "hint: Use a shorter name, such as a shorter label\n" in error
    table = publish.work / "pyproject.toml"
    table.write_text("[variant.property]\na = []\n", encoding="utf-8")
    error = publish("build", f"dist/{PLAIN}", "--null", code=1).stderr
    assert "to state the properties of labels, use [variant.properties]\n" in error


@pytest.mark.usefixtures("dist")
def test_index_writes_the_newest_schema(publish: WheelCli) -> None:
    for version, label in (("0.1.1", "a"), ("0.2.0", "b")):
        command = ["build", f"dist/{PLAIN}", "--label", label, "--schema", version]
        publish(*command, *PROPERTY, "-d", "new")
    publish("index", "new")
    document = json.loads((publish.work / "new/demo-1.0-variants.json").read_bytes())
    assert document["$schema"].endswith("/v0.2.0.json")
    assert "0 errors" in publish("check", "new/demo-1.0-variants.json").stdout
