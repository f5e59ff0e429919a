"""Disks that are full or read-only, and caches that are damaged."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from pip._internal.fast.sizes import LARGE
from tests.lib.environments import Environment, Result
from tests.lib.fault_cells import PLUGIN, add_packages
from tests.lib.hosts import forced
from tests.lib.index import IndexServer
from tests.lib.manifests import cuda, variant_json
from tests.lib.wheels import make_wheel

pytestmark = pytest.mark.process

Mounted = Callable[..., Result]
#: The module that is run, if it is not pip.
PUBLISHER = "wheel_variants"
_UNPACKED = ["--link-mode", "copy"]

#: Prints the files of a package that is installed, and their sizes.
SNAPSHOT = """\
import json, pathlib, sysconfig
root = pathlib.Path(sysconfig.get_path("purelib"))
found = sorted(p for p in root.glob("*kernels*/**/*") if p.is_file())
print(json.dumps({str(p.relative_to(root)): p.stat().st_size for p in found}))
"""


@pytest.fixture
def mounted(venv: Environment, publisher_environment: Environment) -> Mounted:
    """Return a function that runs a program where a shell script has mounted something.

    The mounts are of a namespace of their own, and gone with the command.
    """
    unshare = ["unshare", "--map-root-user", "--mount"]
    tool = shutil.which(unshare[0])
    probe = [*unshare, "mount", "-t", "tmpfs", "none", str(venv.work)]
    if tool is None or subprocess.run(probe, check=False).returncode:
        pytest.skip("nothing can be mounted in a namespace")

    def run(
        script: str, *arguments: str | Path, code: int = 0, program: str = "pip"
    ) -> Result:
        text = f'set -e\n{script}\nset +e\n"$@"\ncode=$?\n$SNAPSHOT\nexit $code'
        snapshot = venv.work / "snapshot.py"
        snapshot.write_text(SNAPSHOT, encoding="utf-8")
        env = {
            **forced("12.8"),
            "PIP_TRUST_VARIANT_PROVIDER": PLUGIN,
            "PIP_NO_COMPILE": "1",
            "SNAPSHOT": f"{venv.python} {snapshot}",
        }
        place = publisher_environment if program == PUBLISHER else venv
        words = [str(place.python), "-m", program, *arguments]
        command = [*unshare, "sh", "-c", text, "sh", *words]
        return venv.run(*command, code=code, env=env)

    return run


@pytest.fixture
def options(index: IndexServer) -> list[str]:
    """Return the options for an index with each kind of package."""
    add_packages(index)
    return ["-i", index.index_url]


def files(result: Result) -> dict[str, int]:
    """Return the files of the package and their sizes, as a run has left them."""
    found: dict[str, int] = json.loads(result.lines[-1])
    return found


#: What is done to the folder of caches.
CACHES = {
    "full": "mount -t tmpfs -o size=4k none $HOME/.cache",
    "read-only": (
        "mount --bind $HOME/.cache $HOME/.cache\nmount -o remount,bind,ro $HOME/.cache"
    ),
    "a file": "rm -r $HOME/.cache && touch $HOME/.cache",
}


@pytest.mark.parametrize("name", CACHES)
def test_the_cache_is(
    venv: Environment, mounted: Mounted, options: list[str], name: str
) -> None:
    (venv.home / ".cache").mkdir()
    command = ["install", "kernels", "bare", "plugged", *options]
    result = mounted(CACHES[name], *command)
    for label, package in ("gpu", "kernels"), ("gpu", "bare"), ("npu1", "plugged"):
        assert f"Using the variant {label} of {package} 1.0" in result.stdout
    # Whoever is not root is told by upstream.
    assert all("The cache has been disabled" in x for x in result.stderr.splitlines())
    assert not list(venv.home.glob("**/variant-providers/*"))


def test_no_space_for_temporary_files(mounted: Mounted, options: list[str]) -> None:
    script = "mount -t tmpfs -o size=4k none $HOME\nexport TMPDIR=$HOME"
    for package in ("kernels", "bare", "plugged"):
        result = mounted(script, "install", package, *options, code=1)
        assert "No space left on device" in result.stderr, result
        assert files(result) == {}
    result = mounted(script, "install", "kernels", "bare", *options, code=1)
    assert "No space left on device" in result.stderr, result
    assert files(result) == {}


@pytest.mark.parametrize("name", CACHES)
def test_the_cache_of_unpacked_wheels_is(
    venv: Environment, mounted: Mounted, index: IndexServer, name: str
) -> None:
    index.add(make_wheel("kernels", "1.0", files={"kernels/a.bin": os.urandom(LARGE)}))
    (venv.home / ".cache").mkdir()
    command = ["install", "kernels", "-i", index.index_url, *_UNPACKED]
    for _ in range(2):
        result = mounted(CACHES[name], *command, "--force-reinstall")
        assert files(result)["kernels/a.bin"] == LARGE
        assert "Using unpacked" not in result.stdout
        told = result.stderr.splitlines()
        assert all("does not use" in x or "been disabled" in x for x in told), result
    assert not list(venv.home.rglob("unpacked-wheels/*/contents"))


def _little_space(venv: Environment) -> str:
    """Return a script that puts the packages on a disk with little space left."""
    return f"""
        mkdir -p small; mount -t tmpfs none small; cp -a {venv.site_packages}/. small
        used=$(df -k --output=used small | tail -1)
        mount -o remount,size=$((used + 300))k small
        mount --bind small {venv.site_packages}"""


def test_no_space_for_a_stored_wheel(
    venv: Environment, mounted: Mounted, index: IndexServer
) -> None:
    content = {"kernels/big.bin": os.urandom(1_000_000)}
    index.add(make_wheel("kernels", "1.0", files=content))
    command = ["install", "kernels", "-i", index.index_url]
    stored = [*command, *_UNPACKED]
    mounted("", *stored)
    assert files(mounted("", "uninstall", "-y", "kernels")) == {}
    usual = mounted(_little_space(venv), *command, code=1)
    result = mounted(_little_space(venv), *stored, code=1)
    assert "Using unpacked kernels" in result.stdout
    for each in usual, result:
        assert "No space left on device" in each.stderr, each
        # What stock pip leaves of a plain package: nothing that passes for one.
        assert not [path for path in files(each) if "dist-info" in path]
    assert set(content) <= set(files(mounted("", *stored)))


def test_no_space_for_what_is_installed(
    venv: Environment, mounted: Mounted, index: IndexServer
) -> None:
    variants = {"gpu": cuda("12.8"), "null": {}}
    manifest = index.add_release("kernels", "1.0", variants)
    content = {"kernels/big.bin": b"x" * 1_000_000}
    own = variant_json(manifest, "gpu")
    index.add(
        make_wheel("kernels", "1.0", label="gpu", variant_json=own, files=content)
    )
    command = ["install", "kernels", "-i", index.index_url]
    script = _little_space(venv)
    # The first one is installed where there is nothing yet.
    before: dict[str, int] = {}
    for _ in range(2):
        result = mounted(script, *command, "--upgrade-variants", code=1)
        assert "No space left on device" in result.stderr, result
        assert files(result) == before
        before = files(mounted("", *command, "--variant", "null"))
        assert len(before) > 5
    assert "kernels/big.bin" in files(mounted("", *command, "--upgrade-variants"))


def test_no_space_for_what_is_built(venv: Environment, mounted: Mounted) -> None:
    files: Mapping[str, str | bytes] = {"demo/data.bin": os.urandom(1_000_000)}
    make_wheel("demo", "1.0", files=files).write_to(venv.work)
    script = "mkdir -p full; mount -t tmpfs -o size=100k none full"
    build = ["build", "demo-1.0-py3-none-any.whl", "--null", "-d", "full"]
    build += ["--namespace", "x86_64"]
    index = ["index", ".", "--simple", "-o", "full"]
    for words, what, option in (
        (build, "demo-1.0-py3-none-any-null.whl", "--output-dir"),
        (index, "the index", "--output"),
    ):
        result = mounted(script, *words, code=1, program=PUBLISHER)
        assert result.stderr == (
            f"error: Cannot write {what}: full: No space left on device\n"
            f"hint: Name another folder with {option}\n"
        )


def spoil(content: bytes) -> bytes:
    """Return what a disk may make of a file."""
    return content[:-10] + b"\0" * 10


#: What is done to the copies in the cache of what holds certain bytes.
DAMAGE: Mapping[str, Callable[[bytes], bytes]] = {
    "empty": lambda _: b"",
    "cut off": lambda content: content[: len(content) // 2],
    "overwritten": spoil,
}


@pytest.mark.parametrize("hashes", [True, False], ids=["hashes", "no hashes"])
def test_damaged_copies_of_manifests_are_mended(
    venv: Environment, tls_index: IndexServer, hashes: bool
) -> None:
    tls_index.pages.hashes = hashes
    tls_index.add_release("kernels", "1.0", {"gpu": cuda("12.8"), "null": {}})
    command = ["install", "--dry-run", "kernels", "-i", tls_index.index_url]
    command += ["--cert", str(tls_index.certificates)]
    manifest = tls_index.find("kernels-1.0-variants.json")
    assert manifest is not None

    def copies() -> list[Path]:
        bodies = venv.home.glob("**/http-v2/**/*.body")
        return [path for path in bodies if b"default-priorities" in path.read_bytes()]

    for name, damage in DAMAGE.items():
        venv.clear_cache()
        venv.pip(*command, env=forced("12.8"))
        (copy,) = copies()
        copy.write_bytes(damage(manifest.file.content))
        for _ in range(2):
            result = venv.pip(*command, env=forced("12.8"))
            assert "Using the variant gpu of kernels 1.0" in result.stdout, name
            assert result.stderr == "", name
            assert copy.read_bytes() == manifest.file.content, name
