"""``pip lock --environment``: one file for several platforms and Pythons."""

from __future__ import annotations

import gzip
import json
import re
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import tomli

from tests.lib.environments import Environment
from tests.lib.index import IndexServer
from tests.lib.manifests import cuda, for_versions_of, make_manifest, variant_json
from tests.lib.wheels import make_sdist, make_wheel

pytestmark = pytest.mark.locks

X86 = "linux-glibc-2.39-x86_64-py313"
ARM = "linux-glibc-2.39-aarch64-py313"
MAC = "macos-14-arm64-py313"
ENVIRONMENTS = (X86, ARM, MAC)
GPU = "cuda-12.8-sm_90"
TAGS = {
    X86: "cp313-cp313-manylinux_2_28_x86_64",
    ARM: "cp313-cp313-manylinux_2_28_aarch64",
    MAC: "cp313-cp313-macosx_11_0_arm64",
}
#: The variants of torch on each platform: the Mac has no CUDA, x86-64 an older one too.
LABELS = {X86: ["cu126", "cu128", "null"], ARM: ["cu128", "null"], MAC: ["null"]}
TORCH = make_manifest({"cu126": cuda("12.6"), "cu128": cuda("12.8"), "null": {}})
HOSTS = [X86, f"{X86}-{GPU}", f"{X86}-cuda-12.6-sm_90", ARM, f"{ARM}-{GPU}", MAC]


@pytest.fixture
def torch(index: IndexServer) -> IndexServer:
    """Return an index with torch for three platforms, and what its variants need."""
    index.add_release("torch", "2.8.0", {}, manifest=TORCH, plain=False)
    index.projects["torch"] = [
        each for each in index.projects["torch"] if each.file.filename.endswith(".json")
    ]
    for environment, labels in LABELS.items():
        for label in labels:
            cuda_lib = (
                [f"cuda-lib=={label[2:4]}.{label[4:]}"] if label != "null" else []
            )
            index.add(
                make_wheel(
                    *("torch", "2.8.0"),
                    tag=TAGS[environment],
                    label=label,
                    variant_json=variant_json(TORCH, label),
                    requires=["common", *cuda_lib, "on-mac; sys_platform == 'darwin'"],
                )
            )
    for version in ("12.6", "12.8"):
        index.add(make_wheel("cuda-lib", version))
    index.add(make_wheel("common", "1.0"))
    index.add(make_wheel("on-mac", "1.0"))
    return index


@pytest.fixture
def plain(index: IndexServer) -> IndexServer:
    """Return an index with a plain package for three platforms."""
    for tag in TAGS.values():
        index.add(make_wheel("app", "1.0", tag=tag, requires=["common"]))
    index.add(make_wheel("common", "1.0"))
    return index


def for_each(names: Sequence[str] = ENVIRONMENTS) -> list[str]:
    return [part for name in names for part in ("--environment", name)]


def lock(
    venv: Environment, index: IndexServer, *arguments: str, **options: Any
) -> dict[str, Any]:
    """Lock and return the file's content."""
    command = ["lock", "-q", "-i", index.index_url, "-o", "pylock.toml"]
    venv.pip(*command, *arguments, **options)
    return tomli.loads((venv.work / "pylock.toml").read_text("utf-8"))


def planned(venv: Environment, *arguments: str) -> set[str]:
    """Return the names of the wheels that would be installed."""
    venv.pip("install", "--dry-run", "--report", "report.json", *arguments)
    report = json.loads((venv.work / "report.json").read_text("utf-8"))
    return {x["download_info"]["url"].rpartition("/")[2] for x in report["install"]}


def test_each_installs_as_from_index(venv: Environment, torch: IndexServer) -> None:
    content = lock(venv, torch, "torch", *for_each())
    for name in HOSTS:
        host = ["--variant-host", name]
        expected = planned(venv, "torch", "-i", torch.index_url, *host)
        assert planned(venv, "-r", "pylock.toml", *host) == expected, name
    versions = [
        (each["name"], each["version"], each.get("marker"))
        for each in content["packages"]
    ]
    x86 = 'platform_machine == "x86_64"'
    arm = 'platform_machine == "aarch64"'
    on_linux = 'sys_platform == "linux"'
    cu126, cu128 = (
        f'"variant-torch-{each}" in dependency_groups' for each in ("cu126", "cu128")
    )
    assert versions == [
        ("common", "1.0", None),
        ("cuda-lib", "12.6", f"{x86} and {cu126}"),
        ("cuda-lib", "12.8", f"{on_linux} and {cu128}"),
        ("on-mac", "1.0", 'sys_platform == "darwin"'),
        ("torch", "2.8.0", x86),
        ("torch", "2.8.0", arm),
        ("torch", "2.8.0", 'sys_platform == "darwin"'),
    ]
    assert len(content["environments"]) == 3
    assert content["environments"][2] == (
        'sys_platform == "darwin" and platform_machine == "arm64" and '
        'implementation_name == "cpython" and python_version == "3.13"'
    )


def test_what_is_said(venv: Environment, torch: IndexServer) -> None:
    command = ["lock", "torch", "-i", torch.index_url, *for_each()]
    result = venv.pip(*command, "-o", "pylock.toml")
    for name in ENVIRONMENTS:
        assert f"Locking for {name}" in result.lines
    line = f"Versions of 'on-mac' differ: not locked for {X86}, {ARM}; 1.0 for {MAC}"
    assert line in result.lines
    assert result.output.count("experimental command") == 1
    assert result.output.count("only installers that know variant labels") == 1
    host = ["--variant-host", "windows-x86_64-py313"]
    result = venv.pip("install", "--dry-run", "-r", "pylock.toml", *host, code=1)
    assert "error: locked-for-other-machines" in result.stderr


def test_locked_versions_are_preferred(venv: Environment, plain: IndexServer) -> None:
    # Only two platforms have wheels of the newest version.
    plain.add(make_wheel("app", "2.0", tag=TAGS[X86], requires=["common"]))
    plain.add(make_wheel("app", "2.0", tag=TAGS[ARM], requires=["common"]))
    content = lock(venv, plain, "app", *for_each([MAC, X86, ARM]))
    versions = {(x["name"], x["version"]) for x in content["packages"]}
    assert versions == {("app", "1.0"), ("common", "1.0")}
    command = ["lock", "app", "-i", plain.index_url, *for_each([X86, ARM, MAC])]
    result = venv.pip(*command)
    line = f"Versions of 'app' differ: 2.0 for {X86}, {ARM}; 1.0 for {MAC}"
    assert line in result.lines


def test_installed_versions_do_not_count(venv: Environment, index: IndexServer) -> None:
    manifest = make_manifest(for_versions_of("lib", "2.7", "2.8"))
    index.add_release("ext", "1.0", {}, manifest=manifest, plain=False)
    index.add(make_wheel("lib", "2.7.0"))
    index.add(make_wheel("lib", "2.8.0", tag=TAGS[MAC]))
    here = f"py3{sys.version_info.minor}"
    lock(venv, index, "ext", "lib", *for_each([MAC, here]))
    index.add(make_wheel("lib", "9.0"))
    venv.pip("install", "lib", "-i", index.index_url)
    venv.pip("install", "-r", "pylock.toml")
    assert venv.installed() == {"ext": "1.0", "lib": "2.7.0"}
    assert venv.eval("ext.variant_label", "ext") == "t27"


class TestRefused:
    """What cannot be in one file."""

    def test_hardware(self, venv: Environment, plain: IndexServer) -> None:
        for name in (f"{X86}-{GPU}", "linux-x86_64-v3-py313", "cpu"):
            command = ["lock", "app", "-i", plain.index_url, "--environment", name]
            result = venv.pip(*command, code=1)
            assert "error: invalid-variant-host" in result.stderr, result.stderr
            assert "The name includes hardware" in result.stderr, result.stderr
            assert "as in: --environment linux-x86_64-py313" in result.stderr
        assert not (venv.work / "pylock.toml").exists()

    def test_a_host(self, venv: Environment, plain: IndexServer) -> None:
        command = ["lock", "app", "-i", plain.index_url, "--environment", "linus-py313"]
        result = venv.pip(*command, code=1)
        assert "Did you mean 'linux-py313'?" in result.stderr
        command = ["lock", "app", "-i", plain.index_url, *for_each()]
        result = venv.pip(*command, "--variant-host", MAC, code=1)
        assert f"--environment {X86} contradicts --variant-host {MAC}" in result.stderr

    def test_markers_do_not_tell_them_apart(
        self, venv: Environment, plain: IndexServer
    ) -> None:
        older = X86.replace("2.39", "2.28")
        names = for_each([X86, older])
        # The same packages suit both.
        content = lock(venv, plain, "app", *names)
        assert len(content["environments"]) == 1
        newer = "cp313-cp313-manylinux_2_39_x86_64"
        plain.add(make_wheel("app", "1.0", tag=newer, requires=["common"]))
        (venv.work / "pylock.toml").unlink()
        source = ["app", "-i", plain.index_url]
        result = venv.pip("lock", *source, *names, "-o", "pylock.toml", code=1)
        assert f"Cannot lock for both {X86} and {older} in one" in result.stderr
        assert "distinguishes only systems, CPU architectures, inter" in result.stderr
        assert not (venv.work / "pylock.toml").exists()
        for command in re.findall(r"pip (lock app .*)", result.stderr):
            venv.pip(*command.split())
        assert len([*venv.work.glob("pylock.?.toml")]) == 2

        # So it is with a free-threaded Python.
        tag = "cp313-cp313t-manylinux_2_28_x86_64"
        plain.add(make_wheel("app", "1.0", tag=tag, requires=["common"]))
        result = venv.pip("lock", *source, *for_each([X86, f"{X86}t"]), code=1)
        assert "error: variant-lock-environments" in result.stderr

    @pytest.mark.parametrize("dynamic", [None, ["requires-dist"]])
    def test_what_would_be_built(
        self, venv: Environment, plain: IndexServer, dynamic: Sequence[str] | None
    ) -> None:
        plain.add(make_sdist("source", "1.0", dynamic=dynamic, code="raise SystemExit"))
        command = ["lock", "source", "-i", plain.index_url, "--environment", MAC]
        result = venv.pip(*command, code=1)
        assert "error: nothing-is-built-for-another-machine" in result.stderr
        known = "The dependencies of source-1.0.tar.gz are known only after a build."
        assert known in result.stderr
        assert not (venv.work / "pylock.toml").exists()
        # What an sdist says of its name leads nowhere else.
        evil = make_sdist("source", "1.1", dynamic=[])
        data = gzip.decompress(evil.content)
        data = data.replace(b"Name: source", b"Name: /tmp/e")
        plain.add(replace(evil, content=gzip.compress(data)))
        assert "inconsistent name" in venv.pip(*command, code=1).output
        assert not Path("/tmp/e-1.1.dist-info").exists()
        # A wheel helps, of an older version too.
        plain.add(make_wheel("source", "0.9"))
        content = lock(venv, plain, "source", "--environment", MAC)
        assert [each["version"] for each in content["packages"]] == ["0.9"]


@pytest.mark.parametrize("options", [[], ["--no-variants"]])
def test_a_source_that_says_what_it_needs(
    venv: Environment, plain: IndexServer, options: Sequence[str]
) -> None:
    sdist = make_sdist(
        *("source", "1.0"),
        requires=["app", "on-mac; sys_platform == 'darwin'"],
        dynamic=["Description"],
        code="raise SystemExit('it is built')",
    )
    plain.add(sdist)
    plain.add(make_wheel("on-mac", "1.0"))
    url = plain.file_url("source-1.0.tar.gz")
    for requirement, kind in ("source", "sdist"), (f"source @ {url}", "archive"):
        content = lock(venv, plain, requirement, *for_each([X86, MAC]), *options)
        (source,) = (each for each in content["packages"] if each["name"] == "source")
        assert source[kind]["url"] == url
        assert source[kind]["hashes"] == {"sha256": sdist.sha256}
        markers = {each["name"]: each.get("marker") for each in content["packages"]}
        assert markers["on-mac"] == 'sys_platform == "darwin"'
        assert markers["common"] is markers["source"] is None


class TestNoVariants:
    """A file that all installers can read."""

    @pytest.fixture
    def plain_torch(self, torch: IndexServer) -> IndexServer:
        """Return an index with plain wheels for three platforms, also for this Python."""
        here = [
            tag.replace("313", f"3{sys.version_info.minor}") for tag in TAGS.values()
        ]
        for tag in {*TAGS.values(), *here}:
            torch.add(make_wheel("torch", "2.8.0", tag=tag, requires=["common"]))
        return torch

    def test_each_environment(
        self, venv: Environment, plain_torch: IndexServer
    ) -> None:
        content = lock(venv, plain_torch, "torch", "--no-variants", *for_each())
        assert "variants-json" not in str(content)
        for name in ENVIRONMENTS:
            wheels = planned(venv, "-r", "pylock.toml", "--variant-host", name)
            assert wheels == {
                f"torch-2.8.0-{TAGS[name]}.whl",
                "common-1.0-py3-none-any.whl",
            }

    @pytest.mark.process
    @pytest.mark.on_wheel
    def test_other_readers(
        self, venv: Environment, upstream_venv: Environment, plain_torch: IndexServer
    ) -> None:
        python = f"py3{sys.version_info.minor}"
        each = [option.replace("py313", python) for option in for_each()]
        lock(venv, plain_torch, "torch", "--no-variants", *each)
        upstream_venv.pip("install", "-r", venv.work / "pylock.toml")
        assert upstream_venv.installed() == {"common": "1.0", "torch": "2.8.0"}
        pytest.importorskip("uv", reason="uv is not installed")
        command = [sys.executable, "-m", "uv", "pip", "install", "--no-cache"]
        venv.run(*command, "--python", venv.python, "-r", "pylock.toml")
        assert venv.installed() == {"common": "1.0", "torch": "2.8.0"}
