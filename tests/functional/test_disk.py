"""Disks that are full or read-only, and caches that are damaged."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from pip._internal.fast.install_command import LARGE
from tests.lib.environments import Environment, Result
from tests.lib.fault_cells import PLUGIN, add_packages
from tests.lib.hosts import forced
from tests.lib.index import Fault, IndexServer
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
    venv: Environment,
    mounted: Mounted,
    index: IndexServer,
    options: list[str],
    name: str,
) -> None:
    """Neither a cache of responses nor a store of unpacked wheels is needed."""
    index.add(make_wheel("large", "1.0", files={"kernels/a.bin": os.urandom(LARGE)}))
    (venv.home / ".cache").mkdir()
    command = ["install", "kernels", "bare", "plugged", "large", *options, *_UNPACKED]
    for _ in range(2):
        result = mounted(CACHES[name], *command, "--force-reinstall")
        for label, package in ("gpu", "kernels"), ("gpu", "bare"), ("npu1", "plugged"):
            assert f"Using {package} 1.0, variant {label}" in result.stdout
        assert files(result)["kernels/a.bin"] == LARGE
        assert "Using unpacked" not in result.stdout
        told = result.stderr.splitlines()
        assert all("does not use" in x or "been disabled" in x for x in told), result
    assert not list(venv.home.rglob("unpacked-wheels/*/contents"))


def test_no_space_for_temporary_files(mounted: Mounted, options: list[str]) -> None:
    script = "mount -t tmpfs -o size=4k none $HOME\nexport TMPDIR=$HOME"
    for package in ("kernels", "bare", "plugged"):
        result = mounted(script, "install", package, *options, code=1)
        assert "No space left on device" in result.stderr, result
        assert files(result) == {}
    result = mounted(script, "install", "kernels", "bare", *options, code=1)
    assert "No space left on device" in result.stderr, result
    assert files(result) == {}


def _little_space(venv: Environment, more: int = 300) -> str:
    """Return a script that puts the packages on a disk with *more* KiB left."""
    return f"""
        mkdir -p small; mount -t tmpfs none small; cp -a {venv.site_packages}/. small
        used=$(df -k --output=used small | tail -1)
        mount -o remount,size=$((used + {more}))k small
        mount --bind small {venv.site_packages}"""


@pytest.mark.parametrize("unpacked", [[], _UNPACKED], ids=["usual", "stored"])
def test_no_space_for_what_is_installed(
    venv: Environment, mounted: Mounted, index: IndexServer, unpacked: list[str]
) -> None:
    variants = {"gpu": cuda("12.8"), "null": {}}
    manifest = index.add_release("kernels", "1.0", variants)
    content = {"kernels/big.bin": os.urandom(1_000_000)}
    own = variant_json(manifest, "gpu")
    index.add(
        make_wheel("kernels", "1.0", label="gpu", variant_json=own, files=content)
    )
    command = ["install", "kernels", "-i", index.index_url, *unpacked]
    script = _little_space(venv)
    result = mounted(script, *command, code=1)
    assert "No space left on device" in result.stderr, result
    assert files(result) == {}
    before = files(mounted("", *command, "--variant", "null"))
    assert len(before) > 5
    result = mounted(script, *command, "--upgrade-variants", code=1)
    assert "No space left on device" in result.stderr, result
    assert files(result) == before
    assert "kernels/big.bin" in files(mounted("", *command, "--upgrade-variants"))


def test_space_that_staging_needs_in_addition(
    venv: Environment, mounted: Mounted, index: IndexServer
) -> None:
    """Stock pip replaces one file after another."""
    content = {f"kernels/{number}.bin": os.urandom(50_000) for number in range(10)}
    index.add(make_wheel("kernels", "1.0", files=content))
    command = ["install", "-I", "kernels", "-i", index.index_url]
    mounted("", *command)
    assert set(content) <= set(files(mounted(_little_space(venv), *command)))


def test_space_that_unpacking_during_downloads_takes(
    venv: Environment, mounted: Mounted, index: IndexServer
) -> None:
    for name, size in ("one", 3_000_000), ("two", 3_000_000), ("last", 0):
        data = bytes(size) + os.urandom(LARGE if size else 2_000_000)
        index.add(make_wheel(name, "1.0", files={f"{name}/a.bin": data}))
    command = ["install", "-I", "-i", index.index_url, "--no-cache-dir", "one", "two"]
    mounted("", *command)
    # The files that were unpacked early leave no space for the last file.
    index.faults["/files/last-1.0-py3-none-any.whl"] = Fault(delay=1)
    script = f"{_little_space(venv, 7000)}\nexport TMPDIR=$(mktemp -dp $PWD/small)"
    mounted(script, *command, "last")


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
            f"hint: Specify another folder with {option}\n"
        )


def test_damaged_copy_of_a_manifest(venv: Environment, tls_index: IndexServer) -> None:
    tls_index.add_release("kernels", "1.0", {"gpu": cuda("12.8"), "null": {}})
    command = ["install", "--dry-run", "kernels", "-i", tls_index.index_url]
    command += ["--cert", str(tls_index.certificates)]
    venv.pip(*command, env=forced("12.8"))
    bodies = venv.home.glob("**/http-v2/**/*.body")
    (copy,) = (path for path in bodies if b"default-priorities" in path.read_bytes())
    content = copy.read_bytes()
    copy.write_bytes(content[:-10] + b"\0" * 10)
    result = venv.pip(*command, env=forced("12.8"))
    assert "Using kernels 1.0, variant gpu" in result.stdout
    assert result.stderr == ""
    assert copy.read_bytes() == content
