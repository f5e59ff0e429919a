"""``wheel-variants index``: manifests and static indexes, made again and again."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from tests.lib.environments import Environment, Result
from tests.lib.manifests import cuda, make_manifest, variant_json
from tests.lib.publisher import WheelCli
from tests.lib.wheels import make_sdist, make_wheel

Index = Callable[..., Result]
Report = Callable[..., dict[str, Any]]

MANIFEST = make_manifest(
    {"cu126": cuda("12.6"), "cu128": cuda("12.8"), "null": {}}, namespaces=["nvidia"]
)


@pytest.fixture
def dist(tmp_path: Path) -> Path:
    """Return a folder with two releases of a project, and another one."""
    folder = tmp_path / "dist"
    folder.mkdir()
    for version in ("1.0", "1.10"):
        for label in MANIFEST["variants"]:
            add(folder, "foo.bar", version, label)
        make_wheel("foo.bar", version).write_to(folder)
    make_wheel("plain", "2.0", requires_python=">=3.8,<4").write_to(folder)
    make_sdist("plain", "2.0").write_to(folder)
    (folder / "notes.zip").write_bytes(b"not a distribution")
    return folder


def add(
    folder: Path, name: str, version: str, label: str, manifest: Any = MANIFEST
) -> Path:
    content = variant_json(manifest, label)
    wheel = make_wheel(name, version, label=label, variant_json=content)
    return wheel.write_to(folder)


@pytest.fixture
def index(publish: WheelCli, tmp_path: Path) -> Index:
    """Return a function that makes an index of ``dist``."""

    def run(*options: str | Path, code: int = 0) -> Result:
        return publish("index", "dist", *options, code=code, cwd=tmp_path)

    return run


@pytest.fixture
def report(index: Index) -> Report:
    """Return a function that gives the report as JSON."""

    def run(*options: str | Path) -> dict[str, Any]:
        loaded: dict[str, Any] = json.loads(index("--json", *options).stdout)
        return loaded

    return run


def files(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


@pytest.mark.on_wheel
def test_a_manifest_for_each_release_with_variants(index: Index, dist: Path) -> None:
    before = files(dist)
    result = index()
    assert result.stderr == ""
    labels = "3 variants (cu126, cu128, null), 1 plain wheel"
    assert result.lines == [
        "Found 10 files.",
        f"foo-bar 1.0: {labels}; dist/foo_bar-1.0-variants.json",
        f"foo-bar 1.10: {labels}; dist/foo_bar-1.10-variants.json",
        "plain 2.0: 1 plain wheel",
    ]
    after = files(dist)
    made = {
        after.pop(f"foo_bar-{version}-variants.json") for version in ("1.0", "1.10")
    }
    assert [json.loads(each) for each in made] == [MANIFEST]
    assert after.pop(".pip-variants-index.json")
    assert after == before


def test_wheels_that_are_refused(index: Index, report: Report, dist: Path) -> None:
    """They are named with what to do, and nothing is written."""
    index("--simple")
    state = ".pip-variants-index.json"
    before = {**files(dist), state: b""}
    other = make_manifest(
        {"rocm": {"amd": {"rocm_version": ["6.4"]}}}, namespaces=["amd", "nvidia"]
    )
    bad = add(dist, "foo.bar", "1.0", "rocm", other)
    text = index("--simple", code=1).stderr
    assert text.startswith("error: Cannot index dist; nothing was written")
    assert bad.name in text
    assert "foo_bar-1.0-py3-none-any-cu126.whl" in text
    assert "['amd', 'nvidia'] and ['nvidia']" in text
    assert "with the same list of namespaces" in text
    bad.unlink()
    # The newer of two schemas requires a provider for each namespace.
    both = ["nvidia", "x86_64"]
    old = make_manifest({"a": cuda("12.0")}, schema="0.1.1", namespaces=both)
    mixed = [add(dist, "mixed", "1.0", "a", old)]
    mixed.append(add(dist, "mixed", "1.0", "cu126", MANIFEST))
    assert "Namespace 'x86_64' has no provider" in index("--simple", code=1).stderr
    old["default-priorities"]["namespace"].reverse()
    add(dist, "mixed", "1.0", "a", old)
    assert "rank namespaces differently" in index(code=1).stderr
    for path in mixed:
        path.unlink()
    renamed = dist / "foo_bar-1.0-py3-none-any-cu130.whl"
    shutil.copy(dist / "foo_bar-1.0-py3-none-any-cu128.whl", renamed)
    broken = [dist / f"broken-1.0-py3-none-any-{label}.whl" for label in "xXy"]
    for path in broken:
        path.write_bytes(b"PK")
    broken[2].write_bytes(renamed.read_bytes()[200:])
    text = index(code=1).stderr
    assert f"{renamed.name}: variant.json describes 'cu128' instead" in text
    assert f"{broken[0].name}: Not a zip archive" in text
    assert f"{broken[1].name}: Invalid file name" in text
    assert f"{broken[2].name}: Entry " in text
    for path in (renamed, *broken):
        path.unlink()
    assert {**files(dist), state: b""} == before
    assert report("--simple")["read"] == 0


@pytest.mark.parametrize("is_linked", [False, True])
def test_what_is_of_no_use_any_more_is_removed(
    report: Report, dist: Path, tmp_path: Path, is_linked: bool
) -> None:
    """Except through a link, and what somebody changed."""
    report("--simple")
    pages, outside = dist / "simple" / "plain", tmp_path / "outside"
    if is_linked:
        pages.rename(outside)
        pages.symlink_to(outside)
    own = dist / "foo_bar-1.0-variants.json"
    own.write_text(own.read_text() + " ")
    for wheel in (*dist.glob("*foo*1.0-*.whl"), *dist.glob("plain-2.0*[lz]")):
        wheel.unlink()
    removed = {Path(each).name for each in report("--simple")["removed"]}
    assert "plain-2.0-py3-none-any.whl.metadata" in removed
    assert "plain" not in (dist / "simple" / "index.html").read_text()
    assert own.exists()
    assert not list(dist.glob("foo_bar-1.0-*.whl.metadata"))
    assert files(outside) if is_linked else not pages.exists()


def test_only_what_changed_is_read_and_written(report: Report, dist: Path) -> None:
    first = report("--simple")
    assert (first["files"], first["read"]) == (10, 10)
    state = files(dist)
    again = report("--simple")
    assert (again["read"], again["written"], again["removed"]) == (0, [], [])
    assert files(dist) == state
    os.utime(dist / "plain-2.0-py3-none-any.whl", (1, 1))
    assert report("--simple")["read"] == 1
    # A wheel of the same size and time replaces another one.
    shutil.copy2(dist / "plain-2.0-py3-none-any.whl", dist / "copy")
    (dist / "copy").replace(dist / "plain-2.0-py3-none-any.whl")
    assert report("--simple")["read"] == 1
    add(dist, "foo.bar", "2.0", "cu128")
    grown = report("--simple")
    assert grown["read"] == 1
    written = {Path(each).relative_to("dist").as_posix() for each in grown["written"]}
    assert written == {
        "foo_bar-2.0-variants.json",
        "foo_bar-2.0-py3-none-any-cu128.whl.metadata",
        "simple/foo-bar/index.html",
        "simple/foo-bar/index.v1_json",
    }
    # The result depends on the wheels alone, also if the state cannot be read.
    state = files(dist)
    shutil.rmtree(dist / "simple")
    (dist / ".pip-variants-index.json").write_text("{}")
    assert report("--simple")["read"] == 11
    changed = {".pip-variants-index.json": b""}
    assert {**files(dist), **changed} == {**state, **changed}


def test_pages(index: Index, dist: Path) -> None:
    for name in ("other", ".temporary"):
        (dist / "simple" / name).mkdir(parents=True)
        (dist / "simple" / name / "index.html").touch()
    index("--simple")
    root = (dist / "simple" / "index.html").read_text()
    assert all(f'<a href="{each}/">{each}</a>' in root for each in ("foo-bar", "other"))
    # Another run has temporary folders.
    assert "temporary" not in root
    page = json.loads((dist / "simple" / "foo-bar" / "index.v1_json").read_text())
    # In the order of versions, not of texts.
    assert page["versions"] == ["1.0", "1.10"]
    html = (dist / "simple" / "plain" / "index.html").read_text()
    assert 'data-requires-python="&gt;=3.8,&lt;4"' in html
    # Pages of an earlier run are not forgotten.
    add(dist, "foo.bar", "2.0", "cu128")
    assert "to update them, add --simple" in index().stderr
    (dist / "foo_bar-1.0-py3-none-any-cu126.whl").unlink()
    assert "label 'cu126' was removed" in index("--simple").stderr
    shutil.rmtree(dist)
    assert "No such file or directory" in index(code=1).stderr
    dist.mkdir()
    assert "the folder contains no wheels" in index(code=1).stderr
    assert files(dist) == {}


@pytest.mark.process
def test_another_folder_gets_all_that_it_needs(
    report: Report, venv: Environment, dist: Path, tmp_path: Path
) -> None:
    before = files(dist)
    assert report("--simple", "-o", "site")["pages"] == str(Path("site", "simple"))
    assert files(dist) == before
    name = "plain-2.0-py3-none-any.whl"
    linked = tmp_path / "site" / name
    assert linked.samefile(dist / name)
    # Links to wheels are renewed and removed.
    (dist / name).unlink()
    make_wheel("plain", "2.0", requires=["foo.bar"]).write_to(dist)
    report("--simple", "-o", "site")
    assert linked.read_bytes() == (dist / name).read_bytes()
    assert b"foo.bar" in (tmp_path / "site" / f"{name}.metadata").read_bytes()
    (dist / name).unlink()
    report("--simple", "-o", "site")
    assert not linked.exists()
    shutil.copytree(tmp_path / "site", tmp_path / "elsewhere")
    shutil.rmtree(tmp_path / "site")
    shutil.rmtree(dist)
    url = (tmp_path / "elsewhere" / "simple").as_uri()
    target = ["--target", "lib", "--variant-host", "cuda-12.8-h100"]
    installed = venv.pip("install", "-i", url, "foo.bar", *target, cwd=tmp_path)
    assert "Using foo-bar 1.10, variant cu128" in installed.stdout


#: By name: what makes a file that is not to be published.
STRAYS: dict[str, Callable[[Path, Path], None]] = {
    "a link that leads out": lambda path, outside: path.symlink_to(outside),
    "a link that leads nowhere": lambda path, _: path.symlink_to("nowhere"),
    "a pipe": lambda path, _: os.mkfifo(path),
    "a link to a device": lambda path, _: path.symlink_to("/dev/zero"),
}


@pytest.mark.parametrize("name", ["stray-1.0-py3-none-any.whl", "stray-1.0.tar.gz"])
@pytest.mark.parametrize("stray", STRAYS)
def test_only_files_of_the_folder_are_offered(
    index: Index, dist: Path, tmp_path: Path, stray: str, name: str
) -> None:
    outside = make_wheel("outside", "1.0").write_to(tmp_path)
    STRAYS[stray](dist / name, outside)
    before = set(dist.iterdir())
    text = index("--simple", code=1).stderr
    assert f"{name}: Not a regular file in the folder, or a link to one" in text
    assert "nothing was written" in text
    assert {each.name for each in set(dist.iterdir()) - before} <= {
        ".pip-variants-index.json"
    }


@pytest.mark.parametrize("linked", ["simple", "simple/plain"])
@pytest.mark.parametrize("exists", [True, False], ids=["there", "dangling"])
def test_pages_are_not_written_through_a_link_that_leads_out(
    index: Index, dist: Path, tmp_path: Path, linked: str, exists: bool
) -> None:
    outside = tmp_path / "outside"
    if exists:
        outside.mkdir()
    (dist / linked).parent.mkdir(exist_ok=True)
    (dist / linked).symlink_to(outside)
    text = index("--simple", code=1).stderr
    assert "Symbolic link points outside the folder" in text
    assert outside.exists() == exists
    assert not exists or not any(outside.iterdir())


#: Files that an index writes beside the wheels, or reads again.
WRITTEN = (
    "plain-2.0-py3-none-any.whl.metadata",
    "simple/index.html",
    "simple/plain/index.v1_json",
    ".pip-variants-index.json",
)


@pytest.mark.parametrize("name", WRITTEN)
@pytest.mark.parametrize("stray", ["same content", "other content", "device", "pipe"])
@pytest.mark.linux
def test_a_link_in_the_place_of_a_file_is_replaced(
    index: Index, dist: Path, tmp_path: Path, name: str, stray: str
) -> None:
    """Whatever it leads to is neither read, changed, nor published."""
    index("--simple")
    path, outside = dist / name, tmp_path / "outside"
    content = path.read_bytes()
    outside.write_bytes(content if stray == "same content" else b"mine")
    if stray == "pipe":
        outside.unlink()
        os.mkfifo(outside)
    path.unlink()
    path.symlink_to("/dev/zero" if stray == "device" else outside)
    index("--simple")
    assert not path.is_symlink()
    assert path.read_bytes() == content
    if stray == "other content":
        assert outside.read_bytes() == b"mine"


@pytest.mark.parametrize("exists", [True, False], ids=["there", "dangling"])
def test_a_manifest_that_leads_out_is_an_error(
    index: Index, dist: Path, tmp_path: Path, exists: bool
) -> None:
    outside = tmp_path / "outside.json"
    if exists:
        outside.write_text("{}", encoding="utf-8")
    (dist / "foo_bar-1.0-variants.json").symlink_to(outside)
    text = index(code=1).stderr
    assert "Symbolic link points outside the folder" in text
    assert outside.exists() == exists
    assert not exists or outside.read_text(encoding="utf-8") == "{}"


@pytest.mark.parametrize("folder", [".", "below"])
def test_links_within_the_folder_are_followed(
    report: Report, dist: Path, tmp_path: Path, folder: str
) -> None:
    """Whatever the output is, what it has are no links that lead elsewhere from there."""
    (dist / "below").mkdir(exist_ok=True)
    wheel = "plain-2.0-py3-none-any.whl"
    stored = dist / folder / "stored"
    (dist / wheel).rename(stored)
    (dist / wheel).symlink_to(os.path.relpath(stored, dist))
    report("--simple", "-o", "site/deeper")
    site = tmp_path / "site" / "deeper"
    assert (site / wheel).read_bytes() == stored.read_bytes()
    assert not any(path.is_symlink() for path in site.rglob("*"))
    report("--simple")
    assert wheel in (dist / "simple" / "plain" / "index.html").read_text()


#: What upstream's parsers take for names of distributions.
MARKUP = (
    "<img src=x onerror=alert(1)>-1.0.tar.gz",
    "\x1b[31mred-1.0.tar.gz",
    "demo-1.0-1<img>-py3-none-any.whl",
    'demo-1.0-py3-none-any"><img>.whl',
)


@pytest.mark.parametrize("name", MARKUP)
def test_names_follow_the_grammar(index: Index, dist: Path, name: str) -> None:
    make_wheel("plain", "2.0").write_to(dist).rename(dist / name)
    result = index("--simple", code=1)
    assert "invalid file name" in result.stderr.lower()
    for line in result.output.split("\n"):
        assert line.isprintable(), repr(line)
    assert not (dist / "simple").exists()


#: So many runs go on at once; fifty do as well.
AT_ONCE = 8


@pytest.mark.process
@pytest.mark.usefixtures("dist")
def test_many_at_once(index: Index, tmp_path: Path) -> None:
    """Each ends well, and nobody ever sees a page that is not whole."""
    arguments = ["--simple", "-o", "site"]
    index(*arguments)
    site = tmp_path / "site"
    expected = files(site)
    stale = {name: b"stale" for name in expected if name.startswith("simple/")}
    for name in stale:
        (site / name).write_bytes(stale[name])
    for path in (*site.glob("*.whl"), *site.glob("*.metadata"), *site.glob("*.json")):
        path.unlink()
    with ThreadPoolExecutor(AT_ONCE) as pool:
        runs = [pool.submit(index, *arguments) for _ in range(AT_ONCE)]
        while not all(run.done() for run in runs):
            for name in stale:
                assert (site / name).read_bytes() in (stale[name], expected[name])
    assert not any(run.result().stderr for run in runs)
    assert files(site) == expected
