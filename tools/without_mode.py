"""Remove a mode from a copy of the project, and run the remaining tests."""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tools.mutants.__main__ import copied, file_of

__all__ = ["MODES", "main", "take_out"]

MODES = ("locks", "pytorch", "scoped")
#: The tests of packages, not of the repository.
_TESTS = (
    "tests/unit/console",
    "tests/unit/fast",
    "tests/unit/variants",
    "tests/functional",
)


def take_out(mode: str, internal: Path) -> None:
    """Delete the package of a mode, and its registration.

    :param internal: the folder ``pip/_internal`` of a copy.
    :raises ValueError: if the mode is not registered by exactly one line.
    """
    shutil.rmtree(internal / "variants" / mode)
    door = internal / "variants" / "seams.py"
    text, count = re.subn(
        rf'^    "{mode}": .*,\n', "", door.read_text(encoding="utf-8"), flags=re.M
    )
    if count != 1 or mode in text:
        raise ValueError(f"{mode} is not registered by one line, but by {count}")
    door.write_text(text, encoding="utf-8")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the tests without each mode, and return 1 if any test fails."""
    parser = argparse.ArgumentParser(prog="nox -s modes --", description=__doc__)
    parser.add_argument("--mode", choices=MODES, help="only without this one")
    parser.add_argument("tests", nargs="*", default=_TESTS)
    options = parser.parse_args(arguments)
    failed = False
    for mode in [options.mode] if options.mode else MODES:
        print(f"without {mode}:", flush=True)
        with tempfile.TemporaryDirectory(prefix="without-") as name:
            copy = copied(Path(name))
            take_out(mode, file_of(copy, ""))
            shutil.rmtree(copy / "tests/unit/variants" / mode)
            failed |= _fails(copy, mode, options.tests)
    return int(failed)


def _fails(copy: Path, mode: str, tests: Sequence[str]) -> bool:
    """Run the tests that do not need a mode."""
    command = [sys.executable, "-m", "pytest", "-q", "--in-process"]
    done = subprocess.run(
        [
            *command,
            "-m",
            f"not {mode} and not torch and not registries and not matrix",
            *tests,
        ],
        cwd=copy,
        env={**os.environ, "PYTHONPATH": ""},
        check=False,
    )
    return done.returncode != 0


if __name__ == "__main__":
    sys.exit(main())
