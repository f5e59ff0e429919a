"""One state of the project gives one wheel and one sdist, on every machine."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

from tests.lib.interpreters import find_interpreters

pytestmark = [pytest.mark.slow, pytest.mark.process]


def digest(folder: Path, pattern: str) -> str:
    """Return the SHA-256 of the only file in a folder that matches."""
    (file,) = folder.glob(pattern)
    return hashlib.sha256(file.read_bytes()).hexdigest()


def run(*command: str | Path, umask: int = 0o022) -> None:
    """Run a command that must succeed, with the user's settings."""
    # Not through preexec_fn: it is not safe beside threads.
    code = "import os, sys; os.umask(int(sys.argv[1])); os.execv(sys.argv[2], sys.argv[2:])"
    prefix = [sys.executable, "-c", code, str(umask)]
    done = subprocess.run(
        [*prefix, *map(str, command)],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory, repository_root: Path) -> Path:
    """Return a copy of the project, so that it stays as it is during the tests."""
    project = tmp_path_factory.mktemp("reproducible") / "project"
    # As in a working tree: caches are there, and must make no difference.
    ignored = shutil.ignore_patterns(".git", ".nox", "build", "dist", ".*_cache")
    shutil.copytree(repository_root, project, ignore=ignored)
    cache = project / "src" / "pip" / "_internal" / "variants" / "__pycache__"
    cache.mkdir(exist_ok=True)
    (cache / "seams.cpython-399.pyc").write_bytes(b"stale")
    return project


@pytest.fixture(scope="module", params=("3.10", "3.13"))
def python(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """Return the interpreter of an environment with pip, old and new."""
    version: str = request.param
    if version not in find_interpreters():
        pytest.skip(f"CPython {version} is not on this machine")
    folder = tmp_path_factory.mktemp("tools") / "venv"
    virtualenv = [sys.executable, "-m", "virtualenv", "-q", str(folder)]
    command = [*virtualenv, "--python", str(find_interpreters()[version])]
    subprocess.run(command, check=True)
    return folder / "bin" / "python"


@pytest.fixture(scope="module")
def built(project: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the sdist, and the wheel that was built from it."""
    pytest.importorskip("build", reason="build is not installed")
    folder = tmp_path_factory.mktemp("built")
    run(sys.executable, "-m", "build", "--outdir", folder, project)
    return folder


def test_by_pip_from_the_tree(
    project: Path, python: Path, built: Path, tmp_path: Path
) -> None:
    command = ["-m", "pip", "wheel", "-q", "--no-deps", "-w"]
    run(python, *command, tmp_path, project, umask=0o077)
    assert digest(tmp_path, "*.whl") == digest(built, "*.whl")


def test_the_sdist_holds_sources_and_tests_and_no_upstream_code(built: Path) -> None:
    (sdist,) = built.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {
        "LICENSE",
        "README.md",
        "fork/hatch_build.py",
        "fork/pins.py",
        "noxfile.py",
        "pyproject.toml",
        "src/pip/_internal/variants/seams.py",
        "tests/functional/test_reproducible_build.py",
        "tools/rebase.py",
    } <= names
    assert not [name for name in names if "__pycache__" in name]
    assert not [name for name in names if name.startswith(("build/", "src/pip/__"))]
    assert "src/pip/_internal/cache.py" not in names
