"""What is pure stands alone: it could go to packaging as it is."""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import packaging
import pytest

from pip._vendor.packaging import __version__ as vendored

from fork.engine.edits import apply
from fork.engine.kinds import Seam, import_edits
from fork.engine.module import Module
from fork.seams import SEAMS

ROOT = Path(__file__).resolve().parents[2]
CORE = "pip/_internal/variants/core"
VENDORED = "pip/_vendor/packaging"
#: A plugin: few examples of what is drawn at random, for it is about imports here.
FEW = """
import hypothesis
hypothesis.settings.register_profile("few", max_examples=5, deadline=None, database=None)
hypothesis.settings.load_profile("few")
"""


def imported(path: Path) -> Iterator[str]:
    """Yield the modules that a file imports, however it does."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (each.name for each in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield "." * node.level + (node.module or "")


def is_allowed(module: str) -> bool:
    """Tell whether core may import a module."""
    own = tuple(each.replace("/", ".") for each in (CORE, VENDORED))
    return f"{module}.".startswith(tuple(f"{each}." for each in own)) or (
        module.partition(".")[0] in sys.stdlib_module_names
    )


def test_core_imports_the_standard_library_and_packaging() -> None:
    files = list((ROOT / "src" / CORE).rglob("*.py"))
    assert files
    found = {(path.name, each) for path in files for each in imported(path)}
    assert [each for each in found if not is_allowed(each[1])] == []
    assert not is_allowed("pip._internal.variants.corecore")
    assert not is_allowed(".properties")


@pytest.fixture
def alone(tmp_path: Path) -> Path:
    """Return a folder with a pip that is packaging as released, and core."""
    assert packaging.__version__ == vendored, "it is what upstream vendors"
    released = Path(packaging.__file__).parent
    leaving = shutil.ignore_patterns("__pycache__")
    shutil.copytree(released, tmp_path / VENDORED, ignore=leaving)
    shutil.copytree(ROOT / "src" / CORE, tmp_path / CORE, ignore=leaving)
    shutil.copy(ROOT / "src" / VENDORED / "_variants.py", tmp_path / VENDORED)
    for folder in ("pip", "pip/_vendor", "pip/_internal", "pip/_internal/variants"):
        (tmp_path / folder / "__init__.py").touch()
    return tmp_path


def run_tests(folder: str, alone: Path) -> None:
    """Run unit tests; the only pip is the one in *alone*."""
    (alone / "few.py").write_text(FEW, encoding="utf-8")
    done = subprocess.run(
        [
            *(sys.executable, "-m", "pytest", "-q", "--noconftest", folder),
            *("-p", "no:cacheprovider", "-p", "few"),
            # In place of the assembled pip of pyproject.toml.
            *("-o", f"pythonpath={alone} {ROOT}"),
        ],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(alone)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_core_with_packaging_as_released(alone: Path) -> None:
    run_tests("tests/unit/variants/core", alone)


def test_the_grammar_with_packaging_as_released(alone: Path) -> None:
    """What file names and markers need of packaging are the seams there."""
    edited: dict[str, list[Seam]] = {}
    for seam in SEAMS:
        if seam.file.startswith(VENDORED):
            edited.setdefault(seam.file, []).append(seam)
    for file, seams in edited.items():
        module = Module(file, (alone / file).read_bytes())
        edits = import_edits(module, seams)
        for seam in seams:
            edits += seam.edits(module)
        (alone / file).write_bytes(apply(module.data, edits, file))
    run_tests("tests/unit/packaging", alone)
