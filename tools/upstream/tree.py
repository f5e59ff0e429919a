"""Prepare stock pip's checkout with another pip, and a test environment."""

from __future__ import annotations

import hashlib
import io
import os
import shlex
import shutil
import subprocess
import sys
import tarfile
import zipfile
from dataclasses import dataclass
from pathlib import Path

from tests.lib.interpreters import find_interpreters

__all__ = ["Checkout", "UpstreamError", "prepare"]

# Upstream's tests need these in addition to their own group: the common wheels contain an
# older setuptools than the group would install, and a few tests need the same version
# twice.
_TOOLS = ["setuptools<80", "pytest-reportlog", "pytest-timeout"]


class UpstreamError(Exception):
    """The tests cannot be run; the message contains the reason and a remedy."""


@dataclass(frozen=True, slots=True)
class Checkout:
    """The checkout and environment for testing one pip.

    :ivar folder: the folder of upstream's checkout, with that pip in ``src``, and of an
        environment with that pip and the tools of the tests.
    :ivar commit: the full hash of upstream's commit.
    :ivar digest: the digest of the wheel of that pip.
    :ivar version: the version of that pip.
    """

    folder: Path
    commit: str
    digest: str
    version: str

    @property
    def root(self) -> Path:
        """The root of the checkout."""
        return self.folder / "pip"

    @property
    def venv(self) -> Path:
        """The folder of the environment."""
        return self.folder / "venv"

    @property
    def python(self) -> Path:
        """The interpreter of the environment."""
        return self.venv / ("Scripts" if os.name == "nt" else "bin") / "python"


def prepare(checkout: Path, wheel: Path, python: str, build: Path) -> Checkout:
    """Create a tree below *build*, or return the existing one.

    :param checkout: a git checkout of upstream, or its git folder; only the commit at
        ``HEAD`` is used.
    :param wheel: the wheel of the pip to test.
    :param python: the CPython version for the tests.
    :raises UpstreamError: if *checkout* is not upstream's repository, the CPython is
        missing, or something cannot be installed.
    """
    commit = _git(checkout, "rev-parse", "HEAD").decode().strip()
    digest, version = _identify(wheel)
    name = f"{commit[:8]}-{version}-{digest[:8]}-py{python}"
    folder = build / "trees" / name
    tree = Checkout(folder, commit, digest, version)
    stamp = folder / "complete"
    if stamp.exists():
        return tree
    shutil.rmtree(folder, ignore_errors=True)
    _unpack(tree, checkout, wheel)
    _install(tree, wheel, python)
    stamp.touch()
    return tree


def _unpack(tree: Checkout, checkout: Path, wheel: Path) -> None:
    archive = io.BytesIO(_git(checkout, "archive", "HEAD"))
    with tarfile.open(fileobj=archive) as source:
        # The first releases of CPython 3.10 and 3.11 have no filters.
        source.extraction_filter = getattr(tarfile, "tar_filter", None)
        source.extractall(tree.root)
    if not (tree.root / "src" / "pip" / "__init__.py").is_file():
        raise UpstreamError(f"no checkout of pip's repository: {str(checkout)!r}")
    # Tests query git about their folder; git must not find this repository.
    subprocess.run(["git", "init", "--quiet"], cwd=tree.root, check=True)
    shutil.rmtree(tree.root / "src" / "pip")
    with zipfile.ZipFile(wheel) as files:
        members = [name for name in files.namelist() if name.startswith("pip/")]
        files.extractall(tree.root / "src", members)


def _install(tree: Checkout, wheel: Path, python: str) -> None:
    """Install the pip, the test dependencies and the test wheels."""
    interpreter = find_interpreters().get(python)
    if interpreter is None:
        raise UpstreamError(f"no CPython of this version on this machine: {python}")
    pip = [sys.executable, "-m", "pip", "--python", str(tree.python)]
    into_venv = [*pip, "install", "--quiet"]
    wheels = str(tree.root / "tests" / "data" / "common_wheels")
    to_folder = [*pip, "wheel", "--quiet", "--wheel-dir", wheels]
    groups = f"{tree.root / 'pyproject.toml'}:"
    for command in (
        [str(interpreter), "-m", "venv", "--without-pip", str(tree.venv)],
        [*into_venv, "--group", f"{groups}test", *_TOOLS, str(wheel)],
        [*to_folder, "--group", f"{groups}test-common-wheels"],
    ):
        if subprocess.run(command, check=False).returncode:
            raise UpstreamError(f"a command failed (see above): {shlex.join(command)}")


def _identify(wheel: Path) -> tuple[str, str]:
    """Return a digest of the wheel's files, and the version of its pip."""
    with zipfile.ZipFile(wheel) as files:
        (record,) = (
            name for name in files.namelist() if name.endswith(".dist-info/RECORD")
        )
        rows = sorted(files.read(record).splitlines())
    version = record.split("/")[0].removeprefix("pip-").removesuffix(".dist-info")
    return hashlib.sha256(b"\n".join(rows)).hexdigest(), version


def _git(checkout: Path, *arguments: str) -> bytes:
    # A git folder without a work tree is sufficient.
    bare = (checkout / "objects").is_dir()
    where = ["--git-dir" if bare else "-C", str(checkout)]
    done = subprocess.run(
        ["git", *where, *arguments], check=False, stdout=subprocess.PIPE
    )
    if done.returncode:
        raise UpstreamError(
            "git cannot read it (see above); give a checkout of pip's repository: "
            f"{str(checkout)!r}"
        )
    return done.stdout
