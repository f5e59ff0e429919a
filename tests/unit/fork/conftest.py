"""The small project, in which tests plant differences, and this one, which they read."""

from __future__ import annotations

import dataclasses
import subprocess
import sys
from pathlib import Path

import pytest

from fork.engine.assembler import Assembly, assemble_project
from fork.engine.errors import ForkError
from fork.engine.releases import read_release
from fork.pins import PINS
from fork.project import PROJECT, ROOT
from tests.unit.fork.small import Tree, plant


def _has_pins(folder: Path | None) -> bool:
    try:
        for pin in PINS:
            read_release(pin, "", folder)
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


@pytest.fixture(scope="session")
def assembly(pinned: Path) -> Assembly:
    """Return the fork; it is shared."""
    return assemble_project(PROJECT, pinned)


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    """Return the small project."""
    return plant(tmp_path)


@pytest.fixture
def release_tree(tree: Tree) -> Tree:
    """Return the small project, where differences pass for releases of their own."""
    return dataclasses.replace(tree, released=True)
