"""Apply each fault in mutants.toml to a copy of the project, and run tests."""

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

__all__ = ["Mutant", "copied", "file_of", "main", "planted", "read_mutants"]

ROOT = Path(__file__).resolve().parents[2]
_OVERLAY, _CORE = "src/pip/_internal/", "core/"
_KILLER = re.compile(
    r"^(?:FAILED|ERROR) ((?:core/)?tests/\S+?\.py::[^\s\[]+)", re.MULTILINE
)


@dataclass(frozen=True, slots=True)
class Mutant:
    """A fault to introduce.

    :ivar what: the effect of the fault.
    :ivar edits: for each edit, a file of the overlay or in ``core/``, a text that the file
        contains once, and its replacement; several edits if one defense backs up another.
    :ivar tests: files, folders or names of tests, of which at least one test must fail.
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


def file_of(project: Path, name: str) -> Path:
    """Return the file of an edit in a copy of the project."""
    return project / (name if name.startswith(_CORE) else _OVERLAY + name)


@contextmanager
def planted(mutant: Mutant, project: Path) -> Iterator[None]:
    """Apply a fault, and revert it at the end.

    :raises ValueError: if the file does not contain the text exactly once.
    """
    originals: dict[Path, str] = {}
    try:
        for name, before, after in mutant.edits:
            path = file_of(project, name)
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
    """Apply the faults one by one, and return 1 if no test detects one of the faults."""
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
            # The fork has a copy of core.
            is_core = any(name.startswith(_CORE) for name, _, _ in mutant.edits)
            with planted(mutant, copy):
                if is_core:
                    _assemble(copy)
                killer = _killer(copy, mutant.tests)
            if is_core:
                _assemble(copy)
            survivors += killer is None
            found = "**nothing**" if killer is None else f"`{killer}`"
            print(f"| {mutant.what} | {found} |", flush=True)
    return 1 if survivors else 0


def copied(folder: Path) -> Path:
    """Copy the project; links of the assembled fork point to the copy."""
    copy = folder / "project"
    for name in ("core", "docs", "fork", "src", "tests", "tools"):
        shutil.copytree(ROOT / name, copy / name)
    for name in ("pyproject.toml", "README.md"):
        shutil.copy(ROOT / name, copy)
    _assemble(copy)
    return copy


def _assemble(copy: Path) -> None:
    requirements = ROOT / "build" / "requirements"
    command = [sys.executable, "-m", "fork", "assemble", "--from", str(requirements)]
    subprocess.run(command, cwd=copy, check=True, stdout=subprocess.DEVNULL)


def _killer(copy: Path, tests: Sequence[str]) -> str | None:
    """Return the first failing test, or None."""
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider"]
    command += ["-m", "not torch and not registries and not matrix"]
    if any(test.startswith("tests/") for test in tests):
        # The tests of core lack this option.
        command.append("--in-process")
    # Compiled files with the same timestamp look alike, even if the source differs.
    environ = {**os.environ, "PYTHONPATH": "", "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        [*command, *tests],
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
