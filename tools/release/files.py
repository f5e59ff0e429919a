"""Make the files of a release with other programs, and list them."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from fork.project import ROOT
from tools.release.errors import ReleaseError

__all__ = ["SUMS", "build", "sums", "write_index"]

#: The digests of all other files.
SUMS = "SHA256SUMS"
# The state that `wheel-variants index` saves for its next run; it contains file times.
_STATE = ".pip-variants-index.json"


def build(project: Path, folder: Path, **variables: str) -> Path:
    """Build the sdist of a project, and the wheel from the sdist.

    :param variables: additional environment variables for the build.
    :return: the wheel.
    :raises ReleaseError: if the build fails; the frontend has printed the reason.
    """
    before = set(folder.glob("*.whl"))
    _run(["build", "--outdir", str(folder), str(project)], variables)
    (wheel,) = set(folder.glob("*.whl")) - before
    return wheel


def write_index(folder: Path) -> None:
    """Write ``simple/`` for the wheels and sdists of a folder, and their metadata.

    :raises ReleaseError: if wheel-variants fails; it has printed the reason.
    """
    core = str(ROOT / "core" / "src")
    command = ["wheel_variants", "index", "--simple", str(folder)]
    _run(command, {"PYTHONPATH": core})
    (folder / _STATE).unlink()


def sums(folder: Path) -> str:
    """Return a line for each file of a folder, in the format of ``sha256sum --check``."""
    return "".join(
        f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.name}\n"
        for file in sorted(folder.iterdir())
        if file.is_file() and file.name != SUMS
    )


def _run(command: Sequence[str], variables: Mapping[str, str]) -> None:
    done = subprocess.run(
        [sys.executable, "-m", *command],
        env={**os.environ, **variables},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if done.returncode:
        raise ReleaseError(f"{' '.join(command)} fails:\n{done.stdout}")
