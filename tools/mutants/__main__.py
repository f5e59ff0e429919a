"""Plant each fault of mutants.toml in a copy of the project, and run its tests."""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import tomli

__all__ = ["OVERLAY", "Mutant", "copied", "main", "planted", "read_mutants"]

ROOT = Path(__file__).resolve().parents[2]
OVERLAY = Path("src/pip/_internal")
_KILLER = re.compile(
    r"^(?:FAILED|ERROR) ((?:core/)?tests/\S+?\.py::[^\s\[]+)", re.MULTILINE
)


@dataclass(frozen=True, slots=True)
class Mutant:
    """A fault to plant.

    :ivar what: what is wrong then.
    :ivar edits: a file of the overlay, a text that is in it once, and what to write in
        its place; several edits where one defence stands behind another.
    :ivar tests: files or folders of tests, one of which is to fail.
    """

    what: str
    edits: Sequence[tuple[str, str, str]]
    tests: Sequence[str]


def read_mutants(path: Path) -> list[Mutant]:
    """Read the faults in a file."""
    with path.open("rb") as file:
        return [
            Mutant(
                each["what"],
                [
                    (e["file"], e["before"], e["after"])
                    for e in each.get("edits", [each])
                ],
                each["tests"],
            )
            for each in tomli.load(file)["mutant"]
        ]


@contextmanager
def planted(mutant: Mutant, overlay: Path) -> Iterator[None]:
    """Plant a fault, and take it out again.

    :raises ValueError: if a text to change is not there, or several times.
    """
    originals: dict[Path, str] = {}
    try:
        for name, before, after in mutant.edits:
            path = overlay / name
            text = path.read_text(encoding="utf-8")
            originals.setdefault(path, text)
            if (count := text.count(before)) != 1:
                raise ValueError(f"{mutant.what!r}: {before!r} is there {count} times")
            path.write_text(text.replace(before, after), encoding="utf-8")
        yield
    finally:
        for path, text in originals.items():
            path.write_text(text, encoding="utf-8")


def main(arguments: Sequence[str] | None = None) -> int:
    """Plant the faults one after the other; the status tells if one was not found."""
    parser = argparse.ArgumentParser(prog="nox -s mutants --", description=__doc__)
    parser.add_argument("-k", metavar="TEXT", default="", help="only those with TEXT")
    options = parser.parse_args(arguments)
    mutants = [
        mutant
        for mutant in read_mutants(Path(__file__).with_name("mutants.toml"))
        if options.k in mutant.what
    ]
    survivors = 0
    with tempfile.TemporaryDirectory(prefix="mutants-") as name:
        copy = copied(Path(name))
        sound = _killer(copy, sorted({test for each in mutants for test in each.tests}))
        if sound is not None:
            print(f"error: without any fault, {sound} fails", file=sys.stderr)
            return 2
        print("| fault | found by |\n|---|---|")
        for mutant in mutants:
            with planted(mutant, copy / OVERLAY):
                killer = _killer(copy, mutant.tests)
            survivors += killer is None
            found = "**nothing**" if killer is None else f"`{killer}`"
            print(f"| {mutant.what} | {found} |", flush=True)
    return 1 if survivors else 0


def copied(folder: Path) -> Path:
    """Copy what tests need; the assembled fork's links lead into the copy."""
    copy = folder / "project"
    for name in ("core", "docs", "fork", "src", "tests", "tools"):
        shutil.copytree(ROOT / name, copy / name)
    for name in ("pyproject.toml", "README.md"):
        shutil.copy(ROOT / name, copy)
    requirements = ROOT / "build" / "requirements"
    command = [sys.executable, "-m", "fork", "assemble", "--from", str(requirements)]
    subprocess.run(command, cwd=copy, check=True, stdout=subprocess.DEVNULL)
    return copy


def _killer(copy: Path, tests: Sequence[str]) -> str | None:
    """Return the first test that fails, if any does."""
    command = [sys.executable, "-m", "pytest", "-q", "-x", "--in-process"]
    # Compiled files of one second look alike, whatever was written into them.
    environ = {**os.environ, "PYTHONPATH": "", "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        [*command, "-p", "no:cacheprovider", "-m", "not torch and not matrix", *tests],
        cwd=copy,
        env=environ,
        capture_output=True,
        text=True,
        check=False,
    )
    found = next(_found(done.stdout), None)
    if found is None and done.returncode:
        raise RuntimeError(done.stdout + done.stderr)
    return found


def _found(output: str) -> Iterator[str]:
    for match in _KILLER.finditer(output):
        yield match[1]


if __name__ == "__main__":
    sys.exit(main())
