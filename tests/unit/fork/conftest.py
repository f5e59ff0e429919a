"""A copy of the pinned releases, in which tests plant differences."""

from __future__ import annotations

import dataclasses
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from fork.assembler import ROOT
from fork.distributions import read_release
from fork.errors import ForkError
from fork.pins import PINS
from tests.unit.fork.planting import Tree


def _has_pins(folder: Path | None) -> bool:
    try:
        for pin in PINS:
            read_release(pin, folder)
    except ForkError:
        return False
    return True


@pytest.fixture(scope="session")
def pinned(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the pinned releases, as ``pip install --target`` makes it."""
    folder = ROOT / "build" / "requirements"
    if not _has_pins(folder):
        folder = tmp_path_factory.mktemp("pinned")
        install = [sys.executable, "-m", "pip", "install", "-q", "--no-deps"]
        requirements = [pin.requirement for pin in PINS]
        subprocess.run([*install, "--target", str(folder), *requirements], check=True)
    return folder


@pytest.fixture
def tree(pinned: Path, tmp_path: Path) -> Tree:
    """Return a copy of the pinned releases and of the overlay."""
    folder = tmp_path / "pinned"
    for name in ("pip", "archspec", "pynvml.py"):
        source = pinned / name
        if source.is_dir():
            ignored = shutil.ignore_patterns("__pycache__")
            shutil.copytree(source, folder / name, ignore=ignored)
        else:
            shutil.copy(source, folder / name)
    for source in pinned.glob("*.dist-info"):
        if source.name.startswith(("pip-", "archspec-", "nvidia_ml_py-")):
            shutil.copytree(source, folder / source.name)
    overlay = tmp_path / "src"
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "src" / "pip", overlay / "pip", ignore=ignored)
    return Tree(folder, overlay)


@pytest.fixture
def release_tree(tree: Tree) -> Tree:
    """Return a copy whose planted differences pass for a release of their own.

    Files are recorded as they are and the digest is taken as reviewed, so that the
    checks behind the digest are reached.
    """
    return dataclasses.replace(tree, released=True)
