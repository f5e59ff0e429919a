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

from tests.lib import public_index
from tests.lib.environments import Environment, Result
from tests.lib.manifests import cuda, make_manifest, variant_json
from tests.lib.publisher import Publisher
from tests.lib.repository import Repository
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
def index(publish: Publisher, tmp_path: Path) -> Index:
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
    assert after.keys() - before.keys() == {
        "foo_bar-1.0-variants.json",
        "foo_bar-1.10-variants.json",
        ".pip-variants-index.json",
    }
    assert {name: after[name] for name in before} == before
    manifest = json.loads(after["foo_bar-1.0-variants.json"])
    assert manifest == MANIFEST
    assert after["foo_bar-1.0-variants.json"].endswith(b"}\n")


def test_pages_list_all_that_there_is(index: Index, dist: Path) -> None:
    index("--simple")
    root = (dist / "simple" / "index.html").read_text()
    assert '<a href="foo-bar/">foo-bar</a>' in root
    assert '<a href="plain/">plain</a>' in root
    page = json.loads((dist / "simple" / "foo-bar" / "index.v1_json").read_text())
    # In the order of versions, not of texts.
    assert page["versions"] == ["1.0", "1.10"]
    assert [each["filename"] for each in page["files"]][:2] == [
        "foo_bar-1.0-variants.json",
        "foo_bar-1.0-py3-none-any-cu126.whl",
    ]
    page = json.loads((dist / "simple" / "plain" / "index.v1_json").read_text())
    wheel, sdist = page["files"]
    assert wheel["requires-python"] == ">=3.8,<4"
    assert sdist["filename"] == "plain-2.0.tar.gz"
    assert "core-metadata" not in sdist
    html = (dist / "simple" / "plain" / "index.html").read_text()
    assert 'data-requires-python="&gt;=3.8,&lt;4"' in html


def test_only_what_changed_is_read_and_written(report: Report, dist: Path) -> None:
    first = report("--simple")
    assert (first["files"], first["read"]) == (10, 10)
    state = files(dist)
    again = report("--simple")
    assert (again["read"], again["written"], again["removed"]) == (0, [], [])
    assert files(dist) == state
    os.utime(dist / "plain-2.0-py3-none-any.whl", (1, 1))
    assert report("--simple")["read"] == 1
    # Its digests are the same, so that the pages are.
    assert {n: c for n, c in files(dist).items() if "index" not in n} == {
        n: c for n, c in state.items() if "index" not in n
    }
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


def test_the_result_depends_on_the_wheels_alone(report: Report, dist: Path) -> None:
    report("--simple")
    add(dist, "foo.bar", "2.0", "cu128")
    report("--simple")
    grown = files(dist)
    shutil.rmtree(dist / "simple")
    (dist / ".pip-variants-index.json").unlink()
    report("--simple")
    anew = files(dist)
    assert anew == grown


def test_what_is_of_no_use_any_more_is_removed(report: Report, dist: Path) -> None:
    report("--simple")
    own = dist / "foo_bar-1.0-variants.json"
    own.write_text(own.read_text() + " ")
    for wheel in dist.glob("*foo*1.0-*.whl"):
        wheel.unlink()
    (dist / "plain-2.0-py3-none-any.whl").unlink()
    (dist / "plain-2.0.tar.gz").unlink()
    removed = {Path(each).name for each in report("--simple")["removed"]}
    assert "plain-2.0-py3-none-any.whl.metadata" in removed
    assert not (dist / "simple" / "plain").exists()
    assert "plain" not in (dist / "simple" / "index.html").read_text()
    # Somebody changed this one: it is not known to be of no use.
    assert own.exists()
    assert not list(dist.glob("foo_bar-1.0-*.whl.metadata"))


@pytest.mark.process
def test_another_folder_gets_all_that_it_needs(
    report: Report, venv: Environment, dist: Path, tmp_path: Path
) -> None:
    before = files(dist)
    result = report("--simple", "-o", "site")
    assert files(dist) == before
    assert result["pages"] == str(Path("site", "simple"))
    shutil.copytree(tmp_path / "site", tmp_path / "elsewhere")
    shutil.rmtree(tmp_path / "site")
    shutil.rmtree(dist)
    index_url = (tmp_path / "elsewhere" / "simple").as_uri()
    target = ["--target", "lib", "--variant-host", "cuda-12.8-h100"]
    result_of_install = venv.pip(
        "install", "-i", index_url, "foo.bar", *target, cwd=tmp_path
    )
    assert "Using the variant cu128 of foo-bar 1.10" in result_of_install.stdout


def test_links_to_wheels_are_renewed_and_removed(
    report: Report, dist: Path, tmp_path: Path
) -> None:
    report("--simple", "-o", "site")
    name = "plain-2.0-py3-none-any.whl"
    linked = tmp_path / "site" / name
    assert linked.samefile(dist / name)
    (dist / name).unlink()
    make_wheel("plain", "2.0", requires=["foo.bar"]).write_to(dist)
    report("--simple", "-o", "site")
    assert linked.read_bytes() == (dist / name).read_bytes()
    assert b"foo.bar" in (tmp_path / "site" / f"{name}.metadata").read_bytes()
    (dist / name).unlink()
    report("--simple", "-o", "site")
    assert not linked.exists()


def test_wheels_that_contradict_are_named_with_what_to_do(
    index: Index, report: Report, dist: Path
) -> None:
    index("--simple")
    before = files(dist)
    other = make_manifest(
        {"rocm": {"amd": {"rocm_version": ["6.4"]}}}, namespaces=["amd", "nvidia"]
    )
    bad = add(dist, "foo.bar", "1.0", "rocm", other)
    result = index("--simple", code=1)
    assert result.stdout == ""
    assert result.stderr.startswith("error: Cannot make an index of dist; nothing was")
    text = result.stderr
    assert bad.name in text
    assert "foo_bar-1.0-py3-none-any-cu126.whl" in text
    assert "['amd', 'nvidia'] and as ['nvidia']" in text
    assert "with the same list of namespaces" in text
    assert "nothing was written" in text
    after = files(dist)
    after.pop(bad.name)
    state = ".pip-variants-index.json"
    assert {**after, state: b""} == {**before, state: b""}
    bad.unlink()
    assert report("--simple")["read"] == 0


def test_one_label_for_two_things(index: Index, dist: Path) -> None:
    other = make_manifest({"cu128": cuda("12.9")})
    content = variant_json(other, "cu128")
    tag = "py2-none-any"
    make_wheel("foo.bar", "1.0", tag=tag, label="cu128", variant_json=content).write_to(
        dist
    )
    text = index(code=1).stderr
    assert "give other properties to the label 'cu128'" in text
    assert "Give the wheel with the other properties another label" in text
    assert f"foo_bar-1.0-{tag}-cu128.whl" in text


def test_broken_wheels(index: Index, dist: Path) -> None:
    renamed = dist / "foo_bar-1.0-py3-none-any-cu130.whl"
    shutil.copy(dist / "foo_bar-1.0-py3-none-any-cu128.whl", renamed)
    (dist / "broken-1.0-py3-none-any-x.whl").write_bytes(b"PK")
    (dist / "broken-1.0-py3-none-any-X.whl").write_bytes(b"PK")
    text = index(code=1).stderr
    assert f"{renamed.name}: Its variant.json describes 'cu128' instead" in text
    assert "broken-1.0-py3-none-any-x.whl: It is not a zip archive" in text
    assert "broken-1.0-py3-none-any-X.whl: Its name is invalid" in text


def test_a_label_that_was_published_and_changes(index: Index, dist: Path) -> None:
    index()
    (dist / "foo_bar-1.0-py3-none-any-cu126.whl").unlink()
    other = make_manifest({"cu128": cuda("12.9")}, namespaces=["nvidia"])
    add(dist, "foo.bar", "1.0", "cu128", other)
    warnings = index().stderr.splitlines()
    assert len(warnings) == 2
    assert "the label 'cu126' is gone" in warnings[0]
    assert "the label 'cu128' has other properties than before" in warnings[1]
    add(dist, "foo.bar", "1.0", "cu126")
    assert index().stderr == ""


@pytest.mark.skipif(not public_index.is_present(), reason=public_index.ABSENT)
def test_wheels_like_those_of_the_public_index_give_its_manifests(
    index: Index, tmp_path: Path
) -> None:
    releases = [("torch", "2.8.0"), ("torch", "2.9.0"), ("numpy", "2.3.4")]
    repository = Repository()
    for project, version in releases:
        public_index.add_release(repository, "v0.0.3", project, version)
    folder = tmp_path / "dist"
    folder.mkdir()
    for entries in repository.projects.values():
        for entry in entries:
            if entry.file.filename.endswith(".whl"):
                entry.file.write_to(folder)
    index()
    for project, version in releases:
        made = (folder / f"{project}-{version}-variants.json").read_bytes()
        real = public_index.load_manifest("v0.0.3", project, version)
        assert real is not None
        assert json.loads(made) == json.loads(real)


def test_pages_of_an_earlier_run_are_not_forgotten(index: Index, dist: Path) -> None:
    index("--simple")
    assert index().stderr == ""
    add(dist, "foo.bar", "2.0", "cu128")
    assert "add --simple to update them" in index().stderr
    index("--simple")
    assert "foo_bar-2.0" in (dist / "simple" / "foo-bar" / "index.html").read_text()


@pytest.mark.parametrize("state", ["", "[]", "{}", '{"format": 1, "files": {"a": 1}}'])
def test_a_state_that_is_broken_costs_only_time(
    report: Report, dist: Path, state: str
) -> None:
    report()
    (dist / ".pip-variants-index.json").write_text(state)
    assert report()["read"] == 10


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["nowhere"], "No such file or directory"),
        (["empty"], "there are no wheels in it"),
    ],
)
def test_nothing_to_index(
    publish: Publisher, tmp_path: Path, arguments: list[str], problem: str
) -> None:
    (tmp_path / "empty").mkdir()
    result = publish("index", *arguments, code=1, cwd=tmp_path)
    assert problem in result.stderr
    assert files(tmp_path) == {}


#: By name: what makes a file that is not to be published.
STRAYS: dict[str, Callable[[Path, Path], None]] = {
    "a link that leads out": lambda path, outside: path.symlink_to(outside),
    "a relative link that leads out": lambda path, outside: path.symlink_to(
        os.path.relpath(outside, path.parent)
    ),
    "a link that leads nowhere": lambda path, _: path.symlink_to("nowhere"),
    "a link to itself": lambda path, _: path.symlink_to(path.name),
    "a pipe": lambda path, _: os.mkfifo(path),
    "a folder": lambda path, _: path.mkdir(),
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
    assert f"{name}: It is not a regular file of the folder, nor a link to one" in text
    assert "nothing was written" in text
    assert {each.name for each in set(dist.iterdir()) - before} <= {
        ".pip-variants-index.json"
    }


@pytest.mark.linux
def test_a_pipe_in_the_place_of_a_manifest(index: Index, dist: Path) -> None:
    os.mkfifo(dist / "foo_bar-1.0-variants.json")
    assert "It is not a regular file" in index(code=1).stderr


#: Folders of an index's pages.
LINKED_FOLDERS = ("simple", "simple/plain", "simple/foo-bar")


@pytest.mark.parametrize("linked", LINKED_FOLDERS)
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
    assert "It is a symbolic link that leads out of the folder" in text
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


@pytest.mark.linux
def test_a_wheel_of_another_output_is_no_link(
    index: Index, dist: Path, tmp_path: Path
) -> None:
    """Also if the link leads to a file that looks the same from outside."""
    index("--simple", "-o", "site")
    name = "plain-2.0-py3-none-any.whl"
    outside = shutil.copy2(dist / name, tmp_path)
    (tmp_path / "site" / name).unlink()
    (tmp_path / "site" / name).symlink_to(outside)
    index("--simple", "-o", "site")
    assert not (tmp_path / "site" / name).is_symlink()


@pytest.mark.parametrize("exists", [True, False], ids=["there", "dangling"])
def test_a_manifest_that_leads_out_is_an_error(
    index: Index, dist: Path, tmp_path: Path, exists: bool
) -> None:
    outside = tmp_path / "outside.json"
    if exists:
        outside.write_text("{}", encoding="utf-8")
    (dist / "foo_bar-1.0-variants.json").symlink_to(outside)
    text = index(code=1).stderr
    assert "It is a symbolic link that leads out of the folder" in text
    assert outside.exists() == exists
    assert not exists or outside.read_text(encoding="utf-8") == "{}"


def test_nothing_is_removed_through_a_link(
    index: Index, dist: Path, tmp_path: Path
) -> None:
    index("--simple")
    pages = dist / "simple" / "plain"
    pages.rename(tmp_path / "outside")
    pages.symlink_to(tmp_path / "outside")
    for path in dist.glob("plain-2.0*"):
        path.unlink()
    before = files(tmp_path / "outside")
    index("--simple")
    assert files(tmp_path / "outside") == before


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
    "a\"onmouseover='x'-1.0.zip",
    "\x1b[31mred-1.0.tar.gz",
    "\u202egpj-1.0.tar.gz",
    "__-1.0.tar.gz",
    "a b-1.0.tar.gz",
    "demo-1.0-1<img>-py3-none-any.whl",
    'demo-1.0-py3-none-any"><img>.whl',
    "_-1.0-py3-none-any.whl",
)


@pytest.mark.parametrize("name", MARKUP)
def test_names_follow_the_grammar(index: Index, dist: Path, name: str) -> None:
    make_wheel("plain", "2.0").write_to(dist).rename(dist / name)
    result = index("--simple", code=1)
    text = result.stderr
    assert "name is invalid" in text
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
    for run in runs:
        assert run.result().stderr == ""
    assert files(site) == expected
