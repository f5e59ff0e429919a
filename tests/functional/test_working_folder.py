"""No entry point runs a module of the working folder, or of the script's folder."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.lib.carriers import Carrier
from tests.lib.environments import REPOSITORY, Environment, Workshop, changed
from tests.lib.index import IndexServer
from tests.lib.wheels import make_wheel
from tools.release.installer import installer
from tools.release.zipapp import zipapp

pytestmark = pytest.mark.process

#: Leave a mark, then become the module that was meant, so that the program goes on.
TRAP = """\
import sys
open({mark!r}, "a").close()
_path = sys.path[:]
sys.path[:] = [each for each in sys.path if each not in ("", {folder!r})]
del sys.modules[__name__]
__import__(__name__)
sys.path[:] = _path
"""
#: What programs here may import besides the standard library.
OTHERS = {"pip", "setuptools", "sitecustomize", "usercustomize"}


@dataclass(frozen=True)
class Traps:
    """A folder with a module of each name that Python might look for."""

    folder: Path
    marks: Path
    environ: Mapping[str, str]

    @classmethod
    def in_(cls, root: Path, environ: Mapping[str, str]) -> Traps:
        """Set the traps below *root*."""
        traps = cls(root / "traps", root / "marks", environ)
        traps.folder.mkdir()
        traps.marks.mkdir()
        for name in sys.stdlib_module_names | OTHERS:
            text = TRAP.format(mark=str(traps.marks / name), folder=str(traps.folder))
            (traps.folder / f"{name}.py").write_text(text, encoding="utf-8")
        return traps

    def sprung(
        self,
        *command: str | Path,
        env: Mapping[str, str | None] | None = None,
        code: int = 0,
        given: bytes = b"",
    ) -> set[str]:
        """Run a command in the folder; return the names of the modules that ran."""
        done = subprocess.run(
            list(map(str, command)),
            cwd=self.folder,
            env=changed(dict(self.environ), env),
            input=given,
            capture_output=True,
            check=False,
        )
        assert done.returncode == code, done
        marks = list(self.marks.iterdir())
        for mark in marks:
            mark.unlink()
        # Bytecode would keep a trap from being read, not from running.
        shutil.rmtree(self.folder / "__pycache__", ignore_errors=True)
        return {mark.name for mark in marks}


@pytest.fixture
def traps(carrier: Carrier, tmp_path: Path) -> Traps:
    """Return traps for programs that find the carrier."""
    return Traps.in_(tmp_path, carrier.environ())


def without_program(traps: Traps, folder: Path) -> set[str]:
    """Return the modules that ``python -m`` itself takes from the working folder."""
    (folder / "bare").mkdir()
    for name in ("__init__", "__main__"):
        (folder / "bare" / f"{name}.py").touch()
    bare = [sys.executable, "-m", "bare"]
    return traps.sprung(*bare, env={"PYTHONPATH": str(folder)})


def test_a_trap_can_be_sprung(traps: Traps) -> None:
    code = "import argparse, json"
    assert traps.sprung(sys.executable, "-c", code) >= {"argparse", "json"}


def test_the_carrier(
    carrier: Carrier, traps: Traps, upstream_venv: Environment, tmp_path: Path
) -> None:
    by_python = without_program(traps, tmp_path)
    carried = {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(carrier.folder)}
    if sys.version_info < (3, 12):
        make_wheel("setuptools", "99.0").write_to(tmp_path)
        carried["PIP_FIND_LINKS"] += f" {tmp_path}"
    venv = upstream_venv.venv
    commands: list[tuple[Sequence[str | Path], int]] = [
        (["--version"], 0),
        (["folder"], 0),
        (["bootstrap", tmp_path / "nowhere"], 1),
        (["bootstrap", venv], 1),
        (["bootstrap", "--yes", venv], 0),
        (["bootstrap", "--yes", "--undo", venv], 0),
        (["venv", "--without-pip", tmp_path / "bare"], 0),
        (["venv", "--upgrade-deps", tmp_path / "upgraded"], 0),
    ]
    program = [sys.executable, "-m", "pip_variants"]
    for arguments, code in commands:
        sprung = traps.sprung(*program, *arguments, env=carried, code=code)
        assert sprung <= by_python, (arguments, sprung)


def test_the_publishers_commands(traps: Traps, tmp_path: Path) -> None:
    by_python = without_program(traps, tmp_path)
    source = {"PYTHONPATH": str(REPOSITORY / "core" / "src")}
    program = [sys.executable, "-m", "wheel_variants", "check", str(tmp_path)]
    assert traps.sprung(*program, env=source, code=1) <= by_python


def test_the_installer(
    carrier: Carrier, traps: Traps, upstream_venv: Environment
) -> None:
    """Neither beside its file, as in a folder of downloads, nor where it is run."""
    script = installer(carrier.wheel)
    path = traps.folder / "get-pip-variants.py"
    alone = {"PYTHONPATH": None}
    path.write_bytes(script)
    program = [upstream_venv.python, path]
    assert traps.sprung(*program, "--help", env=alone) == set()
    assert traps.sprung(*program, env=alone, code=1) == set()
    assert traps.sprung(*program, "--yes", env=alone) == set()
    assert traps.sprung(*program, "--yes", "--undo", env=alone) == set()
    piped = (upstream_venv.python, "-", "--yes")
    assert traps.sprung(*piped, env=alone, given=script) == set()


def test_the_zipapp(
    workshop: Workshop, traps: Traps, upstream_venv: Environment, tmp_path: Path
) -> None:
    path = traps.folder / "pip-variants.pyz"
    path.write_bytes(zipapp(workshop.fork_wheel()))
    make_wheel("demo", "1.0").write_to(tmp_path)
    program: list[str | Path] = [upstream_venv.python, path]
    source = ["--no-index", "--find-links", tmp_path]
    for arguments in (
        ["--version"],
        ["install", *source, "demo"],
        ["list"],
        ["variants", "host", "--json"],
        ["variants", "setup"],
    ):
        sprung = traps.sprung(*program, *arguments)
        assert sprung == set(), arguments


def test_the_seeder(traps: Traps, tmp_path: Path) -> None:
    """With ``-m``, virtualenv reads the working folder; the seeder adds nothing."""
    program = [sys.executable, "-m", "virtualenv"]
    seed = [*program, "--app-data", str(tmp_path / "data")]
    own = traps.sprung(*seed, tmp_path / "own", env={"PYTHONPATH": None})
    seeder = ["--seeder", "pip-variants"]
    assert traps.sprung(*seed, *seeder, tmp_path / "new") <= own


def test_pip_itself(
    traps: Traps,
    venv: Environment,
    upstream_venv: Environment,
    index: IndexServer,
) -> None:
    """``python -m pip`` and what it starts: nothing that stock pip does not run."""
    (traps.folder / "pip.py").unlink()
    for name in ("a", "b", "c"):
        index.add(make_wheel(name, "1.0", files={f"{name}.py": "x = 1\n" * 200_000}))
    install = ["install", "-i", index.index_url, "a", "b", "c"]
    commands = [install, ["install", "--force-reinstall", *install[1:]], ["list"]]
    by_stock = set()
    for arguments in commands:
        by_stock |= traps.sprung(upstream_venv.python, "-m", "pip", *arguments)
    for arguments in [*commands, ["variants", "host"], ["variants", "host", "--json"]]:
        sprung = traps.sprung(venv.python, "-m", "pip", *arguments)
        assert sprung <= by_stock, (arguments, sprung - by_stock)
