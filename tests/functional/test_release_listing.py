"""``wheel-variants adopt --release-listing``: an index of wheels that others offer.

The names are those of flash-attention's release 2.8.3; its wheels are stand-ins. As
there, only their names have local versions: the project renames them after the build.
"""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.lib.environments import Result
from tests.lib.guides import block
from tests.lib.hosts import forced
from tests.lib.index import Fault, IndexServer
from tests.lib.manifests import cuda
from tests.lib.publisher import WheelCli
from tests.lib.static_server import StaticServer
from tests.lib.wheels import DistFile, make_sdist, make_wheel

Pip = Callable[..., Result]

LOCALS = [
    f"cu12torch{torch}cxx11abi{abi}"
    for torch in ("2.4", "2.5", "2.6", "2.7", "2.8")
    for abi in ("FALSE", "TRUE")
]
# Later builds of the same release.
LOCALS += ["cu12torch2.9cxx11abiTRUE", "cu13torch2.9cxx11abiTRUE"]
OTHERS = (
    "cp39-cp39-linux_x86_64",
    "cp312-cp312-linux_aarch64",
    "cp312-cp312-win_amd64",
)
HERE_TAG = "cp{0}{1}-cp{0}{1}-linux_x86_64".format(*sys.version_info)


GPU = forced("12.8")


def flash(local: str, tag: str, version: str = "2.8.3") -> DistFile:
    """Return a wheel whose name alone has a local version."""
    return make_wheel(
        "flash-attn",
        version,
        tag=tag,
        requires=["torch"],
        requires_python=">=3.9",
        files={"flash_attn/__init__.py": f"local = {local!r}\n", "big": "x" * 500_000},
        filename=f"flash_attn-{version}+{local}-{tag}.whl",
    )


@pytest.fixture
def release() -> Iterator[IndexServer]:
    """Return the server of a release, and of torch."""
    index = IndexServer()
    for local in LOCALS:
        index.add(flash(local, HERE_TAG))
    for tag in OTHERS:
        index.add(flash(LOCALS[-1], tag))
    index.add(make_sdist("flash-attn", "2.8.3", code="raise SystemExit('compiles')"))
    for version in ("2.8.0", "2.9.1"):
        toolkits = {"cu128": cuda("12.0"), "cu130": cuda("13.0"), "null": {}}
        index.add_release("torch", version, toolkits)
    with index:
        yield index


def as_html(index: IndexServer, names: list[str]) -> str:
    links = (f'<li><a href="{index.file_path(name)}">{name}</a>' for name in names)
    return f"<html><base href='{index.files_url}'><ul>{''.join(links)}</ul></html>"


def as_json(index: IndexServer, names: list[str]) -> str:
    assets = [
        {
            "name": each.file.filename,
            "browser_download_url": index.file_url(each.file.filename),
            "digest": f"sha256:{each.file.sha256}",
        }
        for each in index.projects["flash-attn"]
        if each.file.filename in names
    ]
    return json.dumps({"tag_name": "v2.8.3", "assets": assets})


def as_text(index: IndexServer, names: list[str]) -> str:
    return "\n".join(index.file_url(name) for name in names)


FORMS = {"html": as_html, "json": as_json, "txt": as_text}


@pytest.fixture
def listing(release: IndexServer, tmp_path: Path) -> Callable[[str], Path]:
    """Return a function that writes the listing of the release."""

    def write(form: str) -> Path:
        names = [each.file.filename for each in release.projects["flash-attn"]]
        path = tmp_path / f"listing.{form}"
        path.write_text(FORMS[form](release, names))
        return path

    return write


def adopt(publish: WheelCli, listing: str | Path, *options: str | Path) -> Any:
    result = publish("adopt", "--release-listing", listing, "--json", *options)
    return json.loads(result.stdout)


@pytest.fixture
def from_listing(
    publish: WheelCli,
    release: IndexServer,
    listing: Callable[[str], Path],
    tmp_path: Path,
) -> Iterator[list[str]]:
    """Return the options for the adopted index beside that with torch."""
    adopt(publish, listing("json"), "-d", tmp_path / "out")
    with StaticServer(tmp_path / "out") as server:
        there = f"flash-attn={server.index_url}"
        yield ["-i", release.index_url, "--variant-index", there]


@pytest.mark.parametrize("form", FORMS)
def test_forms(
    publish: WheelCli,
    release: IndexServer,
    listing: Callable[[str], Path],
    tmp_path: Path,
    form: str,
) -> None:
    """Each form gives the same, and no wheel is fetched as a whole."""
    found = adopt(publish, listing(form), "-d", tmp_path / "out")
    labels = {each["label"]: each["properties"] for each in found["adopted"]}
    assert set(labels) == {
        *(f"cu12torch{torch}cxx11abifalse" for torch in ("2.4", "2.5", "2.6")),
        *(f"cu12torch{torch}cxx11abitrue" for torch in ("2.7", "2.8", "2.9")),
        "cu13torch2.9cxx11abitrue",
    }
    assert labels["cu13torch2.9cxx11abitrue"] == [
        "abi_dependency :: torch :: 2.9",
        "nvidia :: cuda_version_lower_bound :: 13.0",
    ]
    left = {each["file"].split("+")[1].split("-")[0] for each in found["left"]}
    assert left == {
        *(f"cu12torch{torch}cxx11abiTRUE" for torch in ("2.4", "2.5", "2.6")),
        *(f"cu12torch{torch}cxx11abiFALSE" for torch in ("2.7", "2.8")),
    }
    sent = [each for each in release.requests if each.path.endswith(".whl")]
    assert all(each.method == "HEAD" or "range" in each.headers for each in sent)
    assert sorted(each.name for each in (tmp_path / "out").iterdir()) == [
        "flash_attn-2.8.3-variants.json",
        "simple",
    ]
    page = json.loads((tmp_path / "out/simple/flash-attn/index.v1_json").read_text())
    files = {each["filename"]: each for each in page["files"]}
    wheel = files[f"flash_attn-2.8.3-{HERE_TAG}-cu13torch2.9cxx11abitrue.whl"]
    assert wheel["requires-python"] == ">=3.9"
    assert bool(wheel["hashes"]) == (form == "json")
    # A server that fails takes no variant away.
    release.fault(f"flash_attn-2.8.3+{LOCALS[-1]}-{HERE_TAG}.whl", status=503)
    again = ["--release-listing", str(listing(form)), "-d", str(tmp_path / "out")]
    assert "503" in publish("adopt", *again, code=1).stderr
    text = (tmp_path / "out/simple/flash-attn/index.v1_json").read_text()
    assert json.loads(text) == page


@pytest.mark.scoped
@pytest.mark.parametrize(
    ("driver", "torch", "label"),
    [
        ("12.8", "torch==2.9.*", "cu12torch2.9cxx11abitrue"),
        ("13.0", "torch==2.9.*", "cu13torch2.9cxx11abitrue"),
        ("12.8", "torch==2.8.*", "cu12torch2.8cxx11abitrue"),
    ],
)
def test_pip_takes_the_wheel_for_torch(
    pip: Pip,
    publish: WheelCli,
    release: IndexServer,
    from_listing: list[str],
    driver: str,
    torch: str,
    label: str,
) -> None:
    """Whether torch is installed already or requested beside it."""
    checked = publish("check", f"{from_listing[-1].partition('=')[2]}flash-attn/")
    counted = "Checked 10 wheels and 1 manifest: 0 errors, 1 warning."
    assert counted in checked.stdout
    result = pip("install", torch, "flash-attn", *from_listing, env=forced(driver))
    assert f"flash-attn-2.8.3 ({label})" in result.stdout
    pip("uninstall", "-y", "flash-attn")
    result = pip("install", "flash-attn", *from_listing, env=forced(driver))
    assert f"Successfully installed flash-attn-2.8.3 ({label})" in result.stdout
    assert "No broken" in pip("check", env=forced(driver)).stdout
    assert not [each for each in release.requests if each.path.endswith(".tar.gz")]


@pytest.mark.scoped
def test_none_matches(
    pip: Pip, release: IndexServer, from_listing: list[str], tmp_path: Path
) -> None:
    """No wheel for this torch, the closest is named, and nothing is compiled."""
    before = len(release.requests)
    for torch, closest in {"2.10.0": "2.9", "2.3.*": "2.4"}.items():
        release.add_release("torch", torch.replace("*", "1"), {"cu128": cuda("12.0")})
        said = f"of flash-attn 2.8.3, which requires torch=={closest}.*."
        command = ["install", "flash-attn", *from_listing]
        result = pip(*command, f"torch=={torch}", code=1, env=GPU)
        assert said in result.stderr
        (tmp_path / "c.txt").write_text(f"torch=={torch}")
        result = pip(
            *command, code=1, env={**GPU, "PIP_CONSTRAINT": f"{tmp_path}/c.txt"}
        )
        assert said in result.stderr
    wheels = (each for each in release.requests[before:] if "flash_attn" in each.path)
    assert all(each.method == "HEAD" or "range" in each.headers for each in wheels)
    result = pip("install", "torch==2.9.1", "flash-attn", *from_listing, code=1)
    assert "No variant of 'flash-attn' runs on this machine" in result.stderr
    assert "ERROR: " not in result.stderr
    # Lists and reasons use the names that only the page states.
    result = pip("variants", "list", "flash-attn", *from_listing, env=GPU)
    assert "cu13torch2.9cxx11abitrue  no        linux_x86_64, linux_a" in result.stdout
    words = ["--target", "D", "--variant-host", "cuda-12.8-sm_90-linux-aarch64-py312"]
    result = pip("install", "flash-attn", *words, *from_listing, code=1)
    needed = "2.8.3:\n      cu13torch2.9cxx11abitrue needs CUDA 13.0 (available"
    assert needed in result.stderr
    off = ["--no-variants", "-i", from_listing[-1].partition("=")[2]]
    result = pip("install", "--no-deps", "flash-attn", *off, code=1)
    assert "flash-attn 2.8.3: variants are off (available: cu12" in result.stderr


@pytest.mark.scoped
def test_download_then_named(
    pip: Pip, release: IndexServer, from_listing: list[str]
) -> None:
    """A server may state the name of a file, as GitHub does."""
    name = f"flash_attn-2.8.3+cu12torch2.9cxx11abiTRUE-{HERE_TAG}.whl"
    release.faults[release.file_path(name)] = Fault(
        headers={"Content-Disposition": f"attachment; filename={name}"}
    )
    result = pip("install", "torch==2.9.*", "flash-attn", *from_listing, env=GPU)
    assert "flash-attn-2.8.3 (cu12torch2.9cxx11abitrue)" in result.stdout


def test_a_listing_on_a_server(
    publish: WheelCli, listing: Callable[[str], Path], tmp_path: Path
) -> None:
    name = listing("html").name
    with StaticServer(tmp_path) as server:
        url = server.index_url.replace("simple/", name)
        found = adopt(publish, url)
        assert len(found["adopted"]) == 7 + len(OTHERS)
        assert found["written"] == []
        missing = publish("adopt", "--release-listing", f"{url}x", code=1)
    assert f"Cannot use {url}x: the server answered 404" in missing.stderr


def test_wheels_that_cannot_be_linked_to(
    publish: WheelCli, release: IndexServer, tmp_path: Path
) -> None:
    """Their metadata has the local version too, or cannot be read in parts."""
    release.add(make_wheel("x", "1.0+cu128"))
    release.add(make_wheel("y", "1.0"))
    names = [f"{name}-py3-none-any.whl" for name in ("x-1.0+cu128", "y-1.0")]
    path = tmp_path / "listing.txt"
    lines = [*map(release.file_url, names), "z-1.0+cu128-py3-none-any.whl"]
    path.write_text("\n".join(lines))
    result = publish("adopt", "--release-listing", path, "--json", code=1)
    left = {each["file"][0]: each["why"] for each in json.loads(result.stdout)["left"]}
    assert "local version: download the wheel, and adopt its folder" in left["x"]
    assert left["y"] == "the name has no local version, or already has a label"
    assert left["z"] == "its link is relative: specify the URL of the list instead"
    release.ranges = False
    result = publish("adopt", "--release-listing", path, "--json", code=1)
    left = {each["file"][0]: each["why"] for each in json.loads(result.stdout)["left"]}
    assert left["x"].startswith("the server does not support range requests")


@pytest.mark.scoped
def test_the_guide(
    pip: Pip,
    publish: WheelCli,
    release: IndexServer,
    listing: Callable[[str], Path],
    tmp_path: Path,
) -> None:
    listing("json").rename(tmp_path / "release.json")
    for command in block("extensions.md", "adopt").splitlines():
        publish(*shlex.split(command)[1:], cwd=tmp_path)
    words = shlex.split(block("extensions.md", "flash install"))[1:]
    result = pip(*words, "-i", release.index_url, cwd=tmp_path, env=GPU)
    assert "flash-attn-2.8.3 (cu12torch2.9cxx11abitrue)" in result.stdout


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ('{"assets": [{}]}', "not a list of links"),
        ("https://example.invalid/a.tar.gz", "the list contains no wheels"),
    ],
)
def test_what_is_no_listing(
    publish: WheelCli, tmp_path: Path, content: str, said: str
) -> None:
    path = tmp_path / "listing"
    path.write_text(content)
    result = publish("adopt", "--release-listing", path, code=1)
    assert f"error: Cannot use {path}: {said}" in result.stderr
    assert "hint: Specify an HTML page of links" in result.stderr
